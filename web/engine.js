// Asks tfdoctor, which a worker runs, and shows its answers: what all five pages share.
const base = new URL(".", import.meta.url).href;
const SILENCE_MS = 60_000; // after the last byte; some browsers refuse to run WebAssembly and say nothing
const ALTERNATIVE = "On the command line it works everywhere: in a clone, python -m pip install .";
const $ = (id) => document.getElementById(id);

let worker = null;
let ready = null;
let asked = null; // { id, resolve, reject, total }
let count = 0;

const size = (bytes) => (bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`);

export function say(text, part = null) {
  $("status").textContent = text;
  $("progress").hidden = part === null;
  if (part !== null) $("progress").value = part;
  $("stop").hidden = part === null;
}

// Begins to load Python, once; pages call it when somebody is about to ask.
export function start() {
  ready ??= new Promise((resolve, reject) => {
    if (typeof WebAssembly === "undefined") {
      reject(new Error(`This browser has no WebAssembly, so it can't run tfdoctor. ${ALTERNATIVE}`));
      return;
    }
    const total = Number(document.documentElement.dataset.bytes);
    const refused = () => reject(new Error(`This browser did not start Python. ${ALTERNATIVE}`));
    let silence = setTimeout(refused, SILENCE_MS);
    // A worker from an address would not be bound by this page's Content-Security-Policy; one from a blob is.
    const blob = new Blob([`import "${base}worker.js";`], { type: "text/javascript" });
    worker = new Worker(URL.createObjectURL(blob), { type: "module" });
    worker.onerror = () => reject(new Error(`tfdoctor could not be loaded; is the network there? ${ALTERNATIVE}`));
    worker.onmessage = ({ data }) => {
      clearTimeout(silence);
      if (data.ready) resolve();
      else if (data.broken) reject(new Error(`tfdoctor could not be loaded (${data.broken}). ${ALTERNATIVE}`));
      else if (data.received) {
        silence = setTimeout(refused, SILENCE_MS);
        if (asked) say(`Loading Python, once: ${size(data.received)} of ${size(total)}`, data.received / total);
      } else if (asked?.id === data.id) heard(data);
    };
  });
  ready.catch(() => end());
  return ready;
}

function heard({ bytes, answer, failed }) {
  if (bytes !== undefined) {
    say(`Reading: ${size(bytes)} of ${size(asked.total)}`, Math.min(1, bytes / asked.total));
  } else if (failed) {
    asked.reject(new Error(`tfdoctor itself failed. Please report this:\n${failed}`));
  } else asked.resolve(answer);
}

function end() {
  worker?.terminate();
  worker = ready = null;
}

// The answer to a question about files, each a File or a list of them. Throws an Error in words for people.
async function ask(question, files) {
  const id = ++count;
  const total = Object.values(files).flat().reduce((sum, file) => sum + file.size, 0) || 1;
  const answer = new Promise((resolve, reject) => (asked = { id, resolve, reject, total }));
  answer.catch(() => {});
  say("Loading Python …", 0);
  start().then(() => {
    say("Reading …", 0);
    worker?.postMessage({ id, question, files });
  }, asked.reject);
  try {
    return await answer;
  } finally {
    if (asked?.id === id) asked = null;
  }
}

// Asks and shows; an older answer is dimmed until the new one is there. `show` draws what is right.
export async function answered(question, files, show) {
  const form = $("form");
  for (const field of form.querySelectorAll("[aria-invalid]")) field.removeAttribute("aria-invalid");
  $("problem").textContent = "";
  $("answer").classList.add("old");
  form.setAttribute("aria-busy", "true");
  try {
    const answer = await ask(question, files);
    say("");
    if (answer.message) {
      refuse(answer.message, answer.field);
      return;
    }
    show(answer);
    $("answer").hidden = false;
    $("answer").classList.remove("old");
    say("Done.");
  } catch (error) {
    say("");
    refuse(error.message);
  } finally {
    form.removeAttribute("aria-busy");
  }
}

export function refuse(message, field = "") {
  $("problem").textContent = message;
  const wrong = field && document.querySelector(`[name="${field}"]`);
  if (wrong) {
    wrong.setAttribute("aria-invalid", "true");
    wrong.setAttribute("aria-describedby", "problem");
    wrong.focus();
  }
}

$("stop")?.addEventListener("click", () => {
  const stopped = asked;
  end();
  stopped?.reject(new Error("Stopped. Nothing was kept."));
});

// The program's own page in a frame that can run nothing, as high as it needs to be; and ways to take it along.
export function showPage(answer) {
  const frame = $("frame");
  frame.onload = () => {
    const page = frame.contentDocument;
    const fit = () => (frame.style.height = `${page.documentElement.offsetHeight + 2}px`);
    new ResizeObserver(fit).observe(page.documentElement);
    for (const code of page.querySelectorAll("code[data-copy]")) copyable(code, page);
    for (const link of page.querySelectorAll("a[href^='#']")) linked(link, page);
    fit();
    $("answer").scrollIntoView({ block: "start" });
  };
  frame.srcdoc = answer.html.replace(/<script>[^]*?<\/script>/, "");
  copies($("copy-fix"), () => answer.commands.join("\n"));
  $("copy-fix").hidden = !answer.commands.length;
  copies($("copy-markdown"), () => answer.markdown);
  $("save-html").onclick = () => save(answer.html, "tfdoctor.html", "text/html");
  $("save-json").onclick = () => save(answer.json, "tfdoctor.json", "application/json");
}

// The page's own script does not run in the frame: the same buttons, from here.
function copyable(code, page) {
  const button = page.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  copies(button, () => code.textContent);
  button.setAttribute("aria-label", `Copy: ${code.textContent}`);
  code.parentElement.before(button);
}

// A code leads to its page on the site, any other link to its place in the frame, which has no address of its own.
function linked(link, page) {
  const [, code] = /^#code-(.+)/.exec(link.hash) ?? [];
  if (code) {
    link.href = new URL(`../../codes/${code}.html`, import.meta.url).href;
    link.target = "_blank";
  } else {
    const place = page.querySelector(link.hash);
    link.addEventListener("click", (event) => {
      event.preventDefault();
      place.scrollIntoView();
    });
  }
}

export function copies(button, text) {
  button.onclick = async () => {
    try {
      await navigator.clipboard.writeText(text());
      say("Copied.");
    } catch {
      say("The browser did not allow copying. Select the text and copy it yourself.");
    }
  };
}

export function save(text, name, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

export function element(name, text = "", className = "") {
  const made = document.createElement(name);
  made.textContent = text;
  made.className = className;
  return made;
}

// What is to be typed or taken along, with a button that copies it.
export function typed(text) {
  const box = element("div", "", "commands");
  const button = element("button", "Copy");
  button.type = "button";
  copies(button, () => text);
  const shown = element("pre");
  shown.append(element("code", text.trimEnd()));
  box.append(button, shown);
  return box;
}

// Files that are dropped anywhere on the page, and those that are chosen.
export function files(input, take) {
  input.addEventListener("change", () => input.files.length && take([...input.files]));
  for (const event of ["dragover", "drop"]) document.addEventListener(event, (each) => each.preventDefault());
  document.addEventListener("dragenter", () => start().catch(() => {}));
  document.addEventListener("drop", ({ dataTransfer }) => dataTransfer.files.length && take([...dataTransfer.files]));
  input.addEventListener("focus", () => start().catch(() => {}));
}
