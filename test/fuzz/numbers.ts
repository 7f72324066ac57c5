import fc from "fast-check";
import { u32 } from "../../src/algebra/integers.ts";
import { struct } from "../../src/algebra/struct.ts";
import type { ScalarType, Value } from "../../src/algebra/types.ts";
import { f64, i64, u64 } from "../../src/algebra/types_64.ts";
import type { Fixture } from "./fixture.ts";
import type { Scale } from "./plans.ts";
import type { Verdict } from "./verdict.ts";
import { attempt, Fault } from "./verdict.ts";

// Expressions over f64, i64 and u64, as random trees of typed nodes. An evaluator of this file's own, on BigInt and JavaScript's
// numbers, says what each gives.

type LongName = "f64" | "i64" | "u64";
type Name = LongName | "u32" | "bool";

/** A node: the text of an operation or a function, the type that it gives, and its operands. A leaf's text is its value's. */
export type Node = readonly [operation: string, type: Name, ...operands: Node[]];

export interface NumbersCase {
  readonly family: "numbers";
  readonly type: LongName;
  readonly result: LongName;
  /** What the tree is: a map's expression, the same in statements, or a predicate. */
  readonly slot: "map" | "statements" | "where";
  /** Whether the elements are fields of structs. */
  readonly inStruct: boolean;
  readonly tree: Node;
  /** The elements: places among the special values, or seeds of random bits. */
  readonly data: readonly number[];
}

const longs: readonly LongName[] = ["f64", "i64", "u64"];
const types = { f64, i64, u64 } as const satisfies Record<LongName, ScalarType>;

const binary: Readonly<Record<LongName, readonly string[]>> = {
  f64: ["+", "-", "*", "/", "%", "min", "max"],
  i64: ["+", "-", "*", "/", "%", "&", "|", "^", "min", "max"],
  u64: ["+", "-", "*", "/", "%", "&", "|", "^", "min", "max"],
};
const unary: Readonly<Record<LongName, readonly string[]>> = {
  f64: ["-", "abs", "sign", "floor", "ceil", "trunc", "round", "fract"],
  i64: ["-", "~", "abs", "sign"],
  u64: ["~", "abs", "sign"],
};
const literals: Readonly<Record<LongName, readonly string[]>> = {
  f64: ["0", "1", "2.5", "0.1", "1e300", "1e-310", "-3", "0x1.8p-3", "4294967296"],
  i64: ["0", "1", "-1", "7", "9223372036854775807", "-4294967297", "0xff00ff00ff00"],
  u64: ["0", "1", "10", "18446744073709551615", "4294967296", "0xff00ff00ff00"],
};
const comparisons = ["==", "!=", "<", ">", "<=", ">="];

const leafOf = (type: LongName, element: LongName): fc.Arbitrary<Node> =>
  fc.oneof(
    ...(type === element ? [fc.constant<Node>(["x", type])] : []),
    fc.constantFrom(...literals[type]).map((text): Node => [text, type]),
    fc.constant<Node>(["convert", type, ["i", "u32"]]),
  );

function trees(element: LongName, start: Name, maxDepth: number): fc.Arbitrary<Node> {
  const { nodes } = fc.letrec<Record<Name, Node> & { nodes: Node }>((tie) => {
    const several = (type: Name, operations: readonly string[], ...of: Name[]): fc.Arbitrary<Node> =>
      fc
        .tuple(fc.constantFrom(...operations), ...of.map((one) => tie(one) as fc.Arbitrary<Node>))
        .map(([operation, ...operands]): Node => [operation as string, type, ...(operands as Node[])]);
    const long = (type: LongName): fc.Arbitrary<Node> =>
      fc.oneof(
        { maxDepth, withCrossShrink: true },
        leafOf(type, element),
        several(type, binary[type], type, type),
        several(type, unary[type], type),
        several(type, ["select"], type, type, "bool"),
        several(type, ["clamp"], type, type, type),
        fc
          .constantFrom<Name>(...longs.filter((one) => one !== type), "u32", "bool")
          .chain((from) => several(type, ["convert"], from)),
        ...(type === "f64" ? [] : [several(type, ["<<", ">>"], type, "u32")]),
        // A number without a type, beside one that has one.
        fc
          .tuple(
            fc.constantFrom(...binary[type].slice(0, 3)),
            tie(type) as fc.Arbitrary<Node>,
            fc.constantFrom(...literals[type]),
          )
          .map(([operation, left, literal]): Node => [operation, type, left, [`bare ${literal}`, type]]),
      );
    return {
      f64: long("f64"),
      i64: long("i64"),
      u64: long("u64"),
      u32: fc.oneof(
        { maxDepth },
        fc.constantFrom<Node[]>(["i", "u32"], ["5", "u32"], ["70", "u32"]),
        fc.constantFrom(...longs).chain((from) => several("u32", ["convert"], from)),
      ),
      bool: fc.oneof(
        { maxDepth },
        fc.constantFrom(...longs).chain((of) => several("bool", comparisons, of, of)),
        several("bool", ["&&", "||"], "bool", "bool"),
        several("bool", ["!"], "bool"),
        fc.constantFrom(...longs).chain((from) => several("bool", ["convert"], from)),
      ),
      nodes: tie(start) as fc.Arbitrary<Node>,
    };
  });
  return nodes;
}

/** A software adapter's compiler puts each call's function in its place, and takes seconds for twenty of them. */
export const numbersArbitrary = ({ software }: Scale): fc.Arbitrary<NumbersCase> =>
  fc
    .record({
      type: fc.constantFrom(...longs),
      result: fc.constantFrom(...longs),
      slot: fc.constantFrom("map", "statements", "where") as fc.Arbitrary<NumbersCase["slot"]>,
      inStruct: fc.boolean(),
      data: fc.array(fc.nat({ max: 1_000_000 }), { minLength: 1, maxLength: 24 }),
    })
    .chain((one) =>
      trees(one.type, one.slot === "where" ? "bool" : one.result, software ? 2 : 5).map((tree) => ({
        family: "numbers" as const,
        ...one,
        tree,
      })),
    );

/** The tree as WGSL would have it, if it had these types. */
function textOf([operation, type, ...operands]: Node, x: string): string {
  const texts = operands.map((one) => textOf(one, x));
  const [first = "", second = ""] = texts;
  if (operands.length === 0) {
    const bare = /^bare (.*)/.exec(operation)?.[1];
    const name = operation === "x" ? x : operation;
    return bare ?? (/^[xi]$/.test(operation) ? name : type === "u32" ? `${name}u` : `${type}(${name})`);
  }
  if (operation === "convert") {
    return `${type}(${first})`;
  }
  if (/^[a-z]/.test(operation)) {
    return `${operation}(${texts.join(", ")})`;
  }
  return operands.length === 1 ? `(${operation}${first})` : `(${first} ${operation} ${second})`;
}

const wrap = (type: Name, value: bigint): bigint =>
  type === "i64" ? BigInt.asIntN(64, value) : BigInt.asUintN(64, value);

/** The lesser or the greater of two values, as the operators `min` and `max` have it. */
function extreme(operation: string, a: number | bigint, b: number | bigint): number | bigint {
  if (typeof a === "number" && typeof b === "number") {
    const both = operation === "min" ? Math.min(a, b) : Math.max(a, b);
    return Number.isNaN(a) ? b : Number.isNaN(b) ? a : both;
  }
  return (operation === "min" ? a < b : a > b) ? a : b;
}

const quotient = (a: bigint, b: bigint): bigint => (b === 0n ? a : a / b);
const remainder = (a: bigint, b: bigint): bigint => (b === 0n ? 0n : a % b);

const onIntegers: Readonly<Record<string, (a: bigint, b: bigint) => bigint>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": quotient,
  "%": remainder,
  "&": (a, b) => a & b,
  "|": (a, b) => a | b,
  "^": (a, b) => a ^ b,
};

const onFloats: Readonly<Record<string, (a: number, b: number) => number>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "%": (a, b) => a % b,
};

const rounded = (a: number): number => {
  const magnitude = Math.abs(a) < 2 ** 52 ? Math.abs(a) + 2 ** 52 - 2 ** 52 : Math.abs(a);
  return a < 0 || Object.is(a, -0) ? -magnitude : magnitude;
};

const ofFloat: Readonly<Record<string, (a: number) => number>> = {
  "-": (a) => -a,
  abs: Math.abs,
  sign: Math.sign,
  floor: Math.floor,
  ceil: Math.ceil,
  trunc: Math.trunc,
  round: rounded,
  fract: (a) => a - Math.floor(a),
};

const ofInteger: Readonly<Record<string, (a: bigint) => bigint>> = {
  "-": (a) => -a,
  "~": (a) => ~a,
  abs: (a) => (a < 0n ? -a : a),
  sign: (a) => (a < 0n ? -1n : a > 0n ? 1n : 0n),
};

type Evaluated = number | bigint | boolean;

function converted(type: Name, value: Evaluated): Evaluated {
  if (type === "bool") {
    return value !== 0 && value !== 0n && value !== false;
  }
  if (type === "f64") {
    return Number(value);
  }
  const [least, most] =
    type === "i64"
      ? [-(2n ** 63n), 2n ** 63n - 1n]
      : type === "u64"
        ? [0n, 2n ** 64n - 1n]
        : [0n, 2n ** 32n - 1n];
  if (typeof value !== "number") {
    const whole = BigInt(value);
    return type === "u32" ? Number(BigInt.asUintN(32, whole)) : wrap(type, whole);
  }
  const inRange = Number.isNaN(value)
    ? 0n
    : value <= Number(least)
      ? least
      : value >= Number(most)
        ? most
        : BigInt(Math.trunc(value));
  return type === "u32" ? Number(inRange) : inRange;
}

function compared(operation: string, a: Evaluated, b: Evaluated): boolean {
  switch (operation) {
    case "==":
      return a === b;
    case "!=":
      return a !== b;
    case "<":
      return a < b;
    case ">":
      return a > b;
    case "<=":
      return a <= b;
    default:
      return a >= b;
  }
}

function leafValue(text: string, type: Name, x: Evaluated, i: number): Evaluated {
  if (text === "x" || text === "i") {
    return text === "x" ? x : i;
  }
  const literal = text.replace("bare ", "");
  if (type === "f64") {
    return literal === "0x1.8p-3" ? 0.1875 : Number(literal);
  }
  const [, sign, digits = "0"] = /^(-?)(.*)$/.exec(literal) ?? [];
  return type === "u32" ? Number(literal) : wrap(type, sign === "-" ? -BigInt(digits) : BigInt(digits));
}

function resultOf([operation, type, ...operands]: Node, x: Evaluated, i: number): Evaluated {
  const [a = 0, b = 0, c = 0] = operands.map((one) => resultOf(one, x, i));
  if (operands.length === 0) {
    return leafValue(operation, type, x, i);
  }
  if (operation === "convert") {
    return converted(type, a);
  }
  if (comparisons.includes(operation)) {
    return compared(operation, a, b);
  }
  if (type === "bool") {
    return operation === "!" ? !a : operation === "&&" ? Boolean(a) && Boolean(b) : Boolean(a) || Boolean(b);
  }
  if (operation === "select") {
    return c ? b : a;
  }
  if (operation === "clamp") {
    return extreme("min", extreme("max", a as number, b as number), c as number);
  }
  if (operation === "min" || operation === "max") {
    return extreme(operation, a as number, b as number);
  }
  if (operation === "<<" || operation === ">>") {
    const count = BigInt(b) & 63n;
    return wrap(type, operation === "<<" ? (a as bigint) << count : (a as bigint) >> count);
  }
  if (typeof a === "number") {
    return (operands.length === 1 ? ofFloat[operation]?.(a) : onFloats[operation]?.(a, b as number)) ?? 0;
  }
  const result =
    operands.length === 1
      ? ofInteger[operation]?.(a as bigint)
      : onIntegers[operation]?.(a as bigint, b as bigint);
  return wrap(type, result ?? 0n);
}

const specials: Readonly<Record<LongName, readonly (number | bigint)[]>> = {
  f64: [
    0,
    -0,
    1,
    -1,
    0.5,
    2.5,
    -2.5,
    1e300,
    -1e-310,
    2 ** 53,
    2 ** 63,
    2 ** 64,
    Infinity,
    -Infinity,
    Number.NaN,
    Number.MIN_VALUE,
  ],
  i64: [
    0n,
    1n,
    -1n,
    2n,
    2n ** 31n,
    2n ** 32n,
    -(2n ** 32n) - 1n,
    2n ** 63n - 1n,
    -(2n ** 63n),
    1234567890123n,
  ],
  u64: [
    0n,
    1n,
    2n,
    2n ** 31n,
    2n ** 32n - 1n,
    2n ** 32n,
    2n ** 32n + 9n,
    2n ** 63n,
    2n ** 64n - 1n,
    1234567890123n,
  ],
};

function elementOf(type: LongName, seed: number): number | bigint {
  const known = specials[type];
  if (seed < 500_000) {
    return known[seed % known.length] ?? 0n;
  }
  const bits = BigInt.asUintN(64, BigInt(seed) * 0x9e37_79b9_7f4a_7c15n);
  return type === "f64" ? (new Float64Array(BigUint64Array.of(bits).buffer)[0] ?? 0) : wrap(type, bits);
}

const statementsOf = (text: string, result: LongName): string =>
  `let first: ${result} = ${text};\nvar second = first;\nif i % 2u == 0u {\n  second += 1;\n}\nreturn second;`;

/** What `statementsOf` gives for the value of its expression. */
const afterStatements = (result: LongName, value: Evaluated, i: number): Evaluated =>
  i % 2 === 0 ? (result === "f64" ? Number(value) + 1 : wrap(result, BigInt(value) + 1n)) : value;

export async function runNumbers(one: NumbersCase, { fold }: Fixture): Promise<Verdict> {
  const { type, result, slot, inStruct, tree, data } = one;
  const elements = data.map((seed) => elementOf(type, seed));
  const Held = struct({ name: "Held", fields: { number: u32, value: types[type] } });
  const array = inStruct
    ? Held.from(elements.map((value, number) => ({ number, value })) as never)
    : type === "f64"
      ? Float64Array.from(elements as number[])
      : type === "i64"
        ? BigInt64Array.from(elements as bigint[])
        : BigUint64Array.from(elements as bigint[]);
  const text = textOf(tree, inStruct ? "x.value" : "x");
  const values = elements.map((x, i) => resultOf(tree, x, i));
  const isWhere = slot === "where";
  const expected = isWhere
    ? elements.filter((_, i) => values[i])
    : values.map((value, i) => (slot === "map" ? value : afterStatements(result, value, i)));
  const options = isWhere
    ? { where: text }
    : {
        where: "true",
        type: types[result],
        map: slot === "map" ? text : statementsOf(text, result),
      };
  const found = await attempt("the expression", true, () => fold.compact(array as never, options as never));
  if (!("result" in found)) {
    return "refused";
  }
  const got = Array.from(found.result as unknown as Iterable<Value>, (value) =>
    isWhere && inStruct ? (value as { readonly value: unknown }).value : value,
  );
  const wrong = expected.findIndex((value, at) => !Object.is(got[at], value));
  if (got.length !== expected.length || wrong >= 0) {
    throw new Fault(
      `${isWhere ? "where" : "map"}: "${text}" of ${type} gives ${got.length} elements for ${expected.length}; ${String(got[wrong])} at ${wrong} for ${String(expected[wrong])}`,
    );
  }
  return "passed";
}
