import { requireMap } from "../primitives/map.ts";
import { arrayOver, namedType } from "../reference/array_over.ts";
import type { AnyArray } from "../reference/arrays.ts";
import { arrayLike } from "../reference/arrays.ts";
import type { ElementType } from "../types.ts";
import { isSameType } from "../types.ts";
import type { AnyHandOptions, HandTypes } from "./hand.ts";
import { typeOfArray } from "./hand_types.ts";

// This is loaded with the first map.
export { requireMap };

/** The types of a mapped array and of the result, which are the same where the options name none. */
export async function mappedTypesOf(
  data: AnyArray,
  options: AnyHandOptions,
  caller: string,
): Promise<HandTypes> {
  const given = options as { readonly [Name in keyof AnyHandOptions]?: ElementType };
  const own = await typeOfArray(data, namedType(data, given), caller);
  const result = given.type ?? own;
  return {
    from: own,
    type: result,
    arrayOf: (bytes) => (isSameType(own, result) ? arrayLike(data, bytes) : arrayOver(result, bytes)),
  };
}
