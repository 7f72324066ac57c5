import { settable } from "../algebra/array_values.ts";
import { arrayOver } from "../algebra/arrays.ts";
import { elementTypes } from "../algebra/element_types.ts";
import type { ElementType, ScalarType } from "../algebra/types.ts";
import type { Drawn } from "../primitives/example_calls.ts";
import {
  argumentsOfReference,
  asArray,
  bitsOf,
  bytesOf,
  callOn,
  exampleArguments,
  exampleOf,
  optionsAtHand,
} from "../primitives/example_calls.ts";
import type { Described } from "../primitives/help.ts";
import type { Primitive } from "../primitives/primitive.ts";
import * as references from "../reference/index.ts";
import type { Check, Scope } from "./self_test_checks.ts";
import { byExamples } from "./self_test_checks.ts";
import { keysOf } from "./self_test_data.ts";

// The checks of the primitives that are described: some of their examples, each on another type.

/** How many checks a primitive has. A kernel takes long to compile, and orders take many. */
const checksOf = ({ options }: Primitive<never>): number => ("bits" in options ? 1 : 2);

const SEED = 1;

/** Keys of a type, or whole numbers from 0 to 3. */
function fill(type: ElementType, length: number, seed: number, isSmall: boolean): Uint8Array {
  if (!isSmall) {
    return bytesOf(keysOf(type as ScalarType, length));
  }
  const { array, set } = settable(arrayOver(type, new ArrayBuffer(length * type.bytes)), type);
  const next = bitsOf(seed);
  for (let at = 0; at < length; at++) {
    const value = next() % 4;
    set(at, type.bytes === 8 && type.kind !== "float" ? BigInt(value) : value);
  }
  return bytesOf(array);
}

/** The examples that calls at hand take, and that the reference gives all results of. */
function examplesOf({ examples }: Described, type: ElementType, maxLength: number): readonly Drawn[] {
  return examples.of(type, maxLength, bitsOf(SEED)).flatMap((example, at) => {
    const isRight = !example.isRefusedAtHand && !(examples.order && example.operands?.values);
    const drawn = isRight && exampleOf({ examples }, type, { maxLength, example: at, seed: SEED });
    return drawn ? [drawn] : [];
  });
}

/** A check of one of a primitive's examples. */
function checkOf(
  { gpu, small: { long }, longest }: Scope,
  of: Described,
  type: ScalarType,
  turn: number,
  more: Drawn["options"] = {},
): Check {
  const { primitive } = of;
  const { name, arrangements } = primitive;
  // Plans that scan take sizes, and small tiles have short kernels.
  const { lengths, tuning } = arrangements ? long : { lengths: longest, tuning: {} };
  const reference = (references as unknown as Record<string, (...given: readonly unknown[]) => unknown>)[
    `${name}Reference`
  ];
  const drawnOf = (length: number): Drawn => {
    const all = examplesOf(of, type, length);
    const { example, options } = all[(2 * turn) % all.length] as Drawn;
    return { example, options: { ...options, ...more } };
  };
  const given = Object.keys(drawnOf(lengths[0] ?? 1).options);
  return {
    primitive: name,
    type: type.name,
    title: `${name}<${type.name}>${given.map((option) => `, ${option}`).join("")}`,
    lengths,
    run: async (length) => {
      const drawn = drawnOf(length);
      const call = exampleArguments(of, type, drawn, { length, room: length, data: { seed: SEED, fill } });
      const arrays = Object.fromEntries(call.operands.map((one) => [one.operand.name, asArray(one)]));
      const options = { type, ...optionsAtHand(primitive, drawn.options), ...tuning };
      return [
        await callOn(gpu, primitive, arrays, options),
        reference?.(...argumentsOfReference(of, call, 0)),
      ];
    },
  };
}

/** Options that take kernels which no example that is checked has. */
const beside: Readonly<Record<string, Drawn["options"]>> = {
  unique: { sort: true, counts: true, inverse: true },
};

/**
 * Some checks of each primitive, on some of the types that are named. Each primitive begins with another type. On one type, each
 * primitive has a check, too.
 */
export const describedChecks = (scope: Scope, names: readonly string[]): readonly Check[] =>
  byExamples.flatMap((of, at) => {
    const types = Object.values<ScalarType>(elementTypes).filter(
      (type) => names.includes(type.name) && of.examples.of(type, 1, bitsOf(SEED)).length > 0,
    );
    const typeOf = (turn: number): ScalarType => types[(at + 3 * turn) % types.length] as ScalarType;
    const more = beside[of.primitive.name];
    return [
      ...Array.from({ length: Math.min(checksOf(of.primitive), types.length) }, (_, turn) =>
        checkOf(scope, of, typeOf(turn), turn),
      ),
      ...(more && types.length > 0 ? [checkOf(scope, of, typeOf(0), 0, more)] : []),
    ];
  });
