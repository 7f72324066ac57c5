import { elementTypes } from "../element_types.ts";
import type { ElementType } from "../types.ts";
import { typeNameOfArray } from "../types.ts";
import { structOfArray } from "./arrays.ts";

/**
 * The element type of an array.
 *
 * @throws {ArgumentError} when the array holds none of the element types, or not the one named.
 */
export function typeOfArray(data: unknown, type: ElementType | undefined, caller: string): ElementType {
  return structOfArray(data, type, caller) ?? type ?? elementTypes[typeNameOfArray(data, type, caller)];
}
