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

/** The lists beside a guide are open where there is room for them, and closed on phones, where they come before it. */
const FOLD_ON_PHONES =
  'if (matchMedia("(max-width: 60rem)").matches) document.querySelectorAll(".guide > details").forEach((list) => (list.open = false));';

/** The guides that the index links, by its headings: each under the first that links it. */
function groupsOf(html) {
  const named = new Set();
  return html
    .split(/(?=<h2)/)
    .slice(1)
    .map((section) => {
      const [, title = ""] = /<h2[^>]*>(.*?)<\/h2>/.exec(section) ?? [];
      const linked = Array.from(section.matchAll(/href="([\w-]+)\.html"/g), ([, name]) => name);
      const names = [...new Set(linked)].filter((name) => !named.has(name));
      for (const name of names) {
        named.add(name);
      }
      return { title, names };
    })
    .filter(({ names }) => names.length > 0);
}

const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** The list of all guides, with the place of one of them. */
function menuOf(all, groups, { name: current }) {
  const titles = new Map(all.map(({ name, title }) => [name, title]));
  const item = (name) => {
    const here = name === current ? ' aria-current="page"' : "";
    return `<li><a href="${name}.html"${here}>${escaped(titles.get(name) ?? name)}</a></li>`;
  };
  const lists = groups.map(
    ({ title, names }) => `<li><span>${title}</span>\n<ul>${names.map(item).join("\n")}</ul></li>`,
  );
  return `<details class="menu" open data-pagefind-ignore><summary>All guides</summary>
<nav aria-label="Guides"><ul>${item("index")}
${lists.join("\n")}
</ul></nav></details>`;
}

/** The list of a guide's headings. */
function contentsOf({ headings }) {
  const listed = headings.filter(({ level }) => level === 2 || level === 3);
  if (listed.length < 2) {
    return "";
  }
  const items = listed.map(
    ({ level, slug, html }) => `<li class="level-${level}"><a href="#${slug}">${html}</a></li>`,
  );
  return `<details class="contents" open data-pagefind-ignore><summary>On this page</summary>
<nav aria-label="On this page"><ul>
${items.join("\n")}
</ul></nav></details>`;
}

/** The links to the guides before and after one. */
function onwardOf(previous, next) {
  const link = (guide, word, rel) =>
    guide && `<a rel="${rel}" href="${guide.name}.html"><span>${word}</span> ${escaped(guide.title)}</a>`;
  const links = [link(previous, "Previous:", "prev"), link(next, "Next:", "next")].filter(Boolean);
  return `<nav class="onward" aria-label="Neighbouring guides" data-pagefind-ignore>${links.join("\n")}</nav>`;
}

/**
 * Writes index.html and a page for each guide that the index links, in its order.
 *
 * @param files - the site's other pages, by the anchors of what the index says of them.
 * @param addresses - of the API reference's pages, by the names that they are about.
 */
export async function buildGuides(folder, page, files, addresses) {
  const highlight = await highlighting();
  const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false });
  const { rules } = markdown.renderer;

  rules.fence = (tokens, at, _, env) => {
    const [, language = "text", note = ""] = /^(\w*)\s*(.*)$/.exec(tokens[at].info.trim()) ?? [];
    const code = highlight(tokens[at].content.trimEnd(), language || "text");
    env.listings++;
    const id = `listing-${env.listings}`;
    const button = `<button type="button" class="copy" data-copies="${id}" aria-label="Copy the code" hidden>Copy</button>`;
    const block = `<div class="copyable"><div class="listing" id="${id}">${code}</div>${button}</div>\n`;
    return note === "" ? block : `${block}<p class="note">${markdown.utils.escapeHtml(note)}</p>\n`;
  };
  // The index has a section for each of the site's other pages. Here, its links lead to the page itself.
  rules.link_open = (tokens, at, options, _, self) => {
    const href = tokens[at].attrGet("href") ?? "";
    tokens[at].attrSet(
      "href",
      href
        .replace(/^(?:index\.md)?#([\w-]+)$/, (link, slug) =>
          files.has(slug) ? `../${files.get(slug)}` : link,
        )
        .replace(/^([\w-]+)\.md(#.*)?$/, "$1.html$2"),
    );
    return self.renderToken(tokens, at, options);
  };
  rules.heading_open = (tokens, at, options, env, self) => {
    const slug = slugOf(tokens[at + 1].children.map(({ content }) => content).join(""));
    if (env.slugs.has(slug)) {
      throw new Error(`${env.name}.md has two headings with the anchor ${slug}`);
    }
    env.slugs.add(slug);
    env.headings.push({ level: Number(tokens[at].tag.slice(1)), slug, title: tokens[at + 1] });
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
    env.columns = tokens
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
        tokens[at].attrSet("data-label", env.columns[env.column++] ?? "");
      }
      return `${self.renderToken(tokens, at, options)}${name === "td" ? "<span>" : ""}`;
    };
  }
  rules.td_close = () => "</span></td>\n";
  rules.table_close = () => "</table></div>\n";
  // The first time that a page names something of the API, or calls it, it is a link to it.
  const inline = rules.code_inline;
  rules.code_inline = (tokens, at, options, env, self) => {
    // Long names and paths break between their parts rather than within them.
    const code = inline(tokens, at, options, env, self).replaceAll(/(?<=[\w)][./_(])(?=\w)/g, "<wbr>");
    const { content } = tokens[at];
    const address = addresses.get(content) ?? addresses.get(/^fold\.\w+(?=\()/.exec(content)?.[0]);
    const isLinked =
      tokens.slice(0, at).findLast(({ type }) => type.startsWith("link_"))?.type === "link_open";
    if (address === undefined || isLinked || env.named.has(address)) {
      return code;
    }
    env.named.add(address);
    return `<a href="../api/${address}">${code}</a>`;
  };

  const render = async (name) => {
    // The marks around a generated table are comments, which Markdown without HTML would show.
    const text = (await readFile(join(guides, `${name}.md`), "utf8")).replaceAll(/^<!--.*-->$/gm, "");
    const env = { name, slugs: new Set(), named: new Set(), headings: [], tables: 0, listings: 0 };
    const html = markdown.render(text, env);
    const title = /^# (.*)$/m.exec(text)?.[1] ?? name;
    const headings = env.headings.map(({ title: { children }, ...heading }) => ({
      ...heading,
      html: markdown.renderer.renderInline(
        children.filter(({ type }) => !type.startsWith("link_")),
        markdown.options,
        { named: { has: () => true } },
      ),
    }));
    return { name, title, html, headings };
  };
  const index = await render("index");
  const groups = groupsOf(index.html);
  const all = [index, ...(await Promise.all(groups.flatMap(({ names }) => names).map(render)))];
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const [at, guide] of all.entries()) {
    const main = `<div class="guide">
${menuOf(all, groups, guide)}
${contentsOf(guide)}
<article>
${guide.html}${at === 0 ? "" : onwardOf(all[at - 1], all[at + 1])}
</article>
</div>
<script>${FOLD_ON_PHONES}</script>`;
    await writeFile(
      join(folder, `${guide.name}.html`),
      await page({ title: guide.title, main, current: "guides", home: "../" }),
    );
  }
}
