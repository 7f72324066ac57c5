// Builds the site: three pages, their scripts and style sheet. usage: node scripts/site.mjs [FOLDER]
import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const sources = join(root, "site");

const pages = [
  { name: "try", file: "index.html", title: "Try it" },
  { name: "watch", file: "watch.html", title: "Watch it" },
  { name: "use", file: "use.html", title: "Use it" },
];

/**
 * A page in the site's frame. The guides and the API's pages may use it as well: `home` is the way from
 * their folder to the site's, such as "../".
 */
export async function page({ title, main, current = "", home = "./", script = "" }) {
  const layout = await readFile(join(sources, "layout.html"), "utf8");
  const filled = {
    title,
    main,
    home,
    script: script && `<script type="module" src="${home}assets/${script}.js"></script>`,
  };
  return layout
    .replaceAll(/ data-page="(\w+)"/g, (_, name) => (name === current ? ' aria-current="page"' : ""))
    .replaceAll(/\{\{(\w+)\}\}/g, (_, name) => filled[name] ?? "");
}

/** Builds into a folder, and leaves there what is not of this build. */
export async function buildSite(folder) {
  const assets = join(folder, "assets");
  const { outputFiles } = await build({
    entryPoints: Object.fromEntries(pages.map(({ name }) => [name, join(sources, `${name}.ts`)])),
    outdir: assets,
    write: false,
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    target: "es2022",
    platform: "browser",
    loader: { ".wgsl": "text" },
    chunkNames: "[name]-[hash]",
    legalComments: "linked",
    logLevel: "warning",
  });
  // Only now that it builds does the old one go.
  await rm(assets, { recursive: true, force: true });
  await mkdir(assets, { recursive: true });
  await Promise.all(outputFiles.map(({ path, contents }) => writeFile(path, contents)));
  await copyFile(join(sources, "style.css"), join(assets, "style.css"));
  await copyFile(join(sources, "mark.svg"), join(assets, "mark.svg"));
  for (const { name, file, title } of pages) {
    const main = await readFile(join(sources, `${name}.html`), "utf8");
    await writeFile(join(folder, file), await page({ title, main, current: name, script: name }));
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  await buildSite(process.argv[2] ?? join(root, "site-dist"));
}
