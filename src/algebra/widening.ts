import { ArgumentError } from "../errors.ts";
import type { AnyArray } from "./arrays.ts";
import { isStructArray, typeNameOfArray } from "./arrays.ts";
import type { ElementType, TypeName } from "./types.ts";
import { isElementType } from "./types.ts";

// Elements of one type become elements of a type that holds each of their values, without a map.

/** The names of the types whose every value the type of this name has, its own name left out. */
export type NarrowerThan<Name> = Name extends "u64"
  ? "u32"
  : Name extends "i64"
    ? "u32" | "i32"
    : Name extends "f32"
      ? "f16"
      : Name extends "f64"
        ? "u32" | "i32" | "f16" | "f32"
        : never;

/** For each type, the other types whose values it all has. */
const narrower = {
  u64: ["u32"],
  i64: ["u32", "i32"],
  f32: ["f16"],
  f64: ["u32", "i32", "f16", "f32"],
} as const satisfies { readonly [Name in TypeName]?: readonly NarrowerThan<Name>[] };

/** Whether a scalar type has every value of another one. */
export const widens = (from: ElementType, type: ElementType): boolean =>
  from.kind !== "struct" &&
  type.kind !== "struct" &&
  ((narrower as Partial<Record<string, readonly string[]>>)[type.name]?.includes(from.name) ?? false);

/** The error for a call on elements of one type that names another one without a map. */
export function conversionError(title: string, from: ElementType, type: ElementType): ArgumentError {
  const such = from.kind === "struct" || type.kind === "struct" ? "" : `, such as map: "${type.name}(x)"`;
  return new ArgumentError(
    `${title}: the items are ${from.name}, and the result is ${type.name}; it takes a map from one to the other${such}`,
    "map",
  );
}

/** The name of a typed array's element type, if a call without a map names another type for its result. */
export function nameIfConverted(
  data: AnyArray,
  { type, from, map }: { readonly type?: unknown; readonly from?: unknown; readonly map?: unknown },
  caller: string,
): TypeName | undefined {
  // The elements of a Uint16Array are what `type` says.
  if (
    from !== undefined ||
    map !== undefined ||
    !isElementType(type) ||
    isStructArray(data) ||
    data instanceof Uint16Array
  ) {
    return undefined;
  }
  const own = typeNameOfArray(data, undefined, caller);
  return own === type.name && type.kind !== "struct" ? undefined : own;
}
