import { shown } from "../errors.ts";
import type { ElementType, ScalarType } from "./types.ts";
import { isElementType } from "./types.ts";

/** What is wrong with a value that is not one of a type; undefined if nothing is. */
export function problemOf(type: ElementType, value: unknown): string | undefined {
  if (type.problemOf !== undefined) {
    return type.problemOf(value);
  }
  const { name, kind, round, zero } = type as ScalarType;
  if (typeof value !== typeof zero) {
    return `${describe(value)} is no value of ${name}, which takes a ${typeof zero}`;
  }
  const rounded = round(value as never);
  // An integer may be given as -0. NaN is a value of floats, although it equals no number.
  if (rounded === value || Object.is(rounded, value)) {
    return undefined;
  }
  const isWhole = typeof value === "bigint" || Number.isInteger(value);
  const hint =
    kind === "float"
      ? `; the nearest is ${describe(rounded)}`
      : isWhole
        ? `; it wraps to ${describe(rounded)}`
        : ", which takes whole numbers";
  return `${describe(value)} is no value of ${name}${hint}`;
}

/**
 * What is wrong with a value that has no nearest one of a type; undefined if nothing is. A float takes any number in its range, and
 * its array or `round` rounds that. An integer takes its own values only.
 */
export function problemOfNearest(type: ElementType, value: unknown): string | undefined {
  if (type.problemOf !== undefined) {
    return type.problemOf(value, problemOfNearest);
  }
  const takes =
    type.kind === "float" &&
    typeof value === "number" &&
    Number.isFinite(value) === Number.isFinite((type as ScalarType<"f32", number>).round(value));
  return takes ? undefined : problemOf(type, value);
}

/** How many parts of a value a message shows, and how deep. */
const MOST_PARTS = 8;
const DEEPEST = 4;

/** A value as a message shows it. */
export function describe(value: unknown, depth = 0): string {
  if (typeof value !== "object" || value === null) {
    return Object.is(value, -0) ? "-0" : shown(value);
  }
  if (typeof (value as { readonly then?: unknown }).then === "function") {
    return "a promise (is an await missing?)";
  }
  if (isElementType(value)) {
    return value.name;
  }
  const { type, byteLength } = value as { readonly type?: ElementType; readonly byteLength?: number };
  if (type?.kind === "struct" && byteLength !== undefined) {
    return `an array of ${type.name}`;
  }
  const tag: unknown = (value as { readonly [Symbol.toStringTag]?: unknown })[Symbol.toStringTag];
  const name = ArrayBuffer.isView(value) ? value.constructor.name : tag;
  if (typeof name === "string") {
    return `${/^[AEIO]/.test(name) ? "an" : "a"} ${name}`;
  }
  if (depth > DEEPEST) {
    return "…";
  }
  const isList = Array.isArray(value);
  const names = Object.keys(value);
  const parts = names.slice(0, MOST_PARTS).map((name) => {
    const part = describe((value as Record<string, unknown>)[name], depth + 1);
    return isList ? part : `${name}: ${part}`;
  });
  const text = [...parts, ...(names.length > MOST_PARTS ? ["…"] : [])].join(", ");
  return isList ? `[${text}]` : `{ ${text} }`;
}
