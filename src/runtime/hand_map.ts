import { requireMap } from "../primitives/map.ts";
import { arrayOver, namedType } from "../reference/array_over.ts";
import type { AnyArray } from "../reference/arrays.ts";
import { arrayLike } from "../reference/arrays.ts";
import type { ElementType } from "../types.ts";
import { isSameType } from "../types.ts";
import type { HandTypes } from "./hand.ts";

// This is loaded with the first map.
export { namedType, requireMap };

/** The types of a mapped array, and of the result. */
export function mappedTypes(data: AnyArray, own: ElementType, result: ElementType): HandTypes {
  return {
    from: own,
    type: result,
    arrayOf: (bytes) => (isSameType(own, result) ? arrayLike(data, bytes) : arrayOver(result, bytes)),
  };
}
