import type { FieldType, NestedType, Part } from "../algebra/fields.ts";
import type { ParamsSeen } from "../algebra/seen_params.ts";
import { paramsIn } from "../algebra/seen_params.ts";
import type { ElementType, ScalarType } from "../algebra/types.ts";
import { ArgumentError, refuse, shown } from "../errors.ts";
import { requireCode } from "../text/callers.ts";
import { requireScalar } from "./require_scalar.ts";

// What a sort sorts by. The CPU reference checks these options, too. This loads no kernels.

/** Returns the type. @throws {ArgumentError} if its items are narrower than a word, for what does not take such. `option` gave it. */
export function requireWords(type: ElementType, title: string, option: string): ElementType {
  if (type.wide) {
    throw new ArgumentError(
      `${title}: ${option} is of ${type.name}; it takes 32 bits or more, as ${type.wide.name} has`,
      option,
    );
  }
  return type;
}

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

/** The order of a sort by several keys. */
export interface KeysOrder {
  /**
   * Whether the greatest key comes first: of all keys, or of each one. Elements whose keys are all equal keep their order in any case.
   */
  readonly descending?: boolean | readonly boolean[];
}

/** What the elements of a sort are sorted by, in WGSL. */
export interface SortKeyOptions extends SortOrder {
  /**
   * WGSL over an element's value `x` that gives its key, such as `"x.depth"`. The elements are sorted by their keys. Without it,
   * an element is its own key.
   */
  readonly key?: string;
  /** The type of the key. It is needed unless `key` is a field of a struct or a scalar in one, such as `"x.position.z"`, or the key has the elements' own type. */
  readonly keyType?: ElementType;
}

/** The key of a sort, checked. */
export interface CheckedKey extends ParamsSeen {
  readonly type: ScalarType;
  readonly descending: boolean;
  /** The caller's WGSL; undefined if elements are their own keys. */
  readonly text: string | undefined;
}

/** The type of a struct's field, or of a part of one, if a key is such a part and nothing else, such as `x.position.z`. */
export function partType(type: ElementType, key: string): FieldType | undefined {
  const path = /^\s*x((?:\s*\.\s*\w+|\s*\[\s*\d+u?\s*\])+)\s*$/.exec(key)?.[1];
  let known: FieldType | undefined = path === undefined ? undefined : (type as FieldType);
  for (const [, name = "", index] of (path ?? "").matchAll(/\.\s*(\w+)|\[\s*(\d+)/g)) {
    const parts: readonly Part[] = (known as Partial<NestedType> | undefined)?.layout?.parts ?? [];
    const place =
      known?.kind === "vector" && name.length === 1
        ? Math.max("xyzw".indexOf(name), "rgba".indexOf(name))
        : -1;
    const wanted = index !== undefined ? Number(index) : place >= 0 ? place : name;
    known = parts.find((part) => part.key === wanted)?.type;
  }
  return known;
}

/** The keys that a struct has, if a key names a field that it lacks and nothing else. */
export function keysInstead(type: ElementType, key: string): string | undefined {
  const { parts = [] } = (type as Partial<NestedType>).layout ?? {};
  return /^\s*x\s*\.\s*\w+\s*$/.test(key) && partType(type, key) === undefined
    ? `a field of ${type.name}: ${parts.map((part) => `x.${part.key}`).join(", ")}`
    : undefined;
}

/** How a key names the first scalar of a part. */
export function firstOf(part: FieldType): string {
  const [first] = "layout" in part ? part.layout.parts : [];
  return first === undefined
    ? ""
    : (typeof first.key === "number" ? `[${first.key}]` : `.${first.key}`) + firstOf(first.type);
}

/** @throws {ArgumentError} for a key that is none, or whose type is not known. */
export function requireKey(
  { key, keyType, descending, params }: SortKeyOptions & { readonly params?: unknown },
  type: ElementType,
  title: string,
): CheckedKey {
  if (descending !== undefined && typeof descending !== "boolean") {
    refuse(
      title,
      "descending",
      Array.isArray(descending) ? "a list" : shown(descending),
      Array.isArray(descending) ? "true or false for one key" : "true or false",
    );
  }
  const isDescending = descending === true;
  if (key === undefined) {
    if (keyType !== undefined) {
      refuse(title, "keyType", keyType?.name ?? shown(keyType), "a type only beside key");
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
  requireCode(title, "key", key, 'WGSL over an element\'s value x, such as "x.depth"');
  const part = partType(type, key);
  if (part !== undefined && "layout" in part) {
    refuse(
      title,
      "key",
      `${JSON.stringify(key)}, of ${part.name}`,
      `a scalar of it, such as ${JSON.stringify(key.trim() + firstOf(part))}`,
    );
  }
  const named = keyType ?? part;
  if (named === undefined && type.kind === "struct") {
    const others = keysInstead(type, key);
    if (others !== undefined) {
      refuse(title, "key", JSON.stringify(key), others);
    }
    refuse(title, "keyType", "undefined", `the type that the key ${JSON.stringify(key)} gives`);
  }
  return {
    // In a key, values have 32 bits or more.
    type: requireScalar(requireWords(named ?? type.wide ?? type, title, "keyType"), title, "keyType"),
    descending: isDescending,
    text: key,
    params: paramsIn({ params }),
  };
}

/** Options of a sort by several keys. Nobody has checked them. */
type SeveralOptions = Readonly<Partial<Record<keyof SortKeyOptions, unknown>>>;

/**
 * The keys of a sort by several arrays, which are keys themselves. The first one is what it sorts by first.
 *
 * @throws {ArgumentError}
 */
export function requireKeys(
  { descending, ...others }: SeveralOptions,
  types: readonly unknown[],
  title: string,
): readonly CheckedKey[] {
  for (const name of ["key", "keyType", "bits"] as const) {
    if (others[name] !== undefined) {
      throw new ArgumentError(
        `${title} takes no option ${name} beside several keys; each array is a key`,
        name,
      );
    }
  }
  const each: readonly unknown[] = Array.isArray(descending)
    ? descending
    : types.map(() => descending ?? false);
  if (each.length !== types.length || each.some((one) => typeof one !== "boolean")) {
    refuse(
      title,
      "descending",
      shown(descending),
      `true or false, or a list of these, one for each of ${types.length} keys`,
    );
  }
  return types.map((type, at) => ({
    type: requireScalar(type, title, "data"),
    descending: each[at] === true,
    text: undefined,
  }));
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
      shown(bits),
      `[from, to], with 0 <= from < to <= ${all}, the bits of a key of ${type.name}`,
    );
  }
  return [from, to];
}

/** @throws {ArgumentError} for what is no whole number from `least` up. */
export function requireWhole(value: unknown, least: number, title: string, option: string): number {
  if (typeof value !== "number" || !Number.isInteger(value) || value < least || value > 0xffffffff) {
    const given = typeof value === "object" && value !== null ? "an object" : shown(value);
    refuse(title, option, given, `a whole number from ${least} to 2^32 - 1`);
  }
  return value;
}
