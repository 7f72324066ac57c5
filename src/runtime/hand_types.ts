import type { AnyArray } from "../reference/arrays.ts";
import { arrayLike, structOfArray, typeNameOfArray } from "../reference/arrays.ts";
import type { ElementType, TypeName } from "../types.ts";
import { u32 } from "../types.ts";
import { i32 } from "../types_i32.ts";
import type { AnyHandOptions, HandTypes } from "./hand.ts";

// This is loaded with the first array of another type than u32, or with options that name types.

/** The types of the array's elements and of the result. Loaded where they may be two. */
export async function typesOf(data: AnyArray, options: AnyHandOptions, caller: string): Promise<HandTypes> {
  if (options.map !== undefined || options.from !== undefined) {
    return (await import("./hand_map.ts")).mappedTypesOf(data, options, caller);
  }
  const type = await typeOfArray(data, options.type as ElementType | undefined, caller);
  return { type, arrayOf: (bytes) => arrayLike(data, bytes) };
}

/** The element type of an array. */
export async function typeOfArray(
  data: AnyArray,
  type: ElementType | undefined,
  caller: string,
): Promise<ElementType> {
  const given = structOfArray(data, type, caller) ?? type;
  if (given !== undefined) {
    return given;
  }
  const name: TypeName = typeNameOfArray(data, type, caller);
  switch (name) {
    case "u32":
      return u32;
    case "i32":
      return i32;
    case "f32":
    case "f16":
      return (await import("../types_float.ts"))[name];
    case "u64":
    case "i64":
    case "f64":
      return (await import("../types64.ts"))[name];
    default:
      return name satisfies never;
  }
}
