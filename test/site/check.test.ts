import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { BenchResult } from "../../site/use/bench.ts";
import type { DoctorReport } from "../../src/cli/doctor.ts";
import { primitives } from "../../src/cli/self_test_checks.ts";
import { litmusTests } from "../../src/kernels/litmus.ts";
import { primitives as described } from "../../src/primitives/described.ts";
import { adapter } from "../support/fold.ts";
import { endSelfTestsAt, overflow, textOf, useSite } from "./site.ts";

/** A check compiles some hundred kernels. */

const visit = useSite();

/** Runs the check of a type, and gives its last line. */
async function check(page: Page, type: string): Promise<string> {
  await page.getByRole("combobox", { name: "Types" }).selectOption(type);
  await page.getByRole("button", { name: "Run the check" }).click();
  await expect.poll(() => textOf(page, "#summary"), { timeout: 180_000 }).not.toBe("");
  return textOf(page, "#summary");
}

test("the check says what works, and its report is copied as JSON", async () => {
  const page = await visit("check.html", { context: { permissions: ["clipboard-read", "clipboard-write"] } });
  expect(await page.getByRole("button", { name: "Copy the report as JSON" }).isDisabled()).toBe(true);
  expect(await page.getByRole("link", { name: "Open an issue" }).count()).toBe(0);
  const where = adapter === "software" ? "in software" : "on a GPU";
  const top = () => page.locator("#verdicts").evaluate((list) => list.getBoundingClientRect().top + scrollY);
  const before = await top();
  // A busy machine has no time for some checks in software, which it says.
  const late = adapter === "software" ? "(; there was no time for \\d+ of \\d+ checks)?" : "";
  expect(await check(page, "i32")).toMatch(new RegExp(`^Wavefold works here, ${where}${late}\\.$`));
  // What says how far the check is takes no more room while it does, and no less afterwards.
  expect(await top()).toBe(before);
  const lines = await page.locator("#verdicts p").allTextContents();
  expect(lines[0]).toMatch(adapter === "software" ? /^note adapter: .*swiftshader/i : /^ok adapter: ./);
  expect(lines).toContainEqual(expect.stringMatching(/^ok single pass: \d+ runs were right/));
  // Extremes and exact sums are checked on other types.
  const selfTest = primitives.filter((name) => !["extremes", "exact sums"].includes(name));
  expect(selfTest).toEqual(expect.arrayContaining(described.map(({ primitive }) => primitive.name)));
  expect(lines.flatMap((line) => /^(?:ok|note) self-test of ([^:]+):/.exec(line)?.[1] ?? [])).toEqual(
    selfTest,
  );
  const litmus = lines.filter((line) => line.startsWith("ok litmus test of "));
  expect(litmus).toHaveLength(litmusTests.length);
  expect(lines.at(-1)).toMatch(
    /^ok bench: [\d,]+ u32, by .*: copy [\d.]+ .?s, scan [\d.]+ .?s \([\d.,]+ ×\), reduce .*, compact /,
  );
  await page.getByRole("button", { name: "Copy the report as JSON" }).click();
  await expect.poll(() => textOf(page, "#stage")).toBe("The report is on the clipboard, as JSON.");
  const report = JSON.parse(await page.evaluate(() => navigator.clipboard.readText())) as DoctorReport & {
    readonly bench: BenchResult;
  };
  expect(report).toMatchObject({ version: 2, works: true, asked: "auto", error: null });
  expect(report.versions.wavefold).toMatch(/^\d+\.\d+\.\d+/);
  expect(report.selfTest?.failed).toBe(0);
  expect(report.selfTest?.groups.map(({ primitive }) => primitive)).toContain("sort");
  expect(report.bench.measurements.map(({ what }) => what)).toEqual(["copy", "scan", "reduce", "compact"]);
  expect(report.litmus?.map(({ name }) => name)).toEqual(litmusTests.map(({ name }) => name));
  expect(report.litmus?.every(({ instances, error }) => instances > 1000 && error === null)).toBe(true);
  expect(report.adapter?.limits.maxBufferSize).toBeGreaterThan(0);
  expect(report.verdicts).toHaveLength(lines.length);
  const href = await page
    .getByRole("link", { name: "Open an issue with the verdicts" })
    .evaluate((link) => (link as HTMLAnchorElement).href);
  const link = new URL(href);
  expect(`${link.origin}${link.pathname}`).toBe("https://github.com/somebody/wavefold/issues/new");
  expect(link.searchParams.get("title")).toBe(report.summary);
  expect(link.searchParams.get("body")).toContain("ok single pass: ");
});

test("a wrong result is a failure, on a narrow page, too", async () => {
  const page = await visit("check.html", { context: { viewport: { width: 360, height: 740 } } });
  // Results that are read back are made wrong, but not in the test of single passes.
  await page.evaluate(() => {
    const read = GPUBuffer.prototype.getMappedRange;
    let reads = 0;
    GPUBuffer.prototype.getMappedRange = function (...given) {
      const range = read.apply(this, given);
      if (!this.label.includes("test of the single pass") && reads++ > 4) {
        new Uint8Array(range).fill(1);
      }
      return range;
    };
  });
  await endSelfTestsAt(page, /: sort<struct>/);
  expect(await check(page, "u32")).toMatch(/^Wavefold does not work here: \d+ of \d+ checks failed\.$/);
  const lines = await page.locator("#verdicts p").allTextContents();
  expect(lines.find((line) => line.includes("self-test of sort"))).toMatch(
    /^FAILED self-test of sort: \d+ of \d+ checks failed, the first is sort<u32>/,
  );
  expect(lines.at(-1)).toMatch(
    /^FAILED litmus test of load buffering: 32,768 of 32,768 times, a load got a value that/,
  );
  expect(await overflow(page)).toBe(0);
});

test("a wrong result of the bench is a failure, and its times are not shown", async () => {
  const page = await visit("check.html");
  await page.evaluate(() => {
    const read = GPUBuffer.prototype.getMappedRange;
    GPUBuffer.prototype.getMappedRange = function (...given) {
      const range = read.apply(this, given);
      if (document.querySelector("#stage")?.textContent?.startsWith("The bench: ")) {
        new Uint8Array(range).fill(1);
      }
      return range;
    };
  });
  await endSelfTestsAt(page, /: reduce</);
  expect(await check(page, "u32")).toMatch(
    /^Wavefold does not work here\. The scan of [\d,]+ u32 is wrong\. /,
  );
  expect(await page.locator("#verdicts p").last().textContent()).toMatch(/^FAILED bench: The scan of /);
});

test("the first page links the repository, which package.json names", async () => {
  const page = await visit("index.html");
  const link = page.getByRole("link", { name: "Repository" });
  expect(await link.getAttribute("href")).toBe("https://github.com/somebody/wavefold");
});

test("without WebGPU it says so, and offers nothing that would fail", async () => {
  const page = await visit("check.html", {
    gpu: "none",
    context: { viewport: { width: 360, height: 740 } },
  });
  expect(await page.getByRole("alert").isVisible()).toBe(true);
  expect(await textOf(page, "#gpu-notice")).toContain("npx wavefold doctor says what is missing");
  expect(await page.getByRole("button", { name: "Run the check" }).isDisabled()).toBe(true);
  expect(await overflow(page)).toBe(0);
});
