import type { StructType } from "../algebra/struct.ts";
import type { ElementType, ScalarType } from "../algebra/types.ts";
import { refuse } from "../errors.ts";
import { requireScalar } from "./scalar.ts";

// What a sort sorts by. The CPU reference checks these options, too. This loads no kernels.

/** What a sort, and a selection of the greatest or least elements, is by. */
export interface SortOrder {
  /** Whether the greatest key comes first. Elements with equal keys keep their order in any case. */
  readonly descending?: boolean;
  /**
   * The bits of the keys to sort by: from the first one up to the second, which is left out, counted from the lowest bit. The
   * default is all. The bits are those of the key as an unsigned integer in the order of the type's values: for u32 and u64 the
   * bits themselves; for i32 and i64 with the sign bit flipped; for floats with the sign bit flipped, or if it is set, with all
   * bits flipped. Fewer bits take less time.
   */
  readonly bits?: readonly [from: number, to: number];
}

/** What the elements of a sort are sorted by, in WGSL. */
export interface SortKeyOptions extends SortOrder {
  /**
   * WGSL over an element's value `x` that gives its key, such as `"x.depth"`. The elements are sorted by their keys. Without it,
   * an element is its own key.
   */
  readonly key?: string;
  /** The type of the key. It is needed unless `key` is a field of a struct, or the key has the elements' own type. */
  readonly keyType?: ElementType;
}

/** The key of a sort, checked. */
export interface CheckedKey {
  readonly type: ScalarType;
  readonly descending: boolean;
  /** The caller's WGSL; undefined if elements are their own keys. */
  readonly text: string | undefined;
}

/** The type of a struct's field, if a key is such a field and nothing else. */
function fieldType(type: ElementType, key: string): ScalarType | undefined {
  const field = /^\s*x\s*\.\s*(\w+)\s*$/.exec(key)?.[1];
  const { fields } = type as Partial<StructType>;
  return field !== undefined && fields !== undefined && Object.hasOwn(fields, field)
    ? fields[field]
    : undefined;
}

/** @throws {ArgumentError} for a key that is none, or whose type is not known. */
export function requireKey(
  { key, keyType, descending }: SortKeyOptions,
  type: ElementType,
  title: string,
): CheckedKey {
  if (descending !== undefined && typeof descending !== "boolean") {
    refuse(title, "descending", String(descending), "true or false");
  }
  const isDescending = descending === true;
  if (key === undefined) {
    if (keyType !== undefined) {
      refuse(title, "keyType", keyType.name ?? String(keyType), "a type only beside key");
    }
    if (type.kind === "struct") {
      refuse(
        title,
        "key",
        "undefined",
        `WGSL over x for elements of the struct ${type.name}, such as "x.depth"`,
      );
    }
    return { type: requireScalar(type, title), descending: isDescending, text: undefined };
  }
  if (typeof key !== "string") {
    refuse(title, "key", typeof key, 'WGSL over an element\'s value x, such as "x.depth"');
  }
  const named = keyType ?? fieldType(type, key);
  if (named === undefined && type.kind === "struct") {
    refuse(title, "keyType", "undefined", `the type that the key ${JSON.stringify(key)} gives`);
  }
  return { type: requireScalar(named ?? type, title, "keyType"), descending: isDescending, text: key };
}

/** @throws {ArgumentError} for bits that a key does not have. */
export function requireBits(
  bits: unknown,
  { type }: Pick<CheckedKey, "type">,
  title: string,
): readonly [from: number, to: number] {
  const all = type.bytes * 8;
  if (bits === undefined) {
    return [0, all];
  }
  const [from, to] = Array.isArray(bits) && bits.length === 2 ? (bits as unknown[]) : [];
  const isOne = (bit: unknown): bit is number => typeof bit === "number" && Number.isInteger(bit);
  if (!isOne(from) || !isOne(to) || from < 0 || from >= to || to > all) {
    refuse(
      title,
      "bits",
      Array.isArray(bits) ? `[${bits.join(", ")}]` : String(bits),
      `[from, to], with 0 <= from < to <= ${all}, the bits of a key of ${type.name}`,
    );
  }
  return [from, to];
}

/** @throws {ArgumentError} for what is no whole number from `least` up. */
export function requireWhole(value: unknown, least: number, title: string, option: string): number {
  if (typeof value !== "number" || !Number.isInteger(value) || value < least || value > 0xffffffff) {
    refuse(title, option, String(value), `a whole number from ${least} to 2^32 - 1`);
  }
  return value;
}

/** @throws {ArgumentError} for what is neither true nor false. */
export function requireSmallest(smallest: unknown, title: string): void {
  if (smallest !== undefined && typeof smallest !== "boolean") {
    refuse(title, "smallest", String(smallest), "true or false");
  }
}
