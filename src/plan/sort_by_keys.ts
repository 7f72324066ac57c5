import { u32 } from "../algebra/integers.ts";
import type { ScalarType } from "../algebra/types.ts";
import { u64 } from "../algebra/words_64.ts";
import type { JoinedKeys } from "../kernels/join_keys.ts";
import { canJoin, joinedBits, joinKernel } from "../kernels/join_keys.ts";
import type { Kernel } from "../kernels/kernel.ts";
import type { SortKey } from "../kernels/sort_key.ts";
import type { SortOptions } from "./check_sort.ts";
import { requireMaxLength } from "./choose_sizes.ts";
import type { DeviceFacts } from "./device_facts.ts";
import type { TuningOptions } from "./options.ts";
import { moveSizes, ofItems, passOver } from "./plain_plan.ts";
import type { Pass, Plan, RangeName, Scratch } from "./plan.ts";
import { distinct, itemTypesOf, rangesTaken, wholeWords, withRanges } from "./plan.ts";
import { requireFeature } from "./require_feature.ts";
import type { SortPlan } from "./sort.ts";
import { planSort } from "./sort.ts";
import { tuningIn } from "./sort_segments.ts";

// Sorts by several keys. Neighbours that have 64 bits together are joined to one key. The positions are sorted by the last key, then
// by the one before it, and so on. Each sort keeps the order of equal keys, so the first key decides, and the others where it is equal.

/** A key, and the range that holds it. */
export interface KeyIn {
  readonly key: SortKey;
  readonly range: RangeName;
}

/** One of the sorts, by one key or by two. */
interface Step {
  readonly keys: readonly [KeyIn] | readonly [KeyIn, KeyIn];
  readonly join: Kernel;
  readonly sort: SortPlan;
}

/** The keys of each sort: the last keys come first. */
function groupsOf(keys: readonly KeyIn[]): readonly Step["keys"][] {
  const [last, before] = [keys[keys.length - 1], keys[keys.length - 2]];
  if (last === undefined) {
    return [];
  }
  return before && canJoin([before.key, last.key])
    ? [[before, last], ...groupsOf(keys.slice(0, -2))]
    : [[last], ...groupsOf(keys.slice(0, -1))];
}

/**
 * Plans a sort by several keys. It leaves positions.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError} before anything is compiled.
 */
export function planByKeys(
  options: Pick<SortOptions, "maxLength" | "lengthOnGpu"> & TuningOptions,
  keys: readonly KeyIn[],
  title: string,
  facts: DeviceFacts,
): Plan {
  const { lengthOnGpu = false } = options;
  for (const { key } of keys) {
    requireFeature(key.type, title, facts);
  }
  const groups = groupsOf(keys);
  const bitsOf = (group: Step["keys"]): number => joinedBits(group.map(({ key }) => key));
  const typeOf = (bits: number): ScalarType => (bits > 32 ? u64 : u32);
  const most = Math.max(...groups.map((group) => typeOf(bitsOf(group)).bytes));
  const maxLength = requireMaxLength(title, options.maxLength, most, facts.limits);
  const sizes = moveSizes(title, u32, facts);
  const steps = groups.map((group, at): Step => {
    const bits = bitsOf(group);
    const sorted = { type: typeOf(bits), bits: [0, bits], indices: true, maxLength, lengthOnGpu } as const;
    return {
      keys: group,
      join: joinKernel(
        group.map(({ key }) => key) as readonly SortKey[] as JoinedKeys,
        at > 0,
        lengthOnGpu,
        sizes,
      ),
      sort: planSort({ ...sorted, ...tuningIn(options) }, facts, at > 0 ? u32 : "positions", ["items"]),
    };
  });
  const [first] = steps as [Step, ...Step[]];
  const joined: Scratch = { name: "joined keys", bytes: wholeWords(maxLength * most) };
  const bytes = wholeWords(maxLength * 4);
  const turns: readonly Scratch[] = [
    { name: "positions by the last keys", bytes },
    { name: "positions by the last keys, in turn", bytes },
  ].slice(0, steps.length - 1);
  const passesOf = ({ keys: group, join, sort }: Step, at: number, length: number): readonly Pass[] => {
    const isLast = at === steps.length - 1;
    const from = at === 0 ? joined : (turns[(at + 1) % 2] as Scratch);
    const [one, other] = group;
    const joins = passOver(join, length, {
      input: one.range,
      ...(other && { values: other.range }),
      output: joined,
      reordered: from,
      length_buffer: "length",
    });
    const to = isLast ? "output" : (turns[at % 2] as Scratch);
    const sorts = withRanges(sort.passes(length, "items"), { input: joined, values: from, output: to });
    // Positions count from 0 until the last sort.
    return withRanges([joins, ...sorts], {}, isLast ? undefined : { first_index: 0 });
  };
  return {
    ...ofItems(title, maxLength),
    kernels: distinct(steps.flatMap(({ join, sort }) => [join, ...sort.kernels])),
    scratch: [joined, ...turns, ...steps.flatMap(({ sort }) => sort.scratch)],
    needs: rangesTaken(
      { output: true, length: lengthOnGpu },
      keys.map(({ range }) => range),
    ),
    itemTypes: {
      ...itemTypesOf((keys[0] as KeyIn).key.type, u32),
      ...Object.fromEntries(keys.map(({ key, range }) => [range, key.type])),
    },
    ...(first.sort.sizes && { sizes: first.sort.sizes }),
    passes: (length) => (length === 0 ? [] : steps.flatMap((step, at) => passesOf(step, at, length))),
  };
}
