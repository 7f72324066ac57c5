import type { ElementType } from "./types.ts";
import { isElementType, isSameType, TYPES_DEPTH } from "./types.ts";
import { widens } from "./widening.ts";

// Options of calls on items of 8 and 16 bits, as plans and loops take them: with types of 32 bits.

/** An option's value with other types in the place of its own. What has none stays the same value. */
function valueWith(value: unknown, typeOf: (type: ElementType) => ElementType, depth: number): unknown {
  if (isElementType(value)) {
    return typeOf(value);
  }
  if (depth === 0 || typeof value !== "object") {
    return value;
  }
  const members = Object.entries(value ?? {});
  const changed = members.map(([name, one]) => [name, valueWith(one, typeOf, depth - 1)] as const);
  if (changed.every(([, one], at) => one === members[at]?.[1])) {
    return value;
  }
  return Array.isArray(value) ? changed.map(([, one]) => one) : Object.fromEntries(changed);
}

/** Options with other types in the place of theirs. */
const withTypes = <Options extends object>(
  options: Options,
  typeOf: (type: ElementType) => ElementType,
): Options => valueWith(options, typeOf, TYPES_DEPTH) as Options;

/** The options that say what a type is for. Nobody has checked them yet. */
export interface TypedOptions {
  readonly type?: ElementType;
  readonly from?: ElementType;
  readonly map?: unknown;
  readonly key?: unknown;
  readonly thenBy?: unknown;
  readonly bits?: readonly [number, number];
}

/**
 * The options with types of 32 bits. If a narrow type has no map to another type, a conversion is the map. Bits of keys are those of the wider
 * keys: the sign bit is the last one there, too, and keys without a sign have no others.
 *
 * @param wideOf - gives the type of 32 bits that stands in the place of a type.
 */
export function wideOptions<Options extends TypedOptions>(
  options: Options,
  wideOf = (type: ElementType): ElementType => type.wide ?? type,
): Options {
  const { type, from, map, key, thenBy, bits } = options;
  const own = withTypes(options, wideOf);
  const isConverted =
    from?.wide &&
    own.type &&
    map === undefined &&
    !isSameType(from.wide, own.type) &&
    !widens(from.wide, own.type);
  const wide = isConverted ? { ...own, map: `${own.type.name}(x)` } : own;
  if (!type?.wide || key !== undefined || thenBy !== undefined) {
    return wide;
  }
  const [first, end] = bits ?? [0, 8 * type.bytes];
  return { ...wide, bits: [first, type.kind === "signed" && end === 8 * type.bytes ? 32 : end] };
}
