import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { shaderTexts } from "../../scripts/modules.mjs";
import { skipAll } from "../support/adapter.ts";
import { chromiumMissing, launchChromium, serveFolder } from "../support/chromium.ts";
import type { Section } from "../support/code_blocks.ts";
import { blocksOf, sectionsOf } from "../support/code_blocks.ts";
import { lit } from "./site.ts";

// The programs of guides that draw, as someone has them who pastes all of their blocks into a page with a canvas.

const folder = "docs/guides";

/** The sections that draw, of all guides. */
const drawing = (
  await Promise.all(
    (
      await readdir(folder)
    )
      // Programs that draw with an engine have tests of their own: test/engines/.
      .filter((file) => file.endsWith(".md") && file !== "engines.md")
      .map(async (file) => {
        const sections = sectionsOf(await readFile(join(folder, file), "utf8"));
        return sections.map((section) => ({ file, section }));
      }),
  )
)
  .flat()
  .filter(({ section }) => blocksOf(section, "ts").some(({ text }) => text.includes(".beginRenderPass(")));

/** What the blocks call the WGSL of their section: by a function that it has. */
const codes = { stepCode: "fn step(", drawCode: "fn corner(" } as const;

let place = "";
let served: Awaited<ReturnType<typeof serveFolder>> | undefined;
let browser: Browser | undefined;

skipAll(chromiumMissing);
beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), "wavefold-pasted-"));
  served = await serveFolder(place);
  browser = chromiumMissing === undefined ? await launchChromium() : undefined;
});
afterAll(async () => {
  await browser?.close();
  await served?.close();
  await rm(place, { recursive: true, force: true });
});

/** Waits for `count` frames of the browser's. */
const frames = (page: Page, count: number): Promise<void> =>
  page.evaluate(
    (wanted) =>
      new Promise<void>((done) => {
        let left = wanted;
        const next = (): void => {
          left--;
          if (left <= 0) {
            done();
          } else {
            requestAnimationFrame(next);
          }
        };
        requestAnimationFrame(next);
      }),
    count,
  );

test("there is a guide that draws", () => {
  expect(drawing.map(({ file }) => file)).toContain("render-loop.md");
});

for (const { file, section } of drawing) {
  test(`${file}, ${section.heading}: its program draws, and goes on`, () => drawsOn(section));
}

async function drawsOn(section: Section): Promise<void> {
  const shaders = blocksOf(section, "wgsl").map(({ text }) => text);
  const given = Object.entries(codes).map(
    ([name, part]) => `const ${name} = ${JSON.stringify(shaders.find((text) => text.includes(part)) ?? "")};`,
  );
  const program = [...given, ...blocksOf(section, "ts").map(({ text }) => text)].join("\n");
  await build({
    stdin: { contents: program, loader: "ts", resolveDir: resolve(".") },
    alias: { wavefold: resolve("src/index.ts") },
    outdir: place,
    entryNames: "program",
    bundle: true,
    splitting: true,
    format: "esm",
    target: "es2022",
    platform: "browser",
    plugins: [shaderTexts],
    logLevel: "warning",
  });
  const html =
    '<!doctype html><canvas width="400" height="400"></canvas><script type="module" src="stdin.js"></script>';
  const [script = ""] = (await readdir(place)).filter((name) => /^(program|stdin)\.js$/.test(name));
  await writeFile(join(place, "index.html"), html.replace("stdin.js", script));

  const page = await (browser as Browser).newPage({ viewport: { width: 500, height: 500 } });
  const problems: string[] = [];
  page.on("pageerror", ({ message }) => problems.push(message));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") {
      problems.push(message.text());
    }
  });
  await page.goto(served?.url ?? "");
  // It compiles first: until then, the canvas is as light as the page.
  await expect
    .poll(async () => problems.length > 0 || (await lit(page, "canvas")) < 360 * 360 * 0.6, {
      timeout: 30_000,
    })
    .toBe(true);
  await frames(page, 100);
  expect(problems).toEqual([]);
  // Not blank: something is drawn, and most of the page is its dark background.
  const bright = await lit(page, "canvas");
  expect(bright, "pixels after 100 frames").toBeGreaterThan(500);
  expect(bright).toBeLessThan(360 * 360 * 0.6);
  const early = (await page.locator("canvas").screenshot()).toString("base64");
  await frames(page, 10);
  expect((await page.locator("canvas").screenshot()).toString("base64")).not.toBe(early);
  expect(problems).toEqual([]);
  await page.close();
}
