// Code in colours, on pages that are built.
import { createHighlighter } from "shiki";

/** As site/highlight.ts has them. */
const themes = { light: "github-light-high-contrast", dark: "github-dark-default" };

/** Makes HTML from code in one of the languages of the guides. */
export async function highlighting() {
  const highlighter = await createHighlighter({
    langs: ["ts", "js", "wgsl", "sh", "c", "cpp", "html"],
    themes: Object.values(themes),
  });
  return (code, lang) =>
    highlighter
      // Without a limit, since a busy machine would leave the rest of a line without colours.
      .codeToHtml(code, { lang, themes, defaultColor: "light-dark()", tokenizeTimeLimit: 0 })
      // The panel's own background shows.
      .replace(/background-color:[^;"]*;?/, "");
}
