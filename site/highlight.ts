import type { HighlighterCore } from "shiki/core";

let highlighter: Promise<HighlighterCore> | undefined;

/** Shiki with the grammar of WGSL alone, loaded when it is first needed. */
async function load(): Promise<HighlighterCore> {
  const [{ createHighlighterCore }, { createJavaScriptRegexEngine }] = await Promise.all([
    import("shiki/core"),
    import("shiki/engine/javascript"),
  ]);
  return createHighlighterCore({
    langs: [import("shiki/langs/wgsl.mjs")],
    themes: [import("shiki/themes/github-light-high-contrast.mjs"), import("shiki/themes/github-dark.mjs")],
    engine: createJavaScriptRegexEngine(),
  });
}

/** Shows WGSL in an element: at once as plain text, and in colours once the grammar is there. */
export async function showWgsl(into: HTMLElement, code: string): Promise<void> {
  const pre = document.createElement("pre");
  pre.textContent = code;
  into.replaceChildren(pre);
  into.dataset.code = code;
  highlighter ??= load();
  const markup = (await highlighter).codeToHtml(code, {
    lang: "wgsl",
    themes: { light: "github-light-high-contrast", dark: "github-dark" },
    defaultColor: "light-dark()",
  });
  // Meanwhile other code may have taken its place.
  if (into.dataset.code === code) {
    into.innerHTML = markup;
    // The panel's own background shows.
    into.querySelector("pre")?.style.removeProperty("background-color");
  }
}
