import { readFileSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { f32, struct } from "../../src/index.ts";
import { compactReference } from "../../src/reference/index.ts";
import { skipAll } from "../support/adapter.ts";
import type { Section } from "../support/blocks.ts";
import { sectionsOf } from "../support/blocks.ts";
import { chromiumMissing, launchChromium } from "../support/chromium.ts";
import { FRAMES, runInPage, SIDE } from "./program.ts";

// The programs of docs/guides/engines.md, in Chromium, with the engines from npm.

const sections = sectionsOf(readFileSync("docs/guides/engines.md", "utf8"));

/** The section whose heading starts like this. */
function sectionOf(start: string): Section {
  const section = sections.find(({ heading }) => heading.startsWith(start));
  if (section === undefined) {
    throw new Error(`the guide has no section ${start}`);
  }
  return section;
}

const Particle = struct({ name: "Particle", fields: { x: f32, y: f32, speed: f32, life: f32 } });

/** The picture of squares with these upper left corners, in pixels. */
function squares(corners: readonly (readonly [x: number, y: number])[], side: number): number[] {
  const picture = new Array<number>(SIDE * SIDE).fill(0);
  for (const [x, y] of corners) {
    for (let at = 0; at < side * side; at++) {
      picture[(y + Math.floor(at / side)) * SIDE + x + (at % side)] = 1;
    }
  }
  return picture;
}

/** A picture's lines as text, which shows where two differ. */
const rowsOf = (picture: readonly number[]): string[] =>
  Array.from({ length: SIDE }, (_, row) =>
    picture
      .slice(row * SIDE, (row + 1) * SIDE)
      .map((pixel) => (pixel === 1 ? "#" : "."))
      .join(""),
  );

let browser: Browser;
skipAll(chromiumMissing);
beforeAll(async () => {
  if (chromiumMissing === undefined) {
    browser = await launchChromium();
  }
});
afterAll(() => browser?.close());

test("an attribute of three.js", async () => {
  const { checked } = await runInPage(browser, sectionOf("Use it with three.js"));
  expect(checked).toBe(1);
});

test("three.js: draw from back to front", async () => {
  const { checked } = await runInPage(browser, sectionOf("three.js: draw from"));
  expect(checked).toBe(1);
});

test("three.js: particles that die", async () => {
  // One frame more, which is looked at.
  const { checked, report } = await runInPage<{
    readonly pixels: readonly number[];
    readonly living: readonly number[];
    readonly indirect: readonly number[];
    readonly start: readonly number[];
  }>(
    browser,
    sectionOf("three.js: particles"),
    `frame();
    const pixels = $pixels(canvas);
    const shown = await arrayOf(living, { type: Particle, length: count });
    $report({
      pixels,
      living: Array.from(await shown.read()).flatMap(({ x, y, speed, life }) => [x, y, speed, life]),
      indirect: Array.from(new Uint32Array(await renderer.getArrayBufferAsync(indirect))),
      start: Array.from(start),
    });`,
  );
  expect(checked).toBe(1);
  const frames = FRAMES + 1;
  const start = Particle.over(Float32Array.from(report.start).buffer);
  const moved = Particle.from(
    Array.from(start, (one) => ({ ...one, y: one.y + frames * one.speed, life: one.life - frames })),
  );
  const expected = compactReference(moved, ({ life }) => life > 0);
  expect(expected.length).toBe(600);
  expect(report.living).toEqual(Array.from(expected).flatMap(({ x, y, speed, life }) => [x, y, speed, life]));
  expect(report.indirect).toEqual([6, expected.length, 0, 0, 0]);
  expect(rowsOf(report.pixels)).toEqual(
    rowsOf(
      squares(
        Array.from(expected, ({ x, y }) => [x + 1, SIDE - 3 - y]),
        2,
      ),
    ),
  );
});
