import fc from "fast-check";
import { operator } from "../../src/algebra/custom_operator.ts";
import { elementTypes } from "../../src/algebra/element_types.ts";
import type { VectorScalarName } from "../../src/algebra/fields.ts";
import { scalarAt } from "../../src/algebra/fields.ts";
import { decodeFloat16, encodeFloat16 } from "../../src/algebra/float16.ts";
import type { Operator } from "../../src/algebra/monoid.ts";
import { operators } from "../../src/algebra/operator_table.ts";
import { roundingOf } from "../../src/algebra/rounding.ts";
import type { StructType } from "../../src/algebra/struct.ts";
import { isTrue } from "../../src/algebra/truth.ts";
import type { ElementType, ScalarType, StructValue, TypeName, Value } from "../../src/algebra/types.ts";
import { withParams } from "../support/params.ts";
import type { DataKind, DataSpec, FieldSpec, TypeSpec } from "./values.ts";
import {
  bitsOf,
  dataKinds,
  fieldsOf,
  isPlain,
  isZeroOrMarked,
  itemBytes,
  structText,
  structWith,
  typeOf,
} from "./values.ts";

// What a primitive computes, as a case describes it: plain data, from which come the options of a call, and the
// functions that the reference takes.

export const primitives = ["scan", "reduce", "compact"] as const;
export const algorithmNames = ["hillis-steele", "blelloch", "subgroup"] as const;
const typeNames = Object.keys(elementTypes) as TypeName[];

/** The operators of the table, and of the fuzz's own: of which the last three do not commute. */
export const operatorNames = [...Object.keys(operators), "latest", "affine", "fieldwise"] as const;

export const whereNames = ["even places", "odd", "all", "none", "number", "few"] as const;
export type WhereName = (typeof whereNames)[number];
/** No map; to the type itself; from another one. */
export const mapNames = ["own", "other"] as const;
export type MapName = (typeof mapNames)[number];

/** What a primitive is prepared for, or called with. */
export interface PlanSpec {
  readonly primitive: (typeof primitives)[number];
  readonly type: TypeSpec;
  /** Left out, or where the type does not take it: `add`, or `fieldwise`; unless `misfit` says to try. */
  readonly op?: string;
  readonly misfit?: boolean;
  readonly exclusive?: boolean;
  readonly reverse?: boolean;
  /** Of a compaction: flags, where it is left out. */
  readonly where?: WhereName;
  readonly indices?: boolean;
  readonly map?: MapName;
  /** Whether numbers in texts are params. */
  readonly params?: boolean;
  readonly algorithm?: (typeof algorithmNames)[number];
  readonly passes?: "single" | "reduce-then-scan";
  readonly workGroupSize?: number;
  readonly itemsPerThread?: number;
}

export const adapterKinds = ["simulated", "gpu", "software"] as const;
export type AdapterKind = (typeof adapterKinds)[number];

export const isAdapterKind = (name: string | undefined): name is AdapterKind =>
  adapterKinds.some((kind) => kind === name);

/** What an adapter makes of cases: how long, how large. */
export interface Scale {
  /** Whether long kernels take long to compile. */
  readonly software: boolean;
  readonly hasF16: boolean;
  /** Whether cases name a simulated machine. */
  readonly hasMachines: boolean;
  readonly mostThreads: number;
  /** Cases that share the plans, and the kind of machine, that they are drawn from. */
  readonly batchSize: number;
  /** Of most cases, and of a few. */
  readonly usualLength: number;
  readonly rareLength: number;
  /** The most items of cases in windows: of 4 bytes, two windows or three. */
  readonly inWindows: number;
}

const scales = {
  // Small work-groups have several tiles, and two levels of spine, with a few hundred items.
  simulated: {
    software: true,
    hasF16: true,
    hasMachines: true,
    batchSize: 500,
    mostThreads: 256,
    usualLength: 600,
    rareLength: 20_000,
    inWindows: 7000,
  },
  software: {
    software: true,
    hasF16: false,
    hasMachines: false,
    batchSize: 100,
    mostThreads: 256,
    usualLength: 5000,
    rareLength: 200_000,
    inWindows: 12_000,
  },
  gpu: {
    software: false,
    hasF16: true,
    hasMachines: false,
    batchSize: 100,
    mostThreads: 1024,
    usualLength: 100_000,
    rareLength: 4_000_000,
    inWindows: 12_000,
  },
} as const satisfies Record<AdapterKind, Scale>;

export const scaleOf = (kind: AdapterKind): Scale => scales[kind];

/** One that is generated a few times, and drawn again and again, so that what it stands for need not be compiled anew. */
export class Pooled<T> extends fc.Arbitrary<T> {
  readonly #inner: fc.Arbitrary<T>;
  readonly #size: number;
  readonly #pool: fc.Value<T>[] = [];

  constructor(inner: fc.Arbitrary<T>, size: number) {
    super();
    this.#inner = inner;
    this.#size = size;
  }

  override generate(random: fc.Random, bias: number | undefined): fc.Value<T> {
    const place = random.nextInt(0, this.#size - 1);
    const known = this.#pool[place] ?? this.#inner.generate(random, bias);
    this.#pool[place] = known;
    return known;
  }

  override canShrinkWithoutContext(value: unknown): value is T {
    return this.#inner.canShrinkWithoutContext(value);
  }

  override shrink(value: T, context: unknown): fc.Stream<fc.Value<T>> {
    return this.#inner.shrink(value, context);
  }
}

/** A number around powers of two, any up to `most`, or small. */
export const sizeAround = (most: number): fc.Arbitrary<number> =>
  fc.oneof(
    { weight: 1, arbitrary: fc.constant(0) },
    { weight: 3, arbitrary: fc.integer({ min: 0, max: Math.min(most, 70) }) },
    {
      weight: 3,
      arbitrary: fc
        .tuple(fc.integer({ min: 0, max: Math.floor(Math.log2(most)) }), fc.integer({ min: -1, max: 1 }))
        .map(([exponent, off]) => Math.max(0, Math.min(most, 2 ** exponent + off))),
    },
    { weight: 3, arbitrary: fc.integer({ min: 0, max: most }) },
  );

/** Items of a case, of any of these kinds. */
export const dataArbitrary = (...kinds: readonly DataKind[]): fc.Arbitrary<DataSpec> =>
  fc.record({
    kind: fc.constantFrom(...(kinds.length > 0 ? kinds : dataKinds)),
    seed: fc.nat({ max: 0xffff }),
  });

const threadsArbitrary = (most: number): fc.Arbitrary<number> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(4, 8, 2, 1, 3, 5, 16, 32, 33) },
    { weight: 3, arbitrary: fc.integer({ min: 1, max: 130 }) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: most }) },
  );

/** Fields of a struct. Long ones compile slowly in software, and are rare there. */
const structArbitrary = ({ software, hasF16 }: Scale): fc.Arbitrary<TypeSpec> => {
  const names: TypeName[] = hasF16 ? typeNames : typeNames.filter((name) => name !== "f16");
  const fields = (least: number, most: number): fc.Arbitrary<TypeSpec> =>
    fc.array(fc.constantFrom(...names), { minLength: least, maxLength: most });
  const { field } = fc.letrec<{ field: FieldSpec }>((tie) => ({
    field: fc.oneof(
      { maxDepth: 3 },
      { weight: 3, arbitrary: fc.constantFrom<FieldSpec[]>(...names) },
      {
        weight: 3,
        arbitrary: fc.record({
          vector: fc.constantFrom(2 as const, 3 as const, 4 as const),
          of: fc.constantFrom<VectorScalarName[]>("u32", "i32", "f32", ...(hasF16 ? (["f16"] as const) : [])),
        }),
      },
      { weight: 1, arbitrary: fc.record({ array: tie("field"), count: fc.integer({ min: 1, max: 4 }) }) },
      { weight: 1, arbitrary: fc.record({ fields: fc.array(tie("field"), { minLength: 1, maxLength: 3 }) }) },
    ),
  }));
  return fc.oneof(
    { weight: software ? 8 : 6, arbitrary: fc.array(field, { minLength: 1, maxLength: 4 }) },
    { weight: software ? 30 : 6, arbitrary: fields(1, 3) },
    { weight: software ? 4 : 4, arbitrary: fields(2, 6) },
    { weight: software ? 1 : 3, arbitrary: fields(4, 16) },
  );
};

export const typeArbitrary = (scale: Scale): fc.Arbitrary<TypeSpec> =>
  fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom<TypeSpec[]>("u32", "i32", "f32", "u64", "i64") },
    // f16 is only refused where the adapter has none; f64 compiles slowly.
    {
      weight: scale.software ? (scale.hasF16 ? 2 : 1) : 4,
      arbitrary: fc.constantFrom<TypeSpec[]>("f64", "f16"),
    },
    { weight: 4, arbitrary: structArbitrary(scale) },
  );

export function planArbitrary(scale: Scale): fc.Arbitrary<PlanSpec> {
  const common = {
    type: typeArbitrary(scale),
    map: oneIn(4, fc.constantFrom(...mapNames)),
    params: rarely(2),
    algorithm: fc.constantFrom(undefined, ...algorithmNames),
    passes: fc.constantFrom(undefined, "single" as const, "single" as const, "reduce-then-scan" as const),
    workGroupSize: threadsArbitrary(scale.mostThreads),
    itemsPerThread: fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(2, 4, 1, 3, 5, 8) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: scale.software ? 16 : 32 }) },
    ),
  };
  const ops = fc.constantFrom(...operatorNames);
  return fc.oneof(
    fc.record(
      {
        primitive: fc.constant("scan" as const),
        ...common,
        op: ops,
        misfit: rarely(),
        exclusive: fc.boolean(),
        reverse: rarely(3),
      },
      { requiredKeys: ["primitive", "type"] },
    ),
    fc.record(
      { primitive: fc.constant("reduce" as const), ...common, op: ops, misfit: rarely() },
      { requiredKeys: ["primitive", "type"] },
    ),
    fc.record(
      {
        primitive: fc.constant("compact" as const),
        ...common,
        where: oneIn(2, fc.constantFrom(...whereNames)),
        indices: oneIn(3, fc.constant(true)),
      },
      { requiredKeys: ["primitive", "type"] },
    ),
  ) as fc.Arbitrary<PlanSpec>;
}

/** A value in one of `times` cases, and nothing in the others. */
export const oneIn = <T>(times: number, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof(
    { weight: times - 1, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary },
  ) as fc.Arbitrary<T>;

/** True once in a while. */
export const rarely = (oneIn = 16): fc.Arbitrary<boolean> =>
  fc.integer({ min: 0, max: oneIn - 1 }).map((n) => n === oneIn - 1);

/** A plan with all that follows from its description. */
export interface PlanFacts {
  readonly spec: PlanSpec;
  readonly title: string;
  /** What is combined, and comes out. */
  readonly type: ElementType;
  /** What goes in. */
  readonly from: ElementType;
  readonly op: Operator;
  /** Whether the operator takes the type. */
  readonly fits: boolean;
  /** What comes out: of places, u32. */
  readonly output: ElementType;
  /** Whether a compaction gives the places of what it keeps. */
  readonly indices: boolean;
  readonly usesFlags: boolean;
  /** What a call takes beside the data and its types. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The map's twin. */
  readonly map?: (x: Value, i: number) => Value;
  /** The predicate's twin. */
  readonly keep?: (x: Value, i: number) => boolean;
}

/**
 * The most items that the reference follows in a second or so: values that are objects or bigints are slow on the CPU, and
 * the order of a plan, which f64 is rounded in, is followed step by step.
 */
export const mostItems = ({ type, from }: PlanFacts): number =>
  [type, from].some((one) => one.kind === "struct" || one.name === "f64")
    ? 100_000
    : [type, from].some((one) => one.bytes === 8)
      ? 500_000
      : Number.POSITIVE_INFINITY;

/** Whether an operator takes a type. */
export const takes = (name: string, type: ElementType): boolean =>
  type.kind === "struct"
    ? name === "latest" || name === "fieldwise"
    : name === "fieldwise"
      ? false
      : name === "affine"
        ? type.name === "u32"
        : type.kind === "float"
          ? !["and", "or", "xor"].includes(name)
          : name !== "exactAdd";

const own = new WeakMap<ElementType, Map<string, Operator>>();

/** An operator, of the table or of the fuzz's own. */
export function operatorOf(name: string, type: ElementType): Operator {
  const builtin = (operators as Readonly<Record<string, Operator>>)[name];
  if (builtin !== undefined) {
    return builtin;
  }
  const known = own.get(type) ?? new Map<string, Operator>();
  own.set(type, known);
  const op = known.get(name) ?? makeOperator(name, type);
  known.set(name, op);
  return op;
}

/** The last item that is not zero; of structs, whose first field is not. */
function latest(type: ElementType): Operator {
  const isStruct = type.kind === "struct";
  const [field] = fieldsOf(type);
  const { zero } = elementTypes[field?.type ?? "u32"] as ScalarType;
  const wgsl = isZeroText(field?.type ?? "u32", isStruct ? `later.${field?.name}` : "later");
  const isZero = (x: unknown): boolean => (field?.type === "f64" ? Object.is(x, 0) : x === zero);
  const identity = isStruct
    ? structWith(type, ({ type: own }) => (elementTypes[own] as ScalarType).zero)
    : zero;
  return operator({
    name: "latest",
    type: type as ElementType<string, Value>,
    identity: identity as Value,
    combine: isStruct ? `if (${wgsl}) { return earlier; }\nreturn later;` : `select(later, earlier, ${wgsl})`,
    reference: (earlier, later) => (isZero(scalarAt(later, field?.keys ?? [])) ? earlier : later),
  }) as Operator;
}

const isZeroText = (type: TypeName, x: string): string =>
  type === "f32"
    ? `${x} == 0.0`
    : type === "f16"
      ? `${x} == 0.0h`
      : type === "f64"
        ? // Of the two zeros, the one whose bits are all 0.
          `bitcast<u64>(${x}) == 0`
        : `${x} == 0`;

/** x -> a·x + b modulo 2^16, as a << 16 | b: the earlier map is applied first. */
const affineOf = (earlier: number, later: number): number => {
  const a = Math.imul(earlier >>> 16, later >>> 16) & 0xffff;
  const b = (Math.imul(later >>> 16, earlier & 0xffff) + (later & 0xffff)) & 0xffff;
  return ((a << 16) | b) >>> 0;
};
const AFFINE = `fn affine_then(earlier: u32, later: u32) -> u32 {
  let a = (earlier >> 16u) * (later >> 16u);
  let b = (later >> 16u) * (earlier & 0xffffu) + later;
  return (a << 16u) | (b & 0xffffu);
}`;

/** What `fieldwise` does to a field of each type: its WGSL, its identity, and its twin. */
const byField: {
  readonly [Name in TypeName]: readonly [
    wgsl: (e: string, l: string) => string,
    identity: Value,
    twin: (e: never, l: never) => Value,
  ];
} = {
  u32: [(e, l) => `affine_then(${e}, ${l})`, 0x10000, affineOf],
  i32: [(e, l) => `min(${e}, ${l})`, 0x7fffffff, Math.min],
  f32: [(e, l) => `select(${e}, ${l}, ${l} > ${e})`, -(2 ** 100), Math.max],
  f16: [(e, l) => `select(${e}, ${l}, ${l} > ${e})`, -32768, Math.max],
  u64: [(e, l) => `${e} + ${l}`, 0n, (e: bigint, l: bigint) => BigInt.asUintN(64, e + l)],
  i64: [(e, l) => `min(${e}, ${l})`, 0x7fff_ffff_ffff_ffffn, (e: bigint, l: bigint) => (l < e ? l : e)],
  f64: [(e, l) => `select(${e}, ${l}, ${e} < ${l})`, -(2 ** 1000), Math.max],
};

function makeOperator(name: string, type: ElementType): Operator {
  if (name === "latest") {
    return latest(type);
  }
  if (name === "affine") {
    return operator({
      name: "affine",
      type: elementTypes.u32,
      identity: 0x10000,
      declarations: AFFINE,
      combine: "affine_then(earlier, later)",
      reference: affineOf,
    }) as Operator;
  }
  const fields = fieldsOf(type);
  return operator({
    name: "fieldwise",
    type: type as StructType,
    identity: structWith(type, (field) => byField[field.type][1]),
    ...(fields.some((field) => field.type === "u32") && { declarations: AFFINE }),
    combine: structText(type, (field) =>
      byField[field.type][0](`earlier.${field.name}`, `later.${field.name}`),
    ),
    reference: (earlier, later) =>
      structWith(type, ({ keys, type: own }) =>
        byField[own][2](scalarAt(earlier, keys) as never, scalarAt(later, keys) as never),
      ),
  }) as unknown as Operator;
}

/** A map: the type that it takes, its WGSL, and what that means. */
interface MapRow {
  readonly from: TypeName;
  readonly wgsl: string;
  readonly twin: (x: never, i: number) => Value;
}

const ownMaps: { readonly [Name in TypeName]: Omit<MapRow, "from"> } = {
  u32: { wgsl: "x ^ (i * 2654435761u)", twin: (x: number, i) => (x ^ Math.imul(i, 2654435761)) >>> 0 },
  i32: { wgsl: "x - i32(i % 7u)", twin: (x: number, i) => (x - (i % 7)) | 0 },
  f32: { wgsl: "abs(x)", twin: Math.abs },
  f16: { wgsl: "abs(x)", twin: Math.abs },
  u64: { wgsl: "x + u64(i)", twin: (x: bigint, i) => BigInt.asUintN(64, x + BigInt(i)) },
  i64: { wgsl: "x - i", twin: (x: bigint, i) => BigInt.asIntN(64, x - BigInt(i)) },
  f64: { wgsl: "x * x", twin: (x: number) => x * x },
};

const otherMaps: { readonly [Name in TypeName]: MapRow } = {
  u32: {
    from: "u64",
    wgsl: "u32(x ^ (x >> 32))",
    twin: (x: bigint) => Number((x ^ (x >> 32n)) & 0xffffffffn),
  },
  i32: { from: "u64", wgsl: "i32(x >> 32)", twin: (x: bigint) => Number(x >> 32n) | 0 },
  f32: { from: "u32", wgsl: "f32(x % 5u)", twin: (x: number) => x % 5 },
  f16: { from: "u32", wgsl: "f16(x % 5u)", twin: (x: number) => x % 5 },
  u64: {
    from: "u32",
    wgsl: "u64(x) | (u64(i) << 32)",
    twin: (x: number, i) => BigInt(x) | (BigInt(i) << 32n),
  },
  i64: {
    from: "i32",
    wgsl: "vec2(bitcast<u32>(x), i)",
    twin: (x: number, i) => BigInt.asIntN(64, BigInt(x >>> 0) | (BigInt(i) << 32n)),
  },
  f64: { from: "i32", wgsl: "f64(x)", twin: (x: number) => x },
};

/** A struct's field from the u32 `x` and the place `i`, so that none is zero where `x` is not 0. */
const fromU32: {
  readonly [Name in TypeName]: readonly [wgsl: string, twin: (x: number, i: number) => Value];
} = {
  u32: ["x | 1u", (x) => (x | 1) >>> 0],
  i32: ["1 + i32(x % 1000u)", (x) => 1 + (x % 1000)],
  f32: ["1.0 + f32(x % 1000u)", (x) => 1 + (x % 1000)],
  f16: ["1.0h + f16(x % 100u)", (x) => 1 + (x % 100)],
  u64: ["vec2(x | 1u, i)", (x, i) => BigInt((x | 1) >>> 0) | (BigInt(i) << 32n)],
  i64: ["vec2(x | 1u, i)", (x, i) => BigInt.asIntN(64, BigInt((x | 1) >>> 0) | (BigInt(i) << 32n))],
  f64: ["f64_from_u32(1u + x % 1000u)", (x) => 1 + (x % 1000)],
};

/** A map to a type, from itself or from another one. */
export function mapOf(name: MapName, type: ElementType): MapRow & { readonly same: boolean } {
  if (type.kind !== "struct") {
    const row = name === "own" ? ownMaps[type.name as TypeName] : otherMaps[type.name as TypeName];
    return { from: type.name as TypeName, same: name === "own", ...row };
  }
  const fields = fieldsOf(type);
  if (name === "own") {
    // A u32 field behind the first goes by the place too; all others stay.
    const field = fields.slice(1).find((one) => one.type === "u32");
    return field === undefined
      ? { from: "u32", same: true, wgsl: "x", twin: (x: Value) => x }
      : {
          from: "u32",
          same: true,
          wgsl: `var y = x;\nif (y.${field.name} != 0u) {\n  y.${field.name} = x.${field.name} | i;\n}\nreturn y;`,
          twin: (x: StructValue, i) => {
            const old = scalarAt(x, field.keys) as number;
            return structWith(type, (one) =>
              one.name === field.name ? (old === 0 ? 0 : (old | i) >>> 0) : scalarAt(x, one.keys),
            );
          },
        };
  }
  return {
    from: "u32",
    same: false,
    wgsl: structText(type, (field) => fromU32[field.type][0]),
    twin: (x: number, i) => structWith(type, (field) => fromU32[field.type][1](x, i)),
  };
}

/** The predicate over values of a type. */
export function whereOf(
  name: WhereName,
  type: ElementType,
): { wgsl: string; keep: (x: Value, i: number) => boolean } {
  const [field] = fieldsOf(type);
  const isStruct = type.kind === "struct";
  const x = isStruct ? `x.${field?.name}` : "x";
  const own = field?.type ?? "u32";
  const first = (given: Value): Value => scalarAt(given, field?.keys ?? []);
  switch (name) {
    case "even places":
      return { wgsl: "i % 2u == 0u", keep: (_, i) => i % 2 === 0 };
    case "all":
      return { wgsl: "true", keep: () => true };
    case "none":
      return { wgsl: "false", keep: () => false };
    case "few":
      return { wgsl: "i % 61u == 7u", keep: (_, i) => i % 61 === 7 };
    case "number":
      return own === "u64" || own === "i64" || own === "f64"
        ? { wgsl: "i % 3u", keep: (_, i) => i % 3 !== 0 }
        : { wgsl: x, keep: (given) => isTrue(first(given) as number) };
    case "odd":
      switch (own) {
        case "u32":
        case "i32":
          return { wgsl: `(${x} & 1) == 1`, keep: (given) => (Number(first(given)) & 1) === 1 };
        case "f32":
          return { wgsl: `${x} > 0.5`, keep: (given) => (first(given) as number) > 0.5 };
        case "f16":
          return { wgsl: `${x} > 0.5h`, keep: (given) => (first(given) as number) > 0.5 };
        case "u64":
        case "i64":
          return { wgsl: `(${x} & 1) == 1`, keep: (given) => ((first(given) as bigint) & 1n) === 1n };
        case "f64":
          return { wgsl: `${x} > 0`, keep: (given) => (first(given) as number) > 0 };
        default:
          return own satisfies never;
      }
    default:
      return name satisfies never;
  }
}

const asItIs = (options: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => options;

/** All that follows from a description. */
export function factsOf(spec: PlanSpec): PlanFacts {
  const type = typeOf(spec.type);
  const { op: asked = "add" } = spec;
  const fits = takes(asked, type);
  const name =
    fits || (spec.misfit && spec.primitive !== "compact")
      ? asked
      : type.kind === "struct"
        ? "fieldwise"
        : "add";
  // A misfit operator of the fuzz's own is for another type.
  const other = name === "fieldwise" ? typeOf(["u32"]) : elementTypes.u32;
  const op = operatorOf(name, takes(name, type) || name in operators ? type : other);
  const isCompact = spec.primitive === "compact";
  const indices = isCompact && spec.indices === true && spec.map === undefined;
  const map = spec.map === undefined ? undefined : mapOf(spec.map, type);
  const from = map === undefined || map.same ? type : elementTypes[map.from];
  const where = isCompact && spec.where !== undefined ? whereOf(spec.where, from) : undefined;
  const { algorithm, passes, workGroupSize, itemsPerThread } = spec;
  return {
    spec,
    title: `${spec.primitive}<${type.name}${isCompact ? "" : `, ${name}`}>`,
    type,
    from,
    op,
    fits: isCompact || takes(name, type),
    output: indices ? elementTypes.u32 : type,
    indices,
    usesFlags: isCompact && where === undefined,
    options: (spec.params ? withParams : asItIs)({
      ...(!isCompact && { op }),
      ...(spec.primitive === "scan" && spec.exclusive !== undefined && { exclusive: spec.exclusive }),
      ...(spec.primitive === "scan" && spec.reverse !== undefined && { reverse: spec.reverse }),
      ...(where !== undefined && { where: where.wgsl }),
      ...(indices && { indices }),
      ...(map !== undefined && { map: map.wgsl }),
      ...(algorithm !== undefined && { algorithm }),
      ...(passes !== undefined && { passes }),
      ...(workGroupSize !== undefined && { workGroupSize }),
      ...(itemsPerThread !== undefined && { itemsPerThread }),
    }),
    ...(map !== undefined && { map: map.twin as NonNullable<PlanFacts["map"]> }),
    ...(where !== undefined && { keep: where.keep }),
  };
}

/** Which elements each result of a scan combines, as its reference takes it. */
export const orderOf = ({ exclusive = false, reverse = false }: PlanSpec) => ({ exclusive, reverse });

/** The place of the element that a plan combines after so many others. */
export const placeAfter = ({ primitive, reverse }: PlanSpec, count: number, length: number): number =>
  primitive === "scan" && reverse ? length - 1 - count : count;

const isNarrowFloat = (type: ElementType): boolean => type.name === "f32" || type.name === "f16";

/** Whether the plan's operator rounds as the adapter likes. */
export const isBounded = ({ spec, op, type, fits }: PlanFacts): boolean =>
  spec.primitive !== "compact" &&
  fits &&
  isNarrowFloat(type) &&
  op.name !== "latest" &&
  roundingOf(op, type) !== "none";

/** Whether the plan's results are what the reference says only for floats that are plain numbers. */
const needsPlain = (plan: PlanFacts): boolean =>
  plan.map !== undefined ||
  plan.keep !== undefined ||
  (plan.spec.primitive !== "compact" &&
    (isBounded(plan) || plan.op.name === "latest" || plan.op.name === "fieldwise"));

/** Items for a plan. */
export function dataFor(plan: PlanFacts, data: DataSpec, length: number): Uint8Array<ArrayBuffer> {
  const { from, type, op } = plan;
  const bytes = itemBytes(from, data, length, needsPlain(plan));
  if (plan.map === undefined && isNarrowFloat(type) && op.name === "mul" && isBounded(plan)) {
    // Products of any numbers leave their type's range at once.
    const next = bitsOf(data.seed);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let index = 0; index < length; index++) {
      const isSign = data.kind === "small" || data.kind === "sparse";
      const x = isSign ? 1 - 2 * (next() % 2) : 1 + (next() / 2 ** 32 - 0.5) / 32;
      if (type.name === "f32") {
        view.setFloat32(index * 4, x, true);
      } else {
        view.setUint16(index * 2, encodeFloat16(x), true);
      }
    }
  }
  return bytes;
}

/** Whether the reference says what a plan makes of these items. */
export function isDefined(plan: PlanFacts, bytes: Uint8Array): boolean {
  return (
    (!needsPlain(plan) || isPlain(plan.from, bytes)) &&
    (plan.spec.primitive === "compact" ||
      plan.op.name !== "latest" ||
      plan.type.kind !== "struct" ||
      plan.from !== plan.type ||
      isZeroOrMarked(plan.type, bytes))
  );
}

/** What a result of f32 or f16 may be: within so much of a number. */
export interface Bound {
  readonly value: number;
  readonly bound: number;
}

/** One unit in the last place, twice the greatest error of rounding to nearest; and the least normal number. */
const units = { f32: [2 ** -23, 2 ** -126], f16: [2 ** -10, 2 ** -14] } as const;
const ranges = { f32: [2 ** -100, 2 ** 100], f16: [2 ** -10, 2 ** 14] } as const;

/**
 * The prefixes of f32 or f16 and what each may be off by, where each item enters through at most `most` operations: the
 * README has the bound. Nothing, where a partial result could leave the type's range.
 */
export function boundsOf(
  plan: PlanFacts,
  values: (index: number) => number,
  length: number,
  exclusive: boolean,
  most: number,
): Bound[] | undefined {
  const name = plan.type.name as "f32" | "f16";
  const [unit, least] = units[name];
  const [low, high] = ranges[name];
  const isSum = plan.op.name === "add";
  const gamma = (k: number): number =>
    k * unit < 0.5 ? (k * unit) / (1 - k * unit) : Number.POSITIVE_INFINITY;
  const bounds: Bound[] = [];
  let value = isSum ? 0 : 1;
  let magnitude = 0;
  let smallest = 1;
  let greatest = 1;
  let wholes = true;
  const push = (count: number): void => {
    if (isSum) {
      // Whole numbers whose magnitudes add up to less than the significand holds are exact in any order.
      const exact = wholes && magnitude <= 1 / unit;
      const bound = exact
        ? 0
        : gamma(Math.min(most, Math.max(0, count - 1))) * magnitude + count * (least + 2 ** -53 * magnitude);
      bounds.push({ value, bound });
    } else {
      const exact = wholes && Math.abs(value) === 1 && greatest === 1 && smallest === 1;
      bounds.push({
        value,
        bound: exact
          ? 0
          : gamma(Math.max(0, count - 1)) * Math.abs(value) + count * 2 ** -53 * Math.abs(value),
      });
    }
  };
  for (let index = 0; index < length; index++) {
    if (exclusive) {
      push(index);
    }
    const x = values(placeAfter(plan.spec, index, length));
    value = isSum ? value + x : value * x;
    magnitude += Math.abs(x);
    wholes &&= Number.isInteger(x);
    smallest = Math.min(smallest, Math.abs(value));
    greatest = Math.max(greatest, Math.abs(value));
    if (!exclusive) {
      push(index + 1);
    }
  }
  const fits = isSum ? magnitude < high : smallest > low && greatest < high && greatest / smallest < high;
  const inOrder = bounds.map((_, index) => bounds[placeAfter(plan.spec, index, length)] as Bound);
  return fits ? inOrder : undefined;
}

/** The number of an item of f32 or f16. */
export function numberAt(type: ElementType, bytes: Uint8Array, index: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return type.name === "f32"
    ? view.getFloat32(index * 4, true)
    : decodeFloat16(view.getUint16(index * 2, true));
}
