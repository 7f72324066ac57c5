import { ArgumentError } from "../errors.ts";
import { requireCount } from "../options.ts";

/** How many elements runs have that are given. This file loads no kernels. */
export interface CountBounds {
  /** The least count of runs that are given: 2 leaves out what occurs once. The default is 1. */
  readonly minCount?: number;
  /** The greatest count of runs that are given: 1 gives what occurs once. The default is no bound. */
  readonly maxCount?: number;
}

/** The least and the greatest count of runs that are given; undefined if all are. */
export type CheckedBounds = readonly [least: number, most: number] | undefined;

/** @throws {ArgumentError} for bounds that are none, or beside an index for each element, since some would have none. */
export function requireBounds(
  { minCount, maxCount, inverse }: CountBounds & { readonly inverse?: boolean },
  title: string,
): CheckedBounds {
  if (minCount === undefined && maxCount === undefined) {
    return undefined;
  }
  const least = minCount === undefined ? 1 : minCount;
  requireCount(title, "minCount", least, 1);
  const most = maxCount === undefined ? Math.max(least, 0xffffffff) : maxCount;
  requireCount(title, "maxCount", most, least);
  if (inverse) {
    const option = minCount === undefined ? "maxCount" : "minCount";
    throw new ArgumentError(
      `${title} takes inverse or ${option}, and not both: elements that are left out have no index`,
      option,
    );
  }
  return [least, most];
}
