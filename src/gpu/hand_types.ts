import type { AnyArray } from "../algebra/arrays.ts";
import { arrayLike, structOfArray, typeNameOfArray } from "../algebra/arrays.ts";
import { f16, f32 } from "../algebra/floats.ts";
import { i32 } from "../algebra/i32.ts";
import type { ElementType, TypeName } from "../algebra/types.ts";
import { u32 } from "../algebra/types.ts";
import type { AnyHandOptions, HandTypes } from "./hand.ts";

// This is loaded with the first array of another type than u32, or with options that name types.

/** The types of the array's elements and of the result. Loaded where they may be two. */
export async function typesOf(data: AnyArray, options: AnyHandOptions, caller: string): Promise<HandTypes> {
  const given = options as { readonly [Name in keyof AnyHandOptions]?: ElementType };
  if (given.map !== undefined || given.from !== undefined) {
    const { mappedTypes, namedType } = await import("./hand_map.ts");
    const own = await typeOfArray(data, namedType(data, given), caller);
    return mappedTypes(data, own, given.type ?? own);
  }
  const type = await typeOfArray(data, given.type, caller);
  return { type, arrayOf: (bytes) => arrayLike(data, bytes) };
}

/** The element type of an array. */
async function typeOfArray(
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
      return f32;
    case "f16":
      return f16;
    case "u64":
    case "i64":
    case "f64":
      return (await import("../algebra/types_64.ts"))[name];
    default:
      return name satisfies never;
  }
}
