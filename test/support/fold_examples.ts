import { operator } from "../../src/algebra/custom_operator.ts";
import { elementTypes } from "../../src/algebra/element_types.ts";
import { scalarAt } from "../../src/algebra/fields.ts";
import { u32 } from "../../src/algebra/integers.ts";
import type { Operator } from "../../src/algebra/monoid.ts";
import type { ElementType, Scalar, ScalarType, TypeName, Value } from "../../src/algebra/types.ts";
import { f64 } from "../../src/algebra/types_64.ts";
import { widens } from "../../src/algebra/widening.ts";
import type { FoldName } from "../../src/plan/plan_recording.ts";
import type { Example, ExampleArray, ExampleKey, Examples, Random } from "../../src/primitives/examples.ts";
import { between, pick, rowsWithin } from "../../src/primitives/examples.ts";
import { mapOf, operatorNames, operatorOf, takes, whereNames, whereOf } from "../fuzz/plans.ts";
import type { ScalarField } from "../fuzz/values.ts";
import { fieldsOf, typeOf } from "../fuzz/values.ts";

// Calls of scans, reductions, compactions and partitions that make sense. All of their results are exact, whatever the order.

type Options = Readonly<Record<string, unknown>>;

/** Types that maps and conversions give. */
const types: readonly ElementType[] = [...Object.values(elementTypes), typeOf(["f32", "u32"])];

/** So many of a list that follow each other. Behind the last one comes the first. */
function some<One>(random: Random, count: number, all: readonly One[]): readonly One[] {
  const first = random() % Math.max(1, all.length);
  return [...all.slice(first), ...all.slice(0, first)].slice(0, count);
}

/** Operators of a type that are exact on any elements: of floats, those that take one of both, or that sum exactly. */
const exactOperators = (type: ElementType): readonly Operator[] =>
  operatorNames
    .filter(
      (name) => takes(name, type) && !(type.kind === "float" && ["add", "mul", "latest"].includes(name)),
    )
    .map((name) => operatorOf(name, type));

/** The WGSL of each half of an integer, and what one is made of. */
type Halves = readonly [high: (x: string) => string, low: (x: string) => string, both: string];
const halves: Readonly<Partial<Record<TypeName, Halves>>> = {
  u32: [(x) => `${x} >> 16u`, (x) => `${x} & 0xffffu`, "(high << 16u) | (low & 0xffffu)"],
  i32: [
    (x) => `bitcast<u32>(${x}) >> 16u`,
    (x) => `bitcast<u32>(${x}) & 0xffffu`,
    "bitcast<i32>((high << 16u) | (low & 0xffffu))",
  ],
  u64: [(x) => `${x} >> 32`, (x) => `${x} & 4294967295`, "(high << 32) | (low & 4294967295)"],
};

/**
 * Maps x → (2a + 1)·x + b, one after another, with a and b in the halves of an integer. Each can be undone, so that a result tells each of its
 * operands, and their order.
 */
function compositionOf(type: ElementType, [high, low, both]: Halves): Operator {
  const bits = 4n * BigInt(type.bytes);
  const isLong = typeof (type as ScalarType).zero === "bigint";
  const whole = (x: bigint): Value =>
    isLong
      ? BigInt.asUintN(64, x)
      : Number(type.name === "i32" ? BigInt.asIntN(32, x) : BigInt.asUintN(32, x));
  const [one, two] = isLong ? ["1", "2"] : ["1u", "2u"];
  return operator({
    name: "composed",
    type: type as ElementType<string, Value>,
    identity: (type as ScalarType).zero as Value,
    combine: `let a = ${high("earlier")};
let c = ${high("later")};
let high = ${two} * a * c + a + c;
let low = (${two} * c + ${one}) * (${low("earlier")}) + (${low("later")});
return ${both};`,
    reference(earlier, later) {
      const [x, y] = [BigInt(earlier as number), BigInt(later as number)];
      const [a, c] = [x >> bits, y >> bits];
      const first = 2n * a * c + a + c;
      const second = BigInt.asUintN(Number(bits), (2n * c + 1n) * BigInt.asUintN(Number(bits), x) + y);
      return whole((first << bits) | second);
    },
  }) as Operator;
}

const compositions = new Map(
  Object.entries(halves).map(([name, texts]) => [name, compositionOf(elementTypes[name as TypeName], texts)]),
);

/** One of the exact operators of a type: most often one that does not commute, or a sum. */
function exactOperator(type: ElementType, random: Random): Operator {
  const all = exactOperators(type);
  const ordered = compositions.get(type.name) ?? all.find(({ name }) => name === "fieldwise");
  const sum = all.find(({ name }) => name === "add");
  const any = pick(random, all as [Operator]);
  return pick(random, [ordered ?? any, ordered ?? any, sum ?? any, any]);
}

/** Numbers whose sums are rounded, in the order of a recording. */
const uneven = (type: ElementType): Pick<Example, "operands" | "isInOrder"> => ({
  operands: { data: { type, contents: "uneven" } },
  isInOrder: true,
});

/** The type of what a scan or a reduction gives of elements of a type, unless a call names another one. */
const foldedType = (type: ElementType): ElementType => type.wide ?? type;

/** Small whole numbers, if elements are floats, or become floats. */
const plain = (type: ElementType, to = type): Pick<Example, "operands"> =>
  to.kind === "float" ? { operands: { data: { type, contents: "small" } } } : {};

/** Maps of a type to itself and to others, and types that have all of its values. Sums of what they give are exact, too. */
function mapped(type: ElementType): readonly (Example & { readonly result: ElementType })[] {
  const toItself = type.wide === undefined && mapOf("own", type);
  // An adapter that takes the type takes these, too.
  const targets = types.filter(({ feature }) => feature === undefined || feature === type.feature);
  const others = targets.flatMap((to) => {
    const map = mapOf("other", to);
    return map.from === type.name ? [{ to, map }] : [];
  });
  return [
    ...(toItself
      ? [{ result: type, options: { map: toItself.wgsl }, twins: { map: toItself.twin }, ...plain(type) }]
      : []),
    ...others.map(({ to, map: { wgsl, twin } }) => ({
      result: to,
      options: { map: wgsl, type: to, from: type },
      twins: { map: twin },
    })),
    ...targets
      .filter((to) => widens(type, to))
      .map((to) => ({ result: to, options: { type: to, from: type }, ...plain(type, to) })),
  ];
}

/** WGSL for a high bit of a scalar. Of a float it tells numbers from 2 up, and NaN, whose other bits an adapter may change. */
const bitTexts = {
  u32: (x) => `(${x} >> 30u) & 1u`,
  i32: (x) => `(bitcast<u32>(${x}) >> 30u) & 1u`,
  f32: (x) => `(bitcast<u32>(${x}) >> 30u) & 1u`,
  f16: (x) => `(bitcast<u32>(vec2<f16>(${x}, 0.0h)) >> 14u) & 1u`,
  u64: (x) => `u32(${x} >> 62) & 1u`,
  i64: (x) => `u32(${x} >> 62) & 1u`,
  f64: (x) => `(bitcast<vec2<u32>>(${x}).y >> 30u) & 1u`,
} as const satisfies Record<TypeName, (x: string) => string>;

const bitOf = (type: TypeName, x: Scalar): number =>
  type === "f32" || type === "f16" || type === "f64"
    ? Number(!(Math.abs(Number(x)) < 2))
    : typeof x === "bigint"
      ? Number((x >> 62n) & 1n)
      : (x >>> 30) & 1;

/** Keys of runs: a bit of the first scalar of an element, or that scalar, whose type need not be named. */
function runKeys(type: ElementType): readonly Required<Omit<ExampleKey, "keyType">>[] {
  const [{ name, keys, type: scalar }] = fieldsOf(type) as [ScalarField];
  const x = name === "" ? "x" : `x.${name}`;
  const first = (value: Value): Scalar => scalarAt(value, keys);
  const bit = {
    key: bitTexts[scalar](x),
    keyType: u32,
    twins: { key: (value: Value) => bitOf(scalar, first(value)), keyType: u32 },
  };
  const whole = { key: x, twins: { key: first, keyType: elementTypes[scalar] } };
  return elementTypes[scalar].kind === "float" ? [bit] : [bit, whole];
}

/** Segments of each kind, and runs of equal keys. */
function segmented(type: ElementType, length: number, random: Random): readonly Example[] {
  // Half of the rows are short: a work-group takes several of them.
  const few = between(random, 1, Math.max(1, pick(random, [length, Math.min(length, 40)])));
  const most = pick(random, [9, 40, 300]);
  const count = { type: u32, length: between(random, 2, most) } as const;
  const spans = { ...count, length: between(random, 0, most) };
  const heads = { type: u32, contents: { oneIn: pick(random, [1, 3, 40, 300]) } } as const;
  const keys = (of: ElementType): ExampleArray => ({ type: of, contents: "runs" });
  // At hand, keys in a Uint16Array have no element type.
  const keyTypes = types.filter(({ name }) => name !== "f16");
  // Each thread goes down a column by itself, so there is no algorithm to choose.
  const columns = { algorithm: undefined, passes: undefined };
  const other = pick(random, keyTypes as [ElementType]);
  const byKey = (of: ElementType, more: Omit<Example, "options">): readonly Example[] =>
    type.wide && of === type
      ? []
      : runKeys(of).map(({ twins, ...key }) => ({
          ...more,
          options: { segments: key },
          twins: { segments: twins },
        }));
  return [
    { options: { segments: { rows: few } }, isLengthKnown: true },
    { options: { segments: { columns: few }, ...columns }, isLengthKnown: true },
    {
      options: {
        segments: { shape: [1, between(random, 1, 40), between(random, 1, 9)], axis: 1 },
        ...columns,
      },
      isLengthKnown: true,
      isOfShape: true,
    },
    { options: {}, operands: { offsets: { ...count, contents: "offsets" } } },
    {
      options: {},
      operands: { begins: { ...spans, contents: "begins" }, ends: { ...spans, contents: "ends" } },
    },
    { options: {}, operands: { heads } },
    { options: {}, operands: { headBits: { ...heads, length: (items) => Math.ceil(items / 32) } } },
    { options: {}, operands: { keys: keys(other) } },
    ...byKey(other, { operands: { keys: keys(other) } }).slice(0, 1),
    ...byKey(type, { hasRuns: true }),
  ];
}

/** An initial value that every scalar holds, as the type holds it. */
const three = (type: ElementType): Options =>
  type.kind === "struct" ? {} : { initial: type.name === "u64" || type.name === "i64" ? 3n : 3 };

/** An initial value of a type: of floats also NaN, -0 and others that operators treat in their own ways. */
const initialFor = (type: ElementType, random: Random): Options =>
  type.kind === "float"
    ? { initial: pick(random, [3, 0.1, -0, Number.NaN, Number.NEGATIVE_INFINITY, 65504]) }
    : three(type);

/** The same segments, and sums that are rounded. */
const roundedSums = (options: object, operands: Example["operands"]): Example => ({
  options: { ...options, initial: 0.1 },
  ...uneven(f64),
  operands: { ...operands, ...uneven(f64).operands },
});

/** The same call on whole numbers, which have no bits that an adapter may change, by an operator that does not commute. */
const latestOf = (
  result: ElementType,
  type: ElementType,
  options: object,
  operands: Example["operands"],
): Example => ({
  options: { ...options, op: operatorOf("latest", result) },
  operands: { ...operands, ...plain(type).operands },
});

/** Scans or reductions: of all elements, of maps, and of segments, with and without an initial value and a total. */
function folds(type: ElementType, length: number, random: Random, scans: boolean): readonly Example[] {
  const result = foldedType(type);
  const op = (of: ElementType): Options => ({ op: exactOperator(of, random) });
  // Of f16, whole numbers are exact up to 2048.
  const sums = (of: ElementType): boolean => of.kind !== "struct" && (of.name !== "f16" || length < 600);
  const end = (of: ElementType): ExampleArray => ({ type: of, length: 1 });
  const total = (of: ElementType) => (scans ? { total: end(of) } : {});
  const isRounded = type.name === "f64";
  return [
    { options: op(result) },
    ...(sums(result) ? [{ options: three(result), ...plain(type) }] : []),
    { options: { ...op(result), ...initialFor(result, random) }, operands: total(result) },
    { options: op(result), operands: { initial: end(result), ...total(result) } },
    ...(isRounded ? [{ options: { initial: pick(random, [-0, 0.1, 1e300]) }, ...uneven(type) }] : []),
    ...some(random, 3, mapped(type)).map(({ result: to, options, operands, ...others }, at) => ({
      ...others,
      options: { ...options, ...(at % 2 === 0 && sums(to) ? three(to) : op(to)) },
      operands: { ...operands, ...(at % 2 === 1 && { initial: end(to), ...total(to) }) },
    })),
    ...(result.kind === "float"
      ? [
          latestOf(result, type, {}, {}),
          {
            options: { op: operatorOf("mul", result) },
            operands: { data: { type, contents: "signs" } },
          } as const,
        ]
      : []),
    ...segmented(type, length, random).map(({ options, operands, ...others }, at) => ({
      ...others,
      operands: { ...operands, ...(at % 3 === 2 && { initial: end(result) }) },
      options: { ...options, ...op(result), ...(at % 3 === 1 && initialFor(result, random)) },
      ...(at % 3 === 0 && result.kind === "float" && latestOf(result, type, options, operands)),
      ...(isRounded && random() % 2 === 0 && roundedSums(options, operands)),
    })),
  ];
}

/** The options of scans and reductions for another length: rows, columns and matrices of which there is a whole number. */
function forLength({ segments, ...others }: Options, length: number): Options | undefined {
  const { rows, columns, shape, ...how } = (segments ?? {}) as {
    readonly rows?: number;
    readonly columns?: number;
    readonly shape?: readonly [number, number, number];
  };
  if (shape && length === 0) {
    // A shape has an element.
    return undefined;
  }
  if (shape) {
    const matrixRows = rowsWithin(shape[1], length);
    const matrixColumns = rowsWithin(shape[2], length / matrixRows);
    const matrices = length / (matrixRows * matrixColumns);
    return { ...others, segments: { ...how, shape: [matrices, matrixRows, matrixColumns] } };
  }
  return rows !== undefined
    ? { ...others, segments: { rows: rowsWithin(rows, length) } }
    : columns !== undefined
      ? { ...others, segments: { columns: rowsWithin(columns, length) } }
      : { ...others, ...(segments !== undefined && { segments }) };
}

/** Which elements are kept: by a condition, by flags, or by both. */
function kept(type: ElementType, random: Random): readonly Example[] {
  const scalar = type.wide ?? type;
  const conditions = whereNames.map((name): Example => {
    const { wgsl, keep } = whereOf(name, scalar);
    const readsValues = name === "odd" || name === "number";
    return { options: { where: wgsl }, twins: { where: keep }, ...(readsValues && plain(type)) };
  });
  const flags = (oneIn: number) => ({ flags: { type: u32, contents: { oneIn } } });
  const [even, , , , , few] = conditions as [Example, ...Example[]];
  const place = pick(random, [even, few ?? even]);
  return [
    ...conditions,
    { options: {}, operands: flags(pick(random, [1, 2, 3, 40])) },
    { ...place, operands: flags(2) },
  ];
}

/** A partition whose rest has a range of its own in recordings. */
const withOwnRest = (example: Example): Example => ({
  ...example,
  recorded: { options: { rest: true }, rest: { of: "values", from: "count", range: "rest" } },
});

/** The forms of a class, from a u32: WGSL, and what it means. A class may be below 0, have a fraction, or be past the last one. */
const classForms = [
  [(text: string) => text, (number: number) => number],
  [(text: string) => `i32(${text}) - 3`, (number: number) => number - 3],
  [(text: string) => `f32(${text}) * 0.5 - 1.75`, (number: number) => number * 0.5 - 1.75],
  [(text: string) => `let number = ${text};\nreturn number;`, (number: number) => number],
  [(text: string) => `${text} > 4u`, (number: number) => Number(number > 4)],
  [(text: string) => `${text} * 1073741824u`, (number: number) => (number * 2 ** 30) % 2 ** 32],
  [(text: string) => `f32(${text}) * 3e9 - 4e9`, (number: number) => number * 3e9 - 4e9],
] as const;

/** Classes by the index of an element, in each form, and by its value. */
function classes(type: ElementType, random: Random): readonly Example[] {
  const [factor, modulus] = [between(random, 1, 9999), between(random, 1, pick(random, [9, 20, 4000]))];
  const [key] = runKeys(type);
  const count = () => between(random, 1, 16);
  return [
    ...some(random, 4, classForms).map(([textOf, numberOf]) => ({
      options: { classes: count(), class: textOf(`((i * ${factor}u) % ${modulus}u)`) },
      twins: { class: (_: Value, i: number) => numberOf((Math.imul(i, factor) >>> 0) % modulus) },
    })),
    ...(key && !type.wide
      ? [{ options: { classes: count(), class: key.key }, twins: { class: key.twins.key } }]
      : []),
  ];
}

const elementOf =
  (name: string, isElement: (options: Options) => boolean): Required<Examples>["elements"] =>
  (options) =>
    isElement(options) ? [name] : [];

/** Positions of elements count from the first index. */
const movedBy = (firstIndex: number, positions: Uint32Array): Uint32Array =>
  positions.map((position) => position + firstIndex);

export const foldExamples: Readonly<Record<FoldName, Examples>> = {
  scan: {
    layouts: ["in place", "behind"],
    of: (type, length, random) => folds(type, length, random, true),
    forLength,
  },
  reduce: {
    elements: elementOf("result", ({ segments }) => segments === undefined),
    of: (type, length, random) => folds(type, length, random, false),
    forLength,
  },
  compact: {
    layouts: ["in place", "behind", "together"],
    of: (type, _, random) => [
      ...kept(type, random),
      ...some(random, 4, mapped(type)).map(({ result: __, options, twins, operands }) => {
        const [condition] = kept(type, random).slice(random() % whereNames.length) as [Example];
        return {
          options: { ...condition.options, ...options, indices: false },
          operands: { ...condition.operands, ...operands },
          twins: { ...condition.twins, ...twins },
        };
      }),
    ],
    startingAt: (firstIndex, result, { indices }: Options) =>
      indices ? movedBy(firstIndex, result as Uint32Array) : result,
  },
  partition: {
    layouts: ["in place", "behind", "together"],
    elements: elementOf("count", (options) => options.classes === undefined),
    of(type, _, random) {
      const sides = kept(type, random);
      return [...sides, ...sides.slice(-3).map(withOwnRest), ...classes(type, random)];
    },
    startingAt(firstIndex, result, { indices }: Options) {
      const parts = result as { readonly values: Uint32Array };
      return indices ? { ...parts, values: movedBy(firstIndex, parts.values) } : parts;
    },
  },
};
