for (const code of document.querySelectorAll("[data-copy='']")) {
  code.dataset.copy = "done";
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.style.cssText = "float: right; margin: .3em .3em 0 .5em";
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
  code.closest("pre").before(button);
}
