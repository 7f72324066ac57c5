import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { isOnGpu } from "../../src/algebra/arrays.ts";
import { fixedArray, vec2, vec3, vec4 } from "../../src/algebra/fields.ts";
import { f16, f32 } from "../../src/algebra/floats.ts";
import { i32, u32 } from "../../src/algebra/integers.ts";
import { u8 } from "../../src/algebra/narrow_types.ts";
import type { ParamsOfCall } from "../../src/algebra/params.ts";
import { paramsOfCall } from "../../src/algebra/params.ts";
import { struct } from "../../src/algebra/struct.ts";
import type { ElementType } from "../../src/algebra/types.ts";
import { f64, i64, u64 } from "../../src/algebra/types_64.ts";
import { mapText } from "../../src/cpu/texts.ts";
import { contextOf } from "../../src/gpu/device/device.ts";
import type { Fold, PreparedCompact } from "../../src/node.ts";
import { ArgumentError, openFold } from "../../src/node.ts";
import { isSimulated } from "../support/adapter.ts";
import { destroyAll, readWords, storageBuffer } from "../support/buffers.ts";
import { expectSameBits } from "../support/compare.ts";
import { useAdapters, useFold } from "../support/fold.ts";
import { randomItems } from "../support/random.ts";

const fold = useFold();
const nextAdapter = useAdapters();
let onCpu: Fold;
beforeAll(async () => {
  onCpu = await openFold({ cpu: "always" });
});
afterAll(() => onCpu?.destroy());

type Options = Readonly<Record<string, unknown>>;
type Row = readonly [
  /** The type of the elements. */
  from: ElementType,
  /** A condition on an element that names the params. */
  condition: string,
  params: ParamsOfCall,
  /** What the params are in WGSL. */
  literals: Readonly<Record<string, string>>,
];

const Pair = struct({ name: "Pair", fields: { low: f32, high: f32 } });
const Limits = struct({ name: "Limits", fields: { id: u64, at: vec2(f32), most: u32 } });

const rows: readonly Row[] = [
  [f32, "x > limit", { limit: 0.1 }, { limit: "0.1f" }],
  [u32, "x % by == rest", { by: [u32, 7], rest: [u32, 3] }, { by: "7u", rest: "3u" }],
  [i32, "x > -low && i < most", { low: [i32, 5], most: [u32, 90] }, { low: "(5i)", most: "90u" }],
  [u64, "x > limit", { limit: [u64, 2n ** 63n + 5n] }, { limit: "9223372036854775813" }],
  [
    i64,
    "x * by < limit",
    { by: [i64, -3n], limit: [i64, 2n ** 40n] },
    { by: "(-3)", limit: "1099511627776" },
  ],
  [f64, "x + more > limit", { more: [f64, 0.1], limit: [f64, -1e300] }, { more: "0.1", limit: "(-1e300)" }],
  // Texts on u32 alone have no f64.
  [u32, "f64(x) * scale > 3e9", { scale: [f64, 1.5] }, { "": "x > 2000000000u" }],
  [f64, "x * f64(by) > 3.0", { by: [u32, 3] }, { by: "3u" }],
  [f32, "f32(h) > x", { h: [f16, 0.5] }, { h: "0.5h" }],
  [
    u32,
    "dot(vec3<f32>(f32(x & 7u), f32(i), 1.0), plane) > 0.0",
    { plane: [vec3(f32), [1, -0.25, 2]] },
    { plane: "vec3<f32>(1.0, -0.25, 2.0)" },
  ],
  [
    f32,
    "(x > box.low && x < box.high) || count == i",
    { count: [u32, 3], box: [Pair, { low: -1e10, high: 1e10 }] },
    { count: "3u", "box.low": "(-1e10)", "box.high": "1e10" },
  ],
  [
    u64,
    "x > limits.id || i >= limits.most || limits.at.y < 1.0",
    { first: [vec2(u32), [1, 2]], limits: [Limits, { id: 2n ** 62n, at: [1, 2], most: 50 }] },
    { "limits.id": "4611686018427387904", "limits.most": "50u", "limits.at.y": "2.0" },
  ],
  [
    f32,
    "dot(vec4<f32>(x, 1.0, 0.0, 0.0), rows[i % 3u]) < last",
    {
      rows: [
        fixedArray(vec4(f32), 3),
        [
          [1, 2, 3, 4],
          [-1, 2, 0, 0],
          [0.5, -1, 1, 1],
        ],
      ],
      last: 0.5,
    },
    {
      rows: "array<vec4<f32>, 3>(vec4<f32>(1.0, 2.0, 3.0, 4.0), vec4<f32>(-1.0, 2.0, 0.0, 0.0), vec4<f32>(0.5, -1.0, 1.0, 1.0))",
      last: "0.5f",
    },
  ],
  // Names that shaders and WGSL have.
  [
    u32,
    "x % max == output + params",
    { max: [u32, 5], output: [u32, 1], params: [u32, 2] },
    { max: "5u", output: "1u", params: "2u" },
  ],
  // Products of subnormals may be flushed, and differences are not.
  [f32, "let a = x - min;\nreturn a > 0.0;", { min: -2.5 }, { min: "(-2.5f)" }],
];

const inlined = (text: string, literals: Readonly<Record<string, string>>): string =>
  literals[""] ?? text.replace(/\b[a-z][\w.]*\b/g, (word) => literals[word] ?? word);

/** The text as an expression, for what takes numbers. */
const numberOf = (text: string): string =>
  text.includes("return") ? text.replace("return a > 0.0;", "return u32(a > 0.0);") : `u32(${text})`;

/** The methods, and the options that have a text in each. */
const methods: readonly (readonly [
  name:
    | "scan"
    | "reduce"
    | "compact"
    | "partition"
    | "sort"
    | "argSort"
    | "unique"
    | "histogram"
    | "topK"
    | "nth"
    | "runLengths",
  options: (condition: string, number: string) => Options,
  numbers?: readonly number[],
])[] = [
  ["scan", (_, map) => ({ type: u32, map })],
  ["reduce", (_, map) => ({ type: u32, map })],
  ["compact", (where) => ({ where })],
  ["compact", (where, map) => ({ where, map, type: u32 })],
  ["partition", (where) => ({ where })],
  ["partition", (_, number) => ({ classes: 3, class: number })],
  ["histogram", (_, bin) => ({ bins: 2, bin })],
];
/** Those whose text sees no index. */
const byKey: typeof methods = [
  ["sort", (_, key) => ({ key, keyType: u32 })],
  ["argSort", (_, key) => ({ key, keyType: u32, descending: true })],
  ["unique", (_, key) => ({ key, keyType: u32 })],
  ["runLengths", (_, key) => ({ key, keyType: u32 })],
  ["topK", (_, key) => ({ key, keyType: u32 }), [5]],
  ["nth", (_, key) => ({ key, keyType: u32 }), [40]],
  ["reduce", (_, key) => ({ type: u32, map: "1u", segments: { key, keyType: u32 } })],
  ["scan", (_, key) => ({ type: u32, map: "1u", segments: { key, keyType: u32 } })],
];
const seesIndex = ([, condition]: Row): boolean => /\bi\b/.test(condition);

const LENGTH = 101;

/** The numbers of all results of a call, by their names. */
async function resultOf(
  one: Fold,
  name: string,
  data: unknown,
  options: Options,
  numbers: readonly number[] = [],
): Promise<unknown> {
  const method = one[name as keyof Fold] as unknown as (...given: readonly unknown[]) => Promise<unknown>;
  const numbersOf = async (made: unknown): Promise<unknown> => {
    if (isOnGpu(made)) {
      return numbersOf(await (made as unknown as { read(): Promise<AnyArray> }).read());
    }
    if (ArrayBuffer.isView(made)) {
      return Array.from(made as Uint32Array);
    }
    if (typeof made !== "object") {
      return [made];
    }
    const parts = Object.entries(made as object).map(async ([key, part]) => [key, await numbersOf(part)]);
    return Object.fromEntries(await Promise.all(parts));
  };
  return numbersOf(await method.call(one, data, ...numbers, options));
}

const titled = rows.map((row, at) => [`${row[0].name}: ${row[1]}`, row, at] as const);
describe.each(titled)("%s", (_, row, at) => {
  const [from, condition, params, literals] = row;
  // Each row goes through some of the methods, and all rows together through all of them.
  const all = [...methods, ...(seesIndex(row) ? [] : byKey)];
  const chosen = all.filter((__, place) => (place + at) % 3 === 0 || at < 2);
  test.for(chosen)("%s", async ([name, optionsFor, numbers], { skip }) => {
    const needsF16 = Object.values(params).some((one) => Array.isArray(one) && one[0] === f16);
    skip(needsF16 && !fold().device.features.has("shader-f16"), "the adapter has no shader-f16");
    const data = randomItems(from as typeof u32, LENGTH, `${name} ${condition}`);
    const own = { ...optionsFor(condition, numberOf(condition)), params };
    const plain = inlined(condition, literals);
    const literal = optionsFor(plain, numberOf(plain));
    const expected = await resultOf(fold(), name, data, literal, numbers);
    expect(await resultOf(fold(), name, data, own, numbers)).toEqual(expected);
    expect(await resultOf(onCpu, name, data, own, numbers)).toEqual(expected);
    const array = await fold().upload(data, { type: from } as never);
    expect(await resultOf(fold(), name, array, own, numbers)).toEqual(expected);
    array.destroy();
  });
});

/** What counts the pipelines and the modules that a device is asked for. */
function countsOf(device: GPUDevice): () => number {
  let count = 0;
  for (const name of ["createShaderModule", "createComputePipeline", "createComputePipelineAsync"] as const) {
    const own = device[name].bind(device) as (descriptor: never) => never;
    Object.assign(device, {
      [name](descriptor: never) {
        count++;
        return own(descriptor);
      },
    });
  }
  return () => count;
}

const UNIFORM = 0x40;
const COPY_DST = 0x8;

/** Recordings of a compaction of 0 to 99, and what they have kept. */
async function compaction(more: Options = {}) {
  const { device } = fold();
  const data = Uint32Array.from({ length: 100 }, (_, at) => at);
  const input = storageBuffer(device, data);
  const plan = (await fold().prepareCompact({
    type: u32,
    maxLength: 100,
    where: "x > limit && x < most",
    params: { limit: u32, most: u32 },
    ...more,
  } as never)) as PreparedCompact;
  const made: { output: GPUBuffer; count: GPUBuffer; wanted: Uint32Array }[] = [];
  const buffers = (): { output: GPUBuffer; count: GPUBuffer } => ({
    output: storageBuffer(device, new Uint32Array(100)),
    count: storageBuffer(device, new Uint32Array(1)),
  });
  return {
    device,
    plan,
    input,
    buffers,
    record(
      encoder: GPUCommandEncoder,
      limit: number,
      most: number,
      params: unknown = { limit, most },
      to = buffers(),
    ) {
      made.push({ ...to, wanted: data.filter((x) => x > limit && x < most) });
      plan.record(encoder, { input, ...to, length: 100, params: params as never });
    },
    async check() {
      for (const [at, { output, count, wanted }] of made.entries()) {
        const [kept = 0] = await readWords(device, count);
        expectSameBits((await readWords(device, output)).subarray(0, kept), wanted, `recording ${at}`);
      }
    },
  };
}

test.each(["single", "reduce-then-scan"] as const)("values belong to their recording, %s", async (passes) => {
  const { device, record, check, plan } = await compaction({ passes });
  const count = countsOf(device);
  const encoders = [0, 1, 2].map(() => device.createCommandEncoder());
  // More recordings than a buffer of values has places for.
  for (let at = 0; at < 60; at++) {
    record(encoders[at % 3] as GPUCommandEncoder, at % 50, 60 + (at % 7));
  }
  device.queue.submit([...encoders].reverse().map((encoder) => encoder.finish()));
  await check();
  // A GPU compiles the kernels for ranges that lie otherwise meanwhile.
  expect(isSimulated ? count() : 0).toBe(0);
  plan.destroy();
});

test("the same ranges with other values keep their bind groups", async () => {
  const { device, record, buffers } = await compaction();
  const to = buffers();
  let made = 0;
  const own = device.createBindGroup.bind(device);
  device.createBindGroup = (descriptor) => {
    made++;
    return own(descriptor);
  };
  try {
    const counts = [];
    for (let at = 0; at < 12; at++) {
      const encoder = device.createCommandEncoder();
      record(encoder, at, 90, { limit: at, most: 90 }, to);
      device.queue.submit([encoder.finish()]);
      counts.push(made);
    }
    expect(counts.at(-1)).toBe(counts[0]);
  } finally {
    device.createBindGroup = own;
  }
  expect([...(await readWords(device, to.count))]).toEqual([90 - 11 - 1]);
});

test("a buffer of the caller's", async () => {
  const { device, record, check } = await compaction();
  const alignment = device.limits.minUniformBufferOffsetAlignment;
  const words = new Uint32Array((alignment / 4) * 3);
  for (const [at, [limit, most]] of [
    [10, 20],
    [30, 95],
    [0, 2],
  ].entries()) {
    words.set([limit as number, most as number], (at * alignment) / 4);
  }
  const buffer = storageBuffer(device, words, UNIFORM | COPY_DST);
  const encoder = device.createCommandEncoder();
  record(encoder, 10, 20, buffer);
  record(encoder, 30, 95, { buffer, offset: alignment });
  record(encoder, 5, 50);
  record(encoder, 0, 2, { buffer, offset: 2 * alignment });
  device.queue.submit([encoder.finish()]);
  await check();
});

test("a buffer has the layout of a uniform", async () => {
  const { device } = fold();
  // By hand, as WGSL lays out a uniform struct of these members: structs and arrays at multiples of 16 bytes.
  const words = new Uint32Array(32);
  const floats = new Float32Array(words.buffer);
  words[0] = 3; // a: u32, at 0
  words.set([7, 1], 2); // b: u64, at 8
  floats.set([1, 2, 3], 4); // c: vec3<f32>, at 16
  floats[7] = 4; // d: f32, at 28
  floats.set([5, 6], 8); // e: Pair, at 32
  words[12] = 9; // f: u32, at 48
  floats.set([1, 2, 3, 4, 5, 6, 7, 8], 16); // g: array<vec4<f32>, 2>, at 64
  const buffer = storageBuffer(device, words, UNIFORM | COPY_DST);
  const types = { a: u32, b: u64, c: vec3(f32), d: f32, e: Pair, f: u32, g: fixedArray(vec4(f32), 2) };
  const map =
    "f64(a) + f64(b) + f64(c.x + c.y * 10.0 + c.z * 100.0) + f64(d) + f64(e.low) + f64(e.high) + f64(f) + f64(g[1].w) + x";
  const plan = await fold().prepareScan({ type: f64, maxLength: 1, map, params: types });
  const input = storageBuffer(device, new Uint32Array(2));
  const values = {
    a: 3,
    b: 0x1_0000_0007n,
    c: [1, 2, 3],
    d: 4,
    e: { low: 5, high: 6 },
    f: 9,
    g: [
      [1, 2, 3, 4],
      [5, 6, 7, 8],
    ],
  };
  for (const params of [buffer, values]) {
    const output = storageBuffer(device, new Uint32Array(2));
    const encoder = device.createCommandEncoder();
    plan.record(encoder, { input, output, length: 1, params });
    device.queue.submit([encoder.finish()]);
    const read = await readWords(device, output);
    expect(new Float64Array(read.buffer, read.byteOffset, 1)[0]).toBe(3 + 2 ** 32 + 7 + 321 + 4 + 11 + 9 + 8);
  }
});

test("a new value at hand compiles nothing", async () => {
  const one = await openFold({ adapter: await nextAdapter(), cpu: "never" });
  const data = Float32Array.from({ length: 50 }, (_, at) => at);
  const where = "x > f32(limit)";
  const countAt = async (limit: number) => (await one.compact(data, { where, params: { limit } })).length;
  expect(await countAt(10)).toBe(39);
  const count = countsOf(one.device);
  expect([await countAt(20), await countAt(48.5), await countAt(-1)]).toEqual([29, 1, 50]);
  // Of another type, it is another kernel.
  expect(count()).toBe(0);
  expect(await one.compact(data, { where, params: { limit: [u32, 10] } })).toHaveLength(39);
  expect(count()).toBeGreaterThan(0);
  one.destroy();
});

test("a new value on the CPU makes no new loop", () => {
  const text = (limit: number) => {
    const options = { where: "x > limit", params: { limit } };
    const params = paramsOfCall(options, "compact", { features: new Set(), mostBytes: 2 ** 16 });
    return mapText({ text: "x > limit", from: f32, to: "condition", params });
  };
  expect(text(1)).toBeDefined();
  expect(text(1)).toBe(text(2));
});

test("long arrays go in pieces, and streams take params", async () => {
  const one = await openFold({ adapter: await nextAdapter(), cpu: "never" });
  Object.assign(contextOf(one.device).kept, { pieceBytes: 96, longBytes: 96 });
  const data = Uint32Array.from({ length: 500 }, (_, at) => (at * 7919) % 1000);
  const params = { limit: [u32, 400] } as const;
  const kept = data.filter((x) => x > 400);
  for (const limit of [400, 100]) {
    expect(await one.compact(data, { where: "x > limit", params: { limit: [u32, limit] } })).toEqual(
      data.filter((x) => x > limit),
    );
  }
  expect(await one.scan(data, { map: "x % limit", params })).toEqual(
    await one.scan(data, { map: "x % 400u" }),
  );
  expect(await one.reduce(data, { map: "x % limit", params })).toEqual(
    await one.reduce(data, { map: "x % 400u" }),
  );
  expect(await one.scan(data, { map: "x % limit", params, segments: { rows: 100 } })).toEqual(
    await one.scan(data, { map: "x % 400u", segments: { rows: 100 } }),
  );
  const stream = one.compactStream({ type: u32, where: "x > limit", params });
  const writer = stream.writable.getWriter();
  const written = writer.write(data).then(() => writer.close());
  const read: number[] = [];
  for await (const chunk of stream.readable as unknown as AsyncIterable<Uint32Array>) {
    read.push(...chunk);
  }
  await written;
  expect(read).toEqual([...kept]);
  one.destroy();
});

test("a length on the GPU", async () => {
  const array = await fold().compact(await fold().upload(Uint32Array.from({ length: 90 }, (_, at) => at)), {
    where: "x >= limit",
    params: { limit: [u32, 30] },
  });
  const sums = await fold().scan(array, { map: "x + more", params: { more: [u32, 5] } });
  let sum = 0;
  expect(await sums.read()).toEqual(Uint32Array.from({ length: 60 }, (_, at) => (sum += at + 35)));
});

test("the type of an array is that of a param", async () => {
  const data = Float32Array.of(1, 2, 3);
  for (const one of [fold(), onCpu]) {
    const array = await one.upload(data);
    const pairs = await one.upload(Pair.array(1));
    const params = {
      least: [array.type, 2],
      most: [pairs.type, { low: 0, high: 3 }],
      by: [vec2(f32), Float64Array.of(1, 2)],
    } as const;
    const where = "x >= least && x < f32(most.high) && by.y == 2.0";
    expect(await one.compact(data, { where, params })).toEqual(Float32Array.of(2));
    expect(await (await one.compact(array, { where, params })).read()).toEqual(Float32Array.of(2));
    destroyAll(array, pairs);
  }
});

/** What TypeScript says of calls. Nothing runs it. */
async function typed(): Promise<void> {
  const data = Float32Array.of(1);
  const where = "true";
  const types = { a: 1, b: [u32, 5], c: [u64, 5n], d: [vec3(f32), [1, 2, 3]] } as const;
  await fold().compact(data, { where, params: types });
  const others = {
    e: [vec2(u32), Uint32Array.of(1, 2)],
    f: [fixedArray(vec4(f32), 1), [[1, 2, 3, 4]]],
  } as const;
  await fold().compact(data, { where, params: others });
  await fold().compact(data, {
    where,
    params: { g: [Pair, { low: 1, high: 2 }], h: [f16, 0.5], j: [i64, -5n] },
  });
  const floats = await fold().upload(data);
  const pairs = await fold().upload(Pair.array(1));
  const { type } = floats;
  await fold().compact(floats, {
    where,
    params: { k: [type, 1], l: [pairs.type, { low: 1, high: 2 }], m: [vec3(f32), new Float64Array(3)] },
  });
  await fold().prepareCompact({ type, where, params: { k: type, l: pairs.type }, maxLength: 1 });
  // @ts-expect-error WGSL has no u8.
  await fold().compact(data, { where, params: { a: [u8, 5] } });
  // @ts-expect-error a u64 is a bigint.
  await fold().compact(data, { where, params: { a: [u64, 5] } });
  // @ts-expect-error a u32 is a number.
  await fold().compact(data, { where, params: { a: [u32, 5n] } });
  // @ts-expect-error a vector has several numbers.
  await fold().compact(data, { where, params: { a: [vec3(f32), 5] } });
  // @ts-expect-error a struct has fields.
  await fold().compact(data, { where, params: { a: [Pair, 5] } });
}
void typed;

describe("what is refused", () => {
  const f32s = Float32Array.of(1, 2);
  const where = "x > limit";
  const calls: readonly (readonly [title: string, options: unknown, message: RegExp])[] = [
    ["null", { where, params: null }, /params is null; it takes an object/],
    ["empty", { where, params: {} }, /params is empty; it takes an object, such as \{ limit: f32 \}/],
    [
      "a text",
      { where, params: { limit: "1" } },
      /params: limit is "?1"?; it takes a number, which is an f32/,
    ],
    ["a bigint", { where, params: { limit: 1n } }, /limit is 1n; it takes a number/],
    [
      "another type",
      { where, params: { limit: [u32, 0.5] } },
      /params: limit: 0.5 is no value of u32, which takes whole numbers/,
    ],
    [
      "−1 for a u32",
      { where, params: { limit: [u32, -1] } },
      /params: limit: -1 is no value of u32; it wraps to 4294967295/,
    ],
    [
      "NaN for a u32",
      { where, params: { limit: [u32, Number.NaN] } },
      /params: limit: NaN is no value of u32/,
    ],
    [
      "a number for a u64",
      { where, params: { limit: [u64, 1] } },
      /params: limit: 1 is no value of u64, which takes a bigint/,
    ],
    [
      "out of range",
      { where, params: { limit: 1e39 } },
      /limit: 1e\+39 is no value of f32; the nearest is Infinity/,
    ],
    [
      "a narrow type",
      { where, params: { limit: [u8, 1] } },
      /limit: u8 is not a type of a field, since WGSL has none of its size: take u32$/,
    ],
    [
      "a value before its type",
      { where, params: { limit: [1, u32] } },
      /limit is \[1, u32\]; it takes a number, which is an f32, or \[type, value\], such as \[u32, 5\]$/,
    ],
    ["no type", { where, params: { limit: [{}, 1] } }, /params: limit: .* is not a type of a field/],
    [
      "a short vector",
      { where, params: { limit: [vec3(f32), [1, 2]] } },
      /params: limit: \[1, 2\] is no value of vec3<f32>/,
    ],
    [
      "an array of words",
      { where, params: { limit: [fixedArray(f32, 4), [1, 2, 3, 4]] } },
      /limit: the entries of array<f32, 4> are 4 bytes apart.* take 16 bytes/,
    ],
    ["a name that is none", { where, params: { "a-b": 1 } }, /params: name is "?a-b"?; it takes letters/],
    [
      "a reserved name",
      { where, params: { var: 1 } },
      /params: var is a reserved word of WGSL; choose another, such as var_/,
    ],
    [
      "x",
      { where, params: { x: 1 } },
      /params: x is the name of a parameter that texts have; choose another/,
    ],
    [
      "the name of a type",
      { where: "x > Pair", params: { Pair: 1, p: [Pair, { low: 1, high: 2 }] } },
      /params: the name Pair is that of a type or a function/,
    ],
    [
      "no text",
      { flags: [1, 0], params: { limit: 1 } },
      /: params are values for the WGSL of other options, and it was given none; give such an option, or leave them out$/,
    ],
    ["a param that is missing", { where: "x > limit && x < most", params: { limit: 1 } }, /most/],
  ];
  test.for(calls)("at hand: %s", async ([, options, message]) => {
    await expect(fold().compact(f32s, options as never)).rejects.toThrow(message);
    await expect(onCpu.compact(f32s, options as never)).rejects.toThrow(message);
    if (!Object(options).flags) {
      const array = await fold().upload(f32s);
      await expect(fold().compact(array, options as never)).rejects.toThrow(message);
      array.destroy();
    }
  });

  test("structs of one name", async () => {
    const other = struct({ name: "Pair", fields: { a: u32 } });
    const data = other.from([{ a: 1 }]);
    const params = { pair: [Pair, { low: 1, high: 2 }] } as const;
    await expect(fold().compact(data, { where: "x.a > 0u", params })).rejects.toThrow(
      /two different structs are both called struct Pair/,
    );
  });

  test("primitives without a text", async () => {
    await expect(fold().gather(f32s, Uint32Array.of(0), { params: { limit: 1 } } as never)).rejects.toThrow(
      "gather takes no option params",
    );
    await expect(fold().sort(f32s, { params: { limit: 1 } })).rejects.toThrow(/sort: params are values for/);
    await expect(fold().prepareSort({ type: f32, maxLength: 4, params: { limit: f32 } })).rejects.toThrow(
      /prepareSort: params are values for/,
    );
    await expect(fold().prepareCompact({ type: f32, maxLength: 4, params: { limit: f32 } })).rejects.toThrow(
      /prepareCompact: params are values for/,
    );
    await expect(
      fold().prepareCompact({ type: f32, maxLength: 4, where, params: { limit: 1 } } as never),
    ).rejects.toThrow(/prepareCompact: params: limit: 1 is not a type of a field/);
  });

  test("of recordings", async () => {
    const { device, plan, input, buffers } = await compaction();
    const { output, count } = buffers();
    const encoder = device.createCommandEncoder();
    const alignment = device.limits.minUniformBufferOffsetAlignment;
    const uniform = (bytes: number, usage = UNIFORM | COPY_DST) =>
      device.createBuffer({ size: bytes, usage });
    const ranges = { input, output, count, length: 4 };
    const bad: readonly (readonly [params: unknown, message: RegExp])[] = [
      [undefined, /params is undefined; it takes \{ limit, most \}/],
      [5, /params is 5; it takes \{ limit, most \}/],
      [{ limit: 1 }, /params has no most; it takes a value of u32 for it/],
      [{ limit: 1, most: 2, least: 3 }, /params has least; it takes \{ limit, most \}/],
      [{ limit: -1, most: 2 }, /params: limit: -1 is no value of u32/],
      [uniform(4), /params has 4 bytes from offset 0 on, and the uniform of limit, most takes 8/],
      [{ buffer: uniform(alignment + 4), offset: alignment }, /params has 4 bytes from offset/],
      [
        { buffer: uniform(1024), offset: 8 },
        /params' offset is 8 bytes; it takes a multiple of \d+, the device's minUniformBufferOffsetAlignment/,
      ],
      [{ buffer: uniform(1024), offset: -256 }, /params' offset is -256 bytes/],
      [{ buffer: uniform(1024), size: 4 }, /params has 4 bytes/],
      [uniform(64, 0x80), /params' buffer lacks the usage UNIFORM/],
      [{ buffer: {} }, /params has no limit|params has buffer/],
    ];
    for (const [params, message] of bad) {
      expect(() => plan.record(encoder, { ...ranges, params } as never)).toThrow(message);
      expect(() => plan.record(encoder, { ...ranges, params } as never)).toThrow(ArgumentError);
    }
    const shared = storageBuffer(device, new Uint32Array(1024), UNIFORM | 0x80);
    expect(() =>
      plan.record(encoder, { ...ranges, count: { buffer: shared, offset: 4 }, params: shared }),
    ).toThrow(/params .* and count .* overlap/);
    const without = await fold().prepareCompact({ type: u32, maxLength: 4, where: "x > 1u" });
    expect(() => without.record(encoder, { ...ranges, params: { limit: 1 } })).toThrow(
      /record is given params, and this was prepared without; prepare it with their types/,
    );
    // Nothing was recorded.
    device.queue.submit([encoder.finish()]);
    expect([...(await readWords(device, count))]).toEqual([0]);
  });

  test("more bytes than a uniform has", async () => {
    const most = fold().device.limits.maxUniformBufferBindingSize;
    const params = Object.fromEntries(
      Array.from({ length: most / 64 + 1 }, (_, at) => [`m${at}`, fixedArray(vec4(f32), 4)]),
    );
    await expect(
      fold().prepareCompact({ type: f32, maxLength: 4, where: "x > m0[0].x", params }),
    ).rejects.toThrow(/the params have \d+ bytes, and the device's limit for a uniform is/);
  });
});
