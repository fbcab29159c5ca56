import { answered, element, say, start, typed } from "./engine.js";

const form = document.getElementById("form");
const $ = (id) => document.getElementById(id);

function folded(title, lines) {
  const made = element("details");
  const list = element("ul");
  list.append(...lines.map((line) => element("li", line)));
  made.append(element("summary", title), list);
  return made;
}

function show(plan) {
  const card = element("article", "", plan.tone);
  card.append(element("h2", plan.headline), element("p", `For ${plan.machine}`, "soft"));
  const built = [plan.python.length && `has wheels for Python ${plan.python.join(", ")}`, plan.built].filter(Boolean);
  if (built.length) card.append(element("p", built.join(" · "), "soft"));
  if (plan.text) card.append(typed(plan.text));
  for (const note of [plan.refused, ...plan.notes].filter(Boolean)) card.append(element("p", note));
  for (const way of plan.ways) {
    card.append(element("h3", way.title));
    if (way.commands.length) card.append(typed(way.commands.join("\n")));
    if (way.note) card.append(element("p", way.note, "soft"));
  }
  const others = plan.others.map(([label, text]) => element("p", `${label}: ${text}`));
  const rest = plan.why_not.length ? [folded("Why not the others", plan.why_not)] : [];
  $("plan").replaceChildren(card, ...others, ...rest);
}

const chosen = () => Object.fromEntries([...new FormData(form)].map(([key, value]) => [key, value.trim()]).filter(([, value]) => value));

form.addEventListener("submit", (event) => {
  event.preventDefault();
  answered({ what: "plan", ...chosen() }, {}, show);
});
form.addEventListener("focusin", () => start().catch(() => {}), { once: true });

// The choices alone, behind "#", which browsers do not send to the host.
$("link").addEventListener("click", async () => {
  history.replaceState(null, "", `#${new URLSearchParams(chosen())}`);
  try {
    await navigator.clipboard.writeText(location.href);
    say("The link is copied.");
  } catch {
    say("The link is in the address bar.");
  }
});

function fromLink() {
  const given = [...new URLSearchParams(location.hash.slice(1))];
  for (const [key, value] of given) if (form.elements[key]) form.elements[key].value = value;
  if (given.length) form.requestSubmit();
}
addEventListener("hashchange", fromLink);
fromLink();
