import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { axe, violations } from "./axe.ts";
import { endSelfTestsAt, overflow, textOf, useSite } from "./site.ts";

const visit = useSite();

/** The least contrast of text, as WCAG 2.2 has it in 1.4.3, for text that is not large. */
const LEAST = 4.5;

/**
 * The contrast of every text in sight or out of it, by the colours that the browser computes: those below the least. Text
 * of controls that are disabled is left out, as WCAG leaves it.
 */
const faintTexts = (page: Page): Promise<string[]> =>
  page.evaluate((least) => {
    const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    /** Red, green, blue and alpha of a colour, however it is written. */
    const partsOf = (colour: string): number[] => {
      if (canvas === null) {
        return [];
      }
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
      return [...canvas.getImageData(0, 0, 1, 1).data].map((part) => part / 255);
    };
    const over = (top: number[], below: number[]): number[] => {
      const alpha = top[3] ?? 0;
      return [0, 1, 2].map((at) => (top[at] ?? 0) * alpha + (below[at] ?? 0) * (1 - alpha));
    };
    /** Colours behind an element, the page's last. */
    const behind = (element: Element | null): number[] => {
      if (element === null) {
        return [1, 1, 1, 1];
      }
      const own = partsOf(getComputedStyle(element).backgroundColor);
      return own[3] === 1 ? own : over(own, behind(element.parentElement));
    };
    const luminance = (colour: number[]): number => {
      const [red = 0, green = 0, blue = 0] = colour.map((part) =>
        part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
      );
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const faint = new Set<string>();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const element = node.parentElement;
      if (element === null || !node.textContent?.trim() || !element.checkVisibility()) {
        continue;
      }
      if (element.closest(":disabled, script, style, title, .skip, .unseen, option")) {
        continue;
      }
      const style = getComputedStyle(element);
      const isDrawn = element instanceof SVGElement;
      // A number in a picture lies on its box.
      const box = isDrawn ? element.parentElement?.querySelector(":scope > rect.cell") : undefined;
      const fill = box ? partsOf(getComputedStyle(box).fill) : [0, 0, 0, 0];
      const below = behind(isDrawn ? element.closest("svg") : element);
      const ground = over(fill, below);
      const alpha = Number(style.opacity);
      const [red = 0, green = 0, blue = 0, own = 1] = partsOf(isDrawn ? style.fill : style.color);
      const text = over([red, green, blue, own * alpha], ground);
      const [light, dark] = [luminance(text), luminance(ground)].sort((a, b) => b - a);
      const contrast = ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05);
      if (contrast < least) {
        faint.add(`${contrast.toFixed(2)}: ${node.textContent.trim().slice(0, 40)} (${element.className})`);
      }
    }
    return [...faint];
  }, LEAST);

/** Pages, and what is done on each so that all of it shows. */
const pages: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  "index.html": async () => {},
  "try.html": async (page) => {
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.waitForSelector("#result:not([hidden])");
    await page.waitForSelector("#code .shiki");
    await page.waitForSelector("#wgsl .shiki");
    // Comments are the faintest.
    expect(await page.locator("#wgsl").textContent()).toMatch(/^\/\/ /m);
  },
  "try.html#search": async (page) => {
    await page.getByRole("radio", { name: "searchSorted" }).check();
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.waitForSelector("#result:not([hidden])");
  },
  "try.html#runs": async (page) => {
    await page.getByRole("radio", { name: "runLengths" }).check();
    await page.getByLabel(/^By key/).check();
    expect(await page.locator("#key-field").isVisible()).toBe(true);
  },
  "try.html#heads": async (page) => {
    await page.getByRole("combobox", { name: "Segments" }).selectOption("columns");
    expect(await page.locator("#columns-field").isVisible()).toBe(true);
    await page.getByRole("combobox", { name: "Segments" }).selectOption("heads");
    expect(await page.locator("#heads-field").isVisible()).toBe(true);
  },
  "playground.html": async (page) => {
    await page.getByRole("slider", { name: "Event" }).fill("20");
    // The text in its colours.
    await page.waitForSelector("#editor .lines span");
  },
  "playground.html#kernel=race": async (page) => {
    await page.getByRole("button", { name: /^race/ }).click();
    await page.waitForSelector("#editor .lines span");
  },
  "playground.html#kernel=look-back&at=700": async (page) => {
    await page.getByRole("combobox", { name: "Step" }).selectOption("by event");
    await page.waitForSelector("#editor .lines span");
  },
  "use.html": async () => {},
  "check.html": async (page) => {
    await endSelfTestsAt(page, /: reduce</);
    await page.getByRole("combobox", { name: "Types" }).selectOption("u32");
    await page.getByRole("button", { name: "Run the check" }).click();
    await expect.poll(() => textOf(page, "#summary"), { timeout: 120_000 }).not.toBe("");
  },
  "guides/index.html": async () => {},
  "guides/own-kernel.html": async () => {},
};

describe.each(Object.entries(pages))("%s", (path, prepare) => {
  test("its texts stand out, light and dark, and it breaks no rule of axe", async () => {
    const page = await visit(path, { context: { reducedMotion: "reduce" } });
    await prepare(page);
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 844 });
      expect(await overflow(page), `${width}`).toBe(0);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await faintTexts(page), colorScheme).toEqual([]);
        expect(await violations(page), `${width}, ${colorScheme}`).toEqual([]);
      }
    }
  });
});

test("axe-core is installed", ({ skip }) => {
  skip(axe === undefined, "axe-core is not installed: contrast is checked, and no other rule");
});
