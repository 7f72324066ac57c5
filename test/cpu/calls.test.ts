import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { settable, valuesOf } from "../../src/algebra/array_values.ts";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { arrayOver } from "../../src/algebra/arrays.ts";
import { elementTypes } from "../../src/algebra/element_types.ts";
import type { Operator } from "../../src/algebra/monoid.ts";
import { operators } from "../../src/algebra/operator_table.ts";
import type { Segments } from "../../src/algebra/segments.ts";
import type { ElementType, TypeName } from "../../src/algebra/types.ts";
import { Fold } from "../../src/gpu/fold.ts";
import { openFold } from "../../src/node.ts";
import { compactReference } from "../../src/reference/compact.ts";
import { partitionReference } from "../../src/reference/partition.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { expectSameBits } from "../support/compare.ts";
import { pairs } from "../support/pairs.ts";
import { anyItems, randomBits } from "../support/random.ts";

// Scans, reductions, compactions and partitions at hand on the CPU, against the references, on every element. There is no GPU, and no call
// may need the simulated one.

let fold: Fold;
beforeAll(async () => {
  fold = await openFold({ cpu: "always" });
});
afterAll(() => {
  expect(() => Fold.contextOf(fold).device, "a call needed a device").toThrow("cpu");
  fold.destroy();
});

type Options = Readonly<Record<string, unknown>>;
const types = Object.keys(elementTypes) as TypeName[];
const lengths = [0, 1, 2, 31, 255, 256, 257, 5000];

const roomFor = (type: ElementType, length: number): AnyArray =>
  arrayOver(type, new ArrayBuffer(length * type.bytes));

/** The same array, but each NaN has the same bits, and no zero a sign. */
function withoutSigns(type: ElementType, array: AnyArray): AnyArray {
  const numbers = valuesOf(array, type);
  const made = roomFor(type, array.length);
  const { set } = settable(made, type);
  for (let at = 0; at < array.length; at++) {
    const number = numbers(at) as number;
    set(at, Number.isNaN(number) ? Number.NaN : number === 0 ? 0 : number);
  }
  return made;
}

/** What an operator takes, if it is not of all types. */
const takes = (op: Operator, type: ElementType): boolean => {
  try {
    op.on?.(op, type, "test");
    return true;
  } catch {
    return false;
  }
};

/** Where segments start, of each kind. */
function segmentsOf(kind: string, length: number): Segments | undefined {
  const next = randomBits(`${kind} ${length}`);
  const divisors = [...Array(length).keys()].map((at) => at + 1).filter((count) => length % count === 0);
  const size = divisors[next() % Math.max(1, divisors.length)] ?? 1;
  switch (kind) {
    case "rows":
      return { rows: size };
    case "columns":
      return { columns: size };
    case "offsets": {
      const inner = Array.from({ length: 6 }, () => next() % (length + 1)).sort((a, b) => a - b);
      return { offsets: Uint32Array.of(0, ...inner, length) };
    }
    case "heads":
      return { heads: Array.from({ length }, () => next() % 5 === 0) };
    case "headBits":
      return { headBits: Uint32Array.from({ length: Math.ceil(length / 32) }, () => next() & next()) };
    case "keys":
      return { keys: Int32Array.from({ length }, () => next() % 2) };
    default:
      return undefined;
  }
}

const folded = pairs({
  type: types,
  op: Object.keys(operators) as (keyof typeof operators)[],
  length: lengths,
  exclusive: [false, true],
  hasInitial: [false, true],
  into: ["new", "data", "another"],
  segments: ["none", "rows", "columns", "offsets", "heads", "headBits", "keys"],
}).filter(({ op, type }) => takes(operators[op] as Operator, elementTypes[type] as ElementType));

test.for(folded)("$op of $type, $length elements, $segments", async (row) => {
  const { type: name, op: opName, length, exclusive, hasInitial, into, segments: kind } = row;
  const type = elementTypes[name] as ElementType;
  const data = anyItems(name, length, JSON.stringify(row));
  const before = (data as Uint32Array).slice() as AnyArray;
  const segments = segmentsOf(kind, length);
  const rounds = type.kind === "float" && (opName === "add" || opName === "mul");
  // The reference combines an initial value with the total of a segment, which the CPU rounds in another order.
  const initial = hasInitial && !(rounds && segments) && anyItems(name, 1, `initial ${JSON.stringify(row)}`);
  const common = { type, op: operators[opName], ...(initial && { initial }), ...(segments && { segments }) };
  const totals = [0, 1].map(() => arrayOver(type, new ArrayBuffer(type.bytes)));
  const optionsWith = (total: AnyArray | undefined): never =>
    ({ ...common, exclusive, ...(!segments && { total }) }) as never;
  const expected = scanReference(data as Uint32Array, optionsWith(totals[0]));

  const reduced: unknown = await fold.reduce(data as Uint32Array, common as never);
  const total: unknown = reduceReference(data as Uint32Array, common as never);

  const room = into === "new" ? undefined : into === "data" ? data : roomFor(type, length);
  const options = { ...(optionsWith(totals[1]) as Options), ...(room && { into: room }) };
  const scanned = await fold.scan(data as Uint32Array, options as never);
  // What bits a NaN has that a sum of floats gives is open, and so is the sign of a sum of zeros.
  const shown = (array: AnyArray): AnyArray => (rounds ? withoutSigns(type, array) : array);
  const arrayOf = (result: unknown): AnyArray => {
    const { values } = Object(result) as { readonly values?: unknown };
    const array = ArrayBuffer.isView(result) ? result : values;
    if (ArrayBuffer.isView(array)) {
      return array as AnyArray;
    }
    const one = roomFor(type, 1);
    settable(one, type).set(0, result as number);
    return one;
  };
  expectSameBits(shown(arrayOf(reduced)), shown(arrayOf(total)), "totals");
  expect((reduced as { readonly keys?: unknown }).keys).toEqual((total as { readonly keys?: unknown }).keys);
  expectSameBits(shown(scanned as AnyArray), shown(expected as AnyArray), "prefixes");
  expectSameBits(shown(totals[1] as AnyArray), shown(totals[0] as AnyArray), "the total");
  if (room) {
    expect(scanned).toBe(room);
  }
  if (into !== "data") {
    expectSameBits(data, before, "the data");
  }
});

test("exact sums of a map with params, and at positions", async () => {
  const { exactAdd } = operators;
  const scaled = { op: exactAdd, map: "x * scale", params: { scale: 0.5 } } as const;
  const data = Float32Array.of(2e8, 2, -2e8, 1);
  expect(await fold.reduce(data, scaled)).toBe(1.5);
  expect([...(await fold.scan(data, { ...scaled, reverse: true }))]).toEqual([1.5, -1e8, -1e8, 0.5]);
  expect(await fold.reduce(data, { op: exactAdd, type: elementTypes.f64, initial: 1e-300 })).toBe(3);
  const positions = Uint32Array.of(2, 0, 2, 0);
  const scattered = await fold.scatter(Float64Array.of(1e308, 1, -1e308, 1e-16), positions, {
    op: exactAdd,
    length: 4,
  });
  expect([...scattered]).toEqual([1, 0, 0, 0]);
});

const selected = pairs({
  type: types,
  length: lengths,
  by: ["flags", "a text", "classes"],
  indices: [false, true],
  into: ["new", "data", "another"],
});

describe("selections", () => {
  test.for(selected)("$type, $length elements by $by, indices: $indices", async (row) => {
    const { type: name, length, by, indices, into } = row;
    const type = elementTypes[name] as ElementType;
    const data = anyItems(name, length, JSON.stringify(row));
    const classOf = (_: unknown, i: number): number => Math.imul(i, 2654435761) >>> 30;
    const keep = (_: unknown, i: number): boolean => classOf(_, i) > 1;
    const given = {
      flags: { flags: Array.from({ length }, keep) },
      "a text": { where: "((i * 2654435761u) >> 30u) > 1u" },
      classes: { classes: 3, class: "(i * 2654435761u) >> 30u" },
    }[by] as Options;
    const shared = { type, indices } as never;
    const expected =
      by === "classes"
        ? partitionReference(data as Uint32Array, (x, i) => classOf(x, i), {
            ...(shared as object),
            classes: 3,
          } as never)
        : partitionReference(data as Uint32Array, keep, shared);
    const kept = by === "classes" ? undefined : compactReference(data as Uint32Array, keep, shared);

    if (kept !== undefined) {
      const found = await fold.compact(data as Uint32Array, { ...given, ...(shared as object) } as never);
      expectSameBits(found, kept as AnyArray, "kept elements");
    }
    const room =
      into === "new"
        ? undefined
        : indices
          ? new Uint32Array(length)
          : into === "data"
            ? data
            : roomFor(type, length);
    const parted = (await fold.partition(
      data as Uint32Array,
      {
        ...given,
        ...(shared as object),
        ...(room && { into: room }),
      } as never,
    )) as { readonly values: AnyArray };
    expectSameBits(parted.values, (expected as { readonly values: AnyArray }).values, "parted elements");
    expect({ ...parted, values: [] }).toEqual({ ...expected, values: [] });
  });
});

test("a compaction fills the start of an array of the caller's, and leaves the rest as it is", async () => {
  const data = Uint32Array.of(4, 7, 2, 9, 6);
  const room = new Uint32Array(7).fill(0xa5a5a5a5);
  const kept = await fold.compact(data, { where: "x > 5u", into: room });
  expect([...kept]).toEqual([7, 9, 6]);
  expect(kept.buffer).toBe(room.buffer);
  expect([...room]).toEqual([7, 9, 6, ...new Array<number>(4).fill(0xa5a5a5a5)]);
  const inPlace = await fold.compact(data, { flags: [1, 0, 1, 0, 1], into: data });
  expect([...inPlace]).toEqual([4, 2, 6]);
  expect([...data]).toEqual([4, 2, 6, 9, 6]);
});
