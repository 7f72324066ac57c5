// Builds the guides: docs/guides/*.md into pages of the site.
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import MarkdownIt from "markdown-it";
import { highlighting } from "./highlight.mjs";

const guides = fileURLToPath(new URL("../docs/guides/", import.meta.url));

/** A heading's anchor, as code hosts make it. */
const slugOf = (text) =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");

/** Markdown of a line without its marks. */
const textOf = (markdown) => markdown.replaceAll(/[`*]|\[|\]\([^)]*\)/g, "").trim();

/**
 * Writes index.html and a page for each guide that the index links, in its order.
 *
 * @param files - the site's other pages, by the names of their sources.
 * @param addresses - of the API reference's pages, by the names that they are about.
 */
export async function buildGuides(folder, page, files, addresses) {
  const highlight = await highlighting();
  const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false });
  const { rules } = markdown.renderer;

  rules.fence = (tokens, at) => {
    const [, language = "text", note = ""] = /^(\w*)\s*(.*)$/.exec(tokens[at].info.trim()) ?? [];
    const code = highlight(tokens[at].content.trimEnd(), language || "text");
    const block = `<div class="listing">${code}</div>\n`;
    return note === "" ? block : `${block}<p class="note">${markdown.utils.escapeHtml(note)}</p>\n`;
  };
  // Where a file of the repository is a page of the site, its links lead there.
  rules.link_open = (tokens, at, options, _, self) => {
    const href = tokens[at].attrGet("href") ?? "";
    tokens[at].attrSet(
      "href",
      href
        .replace(/^([\w-]+)\.md(#.*)?$/, "$1.html$2")
        .replace(/^\.\.\/\.\.\/site\/(\w+)\.html$/, (__, name) => `../${files.get(name)}`),
    );
    return self.renderToken(tokens, at, options);
  };
  rules.heading_open = (tokens, at, options, env, self) => {
    const slug = slugOf(tokens[at + 1].children.map(({ content }) => content).join(""));
    if (env.slugs.has(slug)) {
      throw new Error(`${env.name}.md has two headings with the anchor ${slug}`);
    }
    env.slugs.add(slug);
    tokens[at].attrSet("id", slug);
    return self.renderToken(tokens, at, options);
  };
  rules.table_open = (tokens, at, _, env) => {
    const end = tokens.findIndex(({ type }, index) => index > at && type === "thead_close");
    const columns = tokens
      .slice(at, end)
      .filter(({ type }) => type === "inline")
      .map(({ content }) => textOf(content))
      .filter(Boolean);
    env.tables++;
    env.headings = tokens
      .slice(at, end)
      .flatMap(({ type }, index, all) => (type === "th_open" ? [textOf(all[index + 1].content)] : []));
    const label = markdown.utils.escapeHtml(`Table ${env.tables}: ${columns.join(", ")}`);
    return `<div class="scroll" role="region" aria-label="${label}" tabindex="0"><table class="text" role="table">\n`;
  };
  // A phone shows each row as a card, in which every cell has its column's heading before it. A browser takes what is not laid
  // out as a table for none, so the roles are written down.
  const parts = { thead: "rowgroup", tbody: "rowgroup", tr: "row", th: "columnheader", td: "cell" };
  for (const [name, role] of Object.entries(parts)) {
    rules[`${name}_open`] = (tokens, at, options, env, self) => {
      tokens[at].attrSet("role", role);
      if (name === "tr") {
        env.column = 0;
      } else if (name === "td") {
        tokens[at].attrSet("data-label", env.headings[env.column++] ?? "");
      }
      return `${self.renderToken(tokens, at, options)}${name === "td" ? "<span>" : ""}`;
    };
  }
  rules.td_close = () => "</span></td>\n";
  rules.table_close = () => "</table></div>\n";
  // The first time that a page names something of the API, it is a link to it.
  const inline = rules.code_inline;
  rules.code_inline = (tokens, at, options, env, self) => {
    // Long names and paths break between their parts rather than within them.
    const code = inline(tokens, at, options, env, self).replaceAll(/(?<=[\w)][./_(])(?=\w)/g, "<wbr>");
    const { content } = tokens[at];
    const address = addresses.get(content);
    const isLinked = tokens[at - 1]?.type === "link_open";
    if (address === undefined || isLinked || env.named.has(content)) {
      return code;
    }
    env.named.add(content);
    return `<a href="../api/${address}">${code}</a>`;
  };

  const render = async (name) => {
    // The marks around a generated table are comments, which Markdown without HTML would show.
    const text = (await readFile(join(guides, `${name}.md`), "utf8")).replaceAll(/^<!--.*-->$/gm, "");
    const html = markdown.render(text, { name, slugs: new Set(), named: new Set(), tables: 0 });
    const title = /^# (.*)$/m.exec(text)?.[1] ?? name;
    return { name, title, html };
  };
  const index = await render("index");
  const names = [...index.html.matchAll(/href="([\w-]+)\.html"/g)].map(([, name]) => name);
  const all = [index, ...(await Promise.all([...new Set(names)].map(render)))];
  const menu = (current) =>
    all
      .map(({ name, title }) => {
        const here = name === current ? ' aria-current="page"' : "";
        return `<li><a href="${name}.html"${here}>${markdown.utils.escapeHtml(title)}</a></li>`;
      })
      .join("\n");
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const [at, { name, title, html }] of all.entries()) {
    const next = all[at + 1];
    const onward =
      at === 0 || next === undefined
        ? ""
        : `<p class="onward">Next: <a href="${next.name}.html">${next.title}</a></p>`;
    const main = `<div class="guide">
<nav aria-label="Guides"><ul>
${menu(name)}
</ul></nav>
<article>
${html}${onward}
</article>
</div>`;
    await writeFile(
      join(folder, `${name}.html`),
      await page({ title, main, current: "guides", home: "../" }),
    );
  }
}
