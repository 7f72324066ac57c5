// Measures how long a page in a Chromium that was just started takes to its first result: a new browser with an
// empty profile for each run, and no shader that was compiled before. Run `npm run build` first.
// usage: node scripts/first-result.mjs [--runs N] [--json FILE] [--beside FOLDER]
// FOLDER is another checkout, which is built: the two are measured in turn.
// WAVEFOLD_TEST_ADAPTER=gpu runs it on the GPU, not on SwiftShader.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { loadChromium } from "./chromium.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const LENGTH = 2 ** 20;
const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "5" },
    json: { type: "string" },
    beside: { type: "string" },
  },
});
const runs = Number(values.runs);
if (!Number.isInteger(runs) || runs < 1) {
  console.error(`first-result: --runs is "${values.runs}"; it takes a whole number from 1`);
  process.exit(1);
}

/** What is measured, in milliseconds: the times since the navigation began, but for the second scan's own. */
const STEPS = {
  loaded: "the module has loaded",
  opened: "openFold() is done",
  first: "the first scan is read back",
  second: "the second scan alone",
};

const page = `
  import * as wavefold from "wavefold";
  const loaded = performance.now();
  // Bytes of a generator: what is added wraps.
  const data = new Uint32Array(${LENGTH});
  for (let i = 0, state = 1; i < data.length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    data[i] = state;
  }
  const filled = performance.now();
  // Its name before it was openFold.
  const fold = await (wavefold.openFold ?? wavefold.open)();
  const opened = performance.now() - (filled - loaded);
  const scanned = await fold.scan(data);
  const first = performance.now() - (filled - loaded);
  const again = performance.now();
  const repeated = await fold.scan(data);
  const second = performance.now() - again;
  let sum = 0;
  const wrong = data.findIndex((value, i) => {
    sum = (sum + value) >>> 0;
    return scanned[i] !== sum || repeated[i] !== sum;
  });
  const { vendor = "", architecture = "", description = "" } = fold.adapterInfo ?? {};
  const adapter = [vendor, architecture, description].filter(Boolean).join(" ");
  fold.destroy();
  globalThis.report = { loaded, opened, first, second, wrong, adapter, software: fold.software };
`;

/** The page and its bundle, from the built package of a checkout. */
async function writePage(folder, checkout) {
  const { outputFiles } = await build({
    stdin: { contents: page, resolveDir: root, loader: "js" },
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    platform: "browser",
    alias: { wavefold: join(checkout, "dist", "index.js") },
    write: false,
    // It would warn of the built package's imports that are there for nothing but their order.
    logLevel: "error",
  });
  const [{ contents }] = outputFiles;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "main.js"), contents);
  await writeFile(
    join(folder, "index.html"),
    '<!doctype html><meta charset="utf-8"><title>First result</title><script type="module" src="main.js"></script>',
  );
  return { bytes: contents.length, gzipped: gzipSync(contents).length };
}

/** One run, in a browser of its own. */
async function measure(launchChromium, url) {
  const began = performance.now();
  // Drivers keep the shaders that they compiled, across programs.
  const browser = await launchChromium(undefined, {
    __GL_SHADER_DISK_CACHE: "0",
    MESA_SHADER_CACHE_DISABLE: "true",
  });
  const started = performance.now() - began;
  try {
    const tab = await browser.newPage();
    const problems = [];
    tab.on("pageerror", ({ message }) => problems.push(message));
    await tab.goto(url);
    const report = await tab
      .waitForFunction(() => globalThis.report, undefined, { timeout: 60_000 })
      .then((handle) => handle.jsonValue())
      .catch((cause) => {
        throw new Error([...problems, cause.message].join("; "));
      });
    if (report.wrong >= 0) {
      throw new Error(`the scan is wrong from element ${report.wrong}`);
    }
    if (process.env.WAVEFOLD_TEST_ADAPTER === "gpu" && report.software) {
      throw new Error(`asked for a GPU, got ${report.adapter}`);
    }
    return { ...report, started, version: browser.version() };
  } finally {
    await browser.close();
  }
}

function median(sorted) {
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The median, the least and the most of each step, over all runs. */
const millisecondsOf = (reports) =>
  Object.fromEntries(
    [...Object.keys(STEPS), "started"].map((step) => {
      const all = reports.map((report) => Number(report[step].toFixed(1))).sort((a, b) => a - b);
      return [step, { median: Number(median(all).toFixed(1)), least: all[0], most: all.at(-1) }];
    }),
  );

const { launchChromium, serveFolder } = await loadChromium();
const folder = await mkdtemp(join(tmpdir(), "wavefold-first-result-"));
try {
  const checkouts = [root, ...(values.beside === undefined ? [] : [resolve(values.beside)])];
  const measured = [];
  for (const [at, checkout] of checkouts.entries()) {
    const own = join(folder, String(at));
    const bundle = await writePage(own, checkout);
    measured.push({ checkout, bundle, server: await serveFolder(own), reports: [] });
  }
  try {
    for (let run = 0; run < runs; run++) {
      // Each is the first one as often as the other.
      for (const { server, reports } of run % 2 === 0 ? measured : measured.toReversed()) {
        reports.push(await measure(launchChromium, server.url));
      }
    }
  } finally {
    await Promise.all(measured.map(({ server }) => server.close()));
  }
  const [own, other] = measured.map(({ checkout, bundle, reports }) => ({
    checkout,
    bundle,
    milliseconds: millisecondsOf(reports),
  }));
  const [{ adapter, software, version }] = measured[0].reports;
  const record = {
    chromium: version,
    adapter,
    software,
    length: LENGTH,
    runs,
    bundle: own.bundle,
    milliseconds: own.milliseconds,
    ...(other && { beside: other }),
  };
  console.log(
    `Chromium ${version}, ${adapter}${software ? " (software)" : ""}: a scan of 2^20 u32, median of ${runs} fresh starts`,
  );
  for (const { checkout, bundle, milliseconds } of [own, ...(other ? [other] : [])]) {
    console.log(`${checkout}: a bundle of ${bundle.bytes} bytes, ${bundle.gzipped} gzipped`);
    console.log("| ms since the navigation began | median | least | most |\n|---|---|---|---|");
    for (const [step, title] of Object.entries(STEPS)) {
      const { median: middle, least, most } = milliseconds[step];
      console.log(`| ${title} | ${middle} | ${least} | ${most} |`);
    }
  }
  if (other) {
    const ratio = own.milliseconds.first.median / other.milliseconds.first.median;
    console.log(`The first result takes ${ratio.toFixed(2)} of what it takes in ${other.checkout}`);
  }
  console.log(JSON.stringify(record));
  if (values.json !== undefined) {
    await writeFile(values.json, `${JSON.stringify(record, undefined, 2)}\n`);
  }
} catch (cause) {
  console.error(`first-result: ${cause.message}`);
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
