import { answered, files, refuse, showPage } from "./engine.js";

files(document.getElementById("file"), ([file, ...more]) =>
  more.length ? refuse("One report at a time, please.") : answered({ what: "report" }, { report: file }, showPage),
);
document.getElementById("form").addEventListener("submit", (event) => event.preventDefault());
