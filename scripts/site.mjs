// Builds the site: pages with their scripts and style sheet, the guides and the API reference.
// usage: node scripts/site.mjs [--no-api] [--package PACKAGE.JSON] [FOLDER]
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { buildGuides } from "./guides.mjs";
import { highlighting } from "./highlight.mjs";
import { shaderTexts } from "./modules.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const sources = join(root, "site");

const pages = [
  { name: "home", file: "index.html", title: "Scan, reduce, compact and sort for WebGPU" },
  { name: "try", file: "try.html", title: "Try it" },
  { name: "watch", file: "watch.html", title: "Watch it" },
  { name: "use", file: "use.html", title: "Use it" },
  { name: "check", file: "check.html", title: "Check your GPU" },
];

/** A page in the site's frame. `home` is the way from its folder to the site's, such as "../". */
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

/** What a module of src/ or bench/ exports. */
async function moduleOf(path) {
  const { outputFiles } = await build({
    entryPoints: [join(root, path)],
    write: false,
    bundle: true,
    format: "esm",
    platform: "node",
    plugins: [shaderTexts],
  });
  return import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
}

/** The link to the repository, if package.json names it. */
async function repositoryLink(manifest) {
  const { repositoryAddress } = await moduleOf("src/cli/issue_link.ts");
  const address = repositoryAddress(JSON.parse(await readFile(manifest, "utf8")))
    ?.replaceAll("&", "&amp;")
    .replaceAll('"', "&quot;");
  return address === undefined
    ? ""
    : `<li><a href="${address}">Repository</a><span>The sources, the tests and the bench.</span></li>`;
}

/** Takes another file for package.json. */
const manifestIs = (manifest) => ({
  name: "manifest",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.\/package\.json$/ }, () => ({ path: manifest }));
  },
});

/** The newest picture of the throughput. */
async function newestChart() {
  const results = join(root, "bench", "results");
  const [newest] = (await readdir(results))
    .filter((name) => name.endsWith("-throughput-u32.svg"))
    .sort()
    .reverse();
  if (newest === undefined) {
    throw new Error("bench/results/ has no *-throughput-u32.svg, which the first page shows");
  }
  return join(results, newest);
}

/** The same for phones, where its names would be too small: drawn from the report that it was drawn from. */
async function narrowChart(wide) {
  const [, commit] = /commit (\w+)/.exec(wide) ?? [];
  const results = join(root, "bench", "results");
  for (const name of (await readdir(results)).filter((one) => one.endsWith(".json"))) {
    const report = JSON.parse(await readFile(join(results, name), "utf8"));
    if (report.commit === commit && report.rows?.every(({ type }) => type === "u32")) {
      const { plotsOf } = await moduleOf("bench/plot.ts");
      const plots = plotsOf(report).some(({ svg }) => svg === wide) ? plotsOf(report, "narrow") : [];
      const plot = plots.find((one) => one.name.endsWith("throughput-u32.svg"));
      if (plot !== undefined) {
        return plot.svg;
      }
    }
  }
  throw new Error(`bench/results/ has no report that the picture of commit ${commit} was drawn from`);
}

const entities = { "&lt;": "<", "&gt;": ">", "&amp;": "&" };

/** Colours the code in a page's elements with `data-language`. */
function colourCode(main, highlight) {
  return main.replaceAll(
    /(<div[^>]*\bdata-language="(\w+)"[^>]*>)([^<]*)(<\/div>)/g,
    (_, start, language, code, end) =>
      `${start}${highlight(code.replaceAll(/&(?:lt|gt|amp);/g, (name) => entities[name]).trim(), language)}${end}`,
  );
}

/** The frame's parts, for pages that are made elsewhere. */
async function frameOf(current) {
  const whole = (home) => page({ title: "", main: "", current, home });
  const part = (html, start, end) => html.slice(html.indexOf(start), html.indexOf(end) + end.length);
  const headers = new Map();
  for (const home of ["../", "../../"]) {
    headers.set(home, part(await whole(home), '<a class="skip"', "</header>"));
  }
  return {
    header: (home) => headers.get(home),
    footer: part(await whole("../"), '<footer class="site">', "</footer>"),
    css: await readFile(join(sources, "frame.css"), "utf8"),
  };
}

/** Builds into a folder, and leaves there what is not of this build. `manifest` is the path of a package.json. */
export async function buildSite(folder, { api = true, manifest = join(root, "package.json") } = {}) {
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
    plugins: [shaderTexts, manifestIs(resolve(manifest))],
    chunkNames: "[name]-[hash]",
    legalComments: "linked",
    logLevel: "warning",
  });
  // Only now that it builds does the old one go.
  await rm(assets, { recursive: true, force: true });
  await mkdir(assets, { recursive: true });
  await Promise.all(outputFiles.map(({ path, contents }) => writeFile(path, contents)));
  const styles = await Promise.all(
    ["frame.css", "style.css"].map((name) => readFile(join(sources, name), "utf8")),
  );
  await writeFile(join(assets, "style.css"), styles.join("\n"));
  for (const name of ["mark.svg", "particles.jpg", "splats.jpg", "blur.jpg"]) {
    await copyFile(join(sources, name), join(assets, name));
  }
  const chart = await readFile(await newestChart(), "utf8");
  await writeFile(join(assets, "h200.svg"), chart);
  await writeFile(join(assets, "h200-narrow.svg"), await narrowChart(chart));
  const [highlight, repository] = [await highlighting(), await repositoryLink(manifest)];
  for (const { name, file, title } of pages) {
    const text = await readFile(join(sources, `${name}.html`), "utf8");
    const main = colourCode(text.replace("{{repository}}", repository), highlight);
    await writeFile(join(folder, file), await page({ title, main, current: name, script: name }));
  }
  // TypeDoc is loaded only where it is used: it takes as long as all the rest.
  const addresses = api
    ? await (await import("../site/api/build.mjs")).buildApi(join(folder, "api"), await frameOf("api"))
    : new Map();
  const files = new Map(pages.map(({ name, file }) => [name, file]));
  await buildGuides(join(folder, "guides"), page, files, addresses);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const { values, positionals } = parseArgs({
    options: { "no-api": { type: "boolean", default: false }, package: { type: "string" } },
    allowPositionals: true,
  });
  await buildSite(positionals[0] ?? join(root, "site-dist"), {
    api: !values["no-api"],
    ...(values.package !== undefined && { manifest: values.package }),
  });
}
