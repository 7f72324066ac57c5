import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { compactionPicture } from "../../site/picture/compaction_picture.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { skipAll } from "../support/adapter.ts";
import { chromiumMissing, launchChromium } from "../support/chromium.ts";
import { randomWords } from "../support/random.ts";

const drawn = (await readFile("docs/compaction.svg", "utf8")).replaceAll("\r\n", "\n");

test("the README's picture is what its script draws", async () => {
  const folder = await mkdtemp(join(tmpdir(), "wavefold-picture-"));
  try {
    const file = join(folder, "compaction.svg");
    await promisify(execFile)(process.execPath, ["scripts/picture.mjs", file]);
    expect(await readFile(file, "utf8")).toBe(drawn);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

describe("in Chromium", () => {
  skipAll(chromiumMissing);
  /** The numbers that are seen in each row, from the left to the right, by how high the rows are. */
  async function seen(svg: string, reducedMotion: "reduce" | "no-preference", seconds?: number) {
    const browser = await launchChromium();
    try {
      const page = await browser.newPage({ reducedMotion });
      await page.setContent(svg);
      return await page.evaluate((time) => {
        const animations = document.getAnimations();
        for (const animation of time === undefined ? [] : animations) {
          animation.pause();
          animation.currentTime = Number(time) * 1000;
        }
        const isSeen = (node: Element | null): boolean =>
          node === null || (Number(getComputedStyle(node).opacity) > 0.5 && isSeen(node.parentElement));
        const numbers: { readonly x: number; readonly y: number; readonly number: number }[] = [];
        for (const node of document.querySelectorAll("text")) {
          if (/^\d+$/.test(node.textContent ?? "") && isSeen(node)) {
            const { x, y } = node.getBoundingClientRect();
            numbers.push({ x, y: Math.round(y), number: Number(node.textContent) });
          }
        }
        return {
          animations: animations.length,
          rows: [...new Set(numbers.map(({ y }) => y))]
            .sort((a, b) => a - b)
            .map((row) =>
              numbers
                .filter(({ y }) => y === row)
                .sort((a, b) => a.x - b.x)
                .map(({ number }) => number),
            ),
        };
      }, seconds);
    } finally {
      await browser.close();
    }
  }

  const numbers = Array.from(randomWords(16, "numbers of a picture"), (word) => word % 10);
  const isKept = (x: number): boolean => x > 4;
  const flags = Uint32Array.from(numbers, (x) => (isKept(x) ? 1 : 0));
  const picture = compactionPicture({ numbers, isKept, where: "x > 4u", words: "above 4" });
  const end = [numbers, [...flags], [...scanReference(flags, { exclusive: true })], numbers.filter(isKept)];

  test("without motion it shows the right end", async () => {
    expect(await seen(picture, "reduce")).toEqual({
      animations: 0,
      rows: end.filter((row) => row.length > 0),
    });
  });

  test("with motion it shows the end first, and then begins", async () => {
    const first = await seen(picture, "no-preference", 0.5);
    expect(first.animations).toBeGreaterThan(30);
    expect(first.rows).toEqual(end.filter((row) => row.length > 0));
    expect((await seen(picture, "no-preference", 4.5)).rows).toEqual([numbers]);
  });
});
