for (const code of document.querySelectorAll("code[data-copy]")) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.setAttribute("aria-label", `Copy: ${code.textContent}`);
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(code);
      button.textContent = "Selected";
    }
    setTimeout(() => (button.textContent = "Copy"), 2000);
  });
  code.parentElement.before(button);
}
for (const box of document.querySelectorAll("[data-search]")) {
  const rows = [...box.querySelectorAll(box.dataset.search)];
  const count = box.querySelector("output");
  const search = box.querySelector("input");
  box.querySelector("label").hidden = false;
  search.addEventListener("input", () => {
    const words = search.value.toLowerCase().split(/\s+/);
    for (const row of rows) row.hidden = !words.every((word) => row.textContent.toLowerCase().includes(word));
    count.value = `${rows.filter((row) => !row.hidden).length} of ${rows.length}`;
  });
}
