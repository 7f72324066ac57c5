import { basename, join } from "node:path";
import process from "node:process";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { afterAll, beforeAll, expect } from "vitest";
import { rows, testInTurn } from "../support/rows.ts";
import type { Packed } from "./pack.ts";
import { packPackage, put, run } from "./pack.ts";

const test = testInTurn({ of: 2 });

interface Budget {
  readonly what: string;
  readonly program: string;
  /** What runs after it, and is not bundled. */
  readonly after?: string;
  /** What they leave in `globalThis.result`, as JSON. */
  readonly result: unknown;
  /** KB of 1024 bytes, gzipped, that this shall come down to, where there is such a goal. */
  readonly goal?: number;
  /** Bytes, gzipped: what it took when this was written, and 5 %. It only ever goes down. */
  readonly ceiling: number;
}

const programOf = (names: string, body: string): string => `import { ${names} } from "wavefold";
      const fold = await open();
      ${body}
      fold.destroy();`;
const scanOf = (data: string, options = "{}"): string =>
  programOf("open", `globalThis.result = [...await fold.scan(${data}.of(3, 1, 7), ${options})];`);

const budgets: readonly Budget[] = [
  {
    what: "one function of wavefold/wgsl",
    program: `import { add, link, u32, workGroupScan } from "wavefold/wgsl";
      globalThis.linked = (kernel) => link(kernel, [workGroupScan({ type: u32, op: add, workGroupSize: 256 })]);`,
    // A work-group of 1 … 256: the last prefix, and the total at each thread.
    after: `const code = linked(\`
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(256) fn main(@builtin(local_invocation_index) i: u32) {
          let prefix = work_group_scan_exclusive_add_u32(i + 1u, i);
          let scan = work_group_scan_inclusive_add_u32_total(i + 1u, i);
          data[i] = select(0u, scan.prefix, scan.prefix == prefix + i + 1u && scan.total == 32896u);
        }\`);
      const layout = "auto";
      const pipeline = device.createComputePipeline({ layout, compute: { module: device.createShaderModule({ code }) } });
      const [data, read] = [0x84, 0x9].map((usage) => device.createBuffer({ size: 1024, usage }));
      const entries = [{ binding: 0, resource: { buffer: data } }];
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
      pass.dispatchWorkgroups(1);
      pass.end();
      encoder.copyBufferToBuffer(data, 0, read, 0, 1024);
      device.queue.submit([encoder.finish()]);
      await read.mapAsync(1);
      const words = new Uint32Array(read.getMappedRange());
      globalThis.result = [0, 1, 255].map((at) => words[at]);`,
    result: [1, 3, 32_896],
    // A tokenizer of the kernel's text, and the check of each entry point's size, take 730 of it.
    goal: 2.5,
    ceiling: 3_400,
  },
  {
    what: "open and scan of u32 from wavefold",
    // Of one tile, and of three levels of tiles.
    program: programOf(
      "open",
      "globalThis.result = [...await fold.scan(Uint32Array.of(3, 1, 7)), (await fold.scan(new Uint32Array(300_000).fill(1))).at(-1)];",
    ),
    result: [3, 4, 11, 300_000],
    goal: 8,
    ceiling: 7_650,
  },
  {
    what: "open, max and an exclusive scan of u32",
    program: programOf(
      "open, max",
      "globalThis.result = [...await fold.scan(Uint32Array.of(3, 1, 7), { op: max, exclusive: true })];",
    ),
    result: [0, 3, 3],
    goal: 8,
    ceiling: 8_192,
  },
  { what: "open and scan of f32", program: scanOf("Float32Array"), result: [3, 4, 11], ceiling: 18_350 },
  {
    what: "open and prepareScan of u32",
    program: programOf(
      "open, u32",
      "const scan = await fold.prepareScan({ type: u32, maxLength: 1000 }); globalThis.result = typeof scan.record;",
    ),
    result: "function",
    ceiling: 18_550,
  },
];

let packed: Packed;
beforeAll(async () => {
  packed = await packPackage();
}, 120_000);
afterAll(() => packed?.remove());

/** A browser's `navigator.gpu`, on the software adapter. */
const GPU = `import { open } from "wavefold/node";
const { device } = await open({ adapter: "software" });
const adapter = { features: device.features, limits: device.limits, requestDevice: async () => device };
Object.defineProperty(globalThis, "navigator", { value: { gpu: { requestAdapter: async () => adapter } } });`;

interface Bundled {
  /** Every file: its bytes, gzipped, and its text. */
  readonly files: ReadonlyMap<string, { readonly bytes: number; readonly text: string }>;
  /** Those that the program had loaded when it came to its end. */
  readonly loaded: readonly string[];
  readonly result: unknown;
}

/** Bundles a program, runs it, and sees which files it loads. */
async function bundleAndRun(program: string, splitting: boolean, after = ""): Promise<Bundled> {
  const project = await packed.project(["webgpu", "@sparticuz/chromium"], { "main.js": program });
  const { outputFiles } = await build({
    absWorkingDir: project,
    entryPoints: ["main.js"],
    bundle: true,
    minify: true,
    splitting,
    format: "esm",
    target: "es2022",
    outdir: "dist",
    outExtension: { ".js": ".mjs" },
    write: false,
  });
  const files = new Map<string, { bytes: number; text: string }>();
  for (const { path, contents, text } of outputFiles) {
    const name = basename(path);
    files.set(name, { bytes: gzipSync(contents, { level: 9 }).length, text });
    await put(path, `(globalThis.loaded ??= []).push("${name}");\n${text}`);
  }
  await put(
    join(project, "run.mjs"),
    `${GPU}
await import("./dist/main.mjs");
${after}
console.log(JSON.stringify({ loaded: globalThis.loaded, result: globalThis.result }));
process.exit();`,
  );
  const printed = (await run(process.execPath, ["run.mjs"], project)).trim().split("\n").at(-1) ?? "";
  return { files, ...(JSON.parse(printed) as Pick<Bundled, "loaded" | "result">) };
}

const bytesOf = ({ files, loaded }: Bundled): number =>
  loaded.reduce((sum, name) => sum + (files.get(name)?.bytes ?? Number.NaN), 0);

test.each(
  rows(
    budgets.map((budget) => [budget.what, budget.ceiling, budget] as const),
    { of: 5 },
  ),
)("%s: today's ceiling is %i bytes", async (what, ceiling, { program, after, result, goal }) => {
  const split = await bundleAndRun(program, true, after);
  expect(split.result).toEqual(result);
  const whole = await bundleAndRun(program, false, after);
  expect(whole.result).toEqual(result);
  const bytes = bytesOf(split);
  console.log(
    `${what}: ${bytes} bytes gzipped in the ${split.loaded.length} of ${split.files.size} files that are loaded; ${goal === undefined ? "" : `the goal is ${goal * 1024}, `}the ceiling ${ceiling}. In one file: ${bytesOf(whole)}.\n${split.loaded.map((name) => `  ${split.files.get(name)?.bytes} ${name}`).join("\n")}`,
  );
  expect(bytes).toBeGreaterThan(0);
  expect(bytes, `${what} has grown`).toBeLessThanOrEqual(ceiling);
});

test("the 64-bit arithmetic is loaded where a 64-bit array is met, and not before", async () => {
  const has = ({ files, loaded }: Bundled): boolean =>
    loaded.some((name) => files.get(name)?.text.includes("fn add_f64("));
  const narrow = await bundleAndRun(scanOf("Uint32Array"), true);
  expect(has(narrow)).toBe(false);
  const wide = await bundleAndRun(scanOf("Float64Array"), true);
  expect(wide.result).toEqual([3, 4, 11]);
  expect(has(wide)).toBe(true);
});

test("what maps items is loaded with the first map, and not before", async () => {
  const has = ({ files, loaded }: Bundled): boolean =>
    loaded.some((name) => files.get(name)?.text.includes("fn mapped_element("));
  expect(has(await bundleAndRun(scanOf("Uint32Array"), true))).toBe(false);
  const mapped = await bundleAndRun(scanOf("Uint32Array", '{ map: "x + i" }'), true);
  expect(mapped.result).toEqual([3, 5, 14]);
  expect(has(mapped)).toBe(true);
});
