// The rows of the table of gaps: what was once far from the speed of memory, its data and its goal.
import { operator } from "../src/algebra/custom_operator.ts";
import { exactAdd } from "../src/algebra/exact_add.ts";
import { f16, f32 } from "../src/algebra/floats.ts";
import { u32 } from "../src/algebra/integers.ts";
import type { Operator } from "../src/algebra/monoid.ts";
import { add, max, mul } from "../src/algebra/operators.ts";
import { struct } from "../src/algebra/struct.ts";
import type { ElementType } from "../src/algebra/types.ts";
import { f64, u64 } from "../src/algebra/types_64.ts";
import { argMin, minMax, variance } from "../src/monoids/index.ts";

export type Primitive = "scan" | "reduce" | "compact";
export type Options = Record<string, unknown> & { readonly type: ElementType };

/** A row of the table. */
export interface Row {
  readonly what: string;
  readonly primitive: Primitive;
  readonly options: Options;
  /** Bytes of the input. */
  readonly bytes: number;
  /** At most so many copies of these bytes, or microseconds. */
  readonly goal: { readonly copies: number } | { readonly micros: number };
  /** The words of the input, from a random one. The default leaves it as it is. */
  readonly word?: (random: number, at: number) => number;
  /** Whether two words, an item, have one random number. */
  readonly inPairs?: boolean;
  readonly arrangement?: "items" | "in-place";
  /** Items of a recording, if it has fewer than the input. */
  readonly length?: number;
  /** Other shapes: threads and items. */
  readonly shapes?: readonly (readonly [threads: number, items: number])[];
}

/** A struct of words, half of which are added, where the other half keep the latest that is not 0: that does not commute. */
export function structOf(words: number): { readonly type: ElementType; readonly op: Operator<string> } {
  const names = Array.from({ length: words }, (_, at) => `w${at}`);
  const type = struct({
    name: `Words${words}`,
    fields: Object.fromEntries(names.map((name) => [name, u32] as const)),
  });
  const combined = names.map((name, at) =>
    at % 2 === 0
      ? `earlier.${name} + later.${name}`
      : `select(later.${name}, earlier.${name}, later.${name} == 0u)`,
  );
  const op = operator({
    name: "addAndKeep",
    type,
    identity: Object.fromEntries(names.map((name) => [name, 0])),
    combine: `Words${words}(${combined.join(", ")})`,
  });
  return { type, op: op as Operator as Operator<string> };
}

const floatBits = new Uint32Array(new Float32Array(1).buffer);
const floatOf = new Float32Array(floatBits.buffer);
/** A float of 32 bits that is a small whole number. */
const smallFloat = (random: number): number => {
  floatOf[0] = (random >>> 20) - 2048;
  return floatBits[0] as number;
};
const doubleBits = new Uint32Array(new Float64Array(1).buffer);
const doubleOf = new Float64Array(doubleBits.buffer);
const doubleWord = (value: number, at: number): number => {
  doubleOf[0] = value;
  return doubleBits[at % 2] as number;
};
/** Whole numbers of f64: the low word of each is 0. */
const smallDouble = (random: number, at: number): number => doubleWord((random >>> 12) - 2 ** 19, at);
const smallDoubles = { word: smallDouble, inPairs: true } as const;
/** ±1 of f64. */
const unitDouble = (random: number, at: number): number => doubleWord(random >>> 31 === 0 ? 1 : -1, at);

/** Every second item is one sample, all samples are equal, and the other items are empty: what no order of operations changes. */
const equalSamples = (_: number, at: number): number => {
  floatOf[0] = 3;
  return [1, floatBits[0] as number][at % 6] ?? 0;
};

/** An f32 of any sign and significand, whose exponent is one of `binades` around 1. Normal numbers have 254. */
const spreadFloat =
  (binades: number) =>
  (random: number): number =>
    ((random & 0x807fffff) | ((128 - (binades >> 1) + ((random >>> 23) % binades)) << 23)) >>> 0;
/** Two f16 in a word. Normal numbers have 30 binades. */
const spreadHalves =
  (binades: number) =>
  (random: number): number => {
    const half = (bits: number): number =>
      (bits & 0x83ff) | ((16 - (binades >> 1) + ((bits >>> 10) % binades)) << 10);
    return ((half(random >>> 16) << 16) | half(random & 0xffff)) >>> 0;
  };
/** The words of an f64; see {@link spreadFloat}. */
const spreadDouble =
  (binades: number) =>
  (random: number, at: number): number =>
    at % 2 === 0
      ? random
      : ((random & 0x800fffff) | ((1024 - (binades >> 1) + ((random >>> 20) % binades)) << 20)) >>> 0;

/** Exact sums: the type, the power of its number of items, the spread of the data, and the goals of a scan and of a reduction in copies. */
const exactSums = [
  [f16, 26, "8 binades", spreadHalves(8), 1.5, 0.8],
  [f16, 26, "all binades", spreadHalves(30), 1.5, 0.8],
  [f32, 26, "40 binades", spreadFloat(40), 2.5, 1.3],
  [f32, 28, "40 binades", spreadFloat(40), 2.5, 1.3],
  [f32, 26, "all binades", spreadFloat(254), 15, 6],
  [f64, 25, "60 binades", spreadDouble(60), 5.4, 2],
] as const;

const minMaxF32 = minMax(f32);
const argMinF32 = argMin(f32);
const varianceF32 = variance();

/** The rows, whose inputs have at most 2 to this power bytes. */
export function rowsOf(largest: number): Row[] {
  const sized = (power: number): number => 2 ** Math.min(power, largest);
  const monoids = [
    ["minMax", minMaxF32, smallFloat],
    ["argMin", argMinF32, (random: number, at: number) => (at % 2 === 0 ? smallFloat(random) : random)],
  ] as const;
  const shapesOf8 = [
    [512, 16],
    [256, 8],
    [128, 32],
    [128, 24],
    [128, 16],
    [192, 16],
    [512, 8],
    [384, 16],
    [256, 24],
  ] as const;
  const shapesOf12 = [
    [128, 12],
    [128, 16],
    [192, 16],
    [256, 8],
    [256, 12],
    [384, 12],
  ] as const;
  return [
    {
      what: "scan, 32-byte struct",
      primitive: "scan",
      options: structOf(8),
      bytes: sized(30),
      goal: { copies: 1.4 },
      shapes: [
        [160, 8],
        [192, 8],
        [96, 8],
        [256, 4],
        [64, 16],
        [256, 8],
      ],
    },
    {
      what: "scan, 64-byte struct",
      primitive: "scan",
      options: structOf(16),
      bytes: sized(30),
      goal: { copies: 1.6 },
      shapes: [
        [192, 4],
        [128, 6],
        [160, 6],
        [96, 8],
        [64, 12],
        [256, 4],
      ],
    },
    {
      what: "scan, 12-byte struct",
      primitive: "scan",
      options: structOf(3),
      bytes: 12 * Math.floor(sized(28) / 12 / 64) * 64,
      goal: { copies: 1.2 },
      shapes: shapesOf12,
    },
    {
      what: "scan, variance",
      primitive: "scan",
      options: { type: varianceF32.type, op: varianceF32 },
      bytes: 12 * Math.floor(sized(28) / 12 / 64) * 64,
      word: equalSamples,
      goal: { copies: 1.4 },
      shapes: shapesOf12,
    },
    // What a scan of words takes of the bytes of the rows below.
    {
      what: "scan, u32, 2^26",
      primitive: "scan",
      options: { type: u32 },
      bytes: sized(28),
      goal: { copies: 1.12 },
      shapes: shapesOf8,
    },
    ...monoids.flatMap(([name, op, word]): Row[] => [
      {
        what: `scan, ${name}`,
        primitive: "scan",
        options: { type: op.type, op },
        bytes: sized(28),
        word,
        goal: { copies: name === "minMax" ? 1.3 : 1.2 },
        shapes: shapesOf8,
      },
      {
        what: `reduction, ${name}`,
        primitive: "reduce",
        options: { type: op.type, op },
        bytes: sized(28),
        word,
        goal: { copies: 0.6 },
        shapes: shapesOf8,
      },
    ]),
    {
      what: "scan, max of u64",
      primitive: "scan",
      options: { type: u64, op: max },
      bytes: sized(28),
      shapes: shapesOf8,
      goal: { copies: 1.12 },
    },
    {
      what: "scan, max of f64",
      primitive: "scan",
      options: { type: f64, op: max },
      bytes: sized(28),
      shapes: shapesOf8,
      ...smallDoubles,
      goal: { copies: 1.12 },
    },
    {
      what: "scan, f64",
      primitive: "scan",
      options: { type: f64, op: add },
      bytes: sized(30),
      ...smallDoubles,
      goal: { copies: 3.5 },
    },
    {
      what: "scan, product of f64",
      primitive: "scan",
      options: { type: f64, op: mul },
      bytes: sized(28),
      word: unitDouble,
      inPairs: true,
      goal: { copies: 4.5 },
    },
    {
      what: "reduction, f64",
      primitive: "reduce",
      options: { type: f64, op: add },
      bytes: sized(30),
      ...smallDoubles,
      goal: { copies: 1 },
      shapes: [
        [256, 20],
        [256, 24],
        [256, 32],
        [512, 16],
        [384, 16],
        [320, 16],
        [192, 24],
        [256, 12],
      ],
    },
    ...([16, 18, 20, 22] as const).flatMap((power, at) =>
      ([u32, f32] as const).map(
        (type): Row => ({
          what: `reduction, ${type.name}, 2^${power}`,
          primitive: "reduce",
          options: { type },
          bytes: sized(power + 2),
          ...(type === f32 && { word: smallFloat }),
          goal: { micros: [10.4, 10.4, 9.9, 11.3][at] as number },
        }),
      ),
    ),
    {
      what: "compaction, u32, half kept, 2^24",
      primitive: "compact",
      options: { type: u32, where: "(x & 1u) == 1u" },
      bytes: sized(26),
      goal: { micros: 49 },
      shapes: [
        [512, 15],
        [448, 16],
        [480, 16],
        [384, 20],
        [320, 20],
        [256, 24],
        [512, 13],
      ],
    },
    {
      what: "scan from the middle of a vector, u32, 2^24",
      primitive: "scan",
      options: { type: u32 },
      arrangement: "items",
      bytes: sized(26),
      goal: { copies: 1.4 },
      shapes: [
        [256, 16],
        [128, 16],
        [512, 12],
        [384, 16],
        [512, 8],
        [256, 20],
      ],
    },
    ...([24, 28] as const).map(
      (power): Row => ({
        what: `scan in place, u32, 2^${power}`,
        primitive: "scan",
        options: { type: u32 },
        arrangement: "in-place",
        bytes: sized(power + 2),
        goal: { copies: 1.4 },
      }),
    ),
    ...exactSums.flatMap(([type, power, spread, word, scan, reduction]) =>
      (["scan", "reduce"] as const).map(
        (primitive): Row => ({
          what: `exact ${primitive === "scan" ? "scan" : "reduction"}, ${type.name}, 2^${power}, ${spread}`,
          primitive,
          options: { type, op: exactAdd },
          bytes: sized(power + Math.log2(type.bytes)),
          word,
          goal: { copies: primitive === "scan" ? scan : reduction },
        }),
      ),
    ),
    {
      what: "scan of 1000 of at most 2^28 u32, lengthOnGpu",
      primitive: "scan",
      options: { type: u32, lengthOnGpu: true },
      bytes: sized(30),
      length: 1000,
      goal: { micros: 20 },
    },
  ];
}
