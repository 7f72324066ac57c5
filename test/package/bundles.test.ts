import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build as esbuild } from "esbuild";
import type { Browser } from "playwright-core";
import { rolldown } from "rolldown";
import { rollup } from "rollup";
import { build as vite } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { skipAll } from "../support/adapter.ts";
import { chromiumMissing, launchChromium, serveFolder } from "../support/chromium.ts";
import type { Packed } from "./pack.ts";
import { packPackage } from "./pack.ts";

// Programs that wait at their top level, bundled to several files and to one, in a browser.

let packed: Packed;
let browser: Browser;
skipAll(chromiumMissing);
beforeAll(async () => {
  if (chromiumMissing === undefined) {
    [packed, browser] = await Promise.all([packPackage(), launchChromium()]);
  }
});
afterAll(async () => {
  await browser?.close();
  await packed?.remove();
});

/** It uses what is loaded later, of several kinds. */
const program = (from: string): string => `
import { f32, max, openFold, u32 } from "${from}";
try {
  const fold = await openFold({ cpu: "never" });
  const results = [
    await fold.scan(Uint32Array.of(3, 1, 7)),
    await fold.reduce(Float64Array.of(2, 9, 4), { op: max }),
    await fold.compact(Uint32Array.of(1, 2, 3), { where: "x > 1u" }),
    await fold.sort(Uint32Array.of(3, 1, 2)),
    await fold.scan(Float32Array.of(0.5, 2), { type: u32, map: "u32(x)" }),
    typeof (await fold.prepareScan({ type: u32, maxLength: 9 })).record,
  ];
  fold.destroy();
  document.title = results.join(" ");
} catch (cause) {
  document.title = cause.name + ": " + cause.message;
}
`;
const RESULT = "3,4,11 9 2,3 1,2,3 0,2 function";

const HTML =
  '<!doctype html><meta charset="utf-8"><title>empty</title><script type="module" src="/main.js"></script>';

type Bundler = (project: string, isSingle: boolean) => Promise<unknown>;

const format = { format: "es", entryFileNames: "main.js", chunkFileNames: "[name]-[hash].js" } as const;

const bundlers: Readonly<Record<"esbuild" | "Rollup" | "Rolldown" | "Vite", Bundler>> = {
  esbuild: (project, isSingle) =>
    esbuild({
      absWorkingDir: project,
      entryPoints: ["main.js"],
      bundle: true,
      format: "esm",
      target: "es2022",
      splitting: !isSingle,
      outdir: "dist",
    }),
  async Rollup(project, isSingle) {
    const places: Record<string, string> = { wavefold: "index.js", "wavefold/whole": "whole.js" };
    const resolveId = (id: string): string | null =>
      places[id] === undefined ? null : join(project, "node_modules", "wavefold", "dist", places[id]);
    const bundle = await rollup({
      input: join(project, "main.js"),
      plugins: [{ name: "places", resolveId }],
      // As package.json's sideEffects say; Rollup alone does not read it.
      treeshake: { moduleSideEffects: (id) => id.endsWith("main.js") || id.endsWith("whole.js") },
    });
    await bundle.write({ ...format, dir: join(project, "dist"), inlineDynamicImports: isSingle });
  },
  async Rolldown(project, isSingle) {
    const bundle = await rolldown({ cwd: project, input: "main.js" });
    await bundle.write({ ...format, dir: join(project, "dist"), ...(isSingle && { codeSplitting: false }) });
  },
  Vite: (project, isSingle) =>
    vite({
      root: project,
      configFile: false,
      logLevel: "error",
      plugins: isSingle ? [viteSingleFile()] : [],
      build: { target: "es2022" },
    }),
};

/** Bundles a program, and gives the folder that it is in. */
async function bundled(
  from: string,
  bundler: keyof typeof bundlers,
  isSingle: boolean,
  text = program(from),
): Promise<string> {
  const project = await packed.project([], { "main.js": text, "index.html": HTML });
  const dist = join(project, "dist");
  await bundlers[bundler](project, isSingle);
  if (bundler !== "Vite") {
    await writeFile(join(dist, "index.html"), HTML);
  }
  const files = (await readdir(dist, { recursive: true })).filter((name) => /\.(js|html)$/.test(name));
  // The page, and the script if it is not in the page.
  const most = bundler === "Vite" ? 1 : 2;
  expect(isSingle ? files.length <= most : files.length > 10, `${files.length} files`).toBe(true);
  return dist;
}

async function titleOf(folder: string): Promise<string> {
  const server = await serveFolder(folder);
  const tab = await browser.newPage();
  try {
    await tab.goto(server.url);
    await tab.waitForFunction("document.title !== 'empty'", undefined, { timeout: 120_000 }).catch(() => {});
    return await tab.title();
  } finally {
    await tab.close();
    await server.close();
  }
}

const cases = [
  ["wavefold", "esbuild", "several files"],
  ["wavefold", "esbuild", "one file"],
  ["wavefold", "Rollup", "several files"],
  ["wavefold/whole", "Rollup", "one file"],
  ["wavefold", "Rolldown", "several files"],
  ["wavefold", "Rolldown", "one file"],
  ["wavefold", "Vite", "several files"],
  ["wavefold", "Vite", "one file"],
  ["wavefold/whole", "Vite", "one file"],
] as const;

for (const [from, bundler, files] of cases) {
  test(`${from}, bundled by ${bundler} to ${files}`, async () => {
    expect(await titleOf(await bundled(from, bundler, files === "one file"))).toBe(RESULT);
  });
}

describe("what is not loaded is an error of Wavefold's", () => {
  test("where a program of one file, by Rollup, waits before its parts have run", async () => {
    const title = await titleOf(await bundled("wavefold", "Rollup", true));
    expect(title).toBe("WavefoldError: a part of Wavefold was not loaded: import wavefold/whole");
  });

  test("where a file cannot be fetched", async () => {
    const dist = await bundled("wavefold", "Rollup", false);
    const chunks = await readdir(dist);
    const texts = await Promise.all(chunks.map((name) => readFile(join(dist, name), "utf8")));
    const reduce = chunks.find((_, at) => /\bfunction reduceAtHand\(/.test(texts[at] ?? ""));
    await rm(join(dist, reduce ?? "none"));
    expect(await titleOf(dist)).toMatch(
      /^WavefoldError: a part of Wavefold was not loaded: Failed to fetch .*folds-.*\.js$/,
    );
  });
});

test("wavefold/whole imports each file that wavefold loads later", async () => {
  const project = await packed.project([], {});
  const dist = join(project, "node_modules", "wavefold", "dist");
  const whole = await readFile(join(dist, "whole.js"), "utf8");
  const imported = new Set(["index.js"]);
  for (const name of imported) {
    const text = await readFile(join(dist, name), "utf8");
    for (const [, path = ""] of text.matchAll(/(?:from |import\(|import )"\.\/(?:chunks\/)?([^"]+)"/g)) {
      imported.add(`chunks/${path}`);
    }
    for (const [call, path] of text.matchAll(
      /(?:part\(|once\(\(\) => )?import\("\.\/(?:chunks\/)?([^"]+)"\)/g,
    )) {
      expect(whole.includes(`import "./chunks/${path}";`), path).toBe(true);
      // Each failure is told.
      expect(call).toMatch(/^(?:part|once)/);
    }
  }
  expect(imported.size).toBeGreaterThan(30);
});
