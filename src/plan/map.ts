import { requireSameStructs } from "../algebra/require_same_structs.ts";
import { paramsIn } from "../algebra/seen_params.ts";
import type { ElementType } from "../algebra/types.ts";
import { isSameType, requireType } from "../algebra/types.ts";
import { requireWidening } from "../algebra/widening.ts";
import { ArgumentError } from "../errors.ts";
import type { ItemMap } from "../kernels/map.ts";
import { itemMap } from "../kernels/map.ts";
import { requireCode } from "../text/callers.ts";
import { typeFeatureError } from "./require_feature.ts";

/** A map that is applied to each item as it is loaded. It needs no pass and no buffer of its own. */
export interface MapOptions {
  /**
   * WGSL over an item's value `x` and its index `i` (u32), such as `"u32(x > 0.5)"`. It is an expression of `type`, or
   * statements that end in `return`. Values of u64, i64 and f64 are numbers in it. It may run more than once for an item. In a
   * compaction, it applies only to kept items.
   */
  readonly map?: string;
  /**
   * The type of the input's items. The default is `type`. Another type needs a map, unless `type` has every value of it: u64 has those of u32,
   * i64 those of u32 and i32, f32 those of f16, and f64 those of u32, i32, f32 and f16. Those of u8, i8, u16 and i16 are in each wider type.
   */
  readonly from?: ElementType;
}

/**
 * Checks the map that options name, and returns it; undefined if there is none. Without one, items of another type are converted, if the
 * result's type has all their values.
 *
 * @throws {ArgumentError} if the map is not WGSL text, or if the types differ, there is no map, and a conversion would not keep each value.
 * @throws {FeatureError} if the device lacks the feature of a type.
 */
export function mapOf(
  options: {
    readonly map?: unknown;
    readonly from?: unknown;
    readonly params?: unknown;
    readonly isCondition?: boolean;
    readonly reverse?: unknown;
  },
  type: ElementType,
  title: string,
  features: ReadonlySet<string>,
): ItemMap | undefined {
  const { map: given, from } = options;
  const source = from === undefined ? type : requireType(from, `${title}: from`, "from");
  if (given === undefined && isSameType(source, type)) {
    return undefined;
  }
  if (given === undefined) {
    requireWidening(title, source, type);
  }
  const map = given === undefined ? `${type.name}(x)` : given;
  requireCode(title, "map", map, 'a WGSL expression over the item x and its index i, such as "x * x"');
  if (!isSameType(source, type) && source.name === type.name) {
    throw new ArgumentError(
      `${title}: the items are of another struct of the name ${type.name}; rename one`,
      "from",
    );
  }
  requireSameStructs(title, source, type, "from");
  if (source.feature !== undefined && !features.has(source.feature)) {
    throw typeFeatureError(`${title} from ${source.name}`, source.feature);
  }
  const { isCondition, reverse } = options;
  return itemMap(source, map, { params: paramsIn(options), isCondition, isMirrored: reverse === true });
}
