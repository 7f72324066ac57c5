import { describe } from "../algebra/check_value.ts";
import { requireSameStructs } from "../algebra/require_same_structs.ts";
import type { ElementType } from "../algebra/types.ts";
import { requireType } from "../algebra/types.ts";
import { refuse } from "../errors.ts";
import { hasCode } from "../text/callers.ts";
import { firstOf, keysInstead, partType, requireWords } from "./sort_key.ts";

// The key of runs of equal keys. This file loads no kernels.

/**
 * Only Wavefold's own calls give this in the option `segments`, for reductions that count the items of each run. With a computed key,
 * such a reduction stores the first item of each run instead of the run's key.
 */
export const FIRST_ITEMS: unique symbol = /* @__PURE__ */ Symbol("first items");

/**
 * Only Wavefold's own calls give this, too: the one result of a reduction by keys that is wanted. The reduction need not store the other
 * one.
 */
export const ALONE: unique symbol = /* @__PURE__ */ Symbol("alone");

/** The keys of runs (or their first items), or the totals of runs. */
export type Alone = "keys" | "totals";

/** What Wavefold's own calls put into the option `segments`, beside what a caller can give. */
export interface OwnSegments {
  readonly [FIRST_ITEMS]?: true;
  readonly [ALONE]?: Alone;
}

/** How the keys of runs are computed. */
export interface RunKeyOptions {
  /**
   * WGSL over an element's value `x` that gives its key, such as `"x.cell"`. A run has equal keys. Without it, an element is its
   * own key.
   */
  readonly key?: string;
  /** The type of the key. It is needed unless `key` is a field of a struct or a scalar in one, such as `"x.at.z"`, or the key has the elements' own type. */
  readonly keyType?: ElementType;
}

/** The key of runs, checked. */
export interface RunKey {
  /** The type of the keys that are compared. */
  readonly type: ElementType;
  /** The caller's WGSL; undefined if elements are their own keys. */
  readonly text: string | undefined;
}

/**
 * The key of runs of elements of a type. `option` is the option that holds `key` and `keyType`; undefined if these are options themselves.
 *
 * @throws {ArgumentError} for a key that is none, or whose type is not known.
 */
export function requireRunKey(
  { key, keyType }: { readonly key?: unknown; readonly keyType?: unknown },
  from: ElementType,
  title: string,
  option?: "segments",
): RunKey {
  const wrong = (name: "key" | "keyType", given: string, takes: string): never =>
    option === undefined
      ? refuse(title, name, given, takes)
      : refuse(title, option, `${name}: ${given}`, takes);
  if (key === undefined) {
    if (keyType !== undefined) {
      wrong("keyType", nameOf(keyType), "a type only beside key");
    }
    return { type: from, text: undefined };
  }
  if (typeof key !== "string" || !hasCode(key)) {
    return wrong(
      "key",
      typeof key === "string" ? "empty" : describe(key),
      'WGSL over an element\'s value x, such as "x.cell"',
    );
  }
  const part = partType(from, key);
  if (part?.kind === "vector" || part?.kind === "array") {
    const first = JSON.stringify(key.trim() + firstOf(part));
    wrong("key", `${JSON.stringify(key)}, of ${part.name}`, `a scalar of it, such as ${first}, or a struct`);
  }
  if (keyType === undefined && part === undefined && from.kind === "struct") {
    const others = keysInstead(from, key);
    if (others !== undefined) {
      wrong("key", JSON.stringify(key), others);
    }
    wrong("keyType", "undefined", `the type that the key ${JSON.stringify(key)} gives`);
  }
  const type =
    keyType === undefined
      ? ((part ?? from.wide ?? from) as ElementType)
      : requireWords(
          requireType(keyType, `${title}: keyType`, option ?? "keyType"),
          title,
          option ?? "keyType",
        );
  requireSameStructs(title, from, type, option ?? "keyType");
  return { type, text: key };
}

const nameOf = (type: unknown): string =>
  typeof (type as Partial<ElementType> | null)?.name === "string"
    ? (type as ElementType).name
    : describe(type);
