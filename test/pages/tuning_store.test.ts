import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { shaderTexts } from "../../scripts/modules.mjs";
import { packagesMissing, skipAll } from "../support/adapter.ts";
import { chromiumMissing, launchChromium, serveFolder } from "../support/chromium.ts";

// A page in Chromium, which keeps its tuning in IndexedDB.

const PROGRAM = `
import { openFold } from "./src/index.ts";
let compiled = 0;
// Time passes with each kernel that is compiled: it is over after a few.
performance.now = () => 1000 * compiled;
if (location.search === "?without") {
  Object.defineProperty(window, "indexedDB", { get: () => { throw new Error("there is none"); } });
}
const { createComputePipelineAsync } = GPUDevice.prototype;
GPUDevice.prototype.createComputePipelineAsync = function (descriptor) {
  compiled++;
  return createComputePipelineAsync.call(this, descriptor);
};
try {
  const fold = await openFold({ tuning: "auto" });
  const opened = compiled;
  const prefixes = await fold.scan(Uint32Array.of(3, 1, 7));
  document.title = \`\${opened > 0 ? "tuned" : "kept"}: \${prefixes}\`;
} catch (cause) {
  document.title = String(cause);
}
`;

let browser: Browser;
let folder: string | undefined;
let server: Awaited<ReturnType<typeof serveFolder>>;
const missing = chromiumMissing ?? packagesMissing("@sparticuz/chromium", "playwright-core");
skipAll(missing);
beforeAll(async () => {
  if (missing !== undefined) {
    return;
  }
  folder = await mkdtemp(join(tmpdir(), "wavefold-tuning-"));
  await build({
    stdin: { contents: PROGRAM, resolveDir: process.cwd(), loader: "ts" },
    outfile: join(folder, "main.js"),
    bundle: true,
    format: "esm",
    target: "es2022",
    plugins: [shaderTexts],
  });
  const page = '<!doctype html><title>-</title><script type="module" src="main.js"></script>';
  await writeFile(join(folder, "index.html"), page);
  [browser, server] = await Promise.all([launchChromium(), serveFolder(folder)]);
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
  if (folder !== undefined) {
    await rm(folder, { recursive: true, force: true });
  }
});

/** The titles of pages that are opened one after another, with one browser's storage. */
async function titlesOf(searches: readonly string[]): Promise<string[]> {
  const context = await browser.newContext();
  const titles: string[] = [];
  for (const search of searches) {
    const page = await context.newPage();
    await page.goto(server.url + search);
    await expect.poll(() => page.title(), { timeout: 60_000 }).not.toBe("-");
    titles.push(await page.title());
    await page.close();
  }
  await context.close();
  return titles;
}

test("a page tunes once", async () => {
  expect(await titlesOf(["", ""])).toEqual(["tuned: 3,4,11", "kept: 3,4,11"]);
});

test("where a page can keep nothing, it tunes each time", async () => {
  expect(await titlesOf(["?without"])).toEqual(["tuned: 3,4,11"]);
});
