for (const link of document.querySelectorAll("a[href^='#']"))
  link.addEventListener("click", () => {
    const box = document.querySelector(link.hash).closest("details");
    if (box) box.open = true;
  });
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
