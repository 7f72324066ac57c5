import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { runBlocks } from "../support/code_blocks.ts";
import { rows, testInTurn } from "../support/rows.ts";
import { lit, overflow, textOf, useSite } from "./site.ts";

const test = testInTurn({ of: 16 });

const visit = useSite();

test("the particles move, and stop where they are told to", async () => {
  const page = await visit("index.html", { context: { viewport: { width: 640, height: 700 } } });
  await expect.poll(() => lit(page, "#canvas"), { timeout: 30_000 }).toBeGreaterThan(500);
  const picture = async (): Promise<string> =>
    (await page.locator("#canvas").screenshot()).toString("base64");
  const moving = await picture();
  await expect.poll(picture).not.toBe(moving);
  await page.getByRole("button", { name: "Pause" }).click();
  const still = await picture();
  await page.waitForTimeout(300);
  expect(await picture()).toBe(still);
});

test("its lines are copied, and do what they say", async () => {
  const page = await visit("index.html", { context: { permissions: ["clipboard-read", "clipboard-write"] } });
  const clipboard = (): Promise<string> => page.evaluate(() => navigator.clipboard.readText());
  await page.getByRole("button", { name: "Copy the command" }).click();
  await expect.poll(clipboard).toBe("npm install wavefold");
  await page.getByRole("button", { name: "Copy the code" }).click();
  await expect.poll(clipboard).toMatch(/^import/);
  const text = await clipboard();
  expect(text.split("\n").filter((line) => line !== "")).toHaveLength(5);
  const { checked } = await runBlocks("the first page", [{ language: "ts", text, note: "" }], {});
  expect(checked).toBe(2);
});

test("its links lead to the pages, and its pictures are there", async () => {
  const page = await visit("index.html");
  const links = page.getByRole("main").locator(".cards a");
  expect(await links.allTextContents()).toEqual([
    ...["Repository", "Try it", "Watch it", "Use it", "Check your GPU", "Guides", "API"],
  ]);
  const chart = page.getByRole("img", { name: /on an H200/ });
  await chart.scrollIntoViewIfNeeded();
  await expect.poll(() => chart.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(900);
  await links.filter({ hasText: "Try it" }).click();
  expect(await textOf(page, "h1")).toBe("Try it");
  await page.waitForSelector("html[data-ready]");
});

test.each(rows(["light", "dark"] as const, { of: 16, shift: 7 }))(
  "on a phone, the chart is readable, and not wider than the page: %s",
  async (colorScheme) => {
    const page = await visit("index.html", {
      context: { viewport: { width: 390, height: 800 }, colorScheme },
    });
    const chart = page.getByRole("img", { name: /on an H200/ });
    await chart.scrollIntoViewIfNeeded();
    await expect
      .poll(() => chart.evaluate((image: HTMLImageElement) => image.complete && image.currentSrc))
      .toMatch(/h200-narrow\.svg$/);
    expect(await overflow(page)).toBe(0);
    const [shown, scrolls] = await chart.evaluate((image: HTMLImageElement) => {
      const frame = image.closest(".picture");
      return [image.clientWidth, frame !== null && frame.scrollWidth > frame.clientWidth];
    });
    expect(scrolls).toBe(false);
    const [svg, wide] = await Promise.all(
      ["h200-narrow.svg", "h200.svg"].map((name) => readFile(join(visit.folder(), "assets", name), "utf8")),
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

test("its times are those of the guide, and so are the bars", async () => {
  const page = await visit("index.html", { context: { viewport: { width: 390, height: 800 } } });
  const guide = await readFile("docs/guides/benchmark.md", "utf8");
  const [, copy, own, luma, cub] = (/^\| 2\^28 \|.*$/m.exec(guide)?.[0] ?? "")
    .split("|")
    .slice(1)
    .map(Number);
  const bars = await page.locator("#times li").evaluateAll((items) =>
    items.map((item) => ({
      time: Number.parseInt(item.lastElementChild?.textContent ?? "", 10),
      width: (item.querySelector(".bar") as HTMLElement).getBoundingClientRect().width,
    })),
  );
  expect(bars.map(({ time }) => time)).toEqual([copy, own, cub, luma]);
  const longest = bars.at(-1) ?? { time: 1, width: 1 };
  for (const { time, width } of bars) {
    expect(width / longest.width).toBeCloseTo(time / longest.time, 2);
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
    const still = page.getByRole("img", { name: /^Thousands of coloured points/ });
    expect(await still.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1200);
    expect(await lit(page, ".still")).toBeGreaterThan(500);
    const notice = await textOf(page, "#gpu-notice");
    expect(notice).toContain(words[gpu]);
    expect(notice).not.toContain("wavefold/node");
    expect(await overflow(page)).toBe(0);
  });
}
