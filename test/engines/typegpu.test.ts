import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Section } from "../support/code_blocks.ts";
import { sectionsOf } from "../support/code_blocks.ts";
import { runInPage, useChromium } from "./program.ts";

// The programs of docs/guides/typegpu.md, in Chromium. There, TypeGPU opens the device.

const sections = sectionsOf(readFileSync("docs/guides/typegpu.md", "utf8"));
const GIVEN = "const root = tgpu.initFromDevice({ device });";

/** The section's program, on a device of TypeGPU's. */
function programOf(start: string): Section {
  const section = sections.find(({ heading }) => heading.startsWith(start));
  const blocks = section?.blocks.map((block) => ({
    ...block,
    text: block.text.replace(GIVEN, "const root = await tgpu.init();\nconst { device } = root;"),
  }));
  if (!section || !blocks?.some(({ text }) => text.includes("await tgpu.init()"))) {
    throw new Error(`the guide has no program ${start} on a device`);
  }
  return { ...section, blocks };
}

const browser = useChromium();

test("buffers of TypeGPU's are compacted and sorted where they are", async () => {
  const { checked } = await runInPage(browser(), programOf("With TypeGPU"));
  expect(checked).toBe(2);
});

test("a scan is recorded into a buffer of TypeGPU's, which TypeGPU reads", async () => {
  const { checked } = await runInPage(browser(), programOf("Scan into a buffer of TypeGPU's"));
  expect(checked).toBe(1);
});
