import type { CustomOperator } from "../algebra/custom_operator.ts";
import { operator } from "../algebra/custom_operator.ts";
import { hex } from "../algebra/literals.ts";
import type { Monoid } from "../algebra/monoid.ts";
import type { StructDefinition, StructFields, StructType } from "../algebra/struct.ts";
import { struct } from "../algebra/struct.ts";
import type { Scalar, ScalarOf, ScalarType, StructValue, TypeName } from "../algebra/types.ts";
import { ArgumentError, shown } from "../errors.ts";

/** The scalar types that the ready-made monoids are made of. */
export type MonoidTypeName = Exclude<TypeName, "f16">;

/** The scalar type of that name. */
export type MonoidType<Name extends MonoidTypeName> = ScalarType<Name, ScalarOf<Name>>;

/** An operator and its struct: `op.type.from([…])` makes an array of its elements. */
export interface StructOperator<Name extends string, V extends StructValue> extends CustomOperator<Name, V> {
  /** The struct that it combines. */
  readonly type: StructType<Name, V>;
}

/** `struct`, typed by its values: TypeScript cannot tell which values fields have whose types it does not know yet. */
function structOf<Name extends string, V extends StructValue>(
  definition: StructDefinition<Name, { readonly [Field in keyof V]: ScalarType }>,
): StructType<Name, V>;
function structOf(definition: StructDefinition<string, StructFields>): StructType {
  return struct(definition);
}

/** An operator on a struct of its own. */
export function structOperator<const Name extends string, V extends StructValue>(parts: {
  readonly name: string;
  readonly struct: Name;
  readonly fields: { readonly [Field in keyof V]: ScalarType };
  readonly identity: V;
  readonly combine: string;
  readonly declarations?: string;
  readonly reference: (earlier: V, later: V) => V;
  readonly keyed?: Keyed<V>;
}): StructOperator<Name, V> {
  const { name, fields, identity, combine, declarations = "", reference, keyed } = parts;
  const type = structOf<Name, V>({ name: parts.struct, fields });
  const own = operator<Name, V>({ name, type, identity, combine, declarations, reference });
  const { on } = own;
  return {
    ...own,
    type,
    ...(keyed && {
      on: (op, given, caller) => {
        const monoid = (on as NonNullable<typeof on>)(op, given, caller);
        const reduces = caller.startsWith("reduce");
        // Functions in a caller's kernel take the struct itself. So do scans of integers: 2^24 of ArgMinU32, H100, 116 µs (by keys 121).
        if (!reduces && !(caller.startsWith("scan") && keyed.of.name === "f32")) {
          return monoid;
        }
        return type.bytes === 8 ? keyedMonoid(monoid, keyed, reduces) : entryMonoid(monoid, keyed);
      },
    }),
  };
}

/**
 * How device-wide kernels combine a struct of two fields: each value becomes an unsigned integer in the same order when it is loaded. So a
 * combination takes a few instructions, where comparing floats takes dozens.
 */
export interface Keyed<V extends StructValue> {
  /** The type of the values. */
  readonly of: ScalarType;
  /** The fields, in order, and the key of a NaN in each field of a value. A field without one is a u32. */
  readonly fields: readonly (readonly [field: keyof V & string, nan?: number])[];
  /** An expression over `earlier` and `later`, which are `vec2<u32>`. Values of two words have one that follows from `takes`. */
  readonly combine: string;
  /** Whether the operator takes the operand with the least value, or with the greatest one; undefined if it takes neither. */
  readonly takes?: "least" | "greatest";
}

/** The keys of NaN: it is neither the least value nor the greatest. */
export const NAN_IS_GREATEST = 0xffffffff;
export const NAN_IS_LOWEST = 0;

function keyedMonoid<V extends StructValue>(
  monoid: Monoid,
  { of, fields, combine, takes }: Keyed<V>,
  reduces: boolean,
): Monoid {
  const { callers: _, ...own } = monoid;
  const { native } = monoid.type;
  const { keyOf, bitsOf, keyOfNumber } = keysOf[of.kind];
  const words = (each: (at: "x" | "y", nan?: number, field?: string) => string): string =>
    `vec2<u32>(${fields.map(([field, nan], at) => each(at === 0 ? "x" : "y", nan, field)).join(", ")})`;
  return {
    ...own,
    combine,
    ...(reduces && takes && { leading: takes === "least" ? "x.x" : "~x.x" }),
    domain: {
      element: "vec2<u32>",
      stored: native.stored as string,
      fromStored: words((at, nan) => (nan === undefined ? `x.${at}` : keyOf(`x.${at}`, nan))),
      toStored: words((at, nan) => (nan === undefined ? `x.${at}` : bitsOf(`x.${at}`))),
      fromValue: words((_at, nan, field) =>
        nan === undefined ? `x.${field}` : keyOf(`bitcast<u32>(x.${field})`, nan),
      ),
      elementBytes: 8,
      literal: (value) => [
        words((_at, nan, field) => {
          const part = (value as StructValue)[field as string] as number;
          return hex(nan === undefined ? part : Number.isNaN(part) ? nan : keyOfNumber(part));
        }),
      ],
    },
  };
}

/** The same for a reduction to a value of two words and its index: elements are the words of a key, the index, and 0. */
function entryMonoid<V extends StructValue>(
  monoid: Monoid,
  { of: { kind, native }, fields, takes }: Keyed<V>,
): Monoid {
  const { callers: _, ...own } = monoid;
  const nan = hex(fields[0]?.[1] as number);
  const top = "vec2<u32>(0u, 0x80000000u)";
  const keyOf = (bits: string): string =>
    kind === "float"
      ? `select(${bits} ^ (vec2<u32>(0u - (${bits}.y >> 31u)) | ${top}), vec2<u32>(${nan}), is_nan_f64(${bits}))`
      : kind === "signed"
        ? `(${bits} ^ ${top})`
        : bits;
  const bitsOf =
    kind === "float"
      ? `(x.xy ^ (vec2<u32>((x.y >> 31u) - 1u) | ${top}))`
      : kind === "signed"
        ? `(x.xy ^ ${top})`
        : "x.xy";
  const isLeast = takes === "least";
  const decides = (word: string, rest: string, by = isLeast ? "<" : ">"): string =>
    `later.${word} ${by} earlier.${word} || (later.${word} == earlier.${word} && ${rest})`;
  return {
    ...own,
    combine: `select(earlier, later, ${decides("y", `(${decides("x", "later.z < earlier.z")})`)})`,
    leading: isLeast ? "x.y" : "~x.y",
    domain: {
      element: "vec4<u32>",
      stored: monoid.type.native.stored as string,
      fromStored: `vec4<u32>(${keyOf("x.xy")}, x.z, 0u)`,
      toStored: `vec4<u32>(${bitsOf}, x.z, 0u)`,
      fromValue: `vec4<u32>(${keyOf("x.value")}, x.index, 0u)`,
      elementBytes: 16,
      literal: (value, name) => {
        const { value: x, index } = value as { readonly value: Scalar; readonly index: number };
        const [bits, setup = ""] = native.literal(x, name);
        return [`vec4<u32>(${keyOf(bits)}, ${hex(index)}, 0u)`, setup];
      },
    },
  };
}

/** Integers in the order of values: WGSL from bits and back, and the same of a number. */
interface Keys {
  keyOf(bits: string, nan: number): string;
  bitsOf(key: string): string;
  keyOfNumber(value: number): number;
}

const withSign = (bits: string): string => `(${bits} ^ 0x80000000u)`;
const keysOf = {
  unsigned: { keyOf: (bits) => bits, bitsOf: (key) => key, keyOfNumber: (value) => value },
  signed: { keyOf: withSign, bitsOf: withSign, keyOfNumber: (value) => (value ^ 0x80000000) >>> 0 },
  float: {
    keyOf: (bits, nan) =>
      `select(${bits} ^ (bitcast<u32>(bitcast<i32>(${bits}) >> 31u) | 0x80000000u), ${hex(nan)}, (${bits} & 0x7fffffffu) > 0x7f800000u)`,
    bitsOf: (key) => `(${key} ^ (~bitcast<u32>(bitcast<i32>(${key}) >> 31u) | 0x80000000u))`,
    keyOfNumber(value) {
      const [bits = 0] = new Uint32Array(Float32Array.of(value).buffer);
      return (bits >= 0x80000000 ? ~bits : bits ^ 0x80000000) >>> 0;
    },
  },
} satisfies Record<ScalarType["kind"], Keys>;

const names = ["u32", "i32", "f32", "u64", "i64", "f64"] as const satisfies readonly MonoidTypeName[];

/**
 * What was made for a type, or is made now: the same type gives the same operator, and so the same struct.
 *
 * @throws {ArgumentError} for a type that the ready-made monoids do not take.
 */
export function oncePerType<Made>(
  known: WeakMap<object, unknown>,
  caller: string,
  type: ScalarType,
  make: (suffix: string) => Made,
): Made {
  const name = (type as ScalarType | undefined)?.name;
  if (!names.some((one) => one === name)) {
    throw new ArgumentError(
      `${caller}: the type is ${name ?? shown(type)}; it takes ${names.join(", ")}`,
      "type",
    );
  }
  const made = (known.get(type) as Made | undefined) ?? make(type.name.toUpperCase());
  known.set(type, made);
  return made;
}

/** `sum_of` and `product_of` two values of a type, in WGSL. */
export const arithmeticText = ({ name: type }: ScalarType): string =>
  (
    [
      ["sum_of", "+"],
      ["product_of", "*"],
    ] as const
  )
    .map(
      ([name, operator]) =>
        `fn ${name}(earlier: ${type}, later: ${type}) -> ${type} {\n  return earlier ${operator} later;\n}`,
    )
    .join("\n");

// Comparing floats may flush subnormals and loses the sign of zero; comparing these integers does neither.
const order32 = `fn order_of(value: f32, nan: u32) -> u32 {
  let bits = bitcast<u32>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) {
    return nan;
  }
  return bits ^ select(0x80000000u, 0xffffffffu, (bits & 0x80000000u) != 0u);
}
fn less(a: f32, b: f32) -> bool {
  return order_of(a, 0xffffffffu) < order_of(b, 0xffffffffu);
}
fn greater(a: f32, b: f32) -> bool {
  return order_of(a, 0u) > order_of(b, 0u);
}`;
const order64 = `fn order_of(bits: vec2<u32>, nan: u32) -> vec2<u32> {
  if (less_u64(vec2<u32>(0u, 0x7ff00000u), vec2<u32>(bits.x, bits.y & 0x7fffffffu))) {
    return vec2<u32>(nan, nan);
  }
  if ((bits.y & 0x80000000u) != 0u) {
    return ~bits;
  }
  return vec2<u32>(bits.x, bits.y | 0x80000000u);
}
fn less(a: f64, b: f64) -> bool {
  return less_u64(order_of(bitcast<vec2<u32>>(a), 0xffffffffu), order_of(bitcast<vec2<u32>>(b), 0xffffffffu));
}
fn greater(a: f64, b: f64) -> bool {
  return less_u64(order_of(bitcast<vec2<u32>>(b), 0u), order_of(bitcast<vec2<u32>>(a), 0u));
}`;
const integerOrder = (value: string): string =>
  `fn less(a: ${value}, b: ${value}) -> bool {
  return a < b;
}
fn greater(a: ${value}, b: ${value}) -> bool {
  return less(b, a);
}`;

const orders = {
  u32: integerOrder("u32"),
  i32: integerOrder("i32"),
  f32: order32,
  u64: integerOrder("u64"),
  i64: integerOrder("i64"),
  f64: order64,
} as const satisfies Record<MonoidTypeName, string>;

/** `less` and `greater` in WGSL: −0 comes before +0, and NaN is neither less nor greater than a number, which is both. */
export const orderText = (type: ScalarType): string => orders[type.name as MonoidTypeName];

const precedes = (a: Scalar, b: Scalar): boolean =>
  a < b || (a === 0 && b === 0 && Object.is(a, -0) && Object.is(b, 0));

/** The CPU twin of `less`: any number is less than NaN. */
export const less = (a: Scalar, b: Scalar): boolean => (Number.isNaN(b) ? !Number.isNaN(a) : precedes(a, b));

/** The CPU twin of `greater`: any number is greater than NaN. */
export const greater = (a: Scalar, b: Scalar): boolean =>
  Number.isNaN(b) ? !Number.isNaN(a) : precedes(b, a);

/** Nothing, as a minimum or a maximum: what every number wins against. */
export const nothing = <Name extends MonoidTypeName>(
  type: MonoidType<Name>,
  end: "greatest" | "lowest",
): ScalarOf<Name> => (type.kind === "float" ? (Number.NaN as ScalarOf<Name>) : type[end]);
