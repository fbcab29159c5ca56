import { answered, files, refuse, say, showPage, start } from "./engine.js";

const MUCH = 300_000; // characters that a text field still shows without a pause
const EXAMPLE = `2026-11-20 10:12:01.123456: W external/local_xla/xla/stream_executor/gpu/gpu_device.cc:2343] Cannot dlopen some GPU libraries. Please make sure the missing libraries mentioned above are installed properly if you would like to use GPU. Follow the guide at https://www.tensorflow.org/install/gpu for how to download and setup the required libraries for your platform.
Skipping registering GPU devices...
Num GPUs Available: 0
`;
const text = document.getElementById("log");
const report = document.getElementById("report");
let large = null; // a file that stands in for the field's text

function keep(file, beginning) {
  large = file;
  text.value = beginning;
  text.readOnly = true;
  say(`${file.name}, ${(file.size / 1e6).toFixed(1)} MB`);
}

text.addEventListener("focus", () => start().catch(() => {}), { once: true });
text.addEventListener("paste", (event) => {
  const pasted = event.clipboardData.getData("text");
  if (pasted.length <= MUCH) return;
  event.preventDefault();
  keep(new File([pasted], "pasted text"), `${pasted.slice(0, 2000)}\n…`);
});

async function take([file, ...more]) {
  if (more.length) return refuse("One log at a time, please.");
  if (file.name.endsWith(".json") && (text.value || large)) {
    const given = new DataTransfer();
    given.items.add(file);
    report.files = given.files;
  } else keep(file, await file.slice(0, 2000).text().catch(() => ""));
  return explain();
}

function explain() {
  const log = large ?? (text.value.trim() ? new File([text.value], "pasted text") : null);
  if (!log) return refuse("Paste a log, or choose a file.", "log");
  return answered({ what: "log" }, { logs: [log], ...(report.files[0] && { report: report.files[0] }) }, showPage);
}

files(document.getElementById("file"), take);
report.addEventListener("change", () => (text.value || large) && explain());
document.getElementById("form").addEventListener("submit", (event) => {
  event.preventDefault();
  explain();
});
document.getElementById("example").addEventListener("click", () => {
  clear();
  text.value = EXAMPLE;
  explain();
});
document.getElementById("form").addEventListener("reset", () => setTimeout(clear));

function clear() {
  large = null;
  text.readOnly = false;
  text.value = report.value = document.getElementById("file").value = "";
  document.getElementById("answer").hidden = true;
  document.getElementById("problem").textContent = "";
  say("");
}
