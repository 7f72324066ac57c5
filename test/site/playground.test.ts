import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { overflow, textOf, useSite } from "./site.ts";

const visit = useSite();

/** Opens the page at a link. It needs no WebGPU. */
const open = (hash = "", width = 1280, height = 900): Promise<Page> =>
  visit(`playground.html${hash}`, {
    gpu: "none",
    context: {
      viewport: { width, height },
      reducedMotion: "reduce",
      permissions: ["clipboard-read", "clipboard-write"],
    },
  });

const step = (page: Page, name: "Back" | "Forward"): Promise<void> =>
  page.getByRole("button", { name, exact: true }).click();

const caption = (page: Page): Promise<string> => textOf(page, "#caption");

/** The lines of the text that are marked, from 1 on. */
const marked = (page: Page, mark: "now" | "fault"): Promise<number[]> =>
  page.evaluate(
    (name) =>
      [...document.querySelectorAll("#editor .lines div")].flatMap((line, at) =>
        line.className === name ? [at + 1] : [],
      ),
    mark,
  );

/** The cells of a variable: place, value, who uses it, and how. */
const cells = (page: Page, variable: string): Promise<string[]> =>
  page.evaluate((name) => {
    const figures = [...document.querySelectorAll("#memory figure")];
    const figure = figures.find((one) => one.querySelector("code")?.textContent === name);
    return [...(figure?.querySelectorAll("li") ?? [])].map((cell) =>
      [...[...cell.children].map(({ textContent }) => textContent), cell.className].filter(Boolean).join(" "),
    );
  }, variable);

/** Waits until the page has run what it shows. */
const settled = async (page: Page, what: () => Promise<unknown>): Promise<void> => {
  await page.evaluate(() => {
    delete document.documentElement.dataset.ready;
  });
  await what();
  await page.waitForSelector("html[data-ready]");
};

test("one steps through a kernel, forwards and backwards", async () => {
  const page = await open("#kernel=scan-hillis-steele");
  expect(await caption(page)).toBe("Nothing has run yet. The kernel takes 87 events.");
  const sums = "_hillis_steele_elements_add_u32_8";
  await step(page, "Forward");
  expect(await caption(page)).toBe("The work-group starts.");
  await step(page, "Forward");
  expect(await cells(page, "input")).toEqual(
    ["3", "1", "7", "0", "4", "1", "6", "3"].map((value, at) => `${at} ${value} t${at} read`),
  );
  expect((await cells(page, sums)).slice(0, 9)).toEqual([
    ...["3", "1", "7", "0", "4", "1", "6", "3"].map((value, at) => `${at} ${value} t${at} write`),
    "8 0",
  ]);
  await step(page, "Forward");
  expect((await cells(page, sums)).slice(8)).toEqual(
    ["3", "4", "8", "7", "4", "5", "7", "9"].map((value, at) => `${8 + at} ${value} t${at} write`),
  );
  expect((await cells(page, sums)).slice(0, 8).at(-1)).toBe("7 3");
  const third = await page.locator("#picture").innerHTML();
  await step(page, "Forward");
  await step(page, "Back");
  expect(await page.locator("#picture").innerHTML()).toBe(third);
  await page.getByRole("slider", { name: "Event" }).fill("87");
  expect((await cells(page, "output")).map((cell) => cell.split(" ")[1])).toEqual([
    ...["3", "4", "11", "11", "15", "16", "22", "25"],
  ]);
  expect(await page.getByRole("button", { name: "Forward", exact: true }).isDisabled()).toBe(true);
  expect(await textOf(page, "#clean")).toMatch(/^Nothing was found in this run/);
});

test("steps are as long as one likes: an event, a line, or up to a barrier", async () => {
  const page = await open("#kernel=scan-hillis-steele");
  const counts: string[] = [];
  for (const size of ["by event", "by line", "by barrier"]) {
    await page.getByRole("combobox", { name: "Step" }).selectOption(size);
    await page.getByRole("slider", { name: "Event" }).fill("1");
    await step(page, "Forward");
    counts.push(await textOf(page, "#count"));
  }
  expect(counts).toEqual(["2 of 87", "2 of 87", "18 of 87"]);
  await page.getByRole("combobox", { name: "Step" }).selectOption("by line");
  await page.getByRole("slider", { name: "Event" }).fill("10");
  expect(await caption(page)).toBe("Line 32: thread 0 writes _hillis_steele_elements_add_u32_8[0] = 3.");
  expect(await marked(page, "now")).toEqual([32]);
});

test("keys step, play, and go to both ends", async () => {
  const page = await open("#kernel=race");
  await page.locator("#picture").focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  expect(await textOf(page, "#count")).toBe("3 of 33");
  await page.keyboard.press("ArrowLeft");
  expect(await textOf(page, "#count")).toBe("1 of 33");
  await page.keyboard.press("End");
  expect(await textOf(page, "#count")).toBe("33 of 33");
  await page.keyboard.press("Home");
  expect(await textOf(page, "#count")).toBe("0 of 33");
  await page.getByRole("combobox", { name: "Speed" }).selectOption("fast");
  await page.locator("#picture").focus();
  await page.keyboard.press("Space");
  expect(await textOf(page, "#play")).toBe("Pause");
  // It ends by itself.
  await expect.poll(() => textOf(page, "#play"), { timeout: 20_000 }).toBe("Play");
  expect(await textOf(page, "#count")).toBe("33 of 33");
});

test("a finding leads to its moment, and marks both lines, both threads and the word", async () => {
  const page = await open("#kernel=race-scan");
  await page.getByRole("button", { name: /^race thread 1/ }).click();
  expect(await marked(page, "fault")).toEqual([11, 14]);
  expect(await caption(page)).toBe("Line 11: thread 1 reads sums[0] = 3.");
  expect((await cells(page, "sums"))[0]).toBe("0 3 t0 t1 found");
  const threads = page.locator("#threads .found");
  expect(await threads.allTextContents()).toEqual(["014race", "111race"]);
  expect(await textOf(page, "#found")).toMatch(/^race: thread 1 of .* which thread 0 wrote at line 14/);
  await page.getByRole("slider", { name: "Event" }).fill("1");
  expect(await textOf(page, "#found")).toBe("");
  expect(await marked(page, "fault")).toEqual([]);
});

test("threads that miss a barrier are marked, and the others wait", async () => {
  const page = await open("#kernel=divergence");
  await page.getByRole("button", { name: /^divergence/ }).click();
  expect(await page.locator("#threads li").allTextContents()).toEqual([
    ...["08waits", "18waits", "28waits", "38waits", "48waits", "56absent", "68waits", "78waits"],
  ]);
  expect(await page.locator("#threads .found").count()).toBe(1);
  expect(await marked(page, "fault")).toEqual([8]);
});

test("an index past the end is marked where it led to", async () => {
  const page = await open("#kernel=bounds");
  await page.getByRole("button", { name: /^out-of-bounds/ }).click();
  expect((await cells(page, "input")).at(-1)).toBe("7 28 t7 found");
  expect(await page.locator("#threads .found").allTextContents()).toEqual(["76outside"]);
});

test("a kernel of one's own runs as it is typed, and is in the link", async () => {
  const page = await open("#kernel=race");
  await settled(page, () =>
    page
      .getByRole("textbox", { name: /^The kernel’s text/ })
      .fill(
        "@group(0) @binding(0) var<storage, read_write> mine: array<f32>;\n@compute @workgroup_size(2)\nfn main(@builtin(local_invocation_index) t: u32) {\n  mine[t] = mine[t] * 1.5;\n}\n",
      ),
  );
  expect(await page.getByRole("combobox", { name: "Kernel" }).inputValue()).toBe("");
  await settled(page, () => page.getByRole("textbox", { name: /^mine/ }).fill("1 2.5"));
  await settled(page, () =>
    page
      .getByRole("spinbutton", { name: "Seed" })
      .fill("7")
      .then(() => page.keyboard.press("Tab")),
  );
  await page.getByRole("slider", { name: "Event" }).fill("5");
  await page.getByRole("button", { name: "Copy the link" }).click();
  await expect.poll(() => textOf(page, "#shared")).toMatch(/^Copied/);
  const address = new URL(await page.evaluate(() => navigator.clipboard.readText()));
  expect(address.hash.length).toBeLessThan(400);

  const again = await open(address.hash);
  expect(await again.locator("#code").inputValue()).toContain("mine[t] * 1.5");
  expect(await again.getByRole("spinbutton", { name: "Seed" }).inputValue()).toBe("7");
  expect(await textOf(again, "#count")).toBe("5 of 5");
  expect(await cells(again, "mine")).toEqual(["0 1.5", "1 3.75 t1 write"]);
});

test("a fault in the text is told with its line, and goes with it", async () => {
  const page = await open("#kernel=bounds");
  const code = page.locator("#code");
  const text = await code.inputValue();
  await settled(page, () => code.fill(text.replace("input[thread]", "inputs[thread]")));
  expect(await textOf(page, "#problem")).toMatch(/^Line 6: inputs is not declared/);
  expect(await marked(page, "fault")).toEqual([6]);
  expect(await page.locator("#player").isVisible()).toBe(false);
  await settled(page, () => code.fill(text));
  expect(await textOf(page, "#problem")).toBe("");
  expect(await page.locator("#player").isVisible()).toBe(true);
  await settled(page, () => page.getByRole("textbox", { name: /^input/ }).fill("1 two"));
  expect(await textOf(page, "#problem")).toMatch(/^input has “two”; it takes numbers/);
});

test("a kernel without an end is stopped, with a word about it", async () => {
  const page = await open("#kernel=race");
  const endless =
    "@group(0) @binding(0) var<storage, read_write> data: array<u32>;\n@compute @workgroup_size(1)\nfn main() {\n  for (var i = 0u; i < 2u; ) {\n    data[0] = i;\n  }\n}\n";
  await settled(page, () => page.locator("#code").fill(endless));
  expect(await textOf(page, "#problem")).toBe(
    "The kernel ran for 10 seconds, and was stopped. Is there a loop without an end?",
  );
  await settled(page, async () => {
    await page.locator("#code").fill(`${endless}\n`);
    await expect.poll(() => page.locator("#player").getAttribute("aria-busy")).toBe("true");
    await page.getByRole("combobox", { name: "Kernel" }).selectOption("bounds");
  });
  // What is chosen then ends what ran.
  expect(await textOf(page, "#findings")).toMatch(/^out-of-bounds/);
});

test("the machine is chosen: a schedule decides the order of a list", async () => {
  const page = await open("#kernel=order");
  const list = async (): Promise<string> => {
    await page.getByRole("slider", { name: "Event" }).fill("20");
    return (await cells(page, "list")).map((cell) => cell.split(" ")[1]).join(" ");
  };
  const random = await list();
  await settled(page, () => page.getByRole("combobox", { name: "Schedule" }).selectOption("in order"));
  expect(await list()).not.toBe(random);
  expect(new URL(page.url()).hash).toBe("#kernel=order&schedule=in+order");
  await settled(page, () => page.getByRole("button", { name: "Another seed" }).click());
  expect(new URL(page.url()).hash).toBe("#kernel=order&schedule=in+order&seed=3");
});

test("work-groups take turns, and the picture follows the one that acts", async () => {
  const page = await open("#kernel=look-back");
  const groups = new Set<string>();
  for (let at = 50; at <= 1000; at += 50) {
    await page.getByRole("slider", { name: "Event" }).fill(String(at));
    groups.add(await textOf(page, "#groups .current"));
    const [, name = ""] = /of work-group (\d)/.exec(await caption(page)) ?? [];
    expect(name).toBe(await textOf(page, "#groups .current"));
  }
  expect(groups.size).toBeGreaterThan(4);
  expect(await page.getByText(/^Not used in this run: .*look_back_group/).count()).toBe(1);
});

test("links to the page's former name lead to it", async () => {
  const page = await open("#kernel=race");
  await page.goto(new URL("watch.html", page.url()).href);
  await page.waitForURL("**/playground.html");
  await page.waitForSelector("html[data-ready]");
  expect(await textOf(page, "h1")).toBe("Playground");
});

test("a link that says nothing right shows the first kernel, and says what is wrong", async () => {
  const page = await open("#kernel=none");
  expect(await textOf(page, "#problem")).toMatch(/^The link names the kernel “none”/);
  expect(await textOf(page, "#count")).toBe("0 of 87");
});

test("it fits a phone, and what changes is in sight with the words and the line", async () => {
  const page = await open("#kernel=sort-pass", 390, 844);
  const last = Number(await page.getByRole("slider", { name: "Event" }).getAttribute("max"));
  expect(await overflow(page)).toBe(0);
  await page.locator("#picture").focus();
  let seen = 0;
  while (!(await textOf(page, "#count")).startsWith(`${last} `)) {
    await page.keyboard.press("ArrowRight");
    const found = await page.evaluate(() => {
      const box = (selector: string): DOMRect | undefined =>
        document.querySelector(selector)?.getBoundingClientRect();
      const cell = [".found", ".write", ".atomic", ".read"]
        .map((mark) => box(`#memory ${mark}`))
        .find((one) => one !== undefined);
      const [editor, picture] = [box("#editor"), box("#picture")];
      const line = [...document.querySelectorAll("#editor .now")]
        .map((one) => one.getBoundingClientRect())
        .find((one) => editor && one.top >= editor.top && one.bottom <= editor.bottom);
      return { cell, line, picture };
    });
    if (found.cell && found.picture) {
      seen++;
      expect(found.cell.top).toBeGreaterThanOrEqual(found.picture.top - 1);
      expect(found.cell.bottom).toBeLessThanOrEqual(found.picture.bottom + 1);
      expect(found.line, "a line in sight").toBeDefined();
    }
  }
  expect(seen).toBeGreaterThan(10);
});

test("only this page loads the simulator, and not before it runs", async () => {
  const assets = join(visit.folder(), "assets");
  const names = (await readdir(assets)).filter((name) => name.endsWith(".js"));
  const texts = new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(assets, name), "utf8")] as const)),
  );
  const importsOf = (name: string): string[] =>
    [...(texts.get(name) ?? "").matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g)].map(([, path = ""]) => path);
  const loaded = new Set<string>();
  const load = (name: string): void => {
    if (!loaded.has(name)) {
      loaded.add(name);
      importsOf(name).forEach(load);
    }
  };
  load("playground.js");
  const bytes = [...loaded].reduce((sum, name) => sum + (texts.get(name)?.length ?? 0), 0);
  expect(bytes).toBeLessThan(40_000);
  // A sentence that the simulator alone has.
  const simulators = names.filter((name) =>
    texts.get(name)?.includes("no workgroupBarrier() is between them"),
  );
  // It is in a file that the worker takes, and a fold without a GPU.
  expect(simulators).toHaveLength(1);
  expect(simulators.filter((name) => loaded.has(name))).toEqual([]);
});
