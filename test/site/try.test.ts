import { dump } from "npyjs";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { onSite } from "../../src/primitives/described.ts";
import { adapter } from "../support/fold.ts";
import { overflow, textOf, useSite } from "./site.ts";

const visit = useSite();

/** Presses Run, and waits for the verdict. */
async function run(page: Page): Promise<string> {
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.waitForFunction(() => {
    const text = document.getElementById("verdict")?.textContent ?? "";
    return text !== "" && text !== "Running …";
  });
  await page.waitForSelector("#run:not([disabled])");
  return textOf(page, "#verdict");
}

/** The row of the table of elements with this name. */
const row = (page: Page, name: string): Promise<string[]> =>
  page
    .locator("#elements tr", { has: page.getByRole("rowheader", { name, exact: true }) })
    .locator("td")
    .allTextContents();

test("a sum of numbers that are typed is run, checked and timed", async () => {
  const page = await visit("try.html");
  const status = await textOf(page, "#gpu-status");
  expect(status).toMatch(/^Runs on: ./);
  expect(/swiftshader/i.test(status), status).toBe(adapter === "software");
  await page.getByRole("combobox", { name: "Numbers" }).selectOption("typed");
  await page.getByRole("textbox", { name: "Your numbers" }).fill("3, 1, 7, 0\n4 1 6 3");
  expect(await run(page)).toBe("8 values: each the same on the GPU and on the CPU, bit for bit.");
  expect(await row(page, "prefixes")).toEqual(["3", "4", "11", "11", "15", "16", "22", "25"]);
  await page.getByLabel(/^Exclusive/).check();
  await run(page);
  expect(await row(page, "prefixes")).toEqual(["0", "3", "4", "11", "11", "15", "16", "22"]);
  const times = await page.locator("#times .number").allTextContents();
  // The scan, a copy, and the CPU.
  expect(times).toHaveLength(3);
  for (const time of times) {
    expect(time).toMatch(/^[\d.]+ (µs|ms|s)$/);
    expect(Number.parseFloat(time)).toBeGreaterThan(0);
  }
  const note = await textOf(page, "#times-note");
  expect(note).toMatch(/^By GPU timestamps: the median of \d+ runs/);
  expect(note).toContain("So few elements say nothing of the speed");
  expect(note).toContain("Take 262,144 or more.");
  expect(note).not.toContain("GB/s");
});

test("of an array that is long enough, it says how fast memory is", async () => {
  const page = await visit("try.html");
  await page.getByRole("spinbutton", { name: "Length", exact: true }).fill("262144");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect
    .poll(() => textOf(page, "#times-note"), { timeout: 90_000 })
    .toMatch(/The copy moves [\d.,]+ GB\/s; scan takes [\d.,]+ times as long\./);
});

test("it runs where a device does not say what it is, as Safari 26.0's", async () => {
  const page = await visit("try.html");
  const status = await textOf(page, "#gpu-status");
  await page.addInitScript(() => Reflect.deleteProperty(GPUDevice.prototype, "adapterInfo"));
  await page.reload();
  await page.waitForSelector("html[data-ready]");
  expect(await page.evaluate(() => "adapterInfo" in GPUDevice.prototype)).toBe(false);
  expect(await textOf(page, "#gpu-status")).toBe(status);
  expect(await run(page)).toContain("each the same on the GPU and on the CPU, bit for bit.");
});

test("the WGSL changes with the choice, and is in colours", async () => {
  const page = await visit("try.html");
  await page.waitForSelector("#wgsl .shiki");
  const colours = await page
    .locator("#wgsl span[style]")
    .evaluateAll((spans) => new Set(spans.map((span) => getComputedStyle(span).color)).size);
  expect(colours).toBeGreaterThan(3);
  const wgsl = (): Promise<string> => textOf(page, "#wgsl");
  expect(await wgsl()).toContain("earlier + later");
  expect(await wgsl()).toMatch(/^@compute @workgroup_size\(\w+\)\nfn /);
  await page.getByRole("combobox", { name: "Operator" }).selectOption("max");
  await page.getByRole("combobox", { name: "Type" }).selectOption("f32");
  await expect.poll(wgsl).toContain("order_from_f32_bits");
  await page.getByRole("combobox", { name: "Algorithm" }).selectOption("blelloch");
  await expect.poll(wgsl).toContain("blelloch_tree");
  const names = await page.getByRole("combobox", { name: "Show" }).locator("option").allTextContents();
  expect(names.at(-1)).toBe("In a kernel of yours: work_group_scan_inclusive_max_f32");
  await page.getByRole("combobox", { name: "Show" }).selectOption({ index: names.length - 1 });
  await expect.poll(wgsl).toContain("fn work_group_scan_inclusive_max_f32");
  // What has no meaning cannot be chosen.
  expect(
    await page.getByRole("combobox", { name: "Operator" }).locator('option[value="xor"]').isDisabled(),
  ).toBe(true);
});

// The tests from here to `searchSorted` have one page, which each leaves with the next one's fields untouched.
test("each primitive that is described runs with what its fields begin with", async () => {
  const page = await visit("try.html", { stays: true });
  await page.getByRole("combobox", { name: "Numbers" }).selectOption("counting");
  await page.getByRole("spinbutton", { name: "Length" }).fill("40");
  for (const { primitive, help } of onSite) {
    const { name } = primitive;
    const radio = page.getByRole("radio", { name, exact: true });
    await radio.check();
    expect(await run(page), name).toMatch(/^\d+ values?: each the same on the GPU and on the CPU/);
    expect(await page.locator("label", { has: radio }).getAttribute("title")).toBe(help.summary);
  }
});

/** What each primitive gives of 3 1 7 0 4 1 6 3, by the names of its rows. */
const results = {
  unique: { values: "3 1 7 0 4 1 6 3" },
  runLengths: { values: "3 1 7 0 4 1 6 3", counts: "1 1 1 1 1 1 1 1" },
  expandRuns: { values: "1 7 7 0 0 0 1 6 6 3 3 3" },
  partition: { values: "3 1 7 1 3 0 4 6", count: "5" },
  histogram: { bins: "3 2 1 2" },
  sort: { sorted: "7 6 4 3 3 1 1 0" },
  argSort: { positions: "2 6 4 0 7 1 5 3" },
  topK: { values: "7 6 4", indices: "2 6 4" },
  nth: { value: "3", index: "0" },
  argMin: { value: "0", index: "3" },
  argMax: { value: "7", index: "2" },
  searchSorted: { elements: "0 1 1 3 3 4 6 7", values: "3 0 9 1", places: "3 0 8 1" },
} as const;
test.each(Object.entries(results))(
  "a primitive that has no plan of the page's is run, checked and timed: %s",
  async (name, expected) => {
    const page = await visit("try.html", { stays: true });
    await page.getByRole("combobox", { name: "Numbers" }).selectOption("typed");
    await page.getByRole("radio", { name, exact: true }).check();
    if (name === "histogram") {
      await page.getByRole("spinbutton", { name: "How many bins" }).fill("4");
      await page.getByRole("textbox", { name: /^The lowest and the highest edge/ }).fill("0, 8");
    } else if (name === "expandRuns") {
      await page.getByRole("textbox", { name: /^Counts/ }).fill("2 0 1");
      expect(await run(page)).toBe("3 counts for 8 values; it takes one for each");
      await page.getByRole("textbox", { name: /^Counts/ }).fill("");
    } else if (name === "topK") {
      await page.getByRole("textbox", { name: "How many elements" }).fill("3");
    } else if (name === "searchSorted") {
      await page.getByRole("textbox", { name: "The values to look for" }).fill("3, 0 9 1");
    } else if (name === "sort" || name === "argSort") {
      await page.getByLabel(/^Descending/).check();
    }
    expect(await run(page)).toMatch(/^\d+ values: each the same on the GPU and on the CPU, bit for bit\.$/);
    for (const [title, values] of Object.entries(expected)) {
      expect(await row(page, title)).toEqual(values.split(" "));
    }
    expect(await page.locator("#times .number").allTextContents()).toHaveLength(2);
    expect(await page.locator("#listing option").count()).toBeGreaterThan(0);
    await expect
      .poll(() => textOf(page, "#code"))
      .toContain(`await fold.${name}(${name === "searchSorted" ? "sorted" : "data"}`);
    if (name === "searchSorted") {
      await page.getByRole("combobox", { name: /^The place of a value/ }).selectOption("right");
      expect(await run(page)).toMatch(/^4 values: each the same/);
      expect(await row(page, "places")).toEqual(["5", "1", "8", "3"]);
      await page.getByRole("textbox", { name: "The values to look for" }).fill("-1");
      expect(await run(page)).toMatch(/^Number 1 is “-1”; u32 takes whole numbers/);
    }
  },
);

test("runs are of numbers that have some", async () => {
  const page = await visit("try.html");
  const numbers = page.getByRole("combobox", { name: "Numbers" });
  await page.getByRole("radio", { name: "runLengths" }).check();
  expect(await numbers.inputValue()).toBe("runs");
  expect(await run(page)).toMatch(/^\d+ values: each the same/);
  expect((await row(page, "counts")).slice(0, 4)).toEqual(["1", "3", "5", "7"]);
  // What was chosen stays.
  await numbers.selectOption("ones");
  await page.getByRole("radio", { name: "unique" }).check();
  expect(await numbers.inputValue()).toBe("ones");
});

test("a partition into classes", async () => {
  const page = await visit("try.html");
  await page.getByRole("combobox", { name: "Numbers" }).selectOption("typed");
  await page.getByRole("radio", { name: "partition" }).check();
  expect(await page.getByRole("textbox", { name: "Number in WGSL" }).isVisible()).toBe(false);
  await page.getByRole("combobox", { name: "Keep" }).selectOption("classes");
  expect(await run(page)).toMatch(/^12 values: each the same/);
  expect(await row(page, "values")).toEqual("3 0 6 3 1 7 4 1".split(" "));
  expect(await row(page, "offsets")).toEqual(["0", "4", "8", "8"]);
  await expect
    .poll(() => textOf(page, "#code"))
    .toContain('const { values, offsets } = await fold.partition(data, { classes: 3, class: "x % 3u" });');
  await page.getByRole("spinbutton", { name: /^Classes/ }).fill("17");
  expect(await run(page)).toBe("The classes are “17”; it takes a whole number from 1 to 16");
  await page.getByRole("spinbutton", { name: /^Classes/ }).fill("2");
  await page.getByRole("textbox", { name: "The number in JavaScript" }).fill("x");
  expect(await run(page)).toMatch(/^At \d+ of (values|offsets) the GPU has/);
  // A compaction has no classes.
  await page.getByRole("radio", { name: "compact" }).check();
  expect(await page.getByRole("combobox", { name: "Keep" }).inputValue()).toBe("positive");
});

test("a histogram between edges, by WGSL, and of weights", async () => {
  const page = await visit("try.html");
  await page.getByRole("combobox", { name: "Numbers" }).selectOption("typed");
  await page.getByRole("radio", { name: "histogram" }).check();
  const by = page.getByRole("combobox", { name: "By" });
  await by.selectOption("bins between edges");
  await page.getByRole("textbox", { name: "The edges" }).fill("0, 2, 5, 9");
  expect(await run(page)).toMatch(/^3 values: each the same/);
  expect(await row(page, "bins")).toEqual(["3", "3", "2"]);
  const weights = page.getByRole("textbox", { name: "A weight for each element" });
  await weights.fill("1 2 3 4 5 6 7 8");
  expect(await run(page)).toMatch(/^3 values: each the same/);
  expect(await row(page, "bins")).toEqual(["12", "14", "10"]);
  await expect
    .poll(() => textOf(page, "#code"))
    .toContain("const bins = await fold.histogram(data, { edges: [0, 2, 5, 9], weights });");
  const types = page.getByRole("combobox", { name: "Type of the weights" });
  expect(await types.locator("option").allTextContents()).toEqual([
    "u32",
    "i32",
    "f32",
    "f16",
    "u64",
    "i64",
    "f64",
  ]);
  await weights.fill("-1 2 -3 4 -5 6 -7 8");
  expect(await run(page)).toBe("Number 1 is “-1”; u32 takes whole numbers from 0 to 4294967295");
  await types.selectOption("i32");
  expect(await run(page)).toMatch(/^3 values: each the same/);
  expect(await row(page, "bins")).toEqual(["12", "2", "-10"]);
  await weights.fill("0.5 1.5 2.25 3 4 5 6 -7");
  await types.selectOption("f32");
  expect(await run(page)).toMatch(/^3 values, each within the bound that rounding allows; at most 0\.0 off/);
  expect(await row(page, "bins")).toEqual(["9.5", "-2.5", "8.25"]);
  await expect
    .poll(() => textOf(page, "#code"))
    .toContain("const weights = Float32Array.of(0.5, 1.5, 2.25, 3, 4, 5, 6, -7);");
  await page.getByRole("combobox", { name: "Show" }).selectOption({ label: "Kernel 1: store bins <u32>" });
  await expect.poll(() => textOf(page, "#wgsl")).toContain("fn store_bins(");
  await weights.fill("");
  await by.selectOption("bins given by WGSL");
  expect(await page.getByRole("textbox", { name: "The edges" }).isVisible()).toBe(false);
  expect(await page.getByRole("textbox", { name: "The same in JavaScript" }).inputValue()).toBe("x % 10");
  await page.getByRole("spinbutton", { name: "How many bins" }).fill("3");
  await page.getByRole("textbox", { name: /^WGSL that gives the number/ }).fill("i % 4u");
  await page.getByRole("textbox", { name: "The same in JavaScript" }).fill("i % 4");
  expect(await run(page)).toMatch(/^3 values: each the same/);
  expect(await row(page, "bins")).toEqual(["2", "2", "2"]);
  await page.getByRole("textbox", { name: "The same in JavaScript" }).fill("i");
  expect(await run(page)).toMatch(/^At \d of bins the GPU has/);
});

test("the options of a primitive that is described", async () => {
  const page = await visit("try.html");
  await page.getByRole("combobox", { name: "Numbers" }).selectOption("typed");
  await page.getByRole("radio", { name: "topK" }).check();
  await page.getByRole("textbox", { name: "How many elements" }).fill("1");
  await page.getByLabel(/^Smallest/).check();
  await page.getByText("More options").click();
  await page.getByRole("textbox", { name: /^WGSL that gives the key/ }).fill("f32(x) * -0.5");
  expect(await run(page)).toMatch(/^The JavaScript of key is empty; it takes an expression/);
  await page.getByRole("textbox", { name: "The same in JavaScript" }).fill("x * -0.5");
  await page.getByRole("combobox", { name: "Element type of the keys" }).selectOption("f32");
  await page.getByRole("spinbutton", { name: "Elements of a row" }).fill("4");
  expect(await run(page)).toMatch(/^4 values: each the same/);
  expect(await row(page, "values")).toEqual(["7", "6"]);
  expect(await row(page, "indices")).toEqual(["2", "6"]);
  await expect
    .poll(() => textOf(page, "#code"))
    .toContain(
      'fold.topK(data, 1, { smallest: true, key: "f32(x) * -0.5", keyType: f32, segments: { rows: 4 } });',
    );
  // What help says of an option is its label's title.
  expect(await page.locator("label", { hasText: "How many elements" }).first().getAttribute("title")).toBe(
    "How many elements; if there are fewer, all",
  );
  await page.getByRole("spinbutton", { name: "Elements of a row" }).fill("3");
  expect(await run(page)).toMatch(/^Rows of 3 items do not divide the 8 items/);
});

test("unique's positions, and segments that bits begin", async () => {
  const page = await visit("try.html");
  await page.getByRole("combobox", { name: "Numbers" }).selectOption("typed");
  await page.locator("#typed").fill("4 4 7 7 7 4");
  await page.getByRole("radio", { name: "unique" }).check();
  await page.getByLabel(/^Positions/).check();
  expect(await run(page)).toMatch(/^3 values: each the same/);
  expect(await row(page, "positions")).toEqual(["0", "2", "5"]);
  await page.getByRole("radio", { name: "reduce" }).check();
  await page.getByRole("combobox", { name: "Segments" }).selectOption("headBits");
  await page.getByRole("textbox", { name: /^Flags/ }).fill("0 0 1 0 9 0");
  expect(await run(page)).toMatch(/^3 values: each the same/);
  expect(await row(page, "totals")).toEqual(["8", "14", "11"]);
  expect((await page.locator("#elements td.starts").allTextContents()).join(" ")).toBe("7 7");
});

test("columns, and segments that flags begin", async () => {
  const page = await visit("try.html");
  await page.getByRole("combobox", { name: "Numbers" }).selectOption("typed");
  const segments = page.getByRole("combobox", { name: "Segments" });
  await segments.selectOption("columns");
  await page.getByRole("spinbutton", { name: "Columns of the matrix" }).fill("4");
  expect(await run(page)).toMatch(/^8 values: each the same/);
  expect(await row(page, "prefixes")).toEqual(["3", "1", "7", "0", "7", "2", "13", "3"]);
  const listing = page.locator("#listing option");
  expect((await listing.allTextContents()).join()).toMatch(/column/);
  await page.getByRole("radio", { name: "reduce" }).check();
  await run(page);
  expect(await row(page, "totals")).toEqual(["7", "2", "13", "3"]);
  await page.getByRole("spinbutton", { name: "Columns of the matrix" }).fill("3");
  expect(await run(page)).toMatch(/columns.* do not divide|does not divide/);
  await segments.selectOption("heads");
  await page.getByRole("textbox", { name: /^Flags/ }).fill("0 0 1 0 0 9 0 0");
  expect(await run(page)).toMatch(/^3 values: each the same/);
  expect(await row(page, "totals")).toEqual(["4", "11", "10"]);
  // The first of the default's segments has one element, the next three, then five.
  await page.getByRole("textbox", { name: /^Flags/ }).fill("");
  await run(page);
  expect(await row(page, "totals")).toEqual(["3", "8", "14"]);
  await page.getByRole("textbox", { name: /^Flags/ }).fill("1 0");
  expect(await run(page)).toMatch(/heads? has 2 .* 8 items/i);
});

test("runs of a key that is computed", async () => {
  const page = await visit("try.html");
  await page.getByRole("combobox", { name: "Numbers" }).selectOption("typed");
  await page.locator("#typed").fill("11 12 25 27 3");
  await page.getByRole("radio", { name: "runLengths" }).check();
  expect(await page.getByRole("textbox", { name: "Key in WGSL" }).isVisible()).toBe(false);
  await page.getByLabel(/^By key/).check();
  expect(await run(page)).toMatch(/^6 values: each the same/);
  expect(await row(page, "values")).toEqual(["11", "25", "3"]);
  expect(await row(page, "counts")).toEqual(["2", "2", "1"]);
  await page.getByRole("radio", { name: "unique" }).check();
  await page.getByRole("textbox", { name: "Key in WGSL" }).fill("f32(x / 10u) / 2.0");
  await page.getByRole("textbox", { name: "The key in JavaScript" }).fill("Math.floor(x / 10) / 2");
  await page.getByRole("combobox", { name: "Type of the key" }).selectOption("f32");
  expect(await run(page)).toMatch(/^3 values: each the same/);
  await expect
    .poll(() => textOf(page, "#code"))
    .toContain('fold.unique(data, { key: "f32(x / 10u) / 2.0", keyType: f32 })');
  await page.getByRole("textbox", { name: "The key in JavaScript" }).fill("x");
  expect(await run(page)).toBe("The GPU gives 3 elements as values, and the CPU 5.");
  // No other primitive has the key.
  await page.getByRole("radio", { name: "scan" }).check();
  expect(await page.getByRole("textbox", { name: "Key in WGSL" }).isVisible()).toBe(false);
});

test("segments start anew", async () => {
  const page = await visit("try.html");
  await page.getByRole("combobox", { name: "Numbers" }).selectOption("typed");
  const segments = page.getByRole("combobox", { name: "Segments" });
  await segments.selectOption("rows");
  await page.getByRole("spinbutton", { name: "Elements of a row" }).fill("4");
  expect(await run(page)).toMatch(/^8 values: each the same/);
  expect(await row(page, "prefixes")).toEqual(["3", "4", "11", "11", "4", "5", "11", "14"]);
  await page.getByRole("radio", { name: "reduce" }).check();
  await segments.selectOption("offsets");
  await page.getByRole("textbox", { name: /^Offsets/ }).fill("0 1 1 8");
  await run(page);
  expect(await row(page, "totals")).toEqual(["3", "0", "22"]);
  await segments.selectOption("keys");
  await page.getByRole("textbox", { name: /^Keys/ }).fill("5 5 5 2 2 2 2 5");
  await run(page);
  expect(await row(page, "keys")).toEqual(["5", "2", "5"]);
  expect(await row(page, "values")).toEqual(["11", "11", "3"]);
  await page.getByRole("textbox", { name: /^Keys/ }).fill("5 5");
  expect(await run(page)).toBe("Keys has 2 elements for 8 items; it takes one for each");
});

test("segments of a key that is computed, and its code", async () => {
  const page = await visit("try.html");
  await page.getByRole("combobox", { name: "Numbers" }).selectOption("typed");
  await page.locator("#typed").fill("11 12 25 27 3");
  await page.getByRole("combobox", { name: "Segments" }).selectOption("key");
  expect(await run(page)).toMatch(/^5 values: each the same/);
  expect(await row(page, "prefixes")).toEqual(["11", "23", "25", "52", "3"]);
  await page.getByRole("radio", { name: "reduce" }).check();
  await page.getByRole("textbox", { name: "Key in WGSL" }).fill("f32(x / 10u) / 2.0");
  await page.getByRole("textbox", { name: "The key in JavaScript" }).fill("Math.floor(x / 10) / 2");
  await page.getByRole("combobox", { name: "Type of the key" }).selectOption("f32");
  expect(await run(page)).toMatch(/^6 values: each the same/);
  expect(await row(page, "keys")).toEqual(["0.5", "1", "0"]);
  expect(await row(page, "values")).toEqual(["23", "52", "3"]);
  await expect
    .poll(() => textOf(page, "#code"))
    .toContain('fold.reduce(data, { segments: { key: "f32(x / 10u) / 2.0", keyType: f32 } })');
  await page.getByRole("textbox", { name: "The key in JavaScript" }).fill("Math.floor(x / 9) / 2");
  expect(await run(page)).toMatch(/^The GPU gives |^At \d+ of keys the GPU has/);
  await page.getByRole("textbox", { name: "Key in WGSL" }).fill("");
  expect(await run(page)).toMatch(/key: empty; it takes WGSL over an element's value x/);
});

test("the code changes with the choice, and is copied", async () => {
  const page = await visit("try.html", { context: { permissions: ["clipboard-read", "clipboard-write"] } });
  await page.getByRole("combobox", { name: "Numbers" }).selectOption("typed");
  await page.getByRole("combobox", { name: "Operator" }).selectOption("max");
  await page.getByLabel(/^Exclusive/).check();
  await page.getByRole("combobox", { name: "Algorithm" }).selectOption("blelloch");
  await page.waitForSelector("#code .shiki");
  await page.getByRole("button", { name: "Copy the TypeScript" }).click();
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toBe(
      `import { max, openFold } from "wavefold";

const fold = await openFold();
const data = Uint32Array.of(3, 1, 7, 0, 4, 1, 6, 3);
const prefixes = await fold.scan(data, { op: max, exclusive: true, algorithm: "blelloch" });
console.log(prefixes);
fold.destroy();`,
    );
});

test("a choice that changes takes the verdict away", async () => {
  const page = await visit("try.html");
  await page.getByRole("combobox", { name: "Numbers" }).selectOption("typed");
  await run(page);
  expect(await page.locator("#result").isVisible()).toBe(true);
  await page.getByRole("combobox", { name: "Operator" }).selectOption("max");
  expect(await textOf(page, "#verdict")).toBe("");
  expect(await page.locator("#result").isVisible()).toBe(false);
  expect(await textOf(page, "#before")).toBe("The choice has changed since the last run. Press Run.");
  await run(page);
  await page.getByRole("textbox", { name: "Your numbers" }).fill("1 2");
  expect(await textOf(page, "#verdict")).toBe("");
});

test("a reduction of f32 stays within its bound", async () => {
  const page = await visit("try.html");
  await page.getByRole("radio", { name: "reduce" }).check();
  await page.getByRole("combobox", { name: "Type" }).selectOption("f32");
  await page.getByRole("spinbutton", { name: "Length" }).fill("3000");
  expect(await run(page)).toMatch(/^1 value, each within the bound that WGSL’s rounding allows/);
});

test("a compaction keeps what the predicate says", async () => {
  const page = await visit("try.html");
  await page.getByRole("radio", { name: "compact" }).check();
  await page.getByRole("combobox", { name: "Numbers" }).selectOption("counting");
  await page.getByRole("spinbutton", { name: "Length" }).fill("9");
  expect(await run(page)).toBe("5 values: each the same on the GPU and on the CPU, bit for bit.");
  expect(await row(page, "kept")).toEqual(["1", "3", "5", "7", "9"]);
  await page.getByRole("combobox", { name: "Keep" }).selectOption("own");
  await page.getByRole("textbox", { name: "WGSL" }).fill("x > 3u && i % 2u == 0u");
  await page.getByRole("textbox", { name: "The same in JavaScript" }).fill("x > 3");
  expect(await run(page)).toBe("The GPU gives 3 values, and the CPU 6.");
});

test("a .npy file is opened", async () => {
  const page = await visit("try.html");
  await page.getByRole("combobox", { name: "Numbers" }).selectOption("npy");
  await page.getByLabel(/^A .npy file/).setInputFiles({
    name: "in.npy",
    mimeType: "application/octet-stream",
    buffer: Buffer.from(dump(Int32Array.of(-5, 7, -9), [3], { dtype: "i4" })),
  });
  await expect.poll(() => page.getByRole("combobox", { name: "Type" }).inputValue()).toBe("i32");
  expect(await run(page)).toMatch(/^3 values: each the same/);
  expect(await row(page, "prefixes")).toEqual(["-5", "2", "-7"]);
  await page.getByLabel(/^A .npy file/).setInputFiles({
    name: "in.npy",
    mimeType: "application/octet-stream",
    buffer: Buffer.from("no array"),
  });
  await expect.poll(() => textOf(page, "#verdict")).toContain("not a .npy file");
});

test("an operator of one's own runs, and one that is not associative is shown to be none", async () => {
  const page = await visit("try.html");
  await page.getByRole("combobox", { name: "Operator" }).selectOption("own");
  await page.getByRole("combobox", { name: "Numbers" }).selectOption("typed");
  await page.getByRole("textbox", { name: "Your numbers" }).fill("0 5 0 0 7 0");
  await run(page);
  expect(await row(page, "prefixes")).toEqual(["0", "5", "5", "5", "7", "7"]);
  const laws = page.getByRole("button", { name: "Is it a monoid?" });
  await laws.click();
  await expect
    .poll(() => textOf(page, "#laws-verdict"), { timeout: 40_000 })
    .toContain("No law was seen broken on the CPU and the GPU, in 1000 samples");
  await page.getByRole("combobox", { name: "Start from" }).selectOption("difference");
  await laws.click();
  await expect
    .poll(() => textOf(page, "#laws-verdict"), { timeout: 40_000 })
    .toContain(
      "difference on u32 is no monoid: it is not associative on the CPU. With a = 0, b = 0 and c = 1",
    );
  const shown = await page.locator("#counterexample td").allTextContents();
  expect(shown).toEqual(["0", "0", "1", "4294967295", "1"]);
  await page.getByRole("textbox", { name: /^WGSL over/ }).fill("earlier - ");
  await run(page);
  expect(await textOf(page, "#verdict")).toMatch(/line 1/);
});

test("input that means nothing gets a clear error", async () => {
  const page = await visit("try.html");
  await page.getByRole("spinbutton", { name: "Length" }).fill("-3");
  expect(await run(page)).toBe("The length is “-3”; it takes a whole number from 0 to 16777216");
  await page.getByRole("combobox", { name: "Numbers" }).selectOption("typed");
  await page.getByRole("textbox", { name: "Your numbers" }).fill("1 2 4294967296");
  expect(await run(page)).toBe("Number 3 is “4294967296”; u32 takes whole numbers from 0 to 4294967295");
});

for (const gpu of ["none", "no adapter"] as const) {
  test(`without WebGPU (${gpu}) it says so, and the CPU reference runs`, async () => {
    const page = await visit("try.html", { gpu });
    expect(await page.getByRole("alert").isVisible()).toBe(true);
    const notice = await textOf(page, "#gpu-notice");
    expect(notice).toContain("WebGPU does not work here.");
    expect(notice).toContain(
      gpu === "none"
        ? "This browser has no WebGPU, or it is switched off."
        : "This browser has WebGPU, but it found no GPU that it may use.",
    );
    await page.getByRole("combobox", { name: "Numbers" }).selectOption("typed");
    expect(await run(page)).toBe("Computed by the CPU reference: there is no GPU to check.");
    expect(await row(page, "prefixes")).toEqual(["3", "4", "11", "11", "15", "16", "22", "25"]);
    await expect.poll(() => textOf(page, "#wgsl")).toContain("earlier + later");
  });
}

test("on a phone it fits, and Run scrolls to the result", async () => {
  const page = await visit("try.html", {
    context: { viewport: { width: 360, height: 740 }, reducedMotion: "reduce" },
  });
  await run(page);
  expect(await overflow(page)).toBe(0);
  const { top } = await page
    .locator("#result-title")
    .evaluate((title) => title.getBoundingClientRect().toJSON());
  // A browser scrolls by whole pixels.
  expect(top).toBeGreaterThan(-1);
  expect(top).toBeLessThan(50);
});
