import fc from "fast-check";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import type { ElementType, Value } from "../../src/algebra/types.ts";
import type { Arguments, Drawn, Filled, WithExamples } from "../../src/primitives/example_calls.ts";
import {
  argumentsOfReference,
  bytesOf,
  elementBytes,
  exampleArguments,
  gatheredBytes,
} from "../../src/primitives/example_calls.ts";
import type { Primitive, Result } from "../../src/primitives/primitive.ts";
import type { Described } from "../support/primitives.ts";
import { algorithmNames } from "../support/untyped.ts";
import type { DataSpec } from "./values.ts";
import { itemBytes } from "./values.ts";

// The arguments of a call of a described primitive, by an example, and what the call means.

type Options = Readonly<Record<string, unknown>>;

/** The values of options for tuning: sizes that several tiles of a short array have, and words. */
const tunings: Options = {
  workGroupSize: [2, 3, 4, 7, 8, 16, 32, 33, 64, 100, 128],
  itemsPerThread: [1, 2, 3, 4, 5, 8, 9],
  algorithm: algorithmNames,
  passes: ["single", "reduce-then-scan"],
};

/** The values of the options whose kinds say what they are. An option of one word is right only beside others: examples have it. */
export const choicesOf = ({
  options,
}: Pick<Primitive<never>, "options">): Readonly<Record<string, readonly unknown[]>> =>
  Object.fromEntries(
    Object.entries(options).flatMap(([name, kind]) => {
      const isFlag = kind === "boolean" || kind === "booleans";
      const values = isFlag ? [true, false] : Array.isArray(kind) ? kind : tunings[name];
      return Array.isArray(values) && values.length > 1 ? [[name, values as unknown[]]] : [];
    }),
  );

/** Draws such options. */
export const optionArbitraries = (primitive: Primitive<never>): Record<string, fc.Arbitrary<unknown>> =>
  Object.fromEntries(
    Object.entries(choicesOf(primitive)).map(([name, values]) => [name, fc.constantFrom(...values)]),
  );

/** The arguments of a call on `length` elements, in arrays that have room for more and hold such data. */
export const argumentsOf = (
  of: WithExamples,
  type: ElementType,
  drawn: Drawn,
  { data, ...sizes }: { length: number; room: number; data: DataSpec },
): Arguments =>
  exampleArguments(of, type, drawn, {
    ...sizes,
    data: {
      seed: data.seed,
      fill: (one, length, seed, isSmall) =>
        itemBytes(one, { kind: isSmall ? "small" : data.kind, seed }, length, false),
    },
  });

/** Stands for a position if there is none. */
const NONE = 0xffffffff;

/** The bytes of each result, and of each operand that is written. */
export type Meant = Readonly<Record<string, Uint8Array>>;

/**
 * What a call means, by the reference; undefined if it has no result. Positions count from `firstIndex`. Of results that the GPU counts,
 * there are as many elements as there is room for.
 */
export function meaningOf(
  of: Described,
  given: Arguments,
  results: readonly Result[],
  firstIndex: number,
): Meant | undefined {
  if (given.options === undefined) {
    return undefined;
  }
  const { examples, reference, order } = of;
  const filled = (name: string): Filled =>
    given.operands.find(({ operand }) => operand.name === name) as Filled;
  const isOrdered = ({ operand: { isOption } }: Filled): boolean => order !== undefined && isOption === true;
  const all = argumentsOfReference(of, given, firstIndex);
  const first = reference(...all);
  const made = (
    examples.startingAt ? examples.startingAt(firstIndex, first, given.options as never) : first
  ) as Readonly<Record<string, unknown>>;
  const ordered = new Map(
    results
      .filter(({ like }) => like !== undefined && isOrdered(filled(like)))
      .map((result) => [result, filled(result.like as string)]),
  );
  const positions = ordered.size > 0 ? order?.(...all) : undefined;
  const parts = results.filter((result) => !ordered.has(result));
  const partOf = (result: Result): unknown =>
    parts.length === 1 ? made : Array.isArray(made) ? made[parts.indexOf(result)] : made[result.name];
  const isPosition = ({ name }: Result): boolean => examples.positions?.includes(name) ?? false;
  const position = results.find((one) => one.isElement && isPosition(one));
  const bytesFor = (result: Result): Uint8Array => {
    const moved = ordered.get(result);
    if (moved) {
      return gatheredBytes(moved.bytes, [...(positions ?? [])], result.type.bytes);
    }
    const part = partOf(result);
    if (!result.isElement) {
      const most = result.length === "count" ? result.most : Number.POSITIVE_INFINITY;
      return bytesOf(part as AnyArray).subarray(0, most * result.type.bytes);
    }
    // A value need not have the bits of the element: NaN has many.
    return result.like !== undefined && position
      ? gatheredBytes(filled(result.like).bytes, [partOf(position) as number], result.type.bytes)
      : elementBytes(result.type, part as Value);
  };
  const written = given.operands.flatMap(({ operand: { name, isWritten } }) =>
    isWritten ? [[name, bytesOf((all.at(-1) as Readonly<Record<string, AnyArray>>)[name] as AnyArray)]] : [],
  );
  return Object.fromEntries([
    ...written,
    ...results.map((result) => {
      const bytes = bytesFor(result);
      const moved = (): Uint32Array =>
        // If there is no position, there is none in longer data.
        new Uint32Array(bytes.slice().buffer).map((place) => (place === NONE ? NONE : place + firstIndex));
      return [result.name, isPosition(result) ? bytesOf(moved()) : bytes];
    }),
  ]) as Meant;
}
