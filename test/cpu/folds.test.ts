import { Buffer } from "node:buffer";
import { describe, expect, test } from "vitest";
import { valuesOf } from "../../src/algebra/array_values.ts";
import type { AnyArray, ScalarArray } from "../../src/algebra/arrays.ts";
import { operator } from "../../src/algebra/custom_operator.ts";
import { elementTypes } from "../../src/algebra/element_types.ts";
import type { Operator } from "../../src/algebra/monoid.ts";
import { operators } from "../../src/algebra/operator_table.ts";
import type { Segments } from "../../src/algebra/segments.ts";
import { requireSegments } from "../../src/algebra/segments.ts";
import { struct } from "../../src/algebra/struct.ts";
import type { Scalar, ScalarType, TypeName } from "../../src/algebra/types.ts";
import type { Numbers } from "../../src/cpu/call.ts";
import * as exact from "../../src/cpu/exact_folds.ts";
import type { FoldName } from "../../src/cpu/folds.ts";
import * as whole from "../../src/cpu/folds.ts";
import * as ofSegments from "../../src/cpu/segment_folds.ts";
import type { CpuSegments } from "../../src/cpu/segments.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { expectSameBits } from "../support/compare.ts";
import { anyItems, randomBits, valuesAs } from "../support/random.ts";

// The references, for arrays of any type.
const scan = scanReference as (data: unknown, options: object) => AnyArray;
const reduce = reduceReference as (data: unknown, options: object) => Scalar;

const types = Object.values(elementTypes) as readonly ScalarType[];
const lengths = [0, 1, 2, 3, 255, 256, 257, 1000];
const names = Object.keys(operators) as FoldName[];
const takes = (name: FoldName, { kind }: ScalarType): boolean =>
  kind === "float" ? !["and", "or", "xor"].includes(name) : name !== "exactAdd";
const { foldNameOf, loopsOver, scanNumbers } = whole;
const { reduceSegments, scanSegments } = ofSegments;
const cases = types.flatMap((type) =>
  names.filter((name) => takes(name, type)).map((name) => [type.name, name] as const),
);
type Setting = Readonly<Record<"exclusive" | "hasInitial" | "isInPlace", boolean>>;
const settings: readonly Setting[] = [false, true].flatMap((exclusive) =>
  [false, true].flatMap((hasInitial) =>
    [false, true].map((isInPlace) => ({ exclusive, hasInitial, isInPlace })),
  ),
);

/** The same, with one NaN in place of all: which of them a sum gives is open. */
function plain(array: Numbers, type: ScalarType): Numbers {
  const copy = array.slice() as Numbers;
  for (let at = 0; at < copy.length; at++) {
    if (type.name === "f16" && (Number(copy[at]) & 0x7fff) > 0x7c00) {
      copy[at] = 0x7e00 as never;
    } else if (Number.isNaN(copy[at])) {
      copy[at] = Number.NaN as never;
    }
  }
  return copy;
}

const expectSame = (actual: Numbers, expected: AnyArray, type: ScalarType, title: string): void =>
  expectSameBits(plain(actual, type), plain(expected as Numbers, type), title);

/** Items of many kinds: any bits; few values, so that sums of floats stay numbers; and zeros of a sign. */
const dataOf = (type: ScalarType, length: number): readonly Numbers[] => {
  const next = randomBits(`folds ${type.name} ${length}`);
  const values = (most: number): Scalar[] =>
    Array.from({ length }, () => (next() % most) * (type.kind === "float" && next() % 2 ? -0.375 : 1));
  return [
    anyItems(type.name, length, `folds ${length}`),
    valuesAs(type.name, values(7)),
    valuesAs(type.name, values(2)),
    valuesAs(
      type.name,
      Array.from({ length }, () => (type.kind === "float" ? -0 : 0)),
    ),
  ] as readonly ScalarArray[] as readonly Numbers[];
};

describe.each(cases)("%s, %s", async (typeName, name) => {
  const type = elementTypes[typeName as TypeName] as ScalarType;
  const loops = name === "exactAdd" ? exact : { ...whole, ...ofSegments };
  const { reduceNumbers, scanNumbers, reduceSegments, scanSegments } = loops;
  const op = operators[name] as Operator as Operator<never>;
  const options = { op, type: type as never };
  const call = { type, op: name, loops: await loopsOver(type) };
  const next = randomBits(`settings ${typeName} ${name}`);
  const everyData = lengths.flatMap((length) => dataOf(type, length));
  const initialOf = (hasInitial: boolean, data: Numbers): Scalar | undefined =>
    hasInitial ? (valuesOf(anyItems(type.name, 1, `initial ${data.length}`), type)(0) as Scalar) : undefined;

  test("scans, and their totals", () => {
    for (const data of everyData) {
      for (const exclusive of [false, true]) {
        const { hasInitial, isInPlace } = settings[next() % settings.length] as Setting;
        const title = `${data.length} items ${exclusive} ${hasInitial} ${isInPlace}`;
        const initial = initialOf(hasInitial, data);
        const total = valuesAs(type.name, [0]) as Numbers;
        const expected = scan(data, {
          ...options,
          exclusive,
          ...(initial !== undefined && { initial }),
          total: total as never,
        });
        const input = data.slice() as Numbers;
        const output = isInPlace ? input : (anyItems(type.name, data.length, "poison") as Numbers);
        const made = scanNumbers({ ...call, input, output, exclusive, initial });
        expectSame(output, expected, type, title);
        expectSame(valuesAs(type.name, [made]) as Numbers, total as AnyArray, type, `total of ${title}`);
        if (!isInPlace) {
          expectSameBits(input, data, `input of ${title}`);
        }
      }
    }
  });

  test("reductions", () => {
    for (const data of everyData) {
      for (const hasInitial of [false, true]) {
        const initial = initialOf(hasInitial, data);
        const expected = reduce(data, {
          ...options,
          ...(initial !== undefined && { initial }),
        });
        const made = reduceNumbers({ ...call, input: data, initial });
        expectSame(
          valuesAs(type.name, [made]) as Numbers,
          valuesAs(type.name, [expected]),
          type,
          `${data.length} items ${hasInitial}`,
        );
      }
    }
  });

  test("segments", () => {
    for (const length of [0, 1, 3, 60, 257]) {
      for (const data of dataOf(type, length)) {
        for (const { given, checked, segments } of segmentsFor(length)) {
          const { exclusive, hasInitial, isInPlace } = settings[next() % settings.length] as Setting;
          {
            const title = `${length} items by ${checked.kind} ${exclusive} ${hasInitial} ${isInPlace}`;
            const initial = initialOf(hasInitial, data);
            const how = { ...options, ...(initial !== undefined && { initial }) };
            const expected = data.slice() as Numbers;
            const totals = valuesAs(
              type.name,
              segments.map(() => 0),
            ) as Numbers;
            segments.forEach((places, at) => {
              const items = (data.slice(0, 0).constructor as typeof Uint32Array).from(
                places.map((place) => data[place]) as number[],
              );
              const prefixes = scan(items, { ...how, exclusive }) as Numbers;
              places.forEach((place, index) => {
                expected[place] = prefixes[index] as never;
              });
              const total = valuesAs(type.name, [reduce(items, how)]);
              totals[at] = total[0] as never;
            });
            const input = data.slice() as Numbers;
            const output = isInPlace ? input : (anyItems(type.name, length, "poison") as Numbers);
            const made = reduceSegments({ ...call, input, initial, segments: checked });
            scanSegments({ ...call, input, output, exclusive, initial, segments: checked });
            expectSame(output, expected, type, title);
            expectSame(made, totals as AnyArray, type, `totals of ${title}`);
            if (type.kind !== "float" && !isInPlace && length < 1000) {
              const reference = scan(data, { ...how, exclusive, segments: given });
              expectSame(output, reference, type, `the reference of ${title}`);
            }
          }
        }
      }
    }
  });
});

/** Segments of each kind: as a caller gives them, as they are checked, and the places of each. */
function segmentsFor(
  length: number,
): readonly { given: Segments; checked: CpuSegments; segments: readonly number[][] }[] {
  const next = randomBits(`segments ${length}`);
  const divisor = [1, 2, 3, 4, 5].filter((rows) => length % rows === 0).at(-1) ?? 1;
  const between = (from: number, to: number): number[] =>
    Array.from({ length: to - from }, (_, at) => from + at);
  const fromEnds = (ends: readonly number[]): number[][] =>
    ends.map((end, at) => between(ends[at - 1] ?? 0, end));
  const heads = Uint32Array.from({ length }, () => (next() % 5 === 0 ? 1 : 0));
  const words = new Uint32Array(Math.ceil(length / 32));
  const keys = new Uint32Array(length);
  heads.forEach((head, at) => {
    words[at >>> 5] = (words[at >>> 5] as number) | (head << (at & 31));
    keys[at] = ((keys[at - 1] ?? 7) + head) | 0;
  });
  const starts = between(0, length).filter((at) => at === 0 || heads[at] === 1);
  const byHeads = fromEnds(starts.map((_, at) => starts[at + 1] ?? length));
  const offsets = Uint32Array.from([0, ...starts, ...starts.slice(1), length]).sort();
  const columns = Array.from({ length: divisor }, (_, column) =>
    between(0, length / divisor).map((row) => row * divisor + column),
  );
  const elements = { type: elementTypes.u32, length, numbers: keys };
  return [
    {
      given: { rows: divisor },
      checked: { kind: "rows", rows: divisor },
      segments: fromEnds(between(1, length / divisor + 1).map((row) => row * divisor)),
    },
    { given: { columns: divisor }, checked: { kind: "columns", rows: divisor }, segments: columns },
    { given: { heads }, checked: { kind: "headBits", words }, segments: byHeads },
    {
      given: { heads: Uint8Array.from(heads, (head) => 0x80 * head) },
      checked: { kind: "headBits", words },
      segments: byHeads,
    },
    { given: { keys }, checked: { kind: "keys", keys: elements }, segments: byHeads },
    {
      given: { offsets },
      checked: { kind: "offsets", words: offsets },
      segments: fromEnds([...offsets.subarray(1)]),
    },
  ];
}

test.each([
  ["u64", "add"],
  ["f64", "add"],
  ["f16", "mul"],
  ["f32", "max"],
] as const)("exclusive scans of several blocks: %s, %s", async (typeName, name) => {
  const type = elementTypes[typeName] as ScalarType;
  const loops = await loopsOver(type);
  for (const data of dataOf(type, 9000)) {
    const output = data.slice() as Numbers;
    scanNumbers({ type, op: name, loops, input: output, output, exclusive: true });
    expectSame(output, scan(data, { op: operators[name], type, exclusive: true }), type, "9000 items");
  }
});

test.each([
  ["i32", "add"],
  ["u32", "max"],
  ["f32", "min"],
  ["f64", "mul"],
  ["u64", "xor"],
] as const)("segments that are found in several blocks: %s, %s", async (typeName, name) => {
  const type = elementTypes[typeName] as ScalarType;
  const length = 3 * 16384 + 40;
  const next = randomBits(`blocks ${typeName}`);
  const data = anyItems(typeName, length, "blocks") as Numbers;
  // Segments begin at the first element of a block, end there, and one lies across a whole block.
  const isHead = (at: number): boolean =>
    at === 16384 || at === 49152 || ((at < 16390 || at > 49140) && next() % 9 === 0);
  const flags = Array.from({ length }, (_, at) => (at === 0 || isHead(at) ? 1 + (next() % 255) : 0));
  const heads = Uint8Array.of(0, ...flags).subarray(1);
  const keys = new Float32Array(length);
  heads.forEach((head, at) => {
    keys[at] = at === 0 ? Number.NaN : head === 0 ? (keys[at - 1] as number) : at;
  });
  const starts = [...heads.keys()].filter((at) => heads[at] !== 0);
  const offsets = Uint32Array.of(...starts, length);
  const ofKeys = { type: elementTypes.f32, length, numbers: keys };
  const rows = [4, 6149].map((rows) => ({
    checked: { kind: "rows", rows } as CpuSegments,
    offsets: Uint32Array.from({ length: length / rows + 1 }, (_, row) => row * rows),
  }));
  const call = { type, op: name, loops: await loopsOver(type), input: data };
  for (const { checked, offsets: words } of [
    { checked: requireSegments({ heads }, length, "scan") as CpuSegments, offsets },
    { checked: { kind: "keys", keys: ofKeys } as CpuSegments, offsets },
    ...rows,
  ]) {
    const expected = { ...call, segments: { kind: "offsets", words } } as const;
    const title = checked.kind;
    expectSame(reduceSegments({ ...call, segments: checked }), reduceSegments(expected), type, title);
    for (const exclusive of [false, true]) {
      const [output, wanted] = [data.slice() as Numbers, data.slice() as Numbers];
      scanSegments({ ...call, segments: checked, output, exclusive });
      scanSegments({ ...expected, output: wanted, exclusive });
      expectSame(output, wanted, type, `${title}, ${exclusive}`);
    }
  }
});

test("what says where segments start may share memory with the output", async () => {
  const length = 20_000;
  const call = { type: elementTypes.u32, op: "add", loops: await loopsOver(elementTypes.u32) } as const;
  const scanned = (given: Uint32Array, segments: CpuSegments, output: Uint32Array): Uint32Array => {
    scanSegments({ ...call, input: given as Numbers, segments, output: output as Numbers });
    return output.slice();
  };
  for (const shift of [-8, 0, 8]) {
    const keysIn = (room: Uint32Array) => room.subarray(8, 8 + length).map((_, at) => at >> 2);
    const [shared, apart] = [new Uint32Array(length + 16), new Uint32Array(length)];
    shared.set(keysIn(shared), 8);
    const keys = shared.subarray(8, 8 + length);
    const ofKeys = (numbers: Uint32Array): CpuSegments => ({
      kind: "keys",
      keys: { type: elementTypes.u32, length, numbers: numbers as Numbers },
    });
    const expected = scanned(keys, ofKeys(keys), apart);
    const into = shared.subarray(8 + shift, 8 + shift + length);
    expect(scanned(keys, ofKeys(keys), into), `keys, shifted by ${shift}`).toEqual(expected);
  }
  const data = anyItems("u32", length, "shared bits") as Uint32Array;
  const output = anyItems("u32", length, "bits") as Uint32Array;
  const ofBits = (words: Uint32Array): CpuSegments => ({ kind: "headBits", words });
  const words = output.subarray(0, length / 32);
  const expected = scanned(data, ofBits(words.slice()), new Uint32Array(length));
  expect(scanned(data, ofBits(words), output)).toEqual(expected);
});

test("flags may be a Buffer, anywhere in its memory", () => {
  const heads = Buffer.from(new ArrayBuffer(16), 1, 6);
  heads.set([1, 0, 0, 9, 0, 0]);
  expect(requireSegments({ heads }, 6, "scan")).toEqual(
    requireSegments({ heads: [1, 0, 0, 9, 0, 0] }, 6, "scan"),
  );
});

test("columns of many rows, and many columns", async () => {
  const call = { type: elementTypes.i32, op: "add", loops: await loopsOver(elementTypes.i32) } as const;
  for (const [rows, columns] of [
    [5000, 3],
    [3, 5000],
    [70, 300],
  ] as const) {
    const data = anyItems("i32", rows * columns, `columns ${rows}`) as Int32Array;
    const segments = { kind: "columns", rows: columns } as const;
    const output = new Int32Array(data.length);
    scanSegments({ ...call, input: data, output, exclusive: true, segments });
    const totals = reduceSegments({ ...call, input: data, segments });
    const expected = new Int32Array(data.length);
    const sums = new Int32Array(columns);
    data.forEach((item, at) => {
      expected[at] = sums[at % columns] as number;
      sums[at % columns] = ((sums[at % columns] as number) + item) | 0;
    });
    expectSameBits(output, expected, `${rows} × ${columns}`);
    expectSameBits(totals, sums, `totals of ${rows} × ${columns}`);
  }
});

test("an output that starts inside the input", async () => {
  const memory = new Uint32Array(100).fill(1);
  scanNumbers({
    type: elementTypes.u32,
    op: "add",
    loops: await loopsOver(elementTypes.u32),
    input: memory.subarray(0, 90),
    output: memory.subarray(10),
  });
  expect([...memory.subarray(10)]).toEqual(Array.from({ length: 90 }, (_, at) => at + 1));
});

test("operators that have no loops", () => {
  const { f32, u32 } = elementTypes;
  const own = operator({ name: "add", type: u32, identity: 0, combine: "earlier + later" });
  const Pair = struct({ name: "Pair", fields: { a: u32 } });
  expect(foldNameOf(operators.add as Operator, u32)).toBe("add");
  expect(foldNameOf(own as Operator, u32)).toBe(undefined);
  expect(foldNameOf(operators.exactAdd as Operator, f32)).toBe("exactAdd");
  expect(foldNameOf(operators.add as Operator, Pair)).toBe(undefined);
});
