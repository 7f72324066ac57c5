import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { add, f32, struct } from "../../src/index.ts";
import { argSortReference, compactReference, scanReference } from "../../src/reference/index.ts";
import type { Section } from "../support/code_blocks.ts";
import { blocksOf, sectionsOf } from "../support/code_blocks.ts";
import { typesOf } from "../support/guide_types.ts";
import { FRAMES, runInPage, SIDE, useChromium } from "./program.ts";

// The programs of docs/guides/engines.md, in Chromium, with the engines from npm.

const guide = readFileSync("docs/guides/engines.md", "utf8");
const sections = sectionsOf(guide);

/** The section whose heading starts like this. */
function sectionOf(start: string): Section {
  const section = sections.find(({ heading }) => heading.startsWith(start));
  if (section === undefined) {
    throw new Error(`the guide has no section ${start}`);
  }
  return section;
}

const Particle = struct({ name: "Particle", fields: { x: f32, y: f32, speed: f32, life: f32 } });

/** The picture of rectangles, in pixels from the upper left corner on. */
function pictureOf(
  rectangles: readonly {
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
  }[],
): number[] {
  const picture = new Array<number>(SIDE * SIDE).fill(0);
  for (const { x, y, width, height } of rectangles) {
    for (let row = y; row < y + height; row++) {
      picture.fill(1, row * SIDE + x, row * SIDE + x + width);
    }
  }
  return picture;
}

/** What the programs that draw bars report. */
interface Bars {
  readonly pixels: readonly number[];
  readonly widths: readonly number[];
  readonly starts: readonly number[];
}

const BARS = 16;
/** So many frames more, of which the last one is looked at: what a program draws stays in sight. */
const MORE = 100;

/** The bars after a step before the first frame, and all frames. They grow up to ten. */
function expectBars({ pixels, widths, starts }: Bars): void {
  const grown = Uint32Array.from({ length: BARS }, (_, bar) => (((bar % 3) + FRAMES + MORE) % 10) + 1);
  const expected = scanReference(grown, { op: add, exclusive: true });
  expect({ widths, starts }).toEqual({ widths: [...grown], starts: [...expected] });
  const bars = Array.from(expected, (start, bar) => ({
    x: start,
    y: SIDE - 4 - 8 * bar,
    width: grown[bar] ?? 0,
    height: 4,
  }));
  expect(rowsOf(pixels)).toEqual(rowsOf(pictureOf(bars)));
}

/** A picture's lines as text, which shows where two differ. */
const rowsOf = (picture: readonly number[]): string[] =>
  Array.from({ length: SIDE }, (_, row) =>
    picture
      .slice(row * SIDE, (row + 1) * SIDE)
      .map((pixel) => (pixel === 1 ? "#" : "."))
      .join(""),
  );

const browser = useChromium();

test("the guide names the versions that the tests run with", () => {
  const rangesIn = (file: string): Record<string, string> => {
    const { devDependencies = {} } = JSON.parse(readFileSync(file, "utf8")) as {
      devDependencies?: Record<string, string>;
    };
    return devDependencies;
  };
  const ranges = { ...rangesIn("package.json"), ...rangesIn("test/engines/package.json") };
  const versionOf = (name: string): string | undefined => /^\^(\d+\.\d+)/.exec(ranges[name] ?? "")?.[1];
  expect(guide.replaceAll(/\s+/g, " ")).toContain(
    `from these versions on: three.js ${versionOf("three")}, Babylon.js ${versionOf("@babylonjs/core")}, luma.gl ${versionOf("@luma.gl/core")}, PlayCanvas ${versionOf("playcanvas")}.`,
  );
});

test("every program is run by a test below", () => {
  const tests = readFileSync(new URL(import.meta.url), "utf8");
  const programs = sections.filter((section) => blocksOf(section, "ts").length > 0);
  const untested = programs.filter(
    ({ heading }) =>
      ![...tests.matchAll(/sectionOf\("(.*)"\)/g)].some(([, start = ""]) => heading.startsWith(start)),
  );
  expect(programs.length).toBeGreaterThanOrEqual(6);
  expect(untested.map(({ heading }) => heading)).toEqual([]);
});

test("an attribute of three.js", async () => {
  const { checked } = await runInPage(browser(), sectionOf("Use it with three.js"));
  expect(checked).toBe(1);
});

test("three.js: draw from back to front", async () => {
  const { checked, report } = await runInPage<{
    readonly before: readonly number[];
    readonly after: readonly number[];
    readonly order: readonly number[];
  }>(
    browser(),
    sectionOf("three.js: draw from"),
    `const before = await $frames(1);
    // The nearest goes to the back. three.js uploads that when it draws, so that the next frame sorts by it.
    places.value.array[2] = 20;
    places.value.needsUpdate = true;
    const after = await $frames(2);
    $report({ before, after, order: Array.from(new Uint32Array(await renderer.getArrayBufferAsync(order.value))) });`,
  );
  expect(checked).toBe(1);
  const large = pictureOf([{ x: 30, y: 30, width: 100, height: 100 }]);
  const nearest = pictureOf([{ x: 90, y: 70, width: 20, height: 20 }]);
  expect(rowsOf(report.before)).toEqual(rowsOf(large.map((pixel, at) => pixel - (nearest[at] ?? 0))));
  expect(report.order).toEqual([...argSortReference(Float32Array.of(20, 9, 5), { descending: true })]);
  expect(rowsOf(report.after)).toEqual(rowsOf(large));
});

test("three.js: splats that a camera sees", async () => {
  const { report } = await runInPage<{
    readonly before: readonly number[];
    readonly after: readonly number[];
    readonly draws: readonly (readonly number[])[];
  }>(
    browser(),
    sectionOf("three.js: splats"),
    `const drawn = async () => Array.from(new Uint32Array(await renderer.getArrayBufferAsync(indirect)));
    const before = await $frames(1);
    const draws = [await drawn()];
    camera.position.x = 380;
    const after = await $frames(2);
    draws.push(await drawn());
    $report({ before, after, draws });`,
  );
  expect(report.draws).toEqual([
    [6, 2, 0, 0, 0],
    [6, 1, 0, 0, 0],
  ]);
  const large = pictureOf([{ x: 30, y: 30, width: 100, height: 100 }]);
  const nearest = pictureOf([{ x: 90, y: 70, width: 20, height: 20 }]);
  expect(rowsOf(report.before)).toEqual(rowsOf(large.map((pixel, at) => pixel - (nearest[at] ?? 0))));
  expect(rowsOf(report.after)).toEqual(rowsOf(pictureOf([{ x: 75, y: 55, width: 50, height: 50 }])));
});

test("three.js: particles that die", async () => {
  const { checked, report } = await runInPage<{
    readonly pixels: readonly number[];
    readonly living: readonly number[];
    readonly indirect: readonly number[];
    readonly start: readonly number[];
  }>(
    browser(),
    sectionOf("three.js: particles"),
    `const pixels = await $frames(${MORE});
    const shown = await arrayOf(living, { type: Particle, length: count });
    $report({
      pixels,
      living: Array.from(await shown.read()).flatMap(({ x, y, speed, life }) => [x, y, speed, life]),
      indirect: Array.from(new Uint32Array(await renderer.getArrayBufferAsync(indirect))),
      start: Array.from(start),
    });`,
  );
  expect(checked).toBe(1);
  const frames = FRAMES + MORE;
  const start = Particle.over(Float32Array.from(report.start).buffer);
  const moved = Particle.from(
    Array.from(start, (one) => {
      // A life goes from 29 to -30.
      const times = Math.ceil((frames - one.life - 30) / 60);
      return { ...one, y: one.y + (frames - 60 * times) * one.speed, life: one.life - frames + 60 * times };
    }),
  );
  const expected = compactReference(moved, ({ life }) => life > 0);
  expect(expected.length).toBe(464);
  expect(report.living).toEqual(Array.from(expected).flatMap(({ x, y, speed, life }) => [x, y, speed, life]));
  expect(report.indirect).toEqual([6, expected.length, 0, 0, 0]);
  expect(rowsOf(report.pixels)).toEqual(
    rowsOf(
      pictureOf(Array.from(expected, ({ x, y }) => ({ x: x + 1, y: SIDE - 3 - y, width: 2, height: 2 }))),
    ),
  );
});

test("Babylon.js", async () => {
  const { checked, report } = await runInPage<Bars>(
    browser(),
    sectionOf("Babylon.js"),
    `const pixels = await $frames(${MORE});
    const words = async (buffer) => Array.from(new Uint32Array((await buffer.read(0, 4 * BARS, undefined, true)).buffer));
    $report({ pixels, widths: await words(widths), starts: await words(starts) });`,
  );
  expect(checked).toBe(1);
  expectBars(report);
});

test("luma.gl", async () => {
  const { checked, report } = await runInPage<Bars>(
    browser(),
    sectionOf("luma.gl"),
    `const pixels = await $frames(${MORE});
    const words = async (buffer) => Array.from(new Uint32Array((await buffer.readAsync(0, 4 * BARS)).slice().buffer));
    $report({ pixels, widths: await words(widths), starts: await words(starts) });`,
  );
  expect(checked).toBe(1);
  expectBars(report);
});

test("PlayCanvas", async () => {
  const { checked, report } = await runInPage<Bars>(
    browser(),
    sectionOf("PlayCanvas"),
    `const pixels = await $frames(${MORE});
    const words = async (buffer) => Array.from(await buffer.read(0, 4 * BARS, new Uint32Array(BARS), true));
    $report({ pixels, widths: await words(widths), starts: await words(starts) });`,
  );
  expect(checked).toBe(1);
  expectBars(report);
});

test("the guide's TypeScript type-checks", async () => {
  const { programs, told } = await typesOf([{ name: "engines", sections }]);
  expect(told).toBe("");
  expect(programs).toBeGreaterThanOrEqual(3);
});
