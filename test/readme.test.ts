import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { transform } from "esbuild";
import { dump } from "npyjs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as esbuildPlugin from "../src/build/esbuild.ts";
import * as vitePlugin from "../src/build/vite.ts";
import * as check from "../src/check/index.ts";
import * as browser from "../src/index.ts";
import * as monoids from "../src/monoids/index.ts";
import type { Fold } from "../src/node.ts";
import * as node from "../src/node.ts";
import * as reference from "../src/reference/index.ts";
import * as wgsl from "../src/wgsl.ts";
import { readWords, storageBuffer } from "./support/buffers.ts";
import { useSoftwareFold } from "./support/fold.ts";

const fold = useSoftwareFold();
const readme = readFileSync("README.md", "utf8");

interface Block {
  readonly heading: string;
  readonly text: string;
}

/** The README's blocks of one language, each under its heading. */
function blocksOf(language: string): Block[] {
  const found: Block[] = [];
  let heading = "";
  for (const [whole, title, name, text] of readme.matchAll(/^#+ (.*)$|^```(\w*)\n([\s\S]*?)^```$/gm)) {
    if (whole.startsWith("#")) {
      heading = title ?? "";
    } else if (name === language) {
      found.push({ heading, text: text ?? "" });
    }
  }
  return found;
}

/** What each import gives; `run` is what stands in for it here, where there is no browser. */
const modules: Record<string, { readonly named: object; readonly run: object }> = {
  wavefold: { named: browser, run: node },
  "wavefold/node": { named: node, run: node },
  "wavefold/wgsl": { named: wgsl, run: wgsl },
  "wavefold/monoids": { named: monoids, run: monoids },
  "wavefold/check": { named: check, run: check },
  "wavefold/esbuild": { named: esbuildPlugin, run: esbuildPlugin },
  "wavefold/vite": { named: vitePlugin, run: vitePlugin },
  "wavefold/reference": { named: reference, run: reference },
};

const IMPORT = /import \{ (.*) \} from "(.*)";/;
const CHECKED = /^(await fold\..*); *\/\/ (.*)$/gm;

/** What a block leaves to its reader. */
interface Given {
  readonly fold: Fold;
  readonly device: GPUDevice;
  readonly encoder: GPUCommandEncoder;
  readonly input: GPUBuffer;
  readonly output: GPUBuffer;
  readonly length: number;
  readonly myKernel: string;
}

/**
 * Runs a block, with `check` around each `await fold.…` that a comment follows.
 *
 * @returns the block's `code`, where it has one.
 */
async function run(
  { heading, text }: Block,
  given: Given,
  check: (value: unknown, comment: string) => void = () => {},
): Promise<unknown> {
  const body = text
    .replace(CHECKED, (_, call: string, comment: string) => `check(${call}, ${JSON.stringify(comment)});`)
    .replace(
      new RegExp(`^${IMPORT.source}`, "gm"),
      (_, names: string, from: string) => `const { ${names} } = modules[${JSON.stringify(from)}].run;`,
    );
  const names = [...Object.keys(given), "modules", "check"];
  const { code } = await transform(
    `async function block(${names}) { { ${body}\nreturn typeof code === "undefined" ? undefined : code; } }`,
    { loader: "ts", sourcefile: `README.md, ${heading}` },
  );
  const block = new Function(`${code}\nreturn block;`)() as (...values: unknown[]) => Promise<unknown>;
  return block(...Object.values(given), modules, check);
}

const LENGTH = 1000;
const OFFSET = 1024;
const POISON = 0xdeadbeef;
const THREADS = 256;

/** What the in-kernel block says to write into a kernel of one's own. */
const inMyKernel = (text: string): string => /^\/\/ in myKernel: *(.*)$/m.exec(text)?.[1] ?? "";

const kernelThat = (line: string): string => `
@group(0) @binding(0) var<storage, read> numbers: array<u32>;
@group(0) @binding(1) var<storage, read_write> ranks: array<u32>;

@compute @workgroup_size(${THREADS})
fn main(@builtin(local_invocation_index) local_index: u32) {
  let x = numbers[local_index];
  ${line}
  ranks[local_index] = rank;
}
`;

function given(text: string): Given {
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

const blocks = blocksOf("ts");
const blockUnder = (heading: string): Block => {
  const found = blocks.find((block) => block.heading.startsWith(heading));
  if (found === undefined) {
    throw new Error(`README.md has no ts block under "${heading}"`);
  }
  return found;
};

describe("README's TypeScript", () => {
  test("imports what there is, in the lines that are commented out too", () => {
    const imports = [...readme.matchAll(new RegExp(IMPORT, "g"))];
    expect(imports.length).toBeGreaterThanOrEqual(4);
    for (const [line, names = "", from = ""] of imports) {
      for (const name of names.split(", ")) {
        expect(modules[from]?.named, line).toHaveProperty(name);
      }
    }
  });

  test.each(blocks)("$heading", async (block) => {
    let checked = 0;
    await run(block, given(block.text), (value, comment) => {
      checked++;
      if (comment.trim().startsWith("{")) {
        expect(value).toEqual(new Function(`return (${comment});`)());
        return;
      }
      const numbers = comment.trim().split(/\s+/).map(Number);
      expect(numbers, `"${comment}" is a list of numbers`).not.toContain(Number.NaN);
      expect(typeof value === "object" ? Array.from(value as ArrayLike<number>) : [value]).toEqual(numbers);
    });
    // Each value that a comment claims is looked at.
    expect(checked).toBe(block.text.match(/await fold\.(scan|reduce|compact)\(/g)?.length ?? 0);
  });

  test("At hand has values to check", () => {
    expect(blockUnder("At hand").text.match(CHECKED)?.length).toBeGreaterThanOrEqual(4);
  });

  test("Device-wide scans into the output, from its offset on", async () => {
    const block = blockUnder("Device-wide");
    const names = given(block.text);
    await run(block, names);
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
    const block = blockUnder("In-kernel");
    expect(inMyKernel(block.text)).toMatch(/^let rank = /);
    const code = await run(block, given(block.text));
    const { device } = fold();
    const words = Uint32Array.from({ length: THREADS }, (_, index) => (index * 37) % 101);
    const numbers = storageBuffer(device, words);
    const ranks = storageBuffer(device, new Uint32Array(THREADS).fill(POISON));
    const pipeline = await device.createComputePipelineAsync({
      layout: "auto",
      compute: { module: device.createShaderModule({ code: String(code) }) },
    });
    const entries = [numbers, ranks].map((buffer, binding) => ({ binding, resource: { buffer } }));
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
    pass.dispatchWorkgroups(1);
    pass.end();
    device.queue.submit([encoder.finish()]);
    expect(await readWords(device, ranks)).toEqual(reference.scanReference(words, { exclusive: true }));
  });
});

/** A shell's words, without its comment. */
const wordsOf = (line: string): string[] =>
  [...line.replace(/(^|\s)#.*$/, "").matchAll(/'([^']*)'|"([^"]*)"|[^\s'"]+/g)].map(
    ([word, single, double]) => single ?? double ?? word,
  );

test("README's kernel asks for what it calls, and compiles", async () => {
  const [kernel] = blocksOf("wgsl");
  const buffers = ["counts", "ranks"].map(
    (name, binding) => `@group(0) @binding(${binding}) var<storage, read_write> ${name}: array<u32, 256>;`,
  );
  const code = wgsl.linkDirectives(`${kernel?.text}\n${buffers.join("\n")}`);
  const module = fold().device.createShaderModule({ code });
  expect((await module.getCompilationInfo()).messages).toEqual([]);
});

describe("README's shell", () => {
  const commands = blocksOf("sh")
    .flatMap(({ text }) => text.split("\n"))
    .filter((line) => line.startsWith("npx wavefold "))
    .map((line) => wordsOf(line).slice(2));
  const skips: Readonly<Record<string, string>> = {
    bench: "it takes minutes, and has tests of its own",
    doctor: "it is slow in software, and its self-test has tests of its own",
    tune: "it takes minutes, and has tests of its own",
  };

  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "wavefold-readme-"));
    writeFileSync(join(folder, "in.npy"), Buffer.from(dump(Uint32Array.of(3, 1, 7, 0, 4, 1, 6, 3), [8])));
    writeFileSync(join(folder, "in.wgsl"), blocksOf("wgsl")[0]?.text ?? "");
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("has a line for each command", () => {
    expect(commands.map(([command]) => command)).toEqual(
      expect.arrayContaining(["scan", "reduce", "compact", "emit", "link", "doctor", "bench", "tune"]),
    );
  });

  for (const args of commands) {
    const reason = skips[args[0] ?? ""];
    const line = `npx wavefold ${args.join(" ")}`;
    test(line, ({ skip }) => {
      skip(reason !== undefined, reason);
      const { status, stderr } = spawnSync(process.execPath, [resolve("dist/cli.js"), ...args], {
        cwd: folder,
        encoding: "utf8",
      });
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
      const output = args[args.indexOf("-o") + 1] ?? "";
      if (args.includes("-o")) {
        expect(existsSync(join(folder, output)), output).toBe(true);
        rmSync(join(folder, output));
      }
    });
  }
});
