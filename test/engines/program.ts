// Runs a section of a guide as a program in a page of Chromium, with the packages that it imports.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { shaderTexts } from "../../scripts/modules.mjs";
import { skipAll } from "../support/adapter.ts";
import { chromiumMissing, launchChromium, serveFolder } from "../support/chromium.ts";
import type { Section } from "../support/code_blocks.ts";
import { blocksOf, CHECKED, expectClaim, IMPORT } from "../support/code_blocks.ts";

/** The width and the height of the canvas that each program is given, in pixels. */
export const SIDE = 160;
/** Frames that the page shows after a block that starts an engine's loop. */
export const FRAMES = 3;

/** Chromium for the tests of a file or of a group of them; where there is none, they are skipped. */
export function useChromium(): () => Browser {
  let browser: Browser;
  skipAll(chromiumMissing);
  beforeAll(async () => {
    if (chromiumMissing === undefined) {
      browser = await launchChromium();
    }
  });
  afterAll(() => browser?.close());
  return () => browser;
}

/** An import that only runs a module. */
const BARE_IMPORT = /^import "[^"]*";/gm;
/** What starts an engine's loop. */
const STARTS_FRAMES = /\b(setAnimationLoop|runRenderLoop|requestAnimationFrame)\(|\bapp\.start\(\)/;

/** What a program did. */
export interface Ran<Report> {
  /** What the code that the test added has reported. */
  readonly report: Report;
  /** The values that comments claim, which were right. */
  readonly checked: number;
}

interface Results<Report> {
  readonly checks: readonly { readonly claim: string; readonly value: unknown }[];
  readonly report: Report;
  readonly error?: string;
}

/**
 * What a page has before its program. Frames are shown when the program asks for them, so that it is known how many there were.
 * `$frames` shows some, and gives the last one's picture: 1 for each pixel that is not black.
 */
const page = (scriptUrl: string): string => `<!doctype html><meta charset="utf-8"><title>Wavefold</title>
<canvas id="canvas" width="${SIDE}" height="${SIDE}" style="width: ${SIDE}px; height: ${SIDE}px"></canvas>
<script>
  const held = [];
  let handles = 0;
  globalThis.requestAnimationFrame = (callback) => { held.push({ handle: ++handles, callback }); return handles; };
  globalThis.cancelAnimationFrame = (handle) => {
    const at = held.findIndex((one) => one.handle === handle);
    if (at >= 0) { held.splice(at, 1); }
  };
  // A canvas of WebGPU has its picture only in the task that drew it.
  const pixelsOf = (canvas) => {
    const { width, height } = canvas;
    const context = new OffscreenCanvas(width, height).getContext("2d");
    context.drawImage(canvas, 0, 0);
    const { data } = context.getImageData(0, 0, width, height);
    return Array.from({ length: width * height }, (_, at) => data[4 * at] + data[4 * at + 1] + data[4 * at + 2] > 60 ? 1 : 0);
  };
  const plain = (value) => ArrayBuffer.isView(value) ? Array.from(value) : value;
  globalThis.$results = { checks: [] };
  globalThis.$given = {
    canvas: document.getElementById("canvas"),
    $check(value, claim) { $results.checks.push({ claim, value: plain(value) }); },
    async $frames(count) {
      let picture;
      for (let frame = 0; frame < count; frame++) {
        for (const { callback } of held.splice(0)) { callback(performance.now()); }
        picture = pixelsOf($given.canvas);
        await new Promise((resolve) => setTimeout(resolve));
      }
      return picture;
    },
    $report(report) { $results.report = report; },
  };
</script>
<script type="module" src="${scriptUrl}"></script>`;

/** A section's program as a module. `after` is code of the test's own, which sees what the program declared. */
function moduleOf(section: Section, after: string): string {
  const texts = blocksOf(section, "ts").map(({ text }) => text);
  const imports = texts.flatMap((text) => [...text.matchAll(IMPORT), ...text.matchAll(BARE_IMPORT)]);
  const body = texts.map(
    (text) =>
      text
        .replace(IMPORT, "")
        .replace(BARE_IMPORT, "")
        .replace(
          CHECKED,
          (_, expression: string, claim: string) => `$check(${expression}, ${JSON.stringify(claim)});`,
        ) + (STARTS_FRAMES.test(text) ? `\nawait $frames(${FRAMES});\n` : ""),
  );
  return `${imports.map(([line]) => line).join("\n")}
const { canvas, $check, $frames, $report } = (globalThis as any).$given;
try {
${body.join("\n")}
${after}
} catch (cause: any) {
  (globalThis as any).$results.error = String(cause?.stack ?? cause);
}
(globalThis as any).$results.isDone = true;
void [canvas, $check, $frames, $report];
`;
}

/** Runs a section's program, and compares what its comments claim. */
export async function runInPage<Report>(
  browser: Browser,
  section: Section,
  after = "",
): Promise<Ran<Report>> {
  const folder = await mkdtemp(join(tmpdir(), "wavefold-engine-"));
  await build({
    stdin: {
      contents: moduleOf(section, after),
      sourcefile: `${section.heading}.ts`,
      loader: "ts",
      // Where the engines are.
      resolveDir: fileURLToPath(new URL(".", import.meta.url)),
    },
    tsconfig: fileURLToPath(new URL("../../tsconfig.json", import.meta.url)),
    outfile: join(folder, "program.js"),
    bundle: true,
    format: "esm",
    target: "es2022",
    platform: "browser",
    external: ["node:*"],
    plugins: [shaderTexts],
    logLevel: "error",
  });
  await writeFile(join(folder, "index.html"), page("program.js"));
  const server = await serveFolder(folder);
  const tab = await browser.newPage();
  const errors: string[] = [];
  tab.on("pageerror", (cause) => errors.push(String(cause)));
  tab.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) {
      errors.push(message.text());
    }
  });
  try {
    await tab.goto(server.url);
    await tab
      .waitForFunction("globalThis.$results.isDone", undefined, { timeout: 120_000, polling: 20 })
      .catch((cause: unknown) => errors.push(String(cause)));
    const { checks, report, error } = await tab.evaluate<Results<Report>>("globalThis.$results");
    expect({ errors, error }, section.heading).toEqual({ errors: [], error: undefined });
    for (const { claim, value } of checks) {
      expectClaim(value, claim, `${section.heading}: ${claim}`);
    }
    return { report, checked: checks.length };
  } finally {
    await tab.close();
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
}
