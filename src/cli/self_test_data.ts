import { valuesOf } from "../algebra/array_values.ts";
import type { AnyArray, ScalarArray } from "../algebra/arrays.ts";
import { isStructArray } from "../algebra/arrays.ts";
import { operator } from "../algebra/custom_operator.ts";
import { elementTypes } from "../algebra/element_types.ts";
import { encodeFloat16 } from "../algebra/float16.ts";
import type { Operator } from "../algebra/monoid.ts";
import type { StructArray, StructType } from "../algebra/struct.ts";
import { struct } from "../algebra/struct.ts";
import type { ScalarType, Value } from "../algebra/types.ts";
import { typeOfArray } from "../reference/items.ts";

// What the checks of the self-test compute on, and how they compare.

/** Numbers that do not depend on the run. */
function* randomWords(): Generator<number, never> {
  for (let state = 0x9e3779b9; ; ) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield state;
  }
}

/** The words as values of a type. Both words of a long integer differ. */
function integersOf(type: ScalarType, words: readonly number[]): ScalarArray {
  if (type.bytes === 8) {
    const wide = words.map((one) => BigInt(one >>> 0) * 0x1_0000_0001n);
    return type.name === "i64" ? BigInt64Array.from(wide) : BigUint64Array.from(wide);
  }
  return type.name === "i32"
    ? Int32Array.from(words, (one) => one | 0)
    : Uint32Array.from(words, (one) => one >>> 0);
}

const floatsOf = ({ name }: ScalarType, values: readonly number[]): ScalarArray =>
  name === "f16"
    ? Uint16Array.from(values, encodeFloat16)
    : name === "f64"
      ? Float64Array.from(values)
      : Float32Array.from(values);

// Whatever way these are grouped, no sum or product of them is rounded: seven add up to 0, and
// multiply to 1.
const addends = [3, -2, 1, -3, 2, 0, -1];
const factors = [2, 0.5, -1, 4, 0.25, -1, 1];
const specials = [Number.NaN, -0, 0, -Infinity, 5, Infinity, -7.5];
// A sum that is rounded at each step loses what is added to the greatest of these.
const cancelling = (type: ScalarType): readonly number[] => {
  const most = 2 ** (type.bytes === 2 ? 11 : type.bytes === 4 ? 24 : 53);
  return [most, 1, -most, 2, -1, 0.5, -2.5];
};

/** Values that each operator tells apart from the others. */
export function operandsOf(type: ScalarType, opName: string, length: number): ScalarArray {
  if (type.kind === "float") {
    const own: Readonly<Record<string, readonly number[]>> = {
      add: addends,
      mul: factors,
      exactAdd: cancelling(type),
    };
    const period = own[opName] ?? specials;
    const values = Array.from({ length }, (_, index) => {
      // The extremes late, so that a minimum or a maximum goes on changing.
      const special = index % 5 === 0 || index > length / 2;
      const value = period === specials && !special ? ((index * 37) % 101) - 50 : (period[index % 7] ?? 0);
      // After the first NaN, these are NaN.
      const isEarly = opName.endsWith("imum") && index < (3 * length) / 4;
      return isEarly && Number.isNaN(value) ? 0 : value;
    });
    return floatsOf(type, values);
  }
  const words = randomWords();
  // Odd, so that the bits come in turn; and small enough for each to come twice.
  const gap = Math.floor(length / 67) | 1;
  const values = Array.from({ length }, (_, index) => {
    const word = words.next().value;
    // Odd factors never multiply to 0; for the bitwise operators, one bit at a
    // time changes, and comes a second time, which tells `or` from `xor`.
    const bit = 2 ** (31 - (index % 32));
    const sparse = index % gap === gap - 1 ? bit : 0;
    switch (opName) {
      case "mul":
        return word | 1;
      case "or":
        return sparse;
      case "and":
        return ~sparse;
      case "logicalAnd":
        return index > length - 3 ? 0 : word | 1;
      case "logicalOr":
        return index > length / 3 ? word : 0;
      default:
        return word;
    }
  });
  return integersOf(type, values);
}

/** Keys: some of them often, so that it shows whether equal ones keep their order; of floats, special values, too. */
export function keysOf(type: ScalarType, length: number): ScalarArray {
  const words = randomWords();
  const own = Array.from({ length }, (_, index) => {
    const word = words.next().value;
    if (type.kind !== "float") {
      return index % 3 === 0 ? word : (word >>> 8) % 61;
    }
    return index % 7 === 0 ? (specials[(index / 7) % 7] ?? 0) : (((word >>> 8) % 2001) - 1000) / 8;
  });
  return type.kind === "float" ? floatsOf(type, own) : integersOf(type, own);
}

/** Whole numbers below `most`, most of them in runs. */
export function runsOf(length: number, most: number): Uint32Array {
  const words = randomWords();
  let value = 0;
  return Uint32Array.from({ length }, () => {
    const word = words.next().value >>> 8;
    value = word % 4 === 0 ? (word >>> 4) % most : value;
    return value;
  });
}

/** A struct that stands for the map x -> scale · x + shift, with the operator that composes such maps and arrays of them. */
export interface Maps {
  readonly type: StructType;
  /** It applies the earlier map first, so it does not commute. */
  readonly compose: Operator;
  /** Scales are odd, so that each prefix depends on every element in it. Shifts are often the same. */
  of(length: number): StructArray;
}

/** The struct, made anew. */
export function makeMaps(): Maps {
  const type = struct({ name: "LinearMap", fields: { scale: elementTypes.u32, shift: elementTypes.u32 } });
  const compose = operator({
    name: "compose",
    type,
    identity: { scale: 1, shift: 0 },
    combine: "LinearMap(earlier.scale * later.scale, later.scale * earlier.shift + later.shift)",
    reference: (earlier, later) => ({
      scale: Math.imul(earlier.scale, later.scale) >>> 0,
      shift: (Math.imul(later.scale, earlier.shift) + later.shift) >>> 0,
    }),
  });
  return {
    type,
    compose,
    of(length) {
      const words = randomWords();
      const next = () => ({ scale: (words.next().value | 1) >>> 0, shift: (words.next().value >>> 8) % 61 });
      return type.from(Array.from({ length }, next));
    },
  };
}

const isArray = (value: unknown): value is AnyArray =>
  (ArrayBuffer.isView(value) && !(value instanceof DataView)) || isStructArray(value);

/** The values of a result. There is no type of 16 bits but f16. */
function readerOf(array: AnyArray): (index: number) => Value {
  const type = array instanceof Uint16Array ? elementTypes.f16 : typeOfArray(array, undefined, "doctor");
  return valuesOf(array, type);
}

const shown = (value: unknown): string =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
const isSame = (a: unknown, b: unknown): boolean =>
  Object.is(a, b) || (typeof a === "object" && typeof b === "object" && shown(a) === shown(b));

function arrayDifference(actual: AnyArray, expected: AnyArray): string | undefined {
  if (actual.length !== expected.length) {
    return `it has ${actual.length} elements, and the CPU's has ${expected.length}`;
  }
  const [found, wanted] = [readerOf(actual), readerOf(expected)];
  for (let index = 0; index < expected.length; index++) {
    const [mine, own] = [found(index), wanted(index)];
    if (!isSame(mine, own)) {
      return `element ${index} is ${shown(mine)}, and the CPU has ${shown(own)}`;
    }
  }
  return undefined;
}

/** The first difference between two results, in words. A result is a value, an array, or an object of these. */
export function differenceOf(actual: unknown, expected: unknown): string | undefined {
  if (isArray(expected)) {
    return isArray(actual) ? arrayDifference(actual, expected) : "it is no array";
  }
  const names = typeof expected === "object" && expected !== null ? Object.keys(expected) : [];
  for (const name of names) {
    const [mine, own] = [actual, expected].map((one) => (one as Record<string, unknown> | null)?.[name]);
    const wrong = differenceOf(mine, own);
    if (wrong !== undefined) {
      return `${name}: ${wrong}`;
    }
  }
  return names.length > 0 || isSame(actual, expected)
    ? undefined
    : `it is ${shown(actual)}, and the CPU has ${shown(expected)}`;
}
