import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import * as reference from "../src/reference/index.ts";
import { checkKernel } from "../src/simulator/index.ts";
import * as wgsl from "../src/wgsl.ts";
import { compileKernel, readWords, storageBuffer } from "./support/buffers.ts";
import type { Section } from "./support/code_blocks.ts";
import {
  blocksOf,
  commandsOf,
  expectImports,
  runBlocks,
  sectionsOf,
  testCommands,
} from "./support/code_blocks.ts";
import { useFold } from "./support/fold.ts";

const fold = useFold();
const readme = readFileSync("README.md", "utf8");
const sections = sectionsOf(readme);
const programs = sections.filter((section) => blocksOf(section, "ts").length > 0);

const LENGTH = 1000;
const OFFSET = 1024;
const POISON = 0xdeadbeef;
const THREADS = 256;

/** What a block leaves to its reader. */
function given() {
  const { device } = fold();
  const values = Float32Array.from({ length: LENGTH }, (_, index) => index % 7);
  return {
    fold: fold(),
    device,
    encoder: device.createCommandEncoder(),
    input: storageBuffer(device, new Uint32Array(values.buffer)),
    output: storageBuffer(device, new Uint32Array(OFFSET / 4 + LENGTH).fill(POISON)),
    length: LENGTH,
  };
}

const textOf = (section: Section): string =>
  blocksOf(section, "ts")
    .map(({ text }) => text)
    .join("\n");

describe("README's TypeScript", () => {
  test("imports what there is, in the lines that are commented out too", () => {
    expect(expectImports(readme)).toBeGreaterThanOrEqual(2);
  });

  test("gives what it says, and scans into the output from its offset on", async () => {
    expect(programs).toHaveLength(1);
    const [section] = programs as [Section];
    const names = given();
    const { checked } = await runBlocks(section.heading, blocksOf(section, "ts"), names);
    // Each value that a comment claims is looked at.
    expect(checked).toBe(textOf(section).match(/^await /gm)?.length);
    expect(checked).toBeGreaterThanOrEqual(3);
    names.device.queue.submit([names.encoder.finish()]);
    const words = await readWords(names.device, names.output);
    expect(words.subarray(0, OFFSET / 4)).toEqual(new Uint32Array(OFFSET / 4).fill(POISON));
    const scanned = new Float32Array(words.buffer, OFFSET, LENGTH);
    let sum = 0;
    expect(scanned).toEqual(
      Float32Array.from({ length: LENGTH }, (_, index) => {
        const before = sum;
        sum += index % 7;
        return before;
      }),
    );
  });
});

const kernel = sections.flatMap((section) => blocksOf(section, "wgsl"))[0]?.text ?? "";

test("README's kernel asks for what it calls, and scans", async () => {
  const code = wgsl.linkDirectives(kernel);
  const words = Uint32Array.from({ length: THREADS }, (_, index) => (index * 37) % 101);
  const run = await compileKernel(fold().device, code);
  const [, ranks] = await run([words, new Uint32Array(THREADS).fill(POISON)]);
  expect(ranks).toEqual(reference.scanReference(words, { exclusive: true }));
});

test("README's kernel is complete: it can be checked as it stands", () => {
  const { findings, notRun } = checkKernel(wgsl.linkDirectives(kernel), { source: kernel });
  expect({ findings, notRun }).toEqual({ findings: [], notRun: [] });
});

describe("README's shell", () => {
  const commands = commandsOf(sections);

  test("has the commands that a person begins with", () => {
    expect(commands.map(([command]) => command)).toEqual(
      expect.arrayContaining(["reduce", "compact", "doctor", "bench"]),
    );
  });

  testCommands(commands, { "in.wgsl": kernel });
});
