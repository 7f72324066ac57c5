import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { PageReport } from "../../bench/page.ts";
import { chromiumMissing, launchChromium } from "../support/chromium.ts";

const run = (...args: string[]) =>
  promisify(execFile)(process.execPath, ["scripts/at-hand-page.mjs", ...args]);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "wavefold-at-hand-test-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
beforeEach(({ skip }) => skip(chromiumMissing !== undefined, chromiumMissing));

test("calls at hand are timed in Chromium, verified and recorded", async () => {
  const json = join(folder, "run.json");
  const { stdout } = await run("--sizes", "1000,4099", "--quick", "--json", json);
  const report = JSON.parse(await readFile(json, "utf8")) as PageReport & { readonly chromium: string };
  expect(report.wrong).toEqual([]);
  expect(report.atHand.map(({ primitive, length }) => `${primitive} ${length}`)).toEqual([
    "scan 1000",
    "reduce 1000",
    "scan 4099",
    "reduce 4099",
  ]);
  for (const { call, copy, parts, first, bytesIn, length } of report.atHand) {
    expect(bytesIn).toBe(4 * length);
    expect(Math.min(call.median, copy.median, parts.copyIn.median, first)).toBeGreaterThan(0);
  }
  expect(report.writes.map(({ length, bytes }) => [length, bytes])).toEqual([
    [1000, 4000],
    [4099, 16_396],
  ]);
  expect(report.short?.length).toBe(1000);
  // The page's server asks for the finest clock that a page can have.
  expect(report.clock).toBeLessThan(50);
  expect(report.chromium).toMatch(/^\d+\./);
  expect(stdout).toContain("| scan 4099 |");
  expect(stdout).toContain("| 4099 |");
  expect(stdout).toContain("1000 elements: bare round trip ");
});

test("the page runs from a folder, and says what is wrong with its address", async () => {
  const page = join(folder, "page");
  await run("--page", page);
  expect((await readdir(page)).sort()).toEqual(["index.html", "page.js"]);
  const browser = await launchChromium();
  try {
    const tab = await browser.newPage();
    await tab.goto(`file://${page}/index.html?sizes=100&primitives=reduce&quick`);
    await tab.click("button");
    await tab.waitForFunction(() => document.querySelector("pre")?.textContent?.includes('"atHand"'));
    const text = (await tab.textContent("pre")) ?? "";
    const report = JSON.parse(text.slice(text.indexOf("\n\n{") + 2)) as PageReport;
    expect(report.atHand.map(({ primitive, length }) => [primitive, length])).toEqual([["reduce", 100]]);
    expect(report.wrong).toEqual([]);
    await tab.goto(`file://${page}/index.html?sizes=none`);
    await tab.click("button");
    await tab.waitForFunction(() => document.querySelector("pre")?.textContent?.includes("sizes"));
    expect(await tab.textContent("pre")).toMatch(/^ArgumentError: sizes: "none" is no size/);
  } finally {
    await browser.close();
  }
});

test("wrong arguments are named", async () => {
  await expect(run("--size", "1000")).rejects.toThrow(/at-hand-page: Unknown option '--size'/);
});
