// Times calls from array to array in a browser, beside plain WebGPU's parts: a page for any browser, or a run in Chromium.
// usage: node scripts/at-hand-page.mjs --page FOLDER
//        node scripts/at-hand-page.mjs [--sizes 1Mi,16Mi,128Mi] [--primitives scan,reduce] [--quick] [--json FILE]
// WAVEFOLD_TEST_ADAPTER=gpu runs it on the GPU, not on SwiftShader.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { loadChromium } from "./chromium.mjs";
import { shaderTexts } from "./modules.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Calls at hand</title>
<h1>Calls at hand</h1>
<p>Times <code>fold.scan(array)</code> and <code>fold.reduce(array)</code> in this browser. It takes a minute or two. Close other pages.</p>
<button type="button">Run</button>
<pre></pre>
<script src="page.js"></script>
</html>
`;

/** Writes the page, which needs no server. */
export async function writePage(folder) {
  await mkdir(folder, { recursive: true });
  await build({
    entryPoints: [join(root, "bench", "page.ts")],
    outfile: join(folder, "page.js"),
    bundle: true,
    minify: true,
    // A page of the disk loads no modules.
    format: "iife",
    target: "es2022",
    platform: "browser",
    plugins: [shaderTexts],
    logLevel: "warning",
  });
  await writeFile(join(folder, "index.html"), html);
}

async function runInChromium({ sizes, primitives, quick, json }) {
  const search = new URLSearchParams({
    ...(sizes && { sizes }),
    ...(primitives && { primitives }),
    ...(quick && { quick: "" }),
  });
  const { launchChromium, serveFolder } = await loadChromium();
  const folder = await mkdtemp(join(tmpdir(), "wavefold-at-hand-"));
  try {
    await writePage(folder);
    // With these headers, the page's clock is as fine as a page's can be.
    const server = await serveFolder(folder, {
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-embedder-policy": "require-corp",
    });
    const browser = await launchChromium();
    try {
      const tab = await browser.newPage();
      await tab.goto(`${server.url}?${search}`);
      const report = await tab.evaluate(() => globalThis.run());
      if (process.env.WAVEFOLD_TEST_ADAPTER === "gpu" && report.device.software) {
        throw new Error(`asked for a GPU, got ${report.device.description || report.device.vendor}`);
      }
      console.log(report.text);
      if (json !== undefined) {
        await writeFile(
          json,
          `${JSON.stringify({ ...report, chromium: browser.version() }, undefined, 1)}\n`,
        );
      }
      if (report.wrong.length > 0) {
        throw new Error(`${report.wrong.length} results are wrong: ${report.wrong[0]}`);
      }
    } finally {
      await browser.close();
      await server.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

try {
  const { values } = parseArgs({
    options: {
      page: { type: "string" },
      sizes: { type: "string" },
      primitives: { type: "string" },
      quick: { type: "boolean", default: false },
      json: { type: "string" },
    },
  });
  await (values.page === undefined ? runInChromium(values) : writePage(values.page));
} catch (cause) {
  console.error(`at-hand-page: ${cause.message}`);
  process.exitCode = 1;
}
