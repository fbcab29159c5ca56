import { answered, element, files, refuse, save, typed } from "./engine.js";

const form = document.getElementById("form");
const $ = (id) => document.getElementById(id);
let given = []; // the files of the last answer: other fields judge them again

function card({ place, code, title, explanation, fix, commands }) {
  const made = element("article");
  const link = element("a", code);
  link.href = new URL(`../../codes/${code}.html`, import.meta.url).href;
  link.target = "_blank";
  const where = element("p", `${place} · `, "soft");
  where.append(link);
  made.append(element("h3", title), where);
  if (explanation) made.append(element("p", explanation));
  if (fix) made.append(element("p", `Fix: ${fix}`));
  if (commands.length) made.append(typed(commands.join("\n")));
  return made;
}

function show(told) {
  const first = element("article", "", told.tone);
  first.append(element("h2", told.headline));
  for (const each of told.unread) first.append(element("p", each, "soft"));
  const parts = [first, ...told.findings.map(card)];
  if (told.diff) parts.push(element("h3", "What can be written into the files"), typed(told.diff));
  $("lint").replaceChildren(...parts);
  $("save-json").onclick = () => save(told.json, "tfdoctor-lint.json", "application/json");
  $("save-sarif").onclick = () => save(told.sarif, "tfdoctor-lint.sarif", "application/json");
}

function lint() {
  if (!given.length) return refuse("Choose build files, or drop them on this page.");
  const said = [...new FormData(form)].map(([key, value]) => [key, value.trim()]).filter(([, value]) => value);
  return answered({ what: "lint", ...Object.fromEntries(said) }, { files: given }, show);
}

files($("file"), (dropped) => {
  given = dropped;
  return lint();
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  lint();
});
