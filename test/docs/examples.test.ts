import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BuildOptions } from "esbuild";
import { build } from "esbuild";
import { describe, expect, test } from "vitest";
import { Fold } from "../../src/gpu/fold.ts";
import { primitives as described } from "../../src/primitives/described.ts";
import { weslBundle } from "../../src/wesl.ts";
import { storageBuffer } from "../support/buffers.ts";
import { blocksOf, modules, reasonOf, runBlocks, sectionsOf } from "../support/code_blocks.ts";
import { useFold } from "../support/fold.ts";
import { failures, useNullDevice } from "../support/null_device.ts";
import { attributeOf, rendererOn } from "../support/three.ts";

const fold = useFold();
const nullDevice = useNullDevice();

interface Example {
  readonly file: string;
  /** What the comment stands before. */
  readonly name: string;
  readonly text: string;
}

/** The source: names in `src`, and their texts. */
const sources = [
  ...(readdirSync("src", { recursive: true }) as string[])
    .filter((file) => file.endsWith(".ts"))
    .sort()
    .map((file) => ({ file, content: readFileSync(join("src", file), "utf8") })),
];

/** The examples in their comments. */
const examples: readonly Example[] = sources.flatMap(({ file, content }) =>
  [
    ...content.matchAll(
      /\/\*\*\n((?: *\*(?!\/).*\n)+) *\*\/\n *(?:export )?(?:async )?(?:function\*? |class |const |get )?(\w+)/g,
    ),
  ].flatMap(([, comment = "", name = ""]) =>
    [...comment.replaceAll(/^ *\* ?/gm, "").matchAll(/@example\n```ts\n([\s\S]*?)```/g)].map(
      ([, text = ""]) => ({ file, name, text }),
    ),
  ),
);

test("every @example is found", () => {
  const written = sources.flatMap(({ content }) => content.match(/@example/g) ?? []);
  expect(examples.length).toBe(written.length);
});

describe("there is an example of", () => {
  const isFunction = (one: unknown): boolean =>
    typeof one === "function" && !/^class\b/.test(Function.prototype.toString.call(one));
  const known = new Set(examples.map(({ name }) => name));
  // `wavefold` has all that is in `named`; only its `openFold` is a function of another file.
  test.each(Object.entries(modules).filter(([entry]) => entry.startsWith("wavefold")))(
    "%s",
    (_, { named }) => {
      const names = Object.entries(named)
        .filter(([, one]) => isFunction(one))
        .map(([name]) => name);
      expect(names.filter((name) => !known.has(name))).toEqual([]);
    },
  );
  test("Fold", () => {
    const names = Object.getOwnPropertyNames(Fold.prototype).filter(
      (name) => !["constructor", "device", "machine", "adapterInfo", "software", "destroy"].includes(name),
    );
    expect(names.filter((name) => !known.has(name))).toEqual([]);
  });
});

/** A kernel with the line that an example says to write into it. */
const kernelThat = (line: string): string => `
@group(0) @binding(0) var<storage, read_write> numbers: array<u32>;
@group(0) @binding(1) var<storage, read_write> used: atomic<u32>;

@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) local_index: u32) {
  let x = numbers[local_index];
  let is_active = x != 0u;
  atomicAdd(&used, 0u);
  ${line}
}
`;

/** esbuild, on a program of one line in a folder of its own, into memory. */
async function buildAside(options: BuildOptions): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "wavefold-example-"));
  try {
    writeFileSync(join(folder, "main.ts"), 'import code from "./kernel.wgsl"; console.log(code);');
    writeFileSync(
      join(folder, "kernel.wgsl"),
      `// wavefold: work_group_reduce_add_u32 256\n${kernelThat("let sum = work_group_reduce_add_u32(x, local_index);")}`,
    );
    const { outputFiles } = await build({ ...options, absWorkingDir: folder, write: false });
    expect(outputFiles[0]?.text).toContain("fn work_group_reduce_add_u32(");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The ranges that recordings of described primitives give. */
const ranges = described.flatMap(({ primitive }) =>
  primitive.operands.flatMap(({ range, isByName }) => (isByName ? [] : [range])),
);

const linesOf = (text: string): string[] => text.split("\n").filter((line) => line !== "");
/** The lines of each program that guides.test.ts runs. */
const guides = (readdirSync("docs/guides") as string[])
  .filter((file) => file.endsWith(".md") && file !== "engines.md")
  .flatMap((file) => sectionsOf(readFileSync(join("docs/guides", file), "utf8")))
  .flatMap((section) => blocksOf(section, "ts"))
  .filter((block) => reasonOf(block) === undefined)
  .map(({ text }) => linesOf(text));

describe("the example of", () => {
  test.each(examples)("$name in $file", async ({ file, name, text }) => {
    if (guides.some((lines) => linesOf(text).every((line) => lines.includes(line)))) {
      return;
    }
    const { device } = fold();
    const words = (): GPUBuffer => storageBuffer(device, new Uint32Array(1000));
    const line = /^\/\/ in myKernel: *(.*)$/m.exec(text)?.[1];
    const given = {
      ...modules["wavefold/monoids"]?.run,
      ...modules["wavefold/laws"]?.run,
      ...modules["wavefold/typegpu"]?.run,
      weslBundle,
      ...modules["wavefold/reference"]?.run,
      ...modules["wavefold/wgsl"]?.run,
      ...modules["wavefold/three"]?.run,
      ...modules["wavefold/simulator"]?.run,
      ...modules["wavefold/node"]?.run,
      ...modules[`wavefold/${file.replace(/^build\/(.*)\.ts$/, "$1")}`]?.run,
      // The site's own.
      fold: fold(),
      encoder: device.createCommandEncoder(),
      // Of a merge, both arrays go there.
      output: storageBuffer(device, new Uint32Array(2000)),
      count: words(),
      indices: words(),
      outputOffsets: words(),
      flags: words(),
      ...Object.fromEntries(ranges.map((range) => [range, words()])),
      length: 1000,
      myKernel: kernelThat(line ?? ""),
      build: buildAside,
      renderer: rendererOn(device),
      StorageBufferAttribute: function make(array: Uint32Array<ArrayBuffer>, itemSize: number) {
        return attributeOf(array, itemSize);
      },
      defineConfig: (config: object) => config,
    };
    device.pushErrorScope("validation");
    const { checked, code } = await runBlocks(
      `${name} in ${file}`,
      [{ language: "ts", note: "", text }],
      given,
    );
    expect((await device.popErrorScope())?.message).toBeUndefined();
    if (line !== undefined) {
      expect(String(code), "the functions are linked").toMatch(
        /fn (work_group_|thread_tile_|coalesced_|identity_|mul_f64)\w*\(/,
      );
      expect(await failures(nullDevice(), [{ title: name, code: String(code) }])).toEqual([]);
    } else {
      const runs = /\.record\(|\bbuild\(|defineConfig/.test(text);
      expect(checked > 0 || runs, "something is checked").toBe(true);
    }
  });
});
