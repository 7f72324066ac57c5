import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { boxBlur } from "../../site/use/box_blur.ts";
import { countsOf, flights } from "../../site/use/crossfilter.ts";
import { sourceAt } from "../../site/use/particles.ts";
import { rateText } from "../../site/use/play.ts";
import { adapter } from "../support/fold.ts";
import { randomBits } from "../support/random.ts";
import { lit, overflow, textOf, useSite } from "./site.ts";

/** Pages that compute and draw until something is seen. */

// A page that is opened further down does not compile what is out of sight.
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

test("particles are born inside the picture, with room around them", () => {
  for (const aspect of [0.5, 1, 16 / 9, 3]) {
    for (let time = 0; time < 30; time += 0.5) {
      for (const [at, place] of sourceAt(time, aspect).entries()) {
        const half = at === 0 ? Math.max(1, aspect) : Math.max(1, 1 / aspect);
        expect(half - Math.abs(place), `${aspect} ${time}`).toBeGreaterThan(0.5);
      }
    }
  }
});

/** What a button's click is answered with, once it is. */
async function answerAt(page: Page, selector: string): Promise<string> {
  const waiting = /^$|^Checking …$/;
  await expect.poll(() => textOf(page, selector), { timeout: 40_000 }).not.toMatch(waiting);
  return textOf(page, selector);
}

test("what is asked before it is there is answered once it is", async () => {
  const page = await visit("use.html", { context: { reducedMotion: "reduce" } });
  // A script asks sooner than a person can, and before the splats came into sight.
  await page.evaluate(() => document.getElementById("splats-check")?.click());
  expect(await textOf(page, "#splats-order")).toBe("Checking …");
  expect(await answerAt(page, "#splats-order")).toMatch(
    /splats are in sight, each drawn once, from the farthest to the nearest$/,
  );
  await page.evaluate(() => document.getElementById("blur-check")?.click());
  expect(await answerAt(page, "#blur-same")).toMatch(/pixels, each the same as on the CPU$/);
});

test("a rate reads well", () => {
  expect([undefined, 0, 1, 60].map(rateText)).toEqual([
    "",
    "0 frames a second",
    "1 frame a second",
    "60 frames a second",
  ]);
});

test("particles live, are drawn, and die", async () => {
  const page = await visit("use.html", { context: { viewport: { width: 640, height: 700 } } });
  await page.waitForFunction(() =>
    /frames? a second/.test(document.getElementById("rate")?.textContent ?? ""),
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
  const page = await visit("use.html#splats", { context: { viewport: { width: 640, height: 700 } } });
  await page.locator("#splats").scrollIntoViewIfNeeded();
  await page.waitForFunction(() =>
    /frames? a second/.test(document.getElementById("splats-rate")?.textContent ?? ""),
  );
  const order = async (): Promise<string> => {
    await page.getByRole("button", { name: "Check the order once" }).click();
    return answerAt(page, "#splats-order");
  };
  expect(await order()).toMatch(
    /^[\d,]+ of [\d,]+ splats are in sight, each drawn once, from the farthest to the nearest$/,
  );
  const picture = async (): Promise<string> =>
    (await page.locator("#splats").screenshot()).toString("base64");
  expect(await lit(page, "#splats")).toBeGreaterThan(5000);
  const moving = await picture();
  await expect.poll(picture).not.toBe(moving);
  await page.getByLabel("Sort them").uncheck();
  await expect.poll(order, { timeout: 40_000 }).toBe("They are in no order");
});

test("a picture is blurred, and every pixel is the mean of its box", async () => {
  const page = await visit("use.html#blur", { context: { viewport: { width: 390, height: 844 } } });
  await page.locator("#blur").scrollIntoViewIfNeeded();
  const slider = page.getByRole("slider", { name: "Radius" });
  const check = async (): Promise<string> => {
    await page.getByRole("button", { name: "Check every pixel once" }).click();
    return answerAt(page, "#blur-same");
  };
  /** How much neighbours differ on the screen. */
  const sharpness = async (): Promise<number> => {
    const picture = (await page.locator("#blur").screenshot()).toString("base64");
    return page.evaluate(async (base64) => {
      const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${base64}`)).blob());
      const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
      context?.drawImage(image, 0, 0);
      const { data } = context?.getImageData(20, 20, image.width - 40, image.height - 40) ?? { data: [] };
      let sum = 0;
      for (let at = 4; at < data.length; at++) {
        sum += Math.abs((data[at] ?? 0) - (data[at - 4] ?? 0));
      }
      return sum / data.length;
    }, picture);
  };
  const found: number[] = [];
  for (const radius of ["0", "6", "60"]) {
    await slider.fill(radius);
    expect(await check()).toMatch(/^[\d,]+ pixels, each the same as on the CPU$/);
    found.push(await sharpness());
  }
  expect(await textOf(page, "#blur-size")).toBe("121 × 121 pixels");
  // The slider moves while a check runs. What the check finds is not told of the new radius.
  const late = await page.evaluate(async () => {
    const [slider, button, same] = ["blur-radius", "blur-check", "blur-same"].map((id) =>
      document.getElementById(id),
    ) as [HTMLInputElement, HTMLButtonElement, HTMLElement];
    const { mapAsync } = GPUBuffer.prototype;
    const checked = new Promise<void>((resolve) => {
      GPUBuffer.prototype.mapAsync = function (this: GPUBuffer, ...options) {
        const mapped = mapAsync.apply(this, options);
        if (this.label === "site blur read-back") {
          mapped.then(() => setTimeout(resolve));
        }
        return mapped;
      };
    });
    button.click();
    slider.value = "6";
    slider.dispatchEvent(new Event("input"));
    await checked;
    GPUBuffer.prototype.mapAsync = mapAsync;
    return same.textContent;
  });
  expect(late).toBe("");
  const [sharp = 0, soft = 0, softest = 0] = found;
  expect(soft).toBeLessThan(sharp * 0.7);
  expect(softest).toBeLessThan(soft * 0.7);
  expect(softest).toBeGreaterThan(0);
  expect(await overflow(page)).toBe(0);
});

test("the blur on the CPU is the mean of each box", () => {
  const next = randomBits("box blur");
  for (const [width, height] of [
    [1, 1],
    [7, 5],
    [13, 4],
  ] as const) {
    const pixels = Uint32Array.from({ length: width * height }, () => (next() | 0xff000000) >>> 0);
    for (const radius of [0, 1, 3, 20]) {
      const expected = pixels.map((_, at) => {
        const [x, y] = [at % width, Math.floor(at / width)];
        const inBox = pixels.filter(
          (__, other) =>
            Math.abs((other % width) - x) <= radius && Math.abs(Math.floor(other / width) - y) <= radius,
        );
        const mean = (shift: number): number => {
          const sum = inBox.reduce((total, pixel) => total + ((pixel >>> shift) & 255), 0);
          return Math.floor((sum + Math.floor(inBox.length / 2)) / inBox.length);
        };
        return (mean(0) | (mean(8) << 8) | (mean(16) << 16) | 0xff000000) >>> 0;
      });
      expect(boxBlur({ width, height, pixels }, radius)).toEqual(expected);
    }
  }
});

test("a crossfilter's charts count the rows that pass the other charts' filters", async () => {
  const page = await visit("use.html#crossfilter-title", {
    context: { viewport: { width: 390, height: 844 }, reducedMotion: "reduce" },
  });
  await page.locator("#crossfilter-title").scrollIntoViewIfNeeded();
  await expect.poll(() => textOf(page, "#crossfilter-kept"), { timeout: 40_000 }).not.toBe("");
  const table = flights(Number(await page.locator("#crossfilter-rows").inputValue()));
  const expectCounts = async (...ranges: Parameters<typeof countsOf>[1][number][]): Promise<void> => {
    const { counts, passing } = countsOf(table, ranges);
    const kept = `${passing.toLocaleString("en")} of ${table.numRows.toLocaleString("en")} rows pass all filters`;
    await expect.poll(() => textOf(page, "#crossfilter-kept"), { timeout: 40_000 }).toBe(kept);
    const heights = await page
      .locator("#crossfilter svg")
      .evaluateAll((svgs) =>
        svgs.map((one) => [...one.querySelectorAll("rect")].map((bar) => Number(bar.getAttribute("height")))),
      );
    expect(heights).toEqual(
      counts.map((bins) => {
        const most = Math.max(...bins);
        return bins.map((count) => count / most);
      }),
    );
  };
  await expectCounts();
  await page.getByRole("slider", { name: "Hour of departure: from" }).fill("12");
  await page.getByRole("slider", { name: "Delay in minutes: to" }).fill("10");
  await expectCounts([12, 24], [-40, 10]);
  expect(await page.locator("#crossfilter rect.passes").count()).toBe(12 + 10 + 40);
  await page.getByRole("button", { name: "Check every count once" }).click();
  await expect
    .poll(() => textOf(page, "#crossfilter-same"), { timeout: 40_000 })
    .toBe("Every count is as on the CPU");
  await page.getByRole("button", { name: "Let all rows pass" }).click();
  await expectCounts();
  expect(await overflow(page)).toBe(0);
});

test("the bench is verified, drawn, and copied as JSON", async () => {
  const page = await visit("use.html#bench-title", {
    context: { permissions: ["clipboard-read", "clipboard-write"] },
  });
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
  for (const role of ["button", "combobox", "checkbox", "slider"] as const) {
    expect(await page.getByRole("main").getByRole(role).count(), role).toBe(0);
  }
  expect(await page.getByRole("heading", { name: "A bench on your GPU" }).count()).toBe(0);
  // Behind each canvas, a picture stands still.
  const stills = page.locator(".stage:has(canvas) .still");
  for (const still of await stills.all()) {
    await still.scrollIntoViewIfNeeded();
    expect(await still.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(1000);
  }
  expect(await stills.count()).toBe(await page.locator(".stage canvas").count());
  expect(await lit(page, ".stage:has(#splats) .still")).toBeGreaterThan(500);
  expect(await overflow(page)).toBe(0);
});
