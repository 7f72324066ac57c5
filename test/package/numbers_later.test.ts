import { cp } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Packed } from "./pack.ts";
import { packPackage, put, run } from "./pack.ts";

// Each program has a copy of the package, so that nothing before it has loaded what reads texts over 64-bit values. One process runs all of them.

/**
 * A program: what it has, the body of a function, and what that returns. In the body, `w` is wavefold/node, and `bytesOf` gives what a plan writes
 * for an array into so many bytes.
 */
type Row = readonly [what: string, body: string, result: unknown];

const OWN = `const sum = w.operator({ name: "sum", type: w.f64, identity: 0, combine: "earlier + later", reference: (a, b) => a + b });`;
const PAIR = `const Pair = w.struct({ name: "Pair", fields: { key: w.u32, parts: w.fixedArray(w.f64, 2) } });
  const pairs = new w.StructArray(Pair, new ArrayBuffer(3 * Pair.bytes), 0, 3);
  [1, 2, 3].forEach((key, at) => pairs.set(at, { key, parts: [key, 2 * key] }));
  const keysOf = (array) => Array.from({ length: array.length }, (_, at) => array.get(at).key);`;
const DATA = "const data = Float64Array.of(3, 1, 7, 2);";

const texts: readonly Row[] = [
  ["map, scanned", 'return [...await fold.scan(Float64Array.of(1, 2, 3), { map: "x * x" })]', [1, 5, 14]],
  [
    "map to f64",
    'return [...await fold.scan(Uint32Array.of(1, 2), { type: w.f64, map: "f64(x) / 2" })]',
    [0.5, 1.5],
  ],
  ["map, reduced", 'return String(await fold.reduce(BigUint64Array.of(1n, 2n), { map: "x * x" }))', "5"],
  ["where", 'return [...await fold.compact(Float64Array.of(1, 2, 3), { where: "x > 1.5" })]', [2, 3]],
  [
    "where of a partition",
    'return [...(await fold.partition(Float64Array.of(1, 2, 3), { where: "x > 1.5" })).values]',
    [2, 3, 1],
  ],
  [
    "class",
    'return [...(await fold.partition(Float64Array.of(1, 2, 3), { classes: 2, class: "x % 2" })).values]',
    [2, 1, 3],
  ],
  ["a sort's key", `${DATA} return [...await fold.sort(data, { key: "abs(x - 3)" })]`, [3, 2, 1, 7]],
  ["positions' key", `${DATA} return [...await fold.argSort(data, { key: "-x" })]`, [2, 0, 3, 1]],
  ["a selection's key", `${DATA} return [...(await fold.topK(data, 2, { key: "-x" })).values]`, [1, 2]],
  ["nth's key", `${DATA} return (await fold.nth(data, 0, { key: "abs(x - 3)" })).value`, 3],
  ["bin", `${DATA} return [...await fold.histogram(data, { bins: 2, bin: "x % 2" })]`, [1, 3]],
  [
    "a segment's key",
    'return [...(await fold.reduce(Float64Array.of(1, 2, 13), { segments: { key: "floor(x / 10)" } })).values]',
    [3, 13],
  ],
  [
    "a run's key",
    'return [...await fold.unique(Float64Array.of(1, 2, 13), { key: "floor(x / 10)" })]',
    [1, 13],
  ],
  [
    "a key's type",
    'return [...(await fold.runLengths(Uint32Array.of(1, 2, 13), { key: "u64(x / 10)", keyType: w.u64 })).counts]',
    [2, 1],
  ],
  [
    "an operator within keys",
    `${OWN} const keys = BigUint64Array.of(5n, 5n, 6n);
     return [...(await fold.reduce(Float64Array.of(1, 2, 3), { op: sum, segments: { keys } })).values]`,
    [3, 3],
  ],
  ["an operator", `${OWN} return await fold.reduce(Float64Array.of(1, 2, 3), { op: sum })`, 6],
  [
    "an operator within rows",
    `${OWN} return [...await fold.scan(Float64Array.of(1, 2, 3, 4), { op: sum, segments: { rows: 2 } })]`,
    [1, 3, 3, 7],
  ],
  ["a field", `${PAIR} return keysOf(await fold.compact(pairs, { where: "x.parts[1] > 3" }))`, [2, 3]],
  [
    "a field as a key",
    `${PAIR} return keysOf(await fold.sort(pairs, { key: "-x.parts[0]", keyType: w.f64 }))`,
    [3, 2, 1],
  ],
  ["the least element", "return await fold.argMin(Float64Array.of(2, 1))", { value: 1, index: 1 }],
  [
    "an array on the GPU",
    'const data = await fold.upload(Float64Array.of(1, 2, 3)); return [...await (await fold.scan(data, { map: "x * x" })).read()]',
    [1, 5, 14],
  ],
  [
    "a sort on the GPU",
    `${DATA} return [...await (await fold.sort(await fold.upload(data), { key: "-x" })).read()]`,
    [7, 3, 2, 1],
  ],
  [
    "a selection on the GPU",
    `${DATA} return [...await (await fold.topK(await fold.upload(data), 2, { key: "-x" })).values.read()]`,
    [1, 2],
  ],
  [
    "a histogram on the GPU",
    `${DATA} return [...await (await fold.histogram(await fold.upload(data), { bins: 2, bin: "x % 2" })).read()]`,
    [1, 3],
  ],
  [
    "a sort whose plan is not kept",
    `${DATA} const small = await w.openFold({ device: fold.device, maxKeptBytes: 4096 });
     return [...await small.sort(data, { key: "-x" })]`,
    [7, 3, 2, 1],
  ],
  [
    "a stream",
    `const { readable, writable } = fold.scanStream({ type: w.f64, map: "x * x" });
     const writer = writable.getWriter();
     writer.write(Float64Array.of(1, 2, 3)).then(() => writer.close());
     return [...(await readable.getReader().read()).value]`,
    [1, 5, 14],
  ],
  [
    "a stream's rows",
    `${OWN} const { readable, writable } = fold.reduceStream({ type: w.f64, op: sum, segments: { rows: 2 } });
     const writer = writable.getWriter();
     writer.write(Float64Array.of(1, 2, 3, 4)).then(() => writer.close());
     return [...(await readable.getReader().read()).value]`,
    [3, 7],
  ],
  [
    "a stream's total",
    `let asked = 0;
     async function* source() { asked++; yield Float64Array.of(1, 2); yield Float64Array.of(3); }
     return [await fold.reduceStream(source(), { type: w.f64, map: "x * x" }), asked]`,
    [14, 1],
  ],
  [
    "a recorded scan",
    `return [...new Float64Array(await bytesOf(await fold.prepareScan({ type: w.f64, map: "x * x", maxLength: 3 }), Float64Array.of(1, 2, 3), 24))]`,
    [1, 5, 14],
  ],
  [
    "a scan that is prepared soon",
    `${OWN} const scan = await fold.prepareScan({ type: w.f64, op: sum, maxLength: 3, soon: true });
     await scan.settled;
     return [...new Float64Array(await bytesOf(scan, Float64Array.of(1, 2, 3), 24))]`,
    [1, 3, 6],
  ],
  [
    "a recorded reduction",
    `${OWN} return [...new Float64Array(await bytesOf(await fold.prepareReduce({ type: w.f64, op: sum, maxLength: 3 }), Float64Array.of(1, 2, 3), 8))]`,
    [6],
  ],
  [
    "a recorded compaction",
    `return [...new Float64Array(await bytesOf(await fold.prepareCompact({ type: w.f64, where: "x > 1", maxLength: 3 }), Float64Array.of(1, 2, 3), 16, true))]`,
    [2, 3],
  ],
  [
    "a recorded partition",
    `return [...new Float64Array(await bytesOf(await fold.preparePartition({ type: w.f64, where: "x > 1", maxLength: 3 }), Float64Array.of(1, 2, 3), 24, true))]`,
    [2, 3, 1],
  ],
  [
    "a recorded sort",
    `return [...new Float64Array(await bytesOf(await fold.prepareSort({ type: w.f64, key: "-x", maxLength: 3 }), Float64Array.of(1, 2, 3), 24))]`,
    [3, 2, 1],
  ],
  [
    "a recorded histogram",
    `return [...new Uint32Array(await bytesOf(await fold.prepareHistogram({ type: w.f64, bins: 2, bin: "x % 2", maxLength: 3 }), Float64Array.of(1, 2, 3), 8))]`,
    [1, 2],
  ],
  [
    "recorded selections",
    `const best = await fold.prepareTopK({ type: w.f64, key: "-x", k: 1, maxLength: 3 });
     const middle = await fold.prepareNth({ type: w.f64, key: "-x", n: 1, maxLength: 3 });
     return [typeof best.record, typeof middle.record]`,
    ["function", "function"],
  ],
  [
    "a text that is wrong",
    `const into = new Float64Array(1);
     const error = await fold.scan(Float64Array.of(1), { map: "x +\\n y", into }).catch((cause) => cause);
     return [error.name, error.line, error.column, error.source, into[0]]`,
    ["SourceError", 2, 2, "x +\n y", 0],
  ],
  [
    "a test of an operator's laws",
    `const { checkMonoid } = await import("wavefold/laws");
     const most = w.operator({
       name: "most", type: w.u64, identity: 0n, combine: "max(earlier, later)", reference: (a, b) => (a > b ? a : b),
     });
     return (await checkMonoid(most, { fold })).ok`,
    true,
  ],
  [
    "everything, imported at once",
    `await import("wavefold/whole"); ${OWN} return await fold.reduce(Float64Array.of(1, 2, 3), { op: sum })`,
    6,
  ],
];

/** What finds the mistakes of a kernel that calls a function for an operator \`sum\` on \`type\`. */
const IN_KERNEL = `const code = wgsl.link(\`@group(0) @binding(0) var<storage, read_write> data: array<vec2<u32>>;
    @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
      data[i] = work_group_reduce_sum_f64(data[i], i);
    }\`, [wgsl.workGroupReduce({ type: sum.type, op: sum, workGroupSize: 64 })]);
  return [code.includes("add_f64"), (await fold.device.createShaderModule({ code }).getCompilationInfo()).messages.length];`;

const inKernels: readonly Row[] = [
  [
    "an operator of wavefold/wgsl",
    `const wgsl = await import("wavefold/wgsl");
     const sum = wgsl.operator({ name: "sum", type: wgsl.f64, identity: 0, combine: "earlier + later" }); ${IN_KERNEL}`,
    [true, 0],
  ],
  [
    "an operator of the main entry",
    `const wgsl = await import("wavefold/wgsl"); ${OWN} ${IN_KERNEL}`,
    [true, 0],
  ],
];

/** What needs no reader, and no 64-bit types. */
const others: readonly Row[] = [
  ["a map of u32", 'return [...await fold.scan(Uint32Array.of(1, 2, 3), { map: "x * x" })]', [1, 5, 14]],
  [
    "an operator on u32",
    `const most = w.operator({ name: "most", type: w.u32, identity: 0, combine: "max(earlier, later)" });
     return await fold.reduce(Uint32Array.of(1, 3, 2), { op: most })`,
    3,
  ],
];

/** Arrays of 64-bit elements. Their types come with the reader. */
const arrays: readonly Row[] = [
  ["a sum of f64", "return [...await fold.scan(Float64Array.of(1, 2, 3))]", [1, 3, 6]],
  ["a sort of f64", `${DATA} return [...await fold.sort(data)]`, [1, 2, 3, 7]],
  ["a search", "return [...await fold.searchSorted(Float64Array.of(1, 3), Float64Array.of(2, 4))]", [1, 2]],
  [
    "a compaction by flags",
    "return [...await fold.compact(Float64Array.of(1, 2, 3), { flags: Uint32Array.of(1, 0, 1) })]",
    [1, 3],
  ],
  [
    "a histogram by edges",
    "return [...await fold.histogram(Float64Array.of(1, 2, 3), { edges: [1, 2.5, 4] })]",
    [2, 1],
  ],
  [
    "a total of keys",
    "return [...(await fold.reduce(Uint32Array.of(1, 2), { segments: { keys: Float64Array.of(5, 5) } })).keys]",
    [5],
  ],
  [
    "a selection of i64",
    "return [...(await fold.topK(BigInt64Array.of(1n, 2n), 1)).values].map(String)",
    ["2"],
  ],
];

const rows: readonly Row[] = [...texts, ...inKernels, ...arrays, ...others];

/** What a program returns, and whether the reader was loaded before its call and after it. */
interface Answer {
  readonly before: boolean;
  readonly result: unknown;
  readonly after: boolean;
}

let packed: Packed | undefined;
/** By what the rows have. */
let answers: Readonly<Record<string, Answer | { readonly failure: string }>>;
beforeAll(async () => {
  packed = await packPackage();
  const packages = ["webgpu", "@sparticuz/chromium", "fast-check"];
  const project = await packed.project(packages, { "main.mjs": main });
  for (const [at, [, body]] of rows.entries()) {
    const folder = join(project, "copies", `${at}`);
    await cp(join(project, "node_modules", "wavefold"), join(folder, "node_modules", "wavefold"), {
      recursive: true,
      filter: (path) => !/\.(d\.ts|md|svg|wgsl)$/.test(path),
    });
    await put(join(folder, "program.mjs"), programOf(body, at));
  }
  const printed = (await run(process.execPath, ["main.mjs"], project)).trim().split("\n").at(-1) ?? "";
  answers = JSON.parse(printed) as typeof answers;
});
afterAll(() => packed?.remove());

/** It watches which files are loaded, and runs the programs one after another. */
const main = `import { Session } from "node:inspector";
const session = new Session();
globalThis.scripts = [];
session.connect();
session.on("Debugger.scriptParsed", ({ params }) => scripts.push(params.url));
session.post("Debugger.enable");
const answers = {};
for (const [at, what] of ${JSON.stringify(rows.map(([what]) => what))}.entries()) {
  answers[what] = await import(\`./copies/\${at}/program.mjs\`).then(
    ({ before, result, after }) => ({ before, result, after }),
    (cause) => ({ failure: String(cause?.stack ?? cause) }),
  );
}
console.log(JSON.stringify(answers));
process.exit();
`;

const programOf = (body: string, at: number): string => `import * as w from "wavefold/node";
const isLoaded = () => scripts.some((url) => url.endsWith("/copies/${at}/node_modules/wavefold/dist/chunks/numbers_64.js"));

const fold = await w.openFold({ adapter: "simulated" });
export const before = isLoaded();

/** What a plan writes into so many bytes. */
async function bytesOf(plan, data, size, counted) {
  const { device } = fold;
  const usage = w.GPUBufferUsage.STORAGE | w.GPUBufferUsage.COPY_SRC | w.GPUBufferUsage.COPY_DST;
  const bufferOf = (size) => device.createBuffer({ size, usage });
  const [input, output] = [bufferOf(data.byteLength), bufferOf(data.byteLength)];
  device.queue.writeBuffer(input, 0, data);
  const read = device.createBuffer({ size, usage: w.GPUBufferUsage.MAP_READ | w.GPUBufferUsage.COPY_DST });
  const encoder = device.createCommandEncoder();
  plan.record(encoder, { input, output, length: data.length, ...(counted && { count: bufferOf(4) }) });
  encoder.copyBufferToBuffer(output, 0, read, 0, size);
  device.queue.submit([encoder.finish()]);
  await read.mapAsync(w.GPUMapMode.READ);
  return read.getMappedRange();
}

export const result = await (async () => {
  ${body};
})();
export const after = isLoaded();
`;

test("each program has a name", () => {
  expect(new Set(rows.map(([what]) => what)).size).toBe(rows.length);
});

test.each(texts)("a text over 64-bit values loads its reader: %s", (what, _, result) => {
  expect(answers[what]).toEqual({ before: false, result, after: true });
});

test.each(inKernels)("in-kernel functions read at once: %s", (what, _, result) => {
  expect(answers[what]).toEqual({ before: false, result, after: true });
});

test.each(others)("nothing else loads it: %s", (what, _, result) => {
  expect(answers[what]).toEqual({ before: false, result, after: false });
});

test.each(arrays)("an array of 64-bit elements loads it: %s", (what, _, result) => {
  expect(answers[what]).toEqual({ before: false, result, after: true });
});
