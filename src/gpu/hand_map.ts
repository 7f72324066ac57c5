import { arrayOver, namedType } from "../algebra/array_over.ts";
import type { AnyArray } from "../algebra/arrays.ts";
import { arrayLike } from "../algebra/arrays.ts";
import type { ElementType } from "../algebra/types.ts";
import { isSameType } from "../algebra/types.ts";
import { requireMap } from "../plan/map.ts";
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
