import type { AnyArray, NameOf, WideArray } from "../algebra/arrays.ts";
import { requireMemory } from "../algebra/arrays.ts";
import { describe } from "../algebra/check_value.ts";
import type { Operator } from "../algebra/monoid.ts";
import type { ElementType, WideName } from "../algebra/types.ts";
import { ArgumentError, refuse, shown } from "../errors.ts";
import type { OptionTable } from "../options.ts";
import { requireCount, requireOptions } from "../options.ts";
import { reduceReference } from "./reduce.ts";
import { elementsAt } from "./runs.ts";

// Elements that move, bit for bit.

/** @throws {ArgumentError} for what is no array of an element type, and for positions that are no `Uint32Array`. */
function requirePlaced(caller: string, values: AnyArray, positions: Uint32Array): void {
  if (typeof (Object(values) as { BYTES_PER_ELEMENT?: unknown }).BYTES_PER_ELEMENT !== "number") {
    refuse(caller, "values", describe(values), "an array of an element type");
  }
  if (!((positions as unknown) instanceof Uint32Array)) {
    refuse(caller, "positions", describe(positions), "a Uint32Array");
  }
  requireMemory(caller, "values", values);
  requireMemory(caller, "positions", positions);
}

/**
 * What `gather` means: the value at each position, bit for bit. For a position past the last value, all bits are zero, as on the GPU; the
 * call at hand refuses it.
 *
 * @throws {ArgumentError} for what is no array of an element type, and for positions that are no `Uint32Array`.
 *
 * @example
 * ```ts
 * gatherReference(Float32Array.of(0.5, 2, 8), Uint32Array.of(2, 0, 7)); // 8 0.5 0
 * ```
 */
export function gatherReference<A extends AnyArray>(values: A, positions: Uint32Array): A {
  const caller = "gatherReference";
  requirePlaced(caller, values, positions);
  return elementsAt(values, Array.from(positions));
}

/** The options of {@link scatterReference}. */
export interface ReferenceScatter<Name extends string> {
  /** The length of the result. */
  readonly length: number;
  /** What combines elements whose positions meet. Without it, the last of them stays there. */
  readonly op?: Operator<Name>;
  /** Needed only for f16 bits in a `Uint16Array`. */
  readonly type?: ElementType<Name>;
}

const names = { length: true, op: true, type: true } as const satisfies OptionTable<ReferenceScatter<string>>;

/** The most elements of a result: as many as the call itself takes. */
const MOST = 2 ** 32 - 2;

/**
 * What `scatter` means: each value at its position, bit for bit, or by an operator what the values of a position combine to, in their order, those
 * of 8 and 16 bits as 32 bits. A value whose position is past the end is left out, as on the GPU; the call at hand refuses it.
 *
 * @throws {ArgumentError} as the call itself.
 *
 * @example
 * ```ts
 * scatterReference(Float32Array.of(0.5, 2, 8), Uint32Array.of(2, 0, 2), { length: 3, op: add }); // 2 0 8.5
 * scatterReference(Uint32Array.of(7, 5, 9), Uint32Array.of(2, 7, 1), { length: 4 }); // 0 9 7 0
 * ```
 */
export function scatterReference<A extends AnyArray>(
  values: A,
  positions: Uint32Array,
  options: ReferenceScatter<WideName<NameOf<A>>> & {
    /** What combines elements whose positions meet. */
    readonly op: Operator<WideName<NameOf<A>>>;
  },
): WideArray<A>;
export function scatterReference<A extends AnyArray>(
  values: A,
  positions: Uint32Array,
  options: ReferenceScatter<WideName<NameOf<A>>>,
): A;
export function scatterReference<A extends AnyArray>(
  values: A,
  positions: Uint32Array,
  options: ReferenceScatter<WideName<NameOf<A>>>,
): A {
  const caller = "scatterReference";
  requireOptions(caller, options, names);
  const { length, op, type } = options as object as ReferenceScatter<string>;
  requireCount(caller, "length", length, 0);
  if (length > MOST) {
    refuse(caller, "length", shown(length), "a whole number from 0 to 2^32 - 2, the length of the result");
  }
  requirePlaced(caller, values, positions);
  if (positions.length !== values.length) {
    throw new ArgumentError(
      `${caller}: ${positions.length} positions for ${values.length} values; it takes one for each`,
      "positions",
    );
  }
  const places: number[][] = Array.from({ length }, () => []);
  positions.forEach((position, at) => {
    places[position]?.push(at);
  });
  if (op === undefined) {
    // No value is at the place behind the last one.
    return elementsAt(
      values,
      places.map((there) => there.at(-1) ?? values.length),
    );
  }
  let end = 0;
  const offsets = [0, ...places.map((there) => (end += there.length))];
  const ordered = elementsAt(values, places.flat());
  return reduceReference(
    ordered as AnyArray,
    { op, ...(!type?.wide && { type }), segments: { offsets } } as object,
  ) as unknown as A;
}
