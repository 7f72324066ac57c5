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
import { blocksOf, exampleFiles, sectionsOf } from "../support/code_blocks.ts";
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

/** Opens a page with a section's program. `problems` has what the page complains of. */
async function opened(
  section: Section,
  change = (program: string): string => program,
): Promise<{ page: Page; problems: string[] }> {
  const shaders = blocksOf(section, "wgsl").map(({ text }) => text);
  const given = Object.entries(codes).map(
    ([name, part]) => `const ${name} = ${JSON.stringify(shaders.find((text) => text.includes(part)) ?? "")};`,
  );
  const program = [...given, ...blocksOf(section, "ts").map(({ text }) => text)]
    .join("\n")
    .replaceAll(/ from "(\.\/.*)";/g, (_, name) => ` from "./${exampleFiles[name]}";`);
  await build({
    stdin: { contents: change(program), loader: "ts", resolveDir: resolve(".") },
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
  return { page, problems };
}

async function drawsOn(section: Section): Promise<void> {
  const { page, problems } = await opened(section);
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

/** The red, green and blue of the pixel in the middle of the canvas, as the screen shows it. */
async function middleOf(page: Page): Promise<readonly number[]> {
  const picture = (await page.locator("canvas").screenshot()).toString("base64");
  return page.evaluate(async (base64) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${base64}`)).blob());
    const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
    context?.drawImage(image, 0, 0);
    return Array.from(context?.getImageData(image.width / 2, image.height / 2, 1, 1).data ?? []).slice(0, 3);
  }, picture);
}

test.each([
  ["in front", "0", [204, 0, 41]],
  ["behind", "Math.PI", [41, 0, 204]],
] as const)("splats.md: from %s, the near splat covers the far one", async (_, angle, expected) => {
  const section = drawing.find(({ file }) => file === "splats.md")?.section as Section;
  // A red one and a blue one. Each lets a fifth of what is behind it through.
  const two = "[[0, 0, -0.5, 0.8, 1, 0, 0, 0.8], [0, 0, 0.5, 0.8, 0, 0, 1, 0.8], [0, 0, -9, 1, 0, 1, 0, 1]]";
  const { page, problems } = await opened(section, (program) =>
    program.replace("ball.flat()", `${two}.flat()`).replaceAll("frames / 100", angle),
  );
  await expect
    .poll(async () => [...problems, ...(await middleOf(page))], { timeout: 30_000 })
    .toEqual([...expected]);
  await page.close();
});
