/** Puts text on the clipboard; returns whether the browser let it. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Lets each button with `data-copies` copy the text of the element that it names, or select it where it may not. */
export function copyButtons(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-copies]")) {
    button.hidden = false;
    const name = button.textContent ?? "";
    let timer: ReturnType<typeof setTimeout> | undefined;
    button.addEventListener("click", async () => {
      const source = document.getElementById(button.dataset.copies ?? "");
      if (source === null) {
        return;
      }
      const copied = await copyText((source.textContent ?? "").trim());
      if (!copied) {
        getSelection()?.selectAllChildren(source);
      }
      button.textContent = copied ? "Copied" : "Selected";
      clearTimeout(timer);
      timer = setTimeout(() => {
        button.textContent = name;
      }, 2000);
    });
  }
}
