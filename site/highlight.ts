import type { HighlighterCore } from "shiki/core";

let highlighter: Promise<HighlighterCore> | undefined;

/** Shiki with the grammars of WGSL and TypeScript, loaded when it is first needed. */
async function load(): Promise<HighlighterCore> {
  const [{ createHighlighterCore }, { createJavaScriptRegexEngine }] = await Promise.all([
    import("shiki/core"),
    import("shiki/engine/javascript"),
  ]);
  return createHighlighterCore({
    langs: [import("shiki/langs/wgsl.mjs"), import("shiki/langs/typescript.mjs")],
    themes: [
      import("shiki/themes/github-light-high-contrast.mjs"),
      import("shiki/themes/github-dark-default.mjs"),
    ],
    engine: createJavaScriptRegexEngine(),
  });
}

async function markupOf(code: string, lang: "wgsl" | "typescript"): Promise<string> {
  highlighter ??= load();
  return (await highlighter).codeToHtml(code, {
    lang,
    themes: { light: "github-light-high-contrast", dark: "github-dark-default" },
    defaultColor: "light-dark()",
    // A busy machine would leave the rest of a line without colours.
    tokenizeTimeLimit: 0,
  });
}

/** The lines of code in colours. */
export async function colouredLines(
  code: string,
  lang: "wgsl" | "typescript",
): Promise<readonly (readonly Node[])[]> {
  const holder = document.createElement("template");
  holder.innerHTML = await markupOf(code, lang);
  return [...holder.content.querySelectorAll(".line")].map((line) => [...line.childNodes]);
}

/** Shows code in an element: at once as plain text, and in colours once the grammar is there. */
export async function showCode(into: HTMLElement, code: string, lang: "wgsl" | "typescript"): Promise<void> {
  const pre = document.createElement("pre");
  pre.textContent = code;
  into.replaceChildren(pre);
  into.dataset.code = code;
  const markup = await markupOf(code, lang);
  // Meanwhile other code may have taken its place.
  if (into.dataset.code === code) {
    into.innerHTML = markup;
    // The panel's own background shows.
    into.querySelector("pre")?.style.removeProperty("background-color");
  }
}
