import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { expect, test } from "vitest";
import { plotsOf } from "../../bench/plot.ts";
import type { Report } from "../../bench/report.ts";
import { nextCount } from "../../site/use/next_count.ts";
import { npm, run } from "../package/pack.ts";
import { runBlocks } from "../support/code_blocks.ts";
import { violations } from "./axe.ts";
import { lit, overflow, textOf, useSite } from "./site.ts";

const visit = useSite();

/** For tests of what stands beside the splats: they are not compiled, and nothing moves. */
const STILL = { gpu: "none" } as const;

const charts = (await readdir("bench/results")).filter((name) => name.endsWith("-throughput-u32.svg")).sort();
/** The card that the newest chart's name has, as in `2026-11-22-h200-throughput-u32.svg`. */
const CARD = (charts.at(-1) ?? "")
  .slice("2026-11-22-".length)
  .replace(/-throughput.*/, "")
  .replaceAll("-", " ");
const CHART = new RegExp(`on an ${CARD}:`, "i");

/** What the page says of its splats, once it says so. */
const SHOWN = /^([\d,]+) splats, ([\d,]+) of them in sight and sorted, at \d+ frames? a second$/;

/** Counts what a page submits to its GPU. */
async function countSubmits(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    const { submit } = GPUQueue.prototype;
    GPUQueue.prototype.submit = function (this: GPUQueue, ...given) {
      document.documentElement.dataset.submits = String(
        Number(document.documentElement.dataset.submits ?? 0) + 1,
      );
      return submit.apply(this, given);
    };
  });
  return () => page.evaluate(() => Number(document.documentElement.dataset.submits ?? 0));
}

test("the splats move, and stop where they are told to, and out of sight", async () => {
  const page = await visit("index.html", { context: { viewport: { width: 640, height: 700 } } });
  await expect.poll(() => textOf(page, "#shown"), { timeout: 60_000 }).toMatch(SHOWN);
  const [, all = "", inSight = ""] = SHOWN.exec(await textOf(page, "#shown")) ?? [];
  const [splats, drawn] = [all, inSight].map((one) => Number(one.replaceAll(",", "")));
  expect(drawn).toBeGreaterThan(100);
  expect(drawn).toBeLessThan(splats ?? 0);
  expect(await lit(page, "#canvas")).toBeGreaterThan(500);
  const picture = async (): Promise<string> =>
    (await page.locator("#canvas").screenshot()).toString("base64");
  const moving = await picture();
  await expect.poll(picture).not.toBe(moving);
  const submits = await countSubmits(page);
  await expect.poll(submits).toBeGreaterThan(1);
  await page.locator("footer").scrollIntoViewIfNeeded();
  // What was begun ends.
  await page.waitForTimeout(500);
  const before = await submits();
  await page.waitForTimeout(1000);
  expect(await submits()).toBe(before);
  await page.locator("#canvas").scrollIntoViewIfNeeded();
  await expect.poll(submits).toBeGreaterThan(before);
  await page.getByRole("button", { name: "Pause" }).click();
  await page.waitForTimeout(500);
  const still = await picture();
  const paused = await submits();
  await page.waitForTimeout(500);
  expect(await submits()).toBe(paused);
  expect(await picture()).toBe(still);
});

test("where less movement is wanted, one frame stands still until it is played", async () => {
  const page = await visit("index.html", {
    context: { viewport: { width: 640, height: 700 }, reducedMotion: "reduce" },
  });
  await expect.poll(() => lit(page, "#canvas"), { timeout: 60_000 }).toBeGreaterThan(500);
  const submits = await countSubmits(page);
  await page.waitForTimeout(500);
  expect(await submits()).toBe(0);
  await page.getByRole("button", { name: "Play" }).click();
  await expect.poll(submits).toBeGreaterThan(1);
});

test("there are as many splats as frames leave time for", () => {
  const bounds = { least: 1000, most: 6000 };
  const start = { count: 2000, isSettled: false };
  expect(nextCount(start, 60, bounds)).toEqual({ count: 4000, isSettled: false });
  expect(nextCount({ ...start, count: 4000 }, 60, bounds).count).toBe(6000);
  expect(nextCount(start, 30, bounds)).toEqual(start);
  // Once some were too many, there are no more.
  const fewer = nextCount({ ...start, count: 4000 }, 18, bounds);
  expect(fewer).toEqual({ count: 2000, isSettled: true });
  expect(nextCount(fewer, 60, bounds)).toEqual(fewer);
  expect(nextCount(fewer, 1, bounds)).toEqual({ count: 1000, isSettled: true });
});

test("ten lines at most are shown beside the splats, and they are those that run", async () => {
  const page = await visit("index.html", {
    ...STILL,
    context: { permissions: ["clipboard-read", "clipboard-write"] },
  });
  await page.getByRole("button", { name: "Copy the lines" }).click();
  const clipboard = (): Promise<string> => page.evaluate(() => navigator.clipboard.readText());
  await expect.poll(clipboard).toMatch(/^const Splat/);
  const lines = (await clipboard()).split("\n");
  expect(lines.length).toBeLessThanOrEqual(10);
  const source = (await readFile("site/use/splats.ts", "utf8")).split("\n").map((line) => line.trim());
  expect(lines.filter((line) => !source.includes(line.trim()))).toEqual([]);
  // Nothing between the first line and the last is left out.
  for (const call of ["prepareCompact(", "prepareSort(", "cull.record(", "sort.record("]) {
    expect(lines.filter((line) => line.includes(call))).toHaveLength(1);
    expect(source.filter((line) => line.includes(call))).toHaveLength(1);
  }
});

/** The package's file beside a page. */
async function addressOf(page: Page): Promise<string> {
  const { version } = JSON.parse(await readFile("package.json", "utf8")) as { version: string };
  return new URL(`wavefold-${version}.tgz`, page.url()).href;
}

test("npm installs from where the page is", async () => {
  const page = await visit("index.html", { ...STILL, context: { viewport: { width: 360, height: 740 } } });
  const command = await textOf(page, "#install");
  expect(command).toBe(`npm install ${await addressOf(page)}`);
  expect(await page.locator("#package").getAttribute("href")).toBe(basename(command));
  expect(await page.locator("#save").isVisible()).toBe(false);
  expect(await overflow(page)).toBe(0);
  const folder = await mkdtemp(join(tmpdir(), "wavefold-install-"));
  try {
    await run(...npm(...command.split(" ").slice(1), "--no-audit", "--no-fund"), folder);
    const own = await readFile("package.json", "utf8");
    expect(JSON.parse(await readFile(join(folder, "node_modules/wavefold/package.json"), "utf8"))).toEqual(
      JSON.parse(own),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("from a disk, where scripts do not run, the page says what to do", async () => {
  const { context } = await visit("index.html", STILL).then((page) => ({ context: page.context() }));
  const page = await (context.browser() as Browser).newPage();
  await page.goto(pathToFileURL(join(visit.folder(), "index.html")).href);
  const file = basename(await addressOf(page));
  expect(await textOf(page, "#install")).toBe(`npm install ./${file}`);
  expect(await page.locator("#save").innerText()).toContain("save it into your project first");
  expect(existsSync(join(visit.folder(), file))).toBe(true);
  await page.close();
  for (const name of ["index", "try", "watch", "use", "check"]) {
    const opened = await (context.browser() as Browser).newPage();
    await opened.goto(pathToFileURL(join(visit.folder(), `${name}.html`)).href);
    const notice = await opened.locator("#from-disk").innerText();
    expect(notice, name).toContain("was opened from the disk, so it cannot run");
    expect(notice, name).toContain("npx vite preview");
    // Nothing is offered that does nothing.
    expect(await opened.getByRole("button").count(), name).toBe(0);
    await opened.close();
  }
  const served = await visit("index.html", STILL);
  expect(await served.locator("#from-disk").isVisible()).toBe(false);
});

test("its lines are copied, and do what they say", async () => {
  const page = await visit("index.html", {
    ...STILL,
    context: { permissions: ["clipboard-read", "clipboard-write"] },
  });
  const clipboard = (): Promise<string> => page.evaluate(() => navigator.clipboard.readText());
  await page.getByRole("button", { name: "Copy the command" }).click();
  await expect.poll(clipboard).toBe(`npm install ${await addressOf(page)}`);
  await page.getByRole("button", { name: "Copy the code" }).click();
  await expect.poll(clipboard).toMatch(/^import/);
  const text = await clipboard();
  expect(text.split("\n").filter((line) => line !== "")).toHaveLength(5);
  const { checked } = await runBlocks("the first page", [{ language: "ts", text, note: "" }], {});
  expect(checked).toBe(2);
});

test("it says which browsers have WebGPU, as the guide does, and where to read more", async () => {
  const page = await visit("index.html", STILL);
  const hosts = page.locator(".hosts");
  const names = await hosts.locator("dt").allTextContents();
  expect(names).toEqual(["Chrome, Edge", "Safari", "Firefox", "Node.js", "Deno, Bun"]);
  const rows = await hosts.locator("dd").allTextContents();
  // Each version that a row names stands in the guide, too.
  const guide = await readFile("docs/guides/browsers.md", "utf8");
  const versions = rows.flatMap((row) => row.replaceAll(/Gen\d+/g, "").match(/\b\d+(\.\d+)*\b/g) ?? []);
  expect(versions.length).toBeGreaterThan(9);
  expect(versions.filter((version) => !new RegExp(`\\b${version}\\b`).test(guide))).toEqual([]);
  const outward = await page
    .locator('main a[href^="https:"]')
    .evaluateAll((all) => all.map((one) => one.textContent));
  expect(outward).toEqual(expect.arrayContaining(["WebGPU", "WGSL", "where WebGPU is implemented"]));
});

test("its links lead to the pages, and its pictures are there", async () => {
  const page = await visit("index.html", STILL);
  const links = page.getByRole("main").locator(".cards a");
  expect(await links.allTextContents()).toEqual([
    ...["Repository", "Try it", "Playground", "Use it", "Check your GPU", "Guides"],
    ...["Which function do I need?", "API"],
  ]);
  const chart = page.getByRole("img", { name: CHART });
  await chart.scrollIntoViewIfNeeded();
  await expect.poll(() => chart.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(900);
  await links.filter({ hasText: "Try it" }).click();
  expect(await textOf(page, "h1")).toBe("Try it");
  await page.waitForSelector("html[data-ready]");
});

test.each(["light", "dark"] as const)(
  "on a phone, the chart is readable, and not wider than the page: %s",
  async (colorScheme) => {
    const page = await visit("index.html", {
      ...STILL,
      context: { viewport: { width: 390, height: 800 }, colorScheme },
    });
    const chart = page.getByRole("img", { name: CHART });
    await chart.scrollIntoViewIfNeeded();
    await expect
      .poll(() => chart.evaluate((image: HTMLImageElement) => image.complete && image.currentSrc))
      .toMatch(/throughput-narrow\.svg$/);
    expect(await overflow(page)).toBe(0);
    const [shown, scrolls] = await chart.evaluate((image: HTMLImageElement) => {
      const frame = image.closest(".picture");
      return [image.clientWidth, frame !== null && frame.scrollWidth > frame.clientWidth];
    });
    expect(scrolls).toBe(false);
    const [svg, wide] = await Promise.all(
      ["throughput-narrow.svg", "throughput.svg"].map((name) =>
        readFile(join(visit.folder(), "assets", name), "utf8"),
      ),
    );
    const width = Number(/^<svg width="(\d+)"/.exec(svg ?? "")?.[1]);
    const sizes = Array.from(
      svg?.matchAll(/font-size:(\d+)px/g) ?? [],
      ([, size]) => (Number(size) * shown) / width,
    );
    // It has a name for each line, as the wide one has.
    expect(sizes.length).toBeGreaterThan(20);
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(12);
    const lines = (text = ""): string[] =>
      ["copy", "scan", "reduce", "compact", "scan, CUB", "scan, luma.gl"].filter((name) =>
        text.includes(`>${name}`),
      );
    expect(lines(svg)).toEqual(lines(wide));
    expect(lines(svg)).toHaveLength(6);
  },
);

/** The report that the newest chart was drawn from. */
async function newestReport(): Promise<Report> {
  const chart = await readFile(join("bench/results", charts.at(-1) ?? ""), "utf8");
  // Names of classes and of clips are counted through a process.
  const counted = (svg: string): string => svg.replaceAll(/\bzr\d+-[\w-]+/g, "zr");
  for (const name of (await readdir("bench/results")).filter((one) => one.endsWith(".json"))) {
    const report = JSON.parse(await readFile(join("bench/results", name), "utf8")) as Partial<Report>;
    if (
      report.rows !== undefined &&
      plotsOf(report as Report).some(({ svg }) => counted(svg) === counted(chart))
    ) {
      return report as Report;
    }
  }
  throw new Error("the newest chart is of no report");
}

test("its times are those of the newest chart's report, and so are the bars", async () => {
  const page = await visit("index.html", { ...STILL, context: { viewport: { width: 390, height: 800 } } });
  const all = (await newestReport()).rows.filter(({ type }) => type === "u32");
  const longest = Math.max(...all.map(({ length }) => length));
  const timesOf = (by: string, primitive: string): number[] =>
    all
      .filter((row) => row.implementation === by && row.primitive === primitive && row.length === longest)
      .map(({ median }) => Math.round(median));
  const peers = [...new Set(all.map(({ implementation }) => implementation))].filter(
    (by) => by !== "copy" && by !== "wavefold",
  );
  const right = new Map([
    ["A copy", timesOf("copy", "copy")],
    ["Wavefold", timesOf("wavefold", "scan")],
    ...peers.map((by) => [by, timesOf(by, "scan")] as const),
  ]);
  const expected = [...right].flatMap(([name, [time]]) => (time === undefined ? [] : [{ name, time }]));
  expect(await textOf(page, "[aria-labelledby=speed-title] > p")).toContain(`${CARD.toUpperCase()}.`);
  const bars = await page.locator("#times li").evaluateAll((items) =>
    items.map((item) => ({
      name: (item.firstElementChild?.textContent ?? "").replace(", in CUDA", ""),
      time: Number.parseInt(item.lastElementChild?.textContent ?? "", 10),
      width: (item.querySelector(".bar") as HTMLElement).getBoundingClientRect().width,
    })),
  );
  expect(bars.map(({ name, time }) => ({ name, time }))).toEqual(expected.sort((a, b) => a.time - b.time));
  const widest = bars.at(-1) ?? { time: 1, width: 1 };
  for (const { time, width } of bars) {
    expect(width / widest.width).toBeCloseTo(time / widest.time, 2);
  }
  expect(await overflow(page)).toBe(0);
});

const words = {
  none: "Safari has it from version 26",
  "no adapter": "hardware acceleration",
  insecure: "Open the page with https:// in its address.",
} as const;
for (const gpu of ["none", "no adapter", "insecure"] as const) {
  test(`without WebGPU (${gpu}) a picture stands still, and words say who has it`, async () => {
    const page = await visit("index.html", {
      gpu,
      context: { viewport: { width: 360, height: 740 } },
    });
    expect(await page.locator("#canvas").isVisible()).toBe(false);
    expect(await page.locator("#play").isVisible()).toBe(false);
    const still = page.getByRole("img", { name: /^A knotted tube of many small coloured discs/ });
    expect(await still.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1200);
    expect(await lit(page, ".still")).toBeGreaterThan(500);
    const notice = await textOf(page, "#gpu-notice");
    expect(notice).toContain(words[gpu]);
    expect(notice).not.toContain("wavefold/node");
    expect(await overflow(page)).toBe(0);
    expect(await violations(page)).toEqual([]);
  });
}
