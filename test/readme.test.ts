import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import * as reference from "../src/reference/index.ts";
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
import { useSoftwareFold } from "./support/fold.ts";
import { rows } from "./support/rows.ts";

const fold = useSoftwareFold();
const readme = readFileSync("README.md", "utf8");
const sections = sectionsOf(readme);
const programs = sections.filter((section) => blocksOf(section, "ts").length > 0);

const LENGTH = 1000;
const OFFSET = 1024;
const POISON = 0xdeadbeef;
const THREADS = 256;

/** What the in-kernel block says to write into a kernel of one's own. */
const inMyKernel = (text: string): string => /^\/\/ in myKernel: *(.*)$/m.exec(text)?.[1] ?? "";

const kernelThat = (line: string): string => `
@group(0) @binding(0) var<storage, read_write> numbers: array<u32>;
@group(0) @binding(1) var<storage, read_write> ranks: array<u32>;

@compute @workgroup_size(${THREADS})
fn main(@builtin(local_invocation_index) local_index: u32) {
  let x = numbers[local_index];
  ${line}
  ranks[local_index] = rank;
}
`;

/** What a block leaves to its reader. */
function given(text: string) {
  const { device } = fold();
  const values = Float32Array.from({ length: LENGTH }, (_, index) => index % 7);
  return {
    fold: fold(),
    device,
    encoder: device.createCommandEncoder(),
    input: storageBuffer(device, new Uint32Array(values.buffer)),
    output: storageBuffer(device, new Uint32Array(OFFSET / 4 + LENGTH).fill(POISON)),
    length: LENGTH,
    myKernel: kernelThat(inMyKernel(text)),
  };
}

const textOf = (section: Section): string =>
  blocksOf(section, "ts")
    .map(({ text }) => text)
    .join("\n");
const sectionUnder = (heading: string): Section => {
  const found = programs.find((section) => section.heading.startsWith(heading));
  if (found === undefined) {
    throw new Error(`README.md has no ts block under "${heading}"`);
  }
  return found;
};

describe("README's TypeScript", () => {
  test("imports what there is, in the lines that are commented out too", () => {
    expect(expectImports(readme)).toBeGreaterThanOrEqual(4);
  });

  test.each(rows(programs, { of: 6 }))("$heading", async (section) => {
    const text = textOf(section);
    const { checked } = await runBlocks(section.heading, blocksOf(section, "ts"), given(text));
    // Each value that a comment claims is looked at.
    expect(checked).toBe(text.match(/await fold\.(scan|reduce|compact)\(/g)?.length ?? 0);
  });

  test("At hand has values to check", () => {
    expect(textOf(sectionUnder("At hand")).match(/^await fold\..*;.*\/\//gm)?.length).toBeGreaterThanOrEqual(
      4,
    );
  });

  test("Device-wide scans into the output, from its offset on", async () => {
    const section = sectionUnder("Device-wide");
    const names = given(textOf(section));
    await runBlocks(section.heading, blocksOf(section, "ts"), names);
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

  test("In-kernel links a kernel that runs", async () => {
    const section = sectionUnder("In-kernel");
    const text = textOf(section);
    expect(inMyKernel(text)).toMatch(/^let rank = /);
    const { code } = await runBlocks(section.heading, blocksOf(section, "ts"), given(text));
    const words = Uint32Array.from({ length: THREADS }, (_, index) => (index * 37) % 101);
    const run = await compileKernel(fold().device, String(code));
    const [, ranks] = await run([words, new Uint32Array(THREADS).fill(POISON)]);
    expect(ranks).toEqual(reference.scanReference(words, { exclusive: true }));
  });
});

const kernel = sections.flatMap((section) => blocksOf(section, "wgsl"))[0]?.text ?? "";

test("README's kernel asks for what it calls, and compiles", async () => {
  const buffers = ["counts", "ranks"].map(
    (name, binding) => `@group(0) @binding(${binding}) var<storage, read_write> ${name}: array<u32, 256>;`,
  );
  const code = wgsl.linkDirectives(`${kernel}\n${buffers.join("\n")}`);
  const module = fold().device.createShaderModule({ code });
  expect((await module.getCompilationInfo()).messages).toEqual([]);
});

describe("README's shell", () => {
  const commands = commandsOf(sections);

  test("has a line for each command", () => {
    expect(commands.map(([command]) => command)).toEqual(
      expect.arrayContaining(["scan", "reduce", "compact", "emit", "link", "doctor", "bench", "tune"]),
    );
  });

  testCommands(commands, kernel);
});
