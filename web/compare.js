import { answered, files, refuse, showPage } from "./engine.js";

const sides = [document.getElementById("a"), document.getElementById("b")];

// Dropped one by one or together; what is dropped goes to the first side that has none.
function take(given) {
  for (const file of given) {
    if (sides.some((side) => [...side.files].includes(file))) continue;
    const free = sides.find((side) => !side.files.length) ?? sides[1];
    const list = new DataTransfer();
    list.items.add(file);
    free.files = list.files;
  }
  compare();
}

function compare() {
  const reports = sides.map((side) => side.files[0]).filter(Boolean);
  if (reports.length < 2) return refuse("Now choose the other report.");
  return answered({ what: "compare" }, { reports }, showPage);
}

for (const side of sides) files(side, take);
document.getElementById("form").addEventListener("submit", (event) => {
  event.preventDefault();
  compare();
});
