import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { overflow, textOf, useSite } from "./site.ts";

const visit = useSite();

const NUMBERS = [3, 1, 7, 0, 4, 1, 6, 3, 2, 8, 5, 1, 0, 9, 2, 4];
const SUMS = [3, 4, 11, 11, 15, 16, 22, 25, 27, 35, 40, 41, 41, 50, 52, 56];

/** The values in the picture's boxes, in reading order. */
const boxes = (page: Page): Promise<string[]> =>
  page
    .locator("#figure svg g text")
    // A text's first child is its title, which has the value in full.
    .evaluateAll((texts) => texts.map((text) => text.lastChild?.textContent ?? ""));
const lastRow = async (page: Page): Promise<number[]> => (await boxes(page)).slice(-16).map(Number);
const slide = (page: Page, step: number): Promise<void> =>
  page.getByRole("slider", { name: "Step" }).fill(String(step));
const steps = async (page: Page): Promise<number> =>
  Number(await page.getByRole("slider", { name: "Step" }).getAttribute("max"));

test("Blelloch goes forward and back, by buttons, slider and keys", async () => {
  const page = await visit("watch.html");
  expect(await lastRow(page)).toEqual(NUMBERS);
  expect(await textOf(page, "#count")).toBe("1 of 11");
  const forward = page.getByRole("button", { name: "Forward" });
  const back = page.getByRole("button", { name: "Back" });
  expect(await back.isDisabled()).toBe(true);
  await forward.click();
  expect(await lastRow(page)).toEqual([3, 4, 7, 7, 4, 5, 6, 9, 2, 10, 5, 6, 0, 9, 2, 6]);
  expect(await textOf(page, "#caption")).toContain("place 1 becomes combine(3, 1) = 4.");
  await back.click();
  expect(await lastRow(page)).toEqual(NUMBERS);

  await page.locator("#figure").focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  expect(await textOf(page, "#count")).toBe("3 of 11");
  await page.keyboard.press("ArrowLeft");
  expect(await textOf(page, "#count")).toBe("2 of 11");
  await page.keyboard.press("End");
  expect(await lastRow(page)).toEqual(SUMS);
  expect(await forward.isDisabled()).toBe(true);
  await page.keyboard.press("Home");
  expect(await textOf(page, "#count")).toBe("1 of 11");

  await slide(page, 5);
  expect(await lastRow(page)).toEqual([3, 4, 7, 11, 4, 5, 6, 25, 2, 10, 5, 16, 0, 9, 2, 0]);
  expect(await textOf(page, "#agrees")).toBe(
    `It ends with the same 16 prefixes as one element after another: ${SUMS.join(" ")}`,
  );
});

test("it plays, and pauses", async () => {
  const page = await visit("watch.html");
  await page.getByRole("combobox", { name: "Speed" }).selectOption("fast");
  await page.getByRole("button", { name: "Play" }).click();
  await expect.poll(() => textOf(page, "#count"), { timeout: 30_000 }).toBe("4 of 11");
  await page.getByRole("button", { name: "Pause" }).click();
  const at = await textOf(page, "#count");
  await page.waitForTimeout(900);
  expect(await textOf(page, "#count")).toBe(at);
  // The space bar, on the picture.
  await page.locator("#figure").focus();
  await page.keyboard.press(" ");
  await expect.poll(() => textOf(page, "#count"), { timeout: 30_000 }).toBe("11 of 11");
  await expect.poll(() => page.getByRole("button", { name: "Play" }).count()).toBe(1);
});

test("Hillis–Steele keeps the order of an operator that does not commute", async () => {
  const page = await visit("watch.html");
  await page.getByRole("radio", { name: "Hillis–Steele" }).check();
  await page.getByRole("combobox", { name: "Operator" }).selectOption("join");
  await page.getByRole("textbox", { name: /^Elements/ }).fill("w a v e");
  await slide(page, await steps(page));
  expect((await boxes(page)).slice(-4)).toEqual(["w", "wa", "wav", "wave"]);
  expect(await textOf(page, "#caption")).toContain("combine(w, av) = wav");
  await page.getByLabel(/^Exclusive/).check();
  await slide(page, await steps(page));
  expect((await boxes(page)).slice(-4)).toEqual(["–", "w", "wa", "wav"]);
});

/** What is said of every step; the page is at the last one afterwards. */
const captions = (page: Page): Promise<string[]> =>
  page.getByRole("slider", { name: "Step" }).evaluate((slider: HTMLInputElement) =>
    Array.from({ length: Number(slider.max) + 1 }, (_, step) => {
      slider.value = String(step);
      slider.dispatchEvent(new Event("input"));
      return document.getElementById("caption")?.textContent ?? "";
    }),
  );

test("a look-back waits for a stuck tile, falls back, and ends with the sums", async () => {
  const page = await visit("watch.html");
  await page.getByRole("radio", { name: "Look-back" }).check();
  const before = await captions(page);
  expect(await lastRow(page)).toEqual(SUMS);
  expect(before).toContain(
    "Tile 3 is the last of its group, and hands on what comes before the next: C1 = 11 is ready.",
  );
  expect(before.filter((text) => text.startsWith("Fallback"))).toEqual([]);

  await page.getByLabel("Tile 5 is stuck").check();
  const after = await captions(page);
  expect(after).toContain(
    "Tile 5 is stuck: it takes no more turns until no other tile can go on, and hands on nothing.",
  );
  expect(after.some((text) => /^Tile 6 looks at its own group, 1\..* waits for .*T5\.$/.test(text))).toBe(
    true,
  );
  expect(after.filter((text) => text.startsWith("Fallback"))).toContainEqual(
    expect.stringMatching(
      /^Fallback: tile \d+ computes T5 itself, from tile 5’s element in the input, and hands it on in a place apart: T5′ = 1\.$/,
    ),
  );
  expect(after.at(-1)).toMatch(/^Tile 5 combines its carry 15 with its element, writes 16, and is done\.$/);
  expect(await lastRow(page)).toEqual(SUMS);
});

test("a tile that finds totals and no carry looks at the group before", async () => {
  const page = await visit("watch.html");
  await page.getByRole("radio", { name: "Look-back" }).check();
  await page.getByRole("combobox", { name: "Tiles start" }).selectOption("in order");
  const said = await captions(page);
  const figure = page.locator("#figure");
  const looks = said.flatMap((text, step) => (/^Tile 14 looks at/.test(text) ? [step] : []));
  expect(looks.map((step) => said[step])).toEqual([
    "Tile 14 looks at its own group, 3. It reads T12 and T13. C3 is not there: rather than wait for it, the tile goes on to group 2.",
    "Tile 14 looks at group 2. It reads T8, T9, T10 and T11. C2 is not there: rather than wait for it, the tile goes on to group 1.",
    "Tile 14 looks at group 1. It reads T4, T5, T6 and T7. C1 is not there: rather than wait for it, the tile goes on to group 0.",
    "Tile 14 looks at group 0. It reads T0, T1, T2 and T3, and nothing comes before this group. Now it has its carry: T0 to T2, then T3, then T4 to T6, then T7, then T8 to T10, then T11, then T12 and T13 = 50.",
  ]);
  // Each picture: the group that is looked at, those before that, what was read, and the way to the next.
  for (const [at, step] of looks.entries()) {
    await slide(page, step);
    expect(await figure.locator("text.looked").textContent()).toBe(`group ${3 - at}`);
    expect(await figure.locator("text.held").count()).toBe(at);
    expect(await figure.locator(".link.now").count()).toBe(at === 0 ? 2 : 4);
    expect(await figure.locator(".link.held").count()).toBe(at === 0 ? 0 : 4 * at - 2);
    expect(await figure.locator(".link.onward").count()).toBe(at < 3 ? 1 : 0);
    expect(await figure.getByText("not yet", { exact: true }).count()).toBe(at < 3 ? 1 : 0);
  }

  await page.getByRole("combobox", { name: "Groups that a tile looks at" }).selectOption("2");
  const near = await captions(page);
  expect(near).toContain(
    "Tile 14 looks at group 2, the farthest that it looks at. It reads T8, T9, T10 and T11, and waits for C2.",
  );
  expect(near.filter((text) => /^Tile 14 looks at group [01]/.test(text))).toEqual([]);
  expect(await lastRow(page)).toEqual(SUMS);
});

test("a step shows what a tile reads and what it waits for", async () => {
  const page = await visit("watch.html");
  await page.getByRole("radio", { name: "Look-back" }).check();
  await page.getByLabel("Tile 0 is stuck").check();
  const text = await page.getByRole("slider", { name: "Step" }).evaluate((slider: HTMLInputElement) => {
    for (let step = 0; step <= Number(slider.max); step++) {
      slider.value = String(step);
      slider.dispatchEvent(new Event("input"));
      const caption = document.getElementById("caption")?.textContent ?? "";
      if (caption.includes("It reads") && caption.includes("waits for")) {
        return caption;
      }
    }
    return "";
  });
  const [, read = "", missing = ""] = /It reads (.*), and waits for (.*)\.$/.exec(text) ?? expect.fail(text);
  const named = (list: string): number => list.split(/, | and /).length;
  expect(await page.locator("#figure .link.now").count()).toBe(named(read));
  expect(await page.locator("#figure .link.missing").count()).toBe(named(missing));
});

test("elements that mean nothing get a clear error", async () => {
  const page = await visit("watch.html");
  await page.getByRole("textbox", { name: /^Elements/ }).fill("1 two 3");
  expect(await textOf(page, "#problem")).toMatch(/^Element 2 is “two”; it takes a whole number/);
  await page
    .getByRole("textbox", { name: /^Elements/ })
    .fill(Array.from({ length: 17 }, () => "1").join(" "));
  expect(await textOf(page, "#problem")).toBe("There are 17 elements; the picture has room for 16");
  await page.getByRole("textbox", { name: /^Elements/ }).fill("5 5 5");
  expect(await textOf(page, "#agrees")).toMatch(/5 10 15$/);
});

test("it fits a phone, and needs no WebGPU", async () => {
  const page = await visit("watch.html", {
    gpu: "none",
    context: { viewport: { width: 360, height: 740 }, reducedMotion: "reduce" },
  });
  for (const name of ["Look-back", "Blelloch", "Hillis–Steele", "Segmented scan", "Sort by a digit"]) {
    await page.getByRole("radio", { name }).check();
    await page.evaluate(() => scrollTo(0, 0));
    expect(await overflow(page), name).toBe(0);
    // The picture is larger than its window: what changes is in sight, and so are the words about it.
    const last = await steps(page);
    let scrolled = 0;
    for (let step = 1; step <= last; step += name === "Look-back" ? 7 : 1) {
      await slide(page, step);
      const [cell, figure, caption] = await page.evaluate(() =>
        ["#figure .acting, #figure .active", "#figure", "#caption"].map((selector) =>
          document.querySelector(selector)?.getBoundingClientRect().toJSON(),
        ),
      );
      const title = `${name}, step ${step}`;
      expect(cell.left, title).toBeGreaterThanOrEqual(figure.left);
      expect(cell.right, title).toBeLessThanOrEqual(figure.right);
      expect(cell.top, title).toBeGreaterThanOrEqual(Math.max(0, figure.top));
      expect(cell.bottom, title).toBeLessThanOrEqual(Math.min(740, figure.bottom));
      expect(caption.top, title).toBeGreaterThanOrEqual(0);
      scrolled = Math.max(scrolled, await page.locator("#figure").evaluate((one) => one.scrollLeft));
    }
    expect(scrolled, name).toBeGreaterThan(0);
  }
});

test("what changes stays in sight if a phone is turned", async () => {
  const page = await visit("watch.html", {
    context: { viewport: { width: 1280, height: 740 }, reducedMotion: "reduce" },
  });
  await page.getByRole("radio", { name: "Blelloch" }).check();
  await slide(page, 6);
  const isInSight = (): Promise<boolean | undefined> =>
    page.evaluate(() => {
      const [cell, figure] = ["#figure .acting, #figure .active", "#figure"].map((selector) =>
        document.querySelector(selector)?.getBoundingClientRect(),
      );
      return cell && figure && cell.left >= figure.left && cell.right <= figure.right;
    });
  expect(await isInSight()).toBe(true);
  await page.setViewportSize({ width: 360, height: 740 });
  await expect.poll(isInSight).toBe(true);
});

test("a segmented scan starts anew where segments start", async () => {
  const page = await visit("watch.html");
  await page.getByRole("radio", { name: "Segmented scan" }).check();
  await page.getByRole("textbox", { name: /^Elements/ }).fill("1 2 3 4 5 6");
  await page.getByLabel("A segment starts at 4").uncheck();
  expect(await textOf(page, "#agrees")).toBe(
    "It ends with the same 6 prefixes as one element after another: 1 3 6 4 9 15",
  );
  // A line stands before each start but the first.
  expect(await page.locator("#figure .start").count()).toBe(1);
  await slide(page, 1);
  expect((await boxes(page)).slice(-6)).toEqual(["1", "3", "5", "4", "9", "11"]);
  expect(await textOf(page, "#caption")).toContain(
    "4 combinations at once; 1 value takes nothing more, since a segment starts in its run.",
  );
  // Nothing leads over the line, neither a link nor a change.
  expect(await page.locator("#figure .link.now").count()).toBe(8);
  expect(await page.locator("#figure .made").count()).toBe(4);
  await page.getByRole("combobox", { name: "Operator" }).selectOption("join");
  await page.getByRole("textbox", { name: /^Elements/ }).fill("a b c d e f");
  expect(await textOf(page, "#agrees")).toMatch(/: a ab abc d de def$/);
});

test("a pass of a sort counts, scans and moves, and keeps the order of equal digits", async () => {
  const page = await visit("watch.html");
  await page.getByRole("radio", { name: "Sort by a digit" }).check();
  expect(await page.getByRole("combobox", { name: "Operator" }).isVisible()).toBe(false);
  await page.getByRole("textbox", { name: /^Elements/ }).fill("7 4 1 5 0 3 9 -1");
  const said = await captions(page);
  expect(said).toHaveLength(9);
  expect(said[1]).toContain("Tile 0 counts how often it has each digit: 1 × 0, 2 × 1, 0 × 2 and 1 × 3.");
  expect(said[4]).toContain(
    "2 elements have a smaller digit, so digit 1 starts at place 2: the tiles put theirs from 2 and 4 on.",
  );
  expect(said[7]).toContain(
    "Tile 0 moves its elements: 7 (digit 3) to 5, 4 (digit 0) to 0, 1 (digit 1) to 2 and 5 (digit 1) to 3.",
  );
  expect((await boxes(page)).slice(-8)).toEqual(["4", "0", "1", "5", "9", "7", "3", "-1"]);
  expect(await textOf(page, "#agrees")).toMatch(/stable sort by this digit: 4 0 1 5 9 7 3 -1$/);
  await page.getByRole("combobox", { name: "Digit" }).selectOption("1");
  expect(await textOf(page, "#agrees")).toMatch(/: 1 0 3 7 4 5 9 -1$/);
});
