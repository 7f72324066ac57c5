// Builds the site: pages with their scripts and style sheet, the guides and the API reference.
// usage: node scripts/site.mjs [--no-api] [--package PACKAGE.JSON] [--tarball PACKAGE.TGZ] [FOLDER]
import { execFile } from "node:child_process";
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join, relative, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs, promisify } from "node:util";
import { build } from "esbuild";
import { close, createIndex } from "pagefind";
import { buildGuides } from "./guides.mjs";
import { highlighting } from "./highlight.mjs";
import { shaderTexts } from "./modules.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const sources = join(root, "site");

// `section` is the anchor in the guides' index of what it says of the page.
const pages = [
  {
    name: "home",
    file: "index.html",
    title: "Scan, reduce, compact and sort for WebGPU",
    section: "the-site",
  },
  { name: "try", file: "try.html", title: "Try it", section: "try-it" },
  { name: "playground", file: "playground.html", title: "Playground", section: "playground" },
  { name: "use", file: "use.html", title: "Use it", section: "use-it" },
  { name: "check", file: "check.html", title: "Check your GPU", section: "check-your-gpu" },
];

/** Pages that had other names, and the pages that they are now. */
const moved = { "watch.html": "playground.html" };
/** What a page says that needs its script, where a browser does not run that. */
const fromDisk = `<div class="notice from-disk" id="from-disk" hidden><strong>This page was opened from the disk, so it cannot run.</strong>
<p>Browsers load the scripts of a page only from a server. Serve the folder that this page lies in, such as by <code>npx vite preview --outDir .</code> or <code>python3 -m http.server 4173</code> in that folder, and open <code>http://localhost:4173/</code>. The <a href="guides/index.html">guides</a> and the <a href="api/index.html">API</a> can be read from the disk.</p></div>
<script>if (location.protocol === "file:") { document.getElementById("from-disk").hidden = false; document.documentElement.classList.add("on-disk"); }</script>`;

/** Fills a page's names in double braces. */
const filledIn = (text, names) => text.replaceAll(/\{\{(\w+)\}\}/g, (_, name) => names[name] ?? "");

/** A page in the site's frame. `home` is the way from its folder to the site's, such as "../". */
export async function page({ title, main, current = "", home = "./", script = "" }) {
  const layout = await readFile(join(sources, "layout.html"), "utf8");
  const filled = {
    title,
    main,
    home,
    script: script && `<script type="module" src="${home}assets/${script}.js"></script>`,
    notice: script && fromDisk,
  };
  const marked = layout.replaceAll(/ data-page="(\w+)"/g, (_, name) =>
    name === current ? ' aria-current="page"' : "",
  );
  return filledIn(marked, filled);
}

/** A page that leads to another one, with the part behind # of its address. */
async function movedPage(to) {
  const main = `<h1>This page has moved</h1>\n<p>It is now <a href="${to}">here</a>.</p>`;
  const html = await page({ title: "Moved", main });
  return html.replace(
    "</head>",
    `<meta http-equiv="refresh" content="0; url=${to}">\n<link rel="canonical" href="${to}">\n</head>`,
  );
}

/** What a module of TypeScript exports. */
export async function moduleOf(path) {
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

const results = join(root, "bench", "results");

/** The newest picture of the throughput: what it shows, and the card that its file's name gives. */
async function newestChart() {
  const [newest] = (await readdir(results))
    .filter((name) => /^[\d-]{10}-.+-throughput-u32\.svg$/.test(name))
    .sort()
    .reverse();
  if (newest === undefined) {
    throw new Error("bench/results/ has no DATE-CARD-throughput-u32.svg, which the first page shows");
  }
  const [, card] = /^[\d-]{10}-(.+)-throughput/.exec(newest);
  const svg = await readFile(join(results, newest), "utf8");
  return { svg, card: card.replaceAll("-", " ").toUpperCase(), ...(await drawnFrom(svg)) };
}

/** The report that a picture was drawn from; and the picture for phones, where the wide one's names would be too small. */
async function drawnFrom(wide) {
  const { plotsOf } = await moduleOf("bench/plot.ts");
  const of = ({ name }) => name.endsWith("throughput-u32.svg");
  // Names of classes and of clips are counted through a process.
  const counted = (svg) => svg?.replaceAll(/\bzr\d+-[\w-]+/g, "zr");
  for (const name of (await readdir(results))
    .filter((one) => one.endsWith(".json"))
    .sort()
    .reverse()) {
    const report = JSON.parse(await readFile(join(results, name), "utf8"));
    if (report.rows !== undefined && counted(plotsOf(report).find(of)?.svg) === counted(wide)) {
      return { report, narrow: plotsOf(report, "narrow").find(of).svg };
    }
  }
  throw new Error("bench/results/ has no report that the newest *-throughput-u32.svg was drawn from");
}

/** What the first page says of a report's longest scans of u32: the time of a copy, of Wavefold, and of others. */
function timesOf({ rows }) {
  const own = rows.filter(({ type }) => type === "u32");
  const scans = own.filter(({ primitive, op }) => primitive === "scan" && op === "add");
  const length = Math.max(...scans.map((row) => row.length));
  const copy = own.find((row) => row.implementation === "copy" && row.length === length);
  const timed = [copy, ...scans.filter((row) => row.length === length)];
  const longest = Math.max(...timed.map(({ median }) => median));
  const bars = timed
    .map(({ implementation: by, median }) => ({
      isOurs: by === "wavefold",
      name:
        by === "copy" ? "A copy" : by === "wavefold" ? "Wavefold" : by.replace(/^CUB \S+$/, "$&, in CUDA"),
      median,
    }))
    .sort((a, b) => a.median - b.median)
    .map(({ isOurs, name, median }) => {
      const tag = isOurs ? "strong" : "span";
      const width = ((100 * median) / longest).toFixed(1);
      return `<li><${tag}>${name}</${tag}><span class="bar${isOurs ? "" : " other"}" style="width: ${width}%"></span><${tag} class="number">${median.toFixed(0)} µs</${tag}></li>`;
    });
  return { bars: bars.join("\n"), power: Math.log2(length), millions: Math.round(length / 1e6) };
}

const escapes = { "<": "&lt;", ">": "&gt;", "&": "&amp;" };

/** The lines that a file of the site marks to be shown, as HTML. They are those that run. */
async function shownLines(path) {
  const text = await readFile(join(sources, path), "utf8");
  const parts = Array.from(
    text.matchAll(/^( *)\/\/ shown from here\n([\s\S]*?)\n *\/\/ shown to here$/gm),
    ([, indent, lines]) =>
      lines
        .split("\n")
        .filter((line) => !line.includes("// biome-ignore"))
        .map((line) => line.slice(indent.length))
        .join("\n"),
  );
  if (parts.length === 0) {
    throw new Error(`${path} marks no lines to be shown`);
  }
  return parts.join("\n").replaceAll(/[<>&]/g, (one) => escapes[one]);
}

/** Puts the package into a folder, as `npm pack` makes it, or as it was made before. */
async function packInto(folder, tarball) {
  if (tarball !== undefined) {
    await copyFile(tarball, join(folder, basename(tarball)));
    return;
  }
  // On Windows, npm is a batch file, which is started only by a shell: npm names its program instead.
  const npm = process.env.npm_execpath;
  const args = ["pack", "--silent", "--pack-destination", resolve(folder)];
  await promisify(execFile)(...(npm ? [process.execPath, [npm, ...args]] : ["npm", args]), { cwd: root });
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

/** Writes the index of the search, over the pages that mark what they are about: `data-pagefind-body`. */
async function indexPages(folder) {
  await rm(join(folder, "pagefind"), { recursive: true, force: true });
  const { index, errors } = await createIndex();
  const { errors: unread } = await index.addDirectory({ path: folder });
  const { errors: unwritten } = await index.writeFiles({ outputPath: join(folder, "pagefind") });
  await close();
  const all = [...errors, ...unread, ...unwritten];
  if (all.length > 0) {
    throw new Error(`the pages cannot be searched: ${all.join("; ")}`);
  }
}

/**
 * Builds into a folder, and leaves there what is not of this build.
 *
 * @param manifest - the path of a package.json that names the repository.
 * @param tarball - the package's path, if it is packed already.
 */
export async function buildSite(folder, { api = true, manifest = join(root, "package.json"), tarball } = {}) {
  const assets = join(folder, "assets");
  const { outputFiles } = await build({
    entryPoints: Object.fromEntries(
      ["frame", ...pages.map(({ name }) => name), "playground_worker"].map((name) => [
        name,
        join(sources, `${name}.ts`),
      ]),
    ),
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
  const { readyKernels } = await moduleOf("site/playground/kernels/index.ts");
  await writeFile(join(assets, "kernels.json"), JSON.stringify(await readyKernels()));
  const { svg, narrow, card, report } = await newestChart();
  await writeFile(join(assets, "throughput.svg"), svg);
  await writeFile(join(assets, "throughput-narrow.svg"), narrow);
  const { name: packageName, version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const names = {
    repository: await repositoryLink(manifest),
    package: `${packageName}-${version}.tgz`,
    scene: await shownLines("use/splats.ts"),
    card,
    ...timesOf(report),
  };
  await packInto(folder, tarball);
  const highlight = await highlighting();
  for (const { name, file, title } of pages) {
    const text = await readFile(join(sources, `${name}.html`), "utf8");
    const main = colourCode(filledIn(text, names), highlight);
    await writeFile(join(folder, file), await page({ title, main, current: name, script: name }));
  }
  for (const [file, to] of Object.entries(moved)) {
    await writeFile(join(folder, file), await movedPage(to));
  }
  // TypeDoc is loaded only where it is used: it takes as long as all the rest.
  const addresses = api
    ? await (await import("../site/api/build.mjs")).buildApi(join(folder, "api"), await frameOf("api"))
    : new Map();
  const files = new Map(pages.map(({ section, file }) => [section, file]));
  await buildGuides(join(folder, "guides"), page, files, addresses);
  await indexPages(folder);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const { values, positionals } = parseArgs({
    options: {
      "no-api": { type: "boolean", default: false },
      package: { type: "string" },
      tarball: { type: "string" },
    },
    allowPositionals: true,
  });
  const folder = resolve(positionals[0] ?? join(root, "site-dist"));
  await buildSite(folder, {
    api: !values["no-api"],
    ...(values.package !== undefined && { manifest: values.package }),
    tarball: values.tarball,
  });
  const below = relative(process.cwd(), folder);
  const isBelow = below !== "" && !below.startsWith("..");
  console.log(`The site is in ${folder}.
Its pages run from a server alone: npx vite preview --outDir ${isBelow ? below : folder}
Then open http://localhost:4173/`);
}
