import type { Page } from "playwright-core";
import { expect } from "vitest";
import { adapter } from "../support/fold.ts";
import { testInTurn } from "../support/rows.ts";
import { lit, overflow, textOf, useSite } from "./site.ts";

const test = testInTurn({ of: 3 });

const visit = useSite();

/** Presses the button that counts once, and gives what it says. */
async function living(page: Page): Promise<number> {
  await page.locator("#living").evaluate((output) => {
    output.textContent = "";
  });
  await page.getByRole("button", { name: "Count the living once" }).click();
  await expect.poll(() => textOf(page, "#living"), { timeout: 40_000 }).toMatch(/^[\d,]+ live$/);
  return Number((await textOf(page, "#living")).replace(/\D/g, ""));
}

test("particles live, are drawn, and die", async () => {
  const page = await visit("use.html", { context: { viewport: { width: 640, height: 700 } } });
  await page.waitForFunction(() =>
    /frames a second/.test(document.getElementById("rate")?.textContent ?? ""),
  );
  const capacity = Number(await page.getByRole("combobox", { name: "At most" }).inputValue());
  const before = await living(page);
  expect(before).toBeGreaterThan(capacity / 10);
  expect(before).toBeLessThanOrEqual(capacity);
  await page.getByRole("button", { name: "Pause", exact: true }).click();
  expect(await lit(page, "#canvas")).toBeGreaterThan(500);
  // Paused, nobody dies.
  const paused = await living(page);
  expect(await living(page)).toBe(paused);
  await page.getByLabel("New ones are born").uncheck();
  await page.getByRole("button", { name: "Play", exact: true }).click();
  // None lives longer than six seconds.
  await expect.poll(() => living(page), { timeout: 60_000, interval: 500 }).toBe(0);
  expect(await lit(page, "#canvas")).toBe(0);
  await page.getByLabel("New ones are born").check();
  await expect.poll(() => living(page), { timeout: 40_000, interval: 500 }).toBeGreaterThan(0);
});

test("splats are drawn in the order of their depths", async () => {
  const page = await visit("use.html", { context: { viewport: { width: 640, height: 700 } } });
  await page.getByRole("button", { name: "Pause", exact: true }).click();
  await page.locator("#splats").scrollIntoViewIfNeeded();
  await page.waitForFunction(() =>
    /frames a second/.test(document.getElementById("splats-rate")?.textContent ?? ""),
  );
  const order = async (): Promise<string> => {
    await page.locator("#splats-order").evaluate((output) => {
      output.textContent = "";
    });
    await page.getByRole("button", { name: "Check the order once" }).click();
    await expect.poll(() => textOf(page, "#splats-order"), { timeout: 40_000 }).not.toBe("");
    return textOf(page, "#splats-order");
  };
  expect(await order()).toMatch(/^[\d,]+ splats, each once, from the farthest to the nearest$/);
  const picture = async (): Promise<string> =>
    (await page.locator("#splats").screenshot()).toString("base64");
  expect(await lit(page, "#splats")).toBeGreaterThan(5000);
  const moving = await picture();
  await expect.poll(picture).not.toBe(moving);
  await page.getByLabel("Sort them").uncheck();
  await expect.poll(order, { timeout: 40_000 }).toBe("They are in no order");
});

test("the bench is verified, drawn, and copied as JSON", async () => {
  const page = await visit("use.html", { context: { permissions: ["clipboard-read", "clipboard-write"] } });
  await page.getByRole("button", { name: "Pause", exact: true }).click();
  // A GPU takes more, and longer ones.
  const [largest, lengths] = adapter === "software" ? [12, 3] : [22, 8];
  await page.getByRole("button", { name: "Run the bench" }).click();
  await expect
    .poll(() => textOf(page, "#bench-state"), { timeout: 40_000 })
    .toBe(`Done: ${4 * lengths} measurements, and every result the same as on the CPU.`);
  await page.waitForSelector("#chart svg");
  for (const name of ["copy", "scan", "reduce", "compact", `2^${largest}`]) {
    await expect.poll(() => page.locator("#chart svg text").allTextContents()).toContain(name);
  }
  expect(await page.locator("#bench-table tbody tr").count()).toBe(lengths);
  await page.getByRole("button", { name: "Copy the result as JSON" }).click();
  await expect.poll(() => textOf(page, "#bench-state")).toBe("The result is on the clipboard, as JSON.");
  const result = JSON.parse(await page.evaluate(() => navigator.clipboard.readText()));
  expect(result.adapter.software).toBe(adapter === "software");
  expect(result.clock).toBe("GPU timestamps");
  expect(result.measurements).toHaveLength(4 * lengths);
  for (const { what, length, microseconds } of result.measurements) {
    expect(microseconds, `${what} of ${length}`).toBeGreaterThan(0);
  }
});

test("without WebGPU it says so, and offers nothing that would fail", async () => {
  const page = await visit("use.html", {
    gpu: "none",
    context: { viewport: { width: 360, height: 740 } },
  });
  expect(await page.getByRole("alert").isVisible()).toBe(true);
  expect(await textOf(page, "#gpu-notice")).toContain("WebGPU does not work here.");
  expect(await page.getByRole("button", { name: "Run the bench" }).isDisabled()).toBe(true);
  expect(await overflow(page)).toBe(0);
});
