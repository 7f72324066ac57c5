import { afterAll, describe, expect, test, vi } from "vitest";
import { checkMonoid } from "../src/laws/index.ts";
import { argMax, varianceOf } from "../src/monoids/index.ts";
import type { WavefoldError } from "../src/node.ts";
import {
  ArgumentError,
  add,
  and,
  FeatureError,
  type Fold,
  f16,
  f32,
  f64,
  i32,
  LimitError,
  MissingPackageError,
  max,
  OutOfMemoryError,
  openFold,
  operator,
  struct,
  u32,
  u64,
} from "../src/node.ts";
import { compactReference, reduceReference, scanReference } from "../src/reference/index.ts";
import {
  identityOf,
  link,
  linkDirectives,
  numeric,
  subgroupOf,
  threadTileScan,
  wgslType,
  workGroupAllocate,
  workGroupReduce,
  workGroupScan,
  workGroupScanUpdate,
} from "../src/wgsl.ts";
import { storageBuffer } from "./support/buffers.ts";
import { adapter, useFold } from "./support/fold.ts";
import { nullGpu, useNullDevice } from "./support/null_device.ts";
import { watched } from "./support/watched_device.ts";

/** Packages that are as if they were not installed. */
const missing = vi.hoisted(() => new Set<string>());
vi.mock("node:module", async (original) => {
  const real = await original<typeof import("node:module")>();
  const createRequire = (from: string | URL): object => {
    const resolve = (name: string): string => {
      if (missing.has(name)) {
        throw new Error(`${name} is not installed`);
      }
      return real.createRequire(from).resolve(name);
    };
    return { resolve };
  };
  return { ...real, createRequire };
});

const fold = useFold();
const nullDevice = useNullDevice();

/** Less than what the calls below need. */
const limits = {
  maxStorageBufferBindingSize: 65_536,
  maxBufferSize: 65_536,
  maxComputeInvocationsPerWorkgroup: 128,
  maxComputeWorkgroupSizeX: 64,
  maxComputeWorkgroupStorageSize: 4096,
  maxComputeWorkgroupsPerDimension: 7,
};

const data = Uint32Array.of(3, 1, 7);
const Pair = struct({ name: "Pair", fields: { a: u32, b: u32 } });
const Large = struct({
  name: "Large",
  fields: Object.fromEntries([..."abcdefghijklmnop"].map((name) => [name, u32])),
});
const first = { name: "first", type: u32, identity: 0, combine: "earlier", reference: () => 0 } as const;
const grouping = {
  algorithm: "blelloch",
  passes: "reduce-then-scan",
  workGroupSize: 4,
  itemsPerThread: 2,
  subgroupSize: 4,
} as const;

type Fields = Readonly<Record<string, unknown>>;
type Row = readonly [what: string, call: () => unknown, option: string | undefined];

/** What a call throws, or is rejected with. */
async function errorOf(call: () => unknown): Promise<unknown> {
  try {
    const value = await call();
    return new Error(`it gave ${String(value)}`);
  } catch (cause) {
    return cause;
  }
}

/** Expects an error of this class, and of its own fields these and no other. A pattern finds a number in the message. */
async function expectError(
  call: () => unknown,
  kind: new (...given: never) => WavefoldError,
  fields: Fields,
): Promise<void> {
  const error = (await errorOf(call)) as Error;
  expect(error, String(error)).toBeInstanceOf(kind);
  const { name, ...own } = error as Error & Fields;
  expect(name).toBe(kind.name);
  const expected = Object.entries(fields).map(([field, value]) => [
    field,
    value instanceof RegExp ? Number(value.exec(error.message)?.[1]) : value,
  ]);
  expect(own, String(error)).toStrictEqual(Object.fromEntries(expected));
}

/** Calls at hand with options that are none of theirs. */
const scan =
  (options: object, array: unknown = data) =>
  () =>
    fold().scan(array as never, options as never);
const reduce = (options: object) => () => fold().reduce(data, options as never);
const compact = (options: object) => () => fold().compact(data, options as never);
const prepareScan = (options: object) => () =>
  fold().prepareScan({ type: u32, maxLength: 8, ...options } as never);
const prepareCompact = (options: object) => () =>
  fold().prepareCompact({ type: u32, where: "true", maxLength: 8, ...options } as never);

describe.each<[string, readonly Row[]]>([
  [
    "at hand",
    [
      ["a misspelled option", scan({ exlusive: true }), "exlusive"],
      ["an option of another call", reduce({ exclusive: true }), "exclusive"],
      ["options that are none", scan(null as never), "options"],
      ["no typed array", scan({}, [3, 1]), "data"],
      ["another type than the array's", scan({ type: f32 }), "map"],
      ["a struct's array and another type", scan({ type: u32 }, Pair.array(2)), "type"],
      ["another item type than the array's", scan({ type: f32, from: i32, map: "f32(x)" }), "from"],
      ["an item type that is none", scan({ type: f32, from: "u32", map: "f32(x)" }), "from"],
      ["a type that is none", scan({ type: "u32" }), "type"],
      ["no operator", scan({ op: "add" }), "op"],
      ["an operator that the type does not have", scan({ op: and }, Float32Array.of(1)), "op"],
      ["an operator for another type", scan({ op: operator(first) }, Float32Array.of(1)), "op"],
      ["a map that is none", scan({ map: 3 }), "map"],
      ["a type without a map", scan({ from: u32, type: f32 }), "map"],
      ["an algorithm that is none", scan({ algorithm: "kogge-stone" }), "algorithm"],
      ["passes that are none", scan({ passes: "double" }), "passes"],
      ["half a thread", reduce({ workGroupSize: 0.5 }), "workGroupSize"],
      ["no items", reduce({ itemsPerThread: 0 }), "itemsPerThread"],
      ["too many items", reduce({ itemsPerThread: 65 }), "itemsPerThread"],
      ["a tile of one item", scan({ workGroupSize: 1, itemsPerThread: 1 }), "workGroupSize"],
      ["neither where nor flags", compact({}), "where"],
      ["too few flags beside where", compact({ where: "true", flags: [1, 0] }), "flags"],
      ["a predicate that is none", compact({ where: 3 }), "where"],
      ["an empty predicate", compact({ where: " " }), "where"],
      ["too few flags", compact({ flags: [1] }), "flags"],
      ["flags that are none", compact({ flags: 1 }), "flags"],
      ["a map of positions", compact({ where: "true", map: "x", indices: true }), "map"],
      [
        "an array that is transferred",
        () => {
          const array = new Uint32Array(8);
          const call = fold().scan(array);
          structuredClone(array.buffer, { transfer: [array.buffer] });
          return call;
        },
        "data",
      ],
    ],
  ],
  [
    "prepared",
    [
      ["a misspelled option", prepareScan({ maxLenght: 8 }), "maxLenght"],
      ["flags, which record takes", prepareCompact({ flags: [1, 0, 1] }), "flags"],
      ["a length below zero", prepareScan({ maxLength: -1 }), "maxLength"],
      ["a type that is none", prepareScan({ type: undefined }), "type"],
      ["an item type that is none", prepareScan({ from: 3, map: "x" }), "from"],
      ["an indirect call that is none", prepareCompact({ indirect: {} }), "indirect"],
      ["a count that is none", prepareCompact({ indirect: { draw: { vertexCount: 0 } } }), "vertexCount"],
    ],
  ],
  [
    "openFold",
    [
      ["a misspelled option", () => openFold({ adaptor: "gpu" } as never), "adaptor"],
      ["an adapter that is none", () => openFold({ adapter: {} } as never), "adapter"],
      ["an adapter's name that is none", () => openFold({ adapter: "cpu" } as never), "adapter"],
      ["a device that is none", () => openFold({ device: {} } as never), "device"],
      ["half a pipeline", () => openFold({ maxPipelines: 0.5 }), "maxPipelines"],
    ],
  ],
  [
    "in a kernel",
    [
      ["no threads", () => workGroupScan({ type: u32, workGroupSize: 0 }), "workGroupSize"],
      ["no type", () => workGroupScan({ workGroupSize: 32 } as never), "type"],
      ["no operator", () => workGroupScan({ type: u32, op: 3 as never, workGroupSize: 32 }), "op"],
      ["an operator on another type", () => identityOf({ type: f32, op: and as never }), "op"],
      [
        "an algorithm that is none",
        () => workGroupReduce({ type: u32, workGroupSize: 32, algorithm: {} as never }),
        "algorithm",
      ],
      ["a suffix", () => workGroupScan({ type: u32, workGroupSize: 32, suffix: "a-b" }), "suffix"],
      [
        "an option of another function",
        () => workGroupScan({ type: u32, workGroupSize: 32, tileSize: 8 } as never),
        "tileSize",
      ],
      ["a tile", () => threadTileScan({ type: u32, workGroupSize: 32, tileSize: 3 }), "tileSize"],
      ["a counter", () => workGroupAllocate({ workGroupSize: 32, counter: "a b" }), "counter"],
      ["a counter's name", () => workGroupAllocate({ workGroupSize: 32, counter: "min" }), "counter"],
      [
        "a capacity",
        () => workGroupAllocate({ workGroupSize: 32, counter: "used", capacity: -1 }),
        "capacity",
      ],
      [
        "a type that has no atomic",
        () => workGroupScanUpdate({ type: u64, workGroupSize: 32, counter: "used" } as never),
        "type",
      ],
      ["a subgroup's size", () => subgroupOf({ minSize: 5 }), "minSize"],
      ["sizes in the wrong order", () => subgroupOf({ minSize: 32, maxSize: 16 }), "maxSize"],
      ["a type that WGSL has", () => numeric(u32), "type"],
      ["a numeric type that is none", () => numeric("u64" as never), "type"],
    ],
  ],
  [
    "link",
    [
      ["no kernel", () => link(undefined as never, []), "kernel"],
      ["no source", () => linkDirectives(3 as never), "source"],
      ["a misspelled option", () => link("", [], { nmae: "a" } as never), "nmae"],
      [
        "one name for two functions",
        () => {
          const [a, b] = [32, 64].map((workGroupSize) =>
            workGroupScan({ type: u32, workGroupSize, suffix: "s" }),
          );
          const name = "work_group_scan_inclusive_add_u32_s";
          return link(`fn f() { ${name}(); }`, [a, b] as never);
        },
        "functions",
      ],
      [
        "a name of ours",
        () =>
          link("fn max() {} fn f() { work_group_reduce_max_u32(); }", [
            workGroupReduce({ type: u32, op: max, workGroupSize: 32 }),
          ]),
        "kernel",
      ],
      [
        "another work-group size",
        () =>
          link("@compute @workgroup_size(64) fn main() { work_group_reduce_add_u32(); }", [
            workGroupReduce({ type: u32, workGroupSize: 32 }),
          ]),
        "kernel",
      ],
    ],
  ],
  [
    "reference",
    [
      ["a misspelled option", () => scanReference(data, { exlusive: true } as never), "exlusive"],
      ["no typed array", () => scanReference([1] as never), "data"],
      ["another type", () => reduceReference(data, { type: f32 } as never), "map"],
      [
        "another item type",
        () => scanReference(data, { from: f32, type: f32, map: (x: number) => x } as never),
        "from",
      ],
      ["a map that is none", () => scanReference(data, { map: 3 } as never), "map"],
      ["a map without code", () => scanReference(data, { map: " " }), "map"],
      ["a map that gives no number", () => scanReference(data, { map: () => "x" } as never), "map"],
      ["a type without a map", () => scanReference(data, { from: u32, type: f32 } as never), "map"],
      ["no operator", () => scanReference(data, { op: {} } as never), "op"],
      [
        "an operator that gives no number",
        () => scanReference(data, { op: operator({ ...first, reference: () => "x" as never }) }),
        "reference",
      ],
      ["a grouping", () => scanReference(data, { grouping: { ...grouping, rows: 0 } as never }), "grouping"],
      ["no predicate", () => compactReference(data, true as never), "keep"],
    ],
  ],
  [
    "operator()",
    [
      ["no definition", () => operator(undefined as never), "definition"],
      ["an unknown property", () => operator({ ...first, referense: max } as never), "referense"],
      ["no name", () => operator({ ...first, name: "a b" }), "name"],
      ["no type", () => operator({ ...first, type: undefined as never }), "type"],
      ["no combine", () => operator({ ...first, combine: "" }), "combine"],
      ["no reference", () => operator({ ...first, reference: 3 as never }), "reference"],
      ["declarations", () => operator({ ...first, declarations: 3 as never }), "declarations"],
      ["the identity", () => operator({ ...first, identity: -1 }), "identity"],
    ],
  ],
  [
    "struct()",
    [
      ["no definition", () => struct(null as never), "definition"],
      ["an unknown property", () => struct({ name: "A", fields: { a: u32 }, size: 4 } as never), "size"],
      ["a name that is none", () => struct({ name: "A B", fields: { a: u32 } }), "name"],
      ["a lower-case name", () => struct({ name: "pair", fields: { a: u32 } }), "name"],
      ["a reserved name", () => struct({ name: "Self", fields: { a: u32 } }), "name"],
      ["no fields", () => struct({ name: "A", fields: {} }), "fields"],
      ["a field's name", () => struct({ name: "A", fields: { "a b": u32 } }), "fields"],
      ["a field's reserved name", () => struct({ name: "A", fields: { self: u32 } }), "fields"],
      ["a field of no type", () => struct({ name: "A", fields: { a: "u32" as never } }), "fields"],
      ["a struct of its name", () => struct({ name: "Pair", fields: { a: Pair } }), "fields"],
      ["a size", () => struct({ name: "A", fields: { a: f16 } }), "fields"],
      ["half a struct", () => Pair.array(0.5), "length"],
      ["more than there is memory for", () => Large.array(2 ** 32 - 1), "length"],
      ["an offset", () => Pair.over(new ArrayBuffer(8), -4), "byteOffset"],
      ["an offset past the end", () => Pair.over(new ArrayBuffer(8), 16), "byteOffset"],
      ["half a length", () => Pair.over(new ArrayBuffer(8), 0, 0.5), "length"],
      ["a length past the end", () => Pair.over(new ArrayBuffer(8), 0, 2), "length"],
      ["an index", () => Pair.array(2).get(2), "index"],
      ["a value", () => Pair.array(2).set(0, { a: 1, b: -1 }), "value"],
    ],
  ],
  [
    "checkMonoid and ready-made monoids",
    [
      ["an unknown option", () => checkMonoid(operator(first), { runz: 5 } as never), "runz"],
      ["no cases", () => checkMonoid(operator(first), { cases: 0 }), "cases"],
      ["half a seed", () => checkMonoid(operator(first), { seed: 0.5 }), "seed"],
      ["no values", () => checkMonoid(operator(first), { values: [] }), "values"],
      ["a value of another type", () => checkMonoid(operator(first), { values: [-1] }), "values"],
      ["no type", () => checkMonoid(max as never), "type"],
      [
        "a reference that gives another type's value",
        () => checkMonoid(operator({ ...first, reference: () => -1 })),
        "reference",
      ],
      ["a type that is none", () => argMax("u32" as never), "type"],
      ["a variance of nothing", () => varianceOf({ count: 0, mean: 0, m2: 0 }), "count"],
    ],
  ],
])("an ArgumentError names the option: %s", (_, cases) => {
  test.each(cases)("%s", (__, call, option) => expectError(call, ArgumentError, { option }));
});

describe("an ArgumentError of record names the range", () => {
  /** Records into ranges that replace good ones. */
  const recorded =
    (given: (buffer: GPUBuffer, other: GPUBuffer) => object, options: object = {}) =>
    async (): Promise<void> => {
      const one = await openFold({ device: nullDevice() });
      const { device } = one;
      const plan = await one.prepareCompact({ type: u32, where: "true", maxLength: 8, ...options });
      const [input, output, count] = [8, 16, 1].map((length) =>
        storageBuffer(device, new Uint32Array(length)),
      ) as [GPUBuffer, GPUBuffer, GPUBuffer];
      const ranges = { input, output, count, length: 8, ...given(input, output) };
      plan.record(device.createCommandEncoder(), ranges as never);
    };
  test("good ranges are recorded", () => recorded(() => ({}))());
  test.each<Row>([
    ["an unknown range", recorded((buffer) => ({ flag: buffer })), "flag"],
    ["an unknown part of a range", recorded((buffer) => ({ input: { buffer, ofset: 4 } })), "ofset"],
    ["no range", recorded(() => ({ output: undefined })), "output"],
    ["flags for a predicate", recorded((buffer) => ({ flags: buffer })), "flags"],
    ["no flags", recorded(() => ({}), { where: undefined }), "flags"],
    ["no buffer", recorded(() => ({ count: { buffer: {} } })), "count"],
    ["a size", recorded((buffer) => ({ input: { buffer, size: -4 } })), "input"],
    ["an offset", recorded((buffer) => ({ input: { buffer, offset: 2 } })), "input"],
    ["too few bytes", recorded((buffer) => ({ input: { buffer, offset: 4 } })), "input"],
    ["no usage", recorded(() => ({ count: nullDevice().createBuffer({ size: 4, usage: 0x8 }) })), "count"],
    ["a length below zero", recorded(() => ({ length: -1 })), "length"],
    ["a length over maxLength", recorded(() => ({ length: 9 })), "length"],
    ["a length on the GPU", recorded((buffer) => ({ length: buffer })), "length"],
    ["no length on the GPU", recorded(() => ({}), { lengthOnGpu: true }), "length"],
    ["ranges that overlap", recorded((_, other) => ({ input: { buffer: other, offset: 4 } })), "input"],
    ["a count on top of the input", recorded((buffer) => ({ count: { buffer, offset: 4 } })), "input"],
    [
      "ranges that no dispatch binds",
      recorded((_, buffer) => ({ length: { buffer, offset: 60 }, count: { buffer, offset: 56 } }), {
        lengthOnGpu: true,
      }),
      "output",
    ],
  ])("%s", (_, call, option) => expectError(call, ArgumentError, { option }));

  test("an encoder that is none, and a plan that was destroyed", async () => {
    const plan = await fold().prepareScan({ type: u32, maxLength: 8 });
    await expectError(() => plan.record({} as never, {} as never), ArgumentError, { option: "encoder" });
    plan.destroy();
    const encoder = fold().device.createCommandEncoder();
    await expectError(() => plan.record(encoder, {} as never), ArgumentError, { option: undefined });
  });
});

describe.each(["", " \n\t", "// x > 2u", "/* x */ // y\n", "/* a /* b */ */"])(
  "the text %j is empty",
  (text) => {
    const segmentsBy = (key: string) => ({ segments: { key } }) as never;
    const more = { type: u32, maxLength: 8 } as const;
    const lengths = wgslType({ name: "vec2u" });
    const identified = { name: "own", type: lengths, identity: text, combine: "earlier" } as const;
    const parts = { classes: 2, class: text };
    const inKernel = { workGroupSize: 8, counter: "used", capacity: text } as const;
    test.each<Row>([
      ["scan, map", () => fold().scan(data, { map: text }), "map"],
      ["reduce, map", () => fold().reduce(data, { map: text }), "map"],
      ["reduce by keys", () => fold().reduce(data, segmentsBy(text)), "segments"],
      ["compact, where", () => fold().compact(data, { where: text }), "where"],
      ["compact, map", () => fold().compact(data, { where: "true", map: text }), "map"],
      ["partition, where", () => fold().partition(data, { where: text }), "where"],
      ["partition, class", () => fold().partition(data, parts), "class"],
      ["histogram, bin", () => fold().histogram(data, { bins: 2, bin: text }), "bin"],
      ["sort, key", () => fold().sort(data, { key: text }), "key"],
      ["topK, key", () => fold().topK(data, 1, { key: text }), "key"],
      ["unique, key", () => fold().unique(data, { key: text }), "key"],
      ["on the GPU", async () => fold().compact(await fold().upload(data), { where: text }), "where"],
      ["prepareScan, map", () => fold().prepareScan({ ...more, map: text }), "map"],
      ["prepareCompact, where", () => fold().prepareCompact({ ...more, where: text }), "where"],
      ["preparePartition, class", () => fold().preparePartition({ ...more, ...parts }), "class"],
      ["prepareHistogram, bin", () => fold().prepareHistogram({ ...more, bins: 2, bin: text }), "bin"],
      ["prepareSort, key", () => fold().prepareSort({ ...more, key: text }), "key"],
      [
        "prepareReduce, key",
        () => fold().prepareReduce({ ...more, segments: { keys: u32, key: text } }),
        "segments",
      ],
      [
        "compactStream, where",
        () => {
          const { readable, writable } = fold().compactStream({ type: u32, where: text });
          writable.close().catch(() => {});
          return readable.getReader().read();
        },
        "where",
      ],
      ["reduceStream, map", () => fold().reduceStream([data] as never, { type: u32, map: text }), "map"],
      ["operator, combine", () => operator({ ...first, combine: text }), "combine"],
      ["workGroupAllocate, capacity", () => workGroupAllocate(inKernel), "capacity"],
      ["operator on a type of WGSL, identity", () => operator(identified), "identity"],
    ])("%s", async (_, call, option) => {
      const error = await errorOf(call);
      expect(error).toBeInstanceOf(ArgumentError);
      expect((error as ArgumentError).option).toBe(option);
      // The capacity may be a number, and the identity of a type of WGSL is a value: both messages show what was given.
      if (option !== "capacity" && option !== "identity") {
        expect((error as Error).message).toMatch(/(where|map|key|class|bin|combine)(:| is) empty; it takes/);
      }
    });
  },
);

type Limited = [what: string, call: (one: Fold) => unknown, fields: Fields];

describe("a LimitError has both numbers", () => {
  test.each<Limited>([
    [
      "threads",
      (one) => one.scan(data, { workGroupSize: 256 }),
      { option: "workGroupSize", needed: 256, limit: limits.maxComputeWorkgroupSizeX },
    ],
    [
      "items that a binding holds",
      (one) => one.prepareReduce({ type: f64, maxLength: 8193 }),
      { option: "maxLength", needed: 8193, limit: limits.maxStorageBufferBindingSize / 8 },
    ],
    [
      "an array's elements",
      (one) => one.upload(new Uint32Array(20_000)),
      { option: "data", needed: 20_000, limit: limits.maxBufferSize / 4 },
    ],
    ...(
      [
        ["searchSorted, sorted", (one, long) => one.searchSorted(long, data), "sorted"],
        ["searchSorted, values", (one, long) => one.searchSorted(data, long), "values"],
        ["histogram", (one, long) => one.histogram(long, { bins: 1, range: [0, 1] }), "data"],
        ["expandRuns", (one, long) => one.expandRuns(long, long), "values"],
        [
          "scan by offsets",
          (one, long) => one.scan(new Uint32Array(1), { segments: { offsets: long.fill(1, 1) } }),
          "segments",
        ],
        [
          "sort by offsets",
          (one, long) => one.sort(new Uint32Array(1), { segments: { offsets: long.fill(1, 1) } }),
          "segments",
        ],
        ["sort of rows", (one, long) => one.sort(long, { segments: { rows: 2 } }), "data"],
        ["topK", (one, long) => one.topK(long, 2), "data"],
        ["nth", (one, long) => one.nth(long, 2), "data"],
        ["partition", (one, long) => one.partition(long, { where: "true" }), "data"],
      ] as const satisfies readonly (readonly [
        string,
        (one: Fold, long: Uint32Array<ArrayBuffer>) => unknown,
        string,
      ])[]
    ).map(
      ([what, call, option]): Limited => [
        what,
        (one) => call(one, new Uint32Array(20_000)),
        { option, needed: 20_000, limit: limits.maxStorageBufferBindingSize / 4 },
      ],
    ),
    ...(
      [
        ["values of a sort", (one, halves, long) => one.sort(halves, { values: long }), "values"],
        ["keys", (one, halves, long) => one.reduce(halves, { segments: { keys: long } }), "segments"],
      ] as const satisfies readonly (readonly [
        string,
        (one: Fold, short: Uint32Array, long: Float64Array) => unknown,
        string,
      ])[]
    ).map(
      ([what, call, option]): Limited => [
        what,
        (one) => call(one, new Uint32Array(10_000), new Float64Array(10_000)),
        { option, needed: 10_000, limit: limits.maxBufferSize / 8 },
      ],
    ),
    [
      "work-group memory of a size",
      (one) => one.prepareReduce({ type: Large, op: largeOperator, workGroupSize: 64, maxLength: 8 }),
      { option: "workGroupSize", needed: /needs (\d+) bytes/, limit: limits.maxComputeWorkgroupStorageSize },
    ],
    [
      "work-group memory of an algorithm and a size",
      (one) =>
        one.prepareReduce({
          type: Large,
          op: largeOperator,
          algorithm: "hillis-steele",
          workGroupSize: 64,
          maxLength: 8,
        }),
      { option: "algorithm", needed: /needs (\d+) bytes/, limit: limits.maxComputeWorkgroupStorageSize },
    ],
    [
      "scratch",
      (one) =>
        one.prepareScan({
          type: u64,
          maxLength: 8192,
          passes: "single",
          workGroupSize: 1,
          itemsPerThread: 2,
        }),
      { option: "maxLength", needed: /takes (\d+) bytes/, limit: limits.maxBufferSize },
    ],
    [
      "scratch at hand",
      (one) => one.scan(new BigUint64Array(8192), { passes: "single", workGroupSize: 1, itemsPerThread: 2 }),
      { option: "data", needed: /takes (\d+) bytes/, limit: limits.maxBufferSize },
    ],
    [
      "work-groups",
      (one) => one.reduce(new Uint32Array(400), { workGroupSize: 4, itemsPerThread: 2 }),
      { option: undefined, needed: 50, limit: limits.maxComputeWorkgroupsPerDimension ** 2 },
    ],
    [
      "bytes of a binding",
      async (one) => {
        const { device } = one;
        const plan = await one.prepareScan({ type: u32, maxLength: 16_384 });
        const [input, output] = [1, 2].map(() => storageBuffer(device, new Uint32Array(16_385))) as [
          GPUBuffer,
          GPUBuffer,
        ];
        const ranges = { input: { buffer: input, offset: 4 }, output, length: 16_384 };
        plan.record(device.createCommandEncoder(), ranges);
      },
      { option: "input", needed: 65_540, limit: limits.maxStorageBufferBindingSize },
    ],
  ])("%s", async (_, call, fields) => {
    const { device, made } = watched(nullDevice(), { limits });
    const one = await openFold({ device });
    const before = made().length;
    await expectError(() => call(one), LimitError, fields);
    if (fields.option !== "input" && fields.option !== undefined) {
      expect(made().slice(before), "buffers").toEqual([]);
    }
  });
});

const largeOperator = operator({
  name: "first",
  type: Large,
  identity: Object.fromEntries(Object.keys(Large.fields).map((name) => [name, 0])) as never,
  combine: "earlier",
  reference: (earlier) => earlier,
});

describe("a FeatureError names the feature", () => {
  const bare = async (): Promise<Fold> => {
    const device = (await (await nullGpu().requestAdapter())?.requestDevice()) as GPUDevice;
    afterAll(() => device.destroy());
    return openFold({ device });
  };
  test.each<[what: string, call: (one: Fold) => unknown, feature: string]>([
    ["a type's", (one) => one.scan(Uint16Array.of(1), { type: f16 }), "shader-f16"],
    [
      "the item type's of a map",
      (one) => one.prepareScan({ type: f32, from: f16, map: "f32(x)", maxLength: 8 }),
      "shader-f16",
    ],
    ["an algorithm's", (one) => one.scan(data, { op: add, algorithm: "subgroup" }), "subgroups"],
  ])("%s", async (_, call, feature) => {
    const one = await bare();
    await expectError(() => call(one), FeatureError, { feature });
  });
});

test.each(["webgpu", "@sparticuz/chromium"])("a MissingPackageError names the package %s", async (name) => {
  missing.add(name);
  try {
    await expectError(() => openFold({ adapter: "software" }), MissingPackageError, { package: name });
  } finally {
    missing.delete(name);
  }
});

// A GPU may well have room for the largest buffer.
test.skipIf(adapter === "gpu")("an OutOfMemoryError has the bytes", async () => {
  const { maxBufferSize } = fold().device.limits;
  const { device } = watched(fold().device, {
    buffer: (one) => ({ ...one, ...(one.label?.endsWith(" output") && { size: maxBufferSize }) }),
  });
  const one = await openFold({ device });
  await expectError(() => one.scan(new Uint32Array(600)), OutOfMemoryError, { needed: 2400 });
});

// It is the last test, since later ones would load other copies of the modules.
test("a MissingPackageError names the package fast-check", async () => {
  vi.doMock("fast-check", () => {
    throw new Error("Cannot find package 'fast-check'");
  });
  try {
    vi.resetModules();
    const { checkMonoid } = await import("../src/laws/index.ts");
    const error = await errorOf(() => checkMonoid(add, { type: u32 }));
    // Each copy of the modules has its own class.
    expect(error).toMatchObject({ name: "MissingPackageError", package: "fast-check" });
    expect(String(error)).toContain("npm install --save-dev fast-check");
  } finally {
    vi.doUnmock("fast-check");
    vi.resetModules();
  }
});
