import type { AnyArray } from "../algebra/arrays.ts";
import { requireMemory } from "../algebra/arrays.ts";
import { describe } from "../algebra/check_value.ts";
import { refuse } from "../errors.ts";
import { elementsAt } from "./runs.ts";

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

/** @throws {ArgumentError} for what is no array of an element type, and for positions that are no `Uint32Array`. */
export function requirePlaced(caller: string, values: AnyArray, positions: Uint32Array): void {
  if (typeof (Object(values) as { BYTES_PER_ELEMENT?: unknown }).BYTES_PER_ELEMENT !== "number") {
    refuse(caller, "values", describe(values), "an array of an element type");
  }
  if (!((positions as unknown) instanceof Uint32Array)) {
    refuse(caller, "positions", describe(positions), "a Uint32Array");
  }
  requireMemory(caller, "values", values);
  requireMemory(caller, "positions", positions);
}
