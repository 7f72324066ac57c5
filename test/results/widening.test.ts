import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from "vitest";
import { valuesOf } from "../../src/algebra/array_values.ts";
import type { AnyArray, ScalarArray } from "../../src/algebra/arrays.ts";
import { elementTypes } from "../../src/algebra/element_types.ts";
import { f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { maximum, minimum } from "../../src/algebra/operators.ts";
import type { Scalar, ScalarType, TypeName } from "../../src/algebra/types.ts";
import { f64, i64, u64 } from "../../src/algebra/types_64.ts";
import type { Fold } from "../../src/gpu/fold.ts";
import { ArgumentError, openFold } from "../../src/node.ts";
import { compactReference } from "../../src/reference/compact.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { expectSameBits } from "../support/compare.ts";
import { untyped, useFold } from "../support/fold.ts";
import { factsWith } from "../support/kernels.ts";
import { pair } from "../support/operators.ts";
import { planScan } from "../support/plans.ts";
import { anyItems, valuesAs } from "../support/random.ts";
import { runPlaced } from "../support/ranges.ts";

const fold = useFold();
let onCpu: Fold;
beforeAll(async () => {
  onCpu = await openFold({ cpu: "always" });
});
afterAll(() => onCpu.destroy());

/** Written out: which type has every value of which. */
const kept: Readonly<Record<TypeName, readonly TypeName[]>> = {
  u32: ["u64", "i64", "f64"],
  i32: ["i64", "f64"],
  f32: ["f64"],
  f16: ["f32", "f64"],
  u64: [],
  i64: [],
  f64: [],
};
const types = Object.values(elementTypes) as readonly ScalarType[];
const all = types.flatMap((from) =>
  types
    .filter((type) => type !== from)
    .map((type) => ({ from, type, names: `${from.name} to ${type.name}` })),
);
const isKept = ({ from, type }: (typeof all)[number]): boolean => kept[from.name].includes(type.name);
const lacks = (from: ScalarType): boolean => from.name === "f16" && !fold().device.features.has("shader-f16");

const itemsOf = (from: ScalarType, length: number): ScalarArray => {
  const items = anyItems(from.name, length, `widening ${from.name} ${length}`);
  const { lowest, greatest } = from;
  const extremes = valuesAs(from.name, from.kind === "float" ? [-0, lowest, greatest] : [lowest, greatest]);
  (items as Float32Array).set((extremes as Float32Array).subarray(0, length));
  return items;
};

/** The elements as values of another type, each on its own. NaN has the bits that `maximum` gives. */
const converted = (items: ScalarArray, from: ScalarType, type: ScalarType): ScalarArray => {
  const values = valuesOf(items, from);
  const convert = (value: number): Scalar =>
    typeof type.zero === "bigint" ? BigInt(value) : Number.isNaN(value) ? Number.NaN : value;
  return valuesAs(
    type.name,
    Array.from({ length: items.length }, (_, at) => convert(values(at) as number)),
  );
};

const LENGTH = 101;
const small = { workGroupSize: 8, itemsPerThread: 4 } as const;

/** Scans and reductions of items to another type, in a form, without a map. */
interface Form {
  readonly name: string;
  scan(items: ScalarArray, options: object): Promise<AnyArray>;
  reduce(items: ScalarArray, options: object): Promise<Scalar>;
}

const only = async (array: Promise<AnyArray>, { type }: { readonly type: ScalarType }): Promise<Scalar> =>
  valuesOf(await array, type)(0) as Scalar;

const streamOf = (items: ScalarArray): ReadableStream<ScalarArray> =>
  new ReadableStream({
    start(controller) {
      controller.enqueue((items as Float32Array).slice(0, 40));
      controller.enqueue((items as Float32Array).slice(40));
      controller.close();
    },
  });

type Named = { readonly type: ScalarType; readonly from: ScalarType };
const atHand = (name: string, opened: () => Fold, others: object): Form => {
  // Only bits of f16 need to be named.
  const named = (items: ScalarArray, { from, ...options }: Partial<Named>): object =>
    items instanceof Uint16Array ? { ...options, from } : options;
  return {
    name,
    scan: (items, options) => opened().scan(items, { ...named(items, options), ...others } as never),
    reduce: (items, options) =>
      opened().reduce(items, { ...named(items, options), ...others } as never) as Promise<Scalar>,
  };
};
const forms: readonly Form[] = [
  atHand("at hand", fold, small),
  atHand("on the CPU", () => onCpu, {}),
  {
    name: "on the GPU",
    async scan(items, { from, ...options }: Partial<Named>) {
      const data = await fold().upload(items, { type: from } as never);
      return (await (await fold().scan(data, { ...options, ...small } as never)).read()) as AnyArray;
    },
    async reduce(items, { from, ...options }: Partial<Named>) {
      const data = await fold().upload(items, { type: from } as never);
      const total = await fold().reduce(data, { ...options, ...small } as never);
      return only((total as unknown as { read(): Promise<AnyArray> }).read(), options as Named);
    },
  },
  {
    name: "recorded",
    async scan(items, options) {
      const { from, type } = options as Named;
      const scan = await fold().prepareScan({ ...options, ...small, maxLength: items.length } as never);
      const places = { input: 4, output: 4, shared: false };
      const record: Parameters<typeof runPlaced>[5] = (encoder, ranges) => scan.record(encoder, ranges);
      const { length } = items;
      return runPlaced(fold().device, from, items, length, places, record, "recorded", length, type);
    },
    async reduce(items, options) {
      const { from, type } = options as Named;
      const reduce = await fold().prepareReduce({ ...options, ...small, maxLength: items.length } as never);
      const places = { input: 4, output: 4, shared: false };
      const record: Parameters<typeof runPlaced>[5] = (encoder, ranges) => reduce.record(encoder, ranges);
      const total = runPlaced(fold().device, from, items, 1, places, record, "recorded", items.length, type);
      return only(total, { type });
    },
  },
  {
    name: "streams",
    async scan(items, options) {
      const results = streamOf(items).pipeThrough(fold().scanStream({ ...options, ...small } as never));
      const chunks: Uint8Array[] = [];
      for await (const chunk of results as AsyncIterable<ScalarArray>) {
        chunks.push(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength));
      }
      const bytes = new Uint8Array(await new Blob(chunks as never).arrayBuffer());
      const like = valuesAs((options as Named).type.name, []) as Float32Array;
      return new (like.constructor as typeof Float32Array)(bytes.buffer);
    },
    reduce: (items, options) =>
      fold().reduceStream(streamOf(items), { ...options, ...small } as never) as Promise<Scalar>,
  },
  {
    name: "the reference",
    scan: async (items, options) => scanReference(items, options as never),
    reduce: async (items, options) => reduceReference(items, options as never) as Scalar,
  },
];

/** The forms that no example has. */
const others = ["on the CPU", "streams", "the reference"];

describe.each(forms)("$name", (form) => {
  test.for(others.includes(form.name) ? all.filter(isKept) : [])(
    "$names: each value is kept",
    async ({ from, type }, { skip }) => {
      skip(lacks(from), "the adapter has no shader-f16");
      const items = itemsOf(from, LENGTH);
      const elements = converted(items, from, type);
      const total = async (op: object, others: object = {}): Promise<ScalarArray> =>
        valuesAs(type.name, [await form.reduce(items, { from, type, op, ...others })]);
      for (const op of [minimum, maximum].map(untyped)) {
        const plain = { op, type } as never;
        const expected = scanReference(elements, plain);
        expectSameBits(await form.scan(items, { from, type, op }), expected, op.name);
        expectSameBits(
          await total(op),
          valuesAs(type.name, [reduceReference(elements, plain) as Scalar]),
          `total, ${op.name}`,
        );
      }
      if (type.kind !== "float") {
        expectSameBits(
          await form.scan(items, { from, type, exclusive: true }),
          scanReference(elements, { exclusive: true }),
          "sums",
        );
      }
      // Rows of one element are the elements.
      const each = { from, type, op: untyped(maximum), segments: { rows: 1 } };
      expectSameBits(await form.scan(items, each), elements, "each element");
    },
  );

  test.for(all.filter((one) => !isKept(one)))("$names takes a map", async ({ from, type }, { skip }) => {
    skip(lacks(from) || lacks(type), "the adapter has no shader-f16");
    const items = itemsOf(from, LENGTH);
    const message = `the items are ${from.name}, and the result is ${type.name}; it takes a map from one to the other, such as map: "${type.name}(x)"`;
    for (const call of [
      async () => form.scan(items, { from, type }),
      async () => form.reduce(items, { from, type }),
    ]) {
      const error = await call().then(
        () => expect.fail("it was not refused"),
        (cause: unknown) => cause as ArgumentError,
      );
      expect(error).toBeInstanceOf(ArgumentError);
      expect(error.message).toMatch(new RegExp(`${message.replace(/[()]/g, "\\$&")}$`));
      expect(error.option).toBe("map");
    }
  });
});

test.for(["device", "CPU"])("segments and compactions: %s", async (where) => {
  const own = where === "CPU" ? onCpu : fold();
  const tuning = where === "CPU" ? {} : small;
  const data = Uint32Array.of(4294967295, 1, 4294967295, 7);
  const keys = Uint32Array.of(1, 1, 1, 5);
  const byKeys = await own.reduce(data, { type: u64, segments: { keys }, ...tuning });
  expectTypeOf(byKeys.values).toEqualTypeOf<BigUint64Array>();
  expect(byKeys).toEqual({ keys: Uint32Array.of(1, 5), values: BigUint64Array.of(8589934591n, 7n) });
  const byOwnKey = await own.reduce(data, { type: i64, segments: { key: "x / 2u" }, ...tuning });
  expect(byOwnKey.values).toEqual(BigInt64Array.of(4294967295n, 1n, 4294967295n, 7n));
  const columns = await own.reduce(data, { type: f64, segments: { columns: 2 }, ...tuning });
  expect(columns).toEqual(Float64Array.of(8589934590, 8));
  const offsets = { offsets: Uint32Array.of(0, 3, 4) };
  expect(await own.scan(data, { type: u64, segments: offsets, ...tuning })).toEqual(
    BigUint64Array.of(4294967295n, 4294967296n, 8589934591n, 7n),
  );
  const large = await own.compact(data, { type: u64, where: "x > 5u", ...tuning });
  expectTypeOf(large).toEqualTypeOf<BigUint64Array>();
  expect(large).toEqual(BigUint64Array.of(4294967295n, 4294967295n, 7n));
  expect(compactReference(data, (x) => x > 5, { type: u64 })).toEqual(large);
  const flags = [1, 0, 0, 1];
  expect(await own.compact(data, { type: f64, flags, ...tuning })).toEqual(Float64Array.of(4294967295, 7));
});

test("ends are of the result's type, and a partition keeps its elements", async () => {
  const data = Uint32Array.of(4294967295, 1);
  const total = new BigUint64Array(1);
  const into = new BigUint64Array(2);
  const made = await fold().scan(data, { type: u64, initial: 2n ** 40n, total, into });
  expect(made).toBe(into);
  expect(into).toEqual(BigUint64Array.of(1103806595071n, 1103806595072n));
  expect(total).toEqual(BigUint64Array.of(1103806595072n));
  const split = fold().partition(data, { type: u64, where: "x > 1u" } as never);
  await expect(split).rejects.toThrow("partition: Uint32Array holds u32, but type says u64");
  const structs = pair.from([{ key: 1, value: 2n }]);
  await expect(fold().reduce(structs, { type: u64 } as never)).rejects.toThrow(
    "reduce: the array holds Pair, but type says u64",
  );
  await expect(fold().reduce(data, { type: pair } as never)).rejects.toThrow(
    /the items are u32, and the result is Pair; it takes a map from one to the other$/,
  );
  await expect(fold().upload(data, { type: u64 } as never)).rejects.toThrow(
    "upload: Uint32Array holds u32, but type says u64",
  );
});

test("the kernels are those of the map", async () => {
  const plain = { type: u64, from: u32, maxLength: 100 } as const;
  const codes = async (others: object): Promise<string[]> =>
    (await planScan({ ...plain, ...others }, factsWith())).kernels.map(({ code }) => code);
  expect(await codes({})).toEqual(await codes({ map: "u64(x)" }));
});

/** Checked by tsc alone. */
async function typed(): Promise<void> {
  const data = Uint32Array.of(1);
  expectTypeOf(await fold().reduce(data, { type: u64 })).toEqualTypeOf<bigint>();
  expectTypeOf(await fold().reduce(data, { type: f64 })).toEqualTypeOf<number>();
  expectTypeOf(await fold().scan(data, { type: i64 })).toEqualTypeOf<BigInt64Array>();
  expectTypeOf(await fold().scan(Float32Array.of(1), { type: f64 })).toEqualTypeOf<Float64Array>();
  expectTypeOf(reduceReference(data, { type: u64 })).toEqualTypeOf<bigint>();
  expectTypeOf(scanReference(data, { type: f64 })).toEqualTypeOf<Float64Array>();
  const uploaded = await fold().upload(data);
  (await fold().scan(uploaded, { type: u64 })).type.name satisfies "u64";
  fold().scanStream({ type: u64, from: u32 });
  await fold().prepareReduce({ type: f64, from: f32, maxLength: 1 });
  // @ts-expect-error f32 does not have every value of u32.
  await fold().reduce(data, { type: f32 });
  // @ts-expect-error u64 does not have every value of i32.
  await fold().scan(Int32Array.of(1), { type: u64 });
  // @ts-expect-error f32 does not have every value of f64.
  scanReference(Float64Array.of(1), { type: f32 });
  // @ts-expect-error nor does a stream convert so.
  fold().scanStream({ type: u32, from: f32 });
}
void typed;

test("indices are not converted", async () => {
  const data = Uint32Array.of(1, 2);
  await expect(fold().compact(data, { type: u64, where: "x > 1", indices: true } as never)).rejects.toThrow(
    "compact<u64>: indices are u32, and are not converted; leave type out",
  );
});
