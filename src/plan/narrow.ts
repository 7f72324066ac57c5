import { powerOfTwoFor } from "../algebra/power_of_two.ts";
import type { ElementType } from "../algebra/types.ts";
import { isSameType } from "../algebra/types.ts";
import type { TypedOptions } from "../algebra/wide_options.ts";
import { wideOptions } from "../algebra/wide_options.ts";
import { requireWidening } from "../algebra/widening.ts";
import { isApart } from "../kernels/kernel.ts";
import type { PackedCount } from "../kernels/narrow.ts";
import { itemsOfWord, packedInput, packKernel, readsPacked, widenKernel } from "../kernels/narrow.ts";
import { requireBindable } from "./binding_length.ts";
import type { DeviceFacts } from "./device_facts.ts";
import { moveSizes } from "./plain_plan.ts";
import type { Pass, PassParams, Plan, RangeName, Scratch } from "./plan.ts";
import { bound, distinct, paddedBytes, WRITTEN, withRanges } from "./plan.ts";
import { givenAs, itemsOfRange } from "./ranges.ts";

// Plans for items of 8 and 16 bits. The plan of 32 bits does the work. If its kernels read packed items, they do so: those of scans, reductions,
// compactions and maps. Each other range of such items has scratch of words: a dispatch before widens what is read, and a dispatch after packs
// what is written.

/** The options of any plan. Nobody has checked them yet. */
interface Options extends TypedOptions {
  readonly lengthOnGpu?: boolean;
}

/** A type in a plan of words: that of 32 bits, which tells the narrow one. */
const inWords = (type: ElementType): ElementType =>
  type.wide ? { ...type.wide, narrow: type, packed: packedInput(type) } : type;

/** A range of narrow items that has scratch. */
interface NarrowRange {
  readonly name: RangeName;
  readonly isWritten: boolean;
  /** The scratch that every recording has for as many items as the plan is made for. */
  readonly scratch: Scratch;
  /** The scratch that has a word for each of so many items. @throws {LimitError} if that is more than the device can bind. */
  scratchFor(items: number): Scratch;
  /** What widens or packs so many items. */
  pass(items: number, scratch: Scratch): Pass;
}

/** How many items of a range are packed. */
function countOf(name: RangeName, { storesAll, needs }: Plan): PackedCount {
  return name === "rest" ? "rest" : needs.has("count") && !storesAll ? "counted" : "all";
}

/** A recording of no data, and of one item of each range whose length does not follow from that of the data. */
const NO_DATA: PassParams = { sorted_length: 1, room: 1, segment_count: 1 };

/** A range of a plan of words that has items of a narrow type. */
function narrowRange(
  name: RangeName,
  type: ElementType,
  wide: Plan,
  lengthOnGpu: boolean,
  facts: DeviceFacts,
): NarrowRange {
  const { title, maxLength } = wide;
  const isWritten = WRITTEN.includes(givenAs(name));
  const sizes = moveSizes(title, type, facts);
  const isCounted = lengthOnGpu && itemsOfRange(wide, name, 0, NO_DATA) === 0;
  const kernel = isWritten
    ? packKernel(type, countOf(name, wide), isCounted, sizes)
    : widenKernel(type, isCounted, sizes);
  const tile = sizes.workGroupSize * sizes.items * (isWritten ? itemsOfWord(type) : 4);
  const scratchOf = (items: number): Scratch => ({
    name: `wide ${name}`,
    bytes: paddedBytes(items, 4, 4),
    itemBytes: 4,
    late: items !== most,
  });
  const most = Math.max(maxLength, wide.outputLength(maxLength));
  const scratch = scratchOf(most);
  const longer = new Map<number, Scratch>();
  return {
    name,
    isWritten,
    scratch,
    scratchFor(items) {
      if (items <= most) {
        return scratch;
      }
      requireBindable(`${title}: ${name}`, items, 4, facts.limits, name);
      // Recordings of about as many items share it.
      const rounded = powerOfTwoFor(items);
      const own = longer.get(rounded) ?? scratchOf(rounded);
      longer.set(rounded, own);
      return own;
    },
    pass(items, own) {
      const [input, output] = isWritten ? [own, name] : [name, own];
      const bindings = bound(kernel, { input, output, length_buffer: "length", count_buffer: "count" });
      return { kernel, bindings, length: items, tiles: Math.ceil(items / tile) };
    },
  };
}

/** A plan of narrow items, from that of words. */
function packedPlan(
  { lengthOnGpu = false, type, from = type, map }: Options,
  wide: Plan,
  facts: DeviceFacts,
): Plan {
  const title = type?.wide ? wide.title.replace(`<${type.wide.name}`, `<${type.name}`) : wide.title;
  if (type && from && map === undefined && !isSameType(from, type)) {
    requireWidening(title, from, type);
  }
  const narrow = [...wide.needs].flatMap((name) => {
    const own = wide.itemTypes[name]?.narrow;
    return own ? [[name, own] as const] : [];
  });
  // All kernels that bind the input read it in the same way.
  const asIs = wide.kernels.some(readsPacked) ? "input" : undefined;
  const ranges = narrow
    .filter(([name]) => name !== asIs)
    .map(([name, own]) => narrowRange(name, own, wide, lengthOnGpu, facts));
  const kernels = ranges.map(({ pass, scratch }) => pass(0, scratch).kernel);
  return {
    ...wide,
    title,
    kernels: distinct([...wide.kernels, ...kernels]),
    scratch: [...wide.scratch, ...ranges.map(({ scratch }) => scratch)],
    packed: new Set(narrow.map(([name]) => name)),
    itemTypes: { ...wide.itemTypes, ...Object.fromEntries(narrow) },
    // Scratch is in no buffer of the caller's.
    variants: wide.variants.filter(({ arrangement, aside }) => aside || isApart(arrangement)),
    passes(length, arrangement, aside, params) {
      const own = ranges.map((range) => {
        const items = itemsOfRange(wide, range.name, length, params);
        return { ...range, items, scratch: range.scratchFor(items) };
      });
      const moves = (written: boolean): readonly Pass[] =>
        own
          .filter(({ items, isWritten }) => items > 0 && isWritten === written)
          .map(({ items, scratch, pass }) => pass(items, scratch));
      const inScratch = Object.fromEntries(own.map(({ name, scratch }) => [name, scratch]));
      return [
        ...moves(false),
        ...withRanges(wide.passes(length, arrangement, aside, params), inScratch),
        ...moves(true),
      ];
    },
  };
}

/** Plans for items of narrow types, as `planOf` plans for others. */
export const planNarrow = async <Own extends Options>(
  options: Own,
  facts: DeviceFacts,
  planOf: (options: Own) => Plan | Promise<Plan>,
): Promise<Plan> => packedPlan(options, await planOf(wideOptions(options, inWords)), facts);
