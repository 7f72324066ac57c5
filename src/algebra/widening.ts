import { ArgumentError } from "../errors.ts";
import type { AnyArray } from "./arrays.ts";
import { isStructArray, typeNameOfArray } from "./arrays.ts";
import type { ElementType, NarrowName, TypeName } from "./types.ts";
import { isElementType, isSameType } from "./types.ts";

// Elements of one type become elements of a type that holds each of their values, without a map.

/** The names of the types whose every value the type of this name has, its own name left out. */
export type NarrowerThan<Name> = Name extends "i16" | "f16"
  ? "u8" | "i8"
  : Name extends "u16"
    ? "u8"
    : Name extends "u32"
      ? "u8" | "u16"
      : Name extends "i32"
        ? NarrowName
        : Name extends "u64"
          ? "u8" | "u16" | "u32"
          : Name extends "i64"
            ? NarrowName | "u32" | "i32"
            : Name extends "f32"
              ? NarrowName | "f16"
              : Name extends "f64"
                ? NarrowName | "u32" | "i32" | "f16" | "f32"
                : never;

/** Digits of a float's significand, by its bytes. */
const SIGNIFICANDS: Readonly<Record<number, number>> = { 2: 11, 4: 24, 8: 53 };

/** How many binary digits each value of a scalar type may have. */
const digitsOf = ({ kind, bytes }: ElementType): number =>
  kind === "float" ? (SIGNIFICANDS[bytes] ?? 0) : 8 * bytes - Number(kind === "signed");

/** Whether a scalar type has every value of another one. */
export const widens = (from: ElementType, type: ElementType): boolean =>
  from.kind !== "struct" &&
  type.kind !== "struct" &&
  !isSameType(from, type) &&
  (type.kind === "float" || from.kind === "unsigned" || (from.kind === "signed" && type.kind === "signed")) &&
  digitsOf(from) <= digitsOf(type);

/** The error for a call on elements of one type that names another one without a map. */
export function conversionError(title: string, from: ElementType, type: ElementType): ArgumentError {
  const such = from.kind === "struct" || type.kind === "struct" ? "" : `, such as map: "${type.name}(x)"`;
  return new ArgumentError(
    `${title}: the items are ${from.name}, and the result is ${type.name}; it takes a map from one to the other${such}`,
    "map",
  );
}

/** @throws {ArgumentError} if a call without a map makes elements of a type that does not have all values of theirs. */
export function requireWidening(title: string, from: ElementType, type: ElementType): void {
  if (!widens(from, type)) {
    throw conversionError(title, from, type);
  }
}

/** The name of a typed array's element type, if a call without a map names another type for its result. */
export function nameIfConverted(
  data: AnyArray,
  { type, from, map }: { readonly type?: unknown; readonly from?: unknown; readonly map?: unknown },
  caller: string,
): TypeName | NarrowName | undefined {
  // The elements of a Uint16Array are bits if `type` says so.
  if (
    from !== undefined ||
    map !== undefined ||
    !isElementType(type) ||
    isStructArray(data) ||
    (type.name === "f16" && data instanceof Uint16Array)
  ) {
    return undefined;
  }
  const own = typeNameOfArray(data, undefined, caller);
  return own === type.name && type.kind !== "struct" ? undefined : own;
}
