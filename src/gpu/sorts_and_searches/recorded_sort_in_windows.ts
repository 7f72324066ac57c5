import type { WindowedGather, WindowedSort } from "../../plan/sort_in_windows.ts";
import type { Context } from "../device/context.ts";
import { explain } from "../device/device.ts";
import type { Compiled, PartParams, Range, ResolvedRanges } from "../executor/executor.ts";
import type { Division, Execution } from "../recordings/choose_variant.ts";
import { executionOf, requireApart } from "../recordings/choose_variant.ts";
import { compileAll, paramsOf, rangeFor, subrangeOf, windowsOf } from "../recordings/divide_into_windows.ts";

// Recordings of sorts of more items than a binding holds.

/** Compiles a sort in windows. @throws {SourceError} {@link OutOfMemoryError} */
export async function sortInWindows(context: Context, sort: WindowedSort): Promise<Division> {
  const { plan, window, tile, radix, steps, scan, copies, keyBytes, valueBytes, storesKeys } = sort;
  const { maxLength, title, itemBytes } = plan;
  const { compiled, division } = await compileAll(context, [
    scan,
    ...steps.flatMap(({ count, move }) => [count, move]),
    ...copies,
  ]);
  const [scanned, ...others] = compiled as [Compiled, ...Compiled[]];
  const copied = others.slice(2 * steps.length);
  const made: Range[] = [];
  try {
    const tableBytes = radix * Math.ceil(maxLength / tile) * 4;
    for (const [name, bytes] of [
      ["keys", sort.scratch[0]],
      ["values", sort.scratch[1]],
      ["other keys", sort.scratch[2]],
      ["counts", tableBytes],
      ["offsets", tableBytes],
    ] as const) {
      made.push(await rangeFor(context, scanned, name, bytes));
    }
  } catch (cause) {
    division.destroy();
    throw await explain(context, title, cause);
  }
  const [keys, values, otherKeys, counts, offsets] = made as [Range, Range, Range, Range, Range];
  return {
    plan,
    ...division,
    divide(length, ranges, { first_index: firstIndex = 0 }) {
      requireApart(plan, ranges);
      if (length === 0) {
        return [];
      }
      const windows = windowsOf(length, window);
      const tiles = Math.ceil(length / tile);
      const table = (range: Range): Range => ({ ...range, bytes: radix * tiles * 4 });
      // Where each step leaves keys and values. The first one leaves them in scratch, so that input and output may be one range.
      const keysOut = storesKeys ? ranges.output : otherKeys;
      const valuesOut = storesKeys ? ranges.reordered : ranges.output;
      const placesOf = (at: number) =>
        at % 2 === 1 ? { keys: keysOut, values: valuesOut } : { keys, values };
      const executions = steps.flatMap((_, digit): Execution[] => {
        const [count, move] = others.slice(2 * digit) as [Compiled, Compiled];
        const from = digit === 0 ? { keys: ranges.input, values: ranges.values } : placesOf(digit - 1);
        const to = placesOf(digit);
        const inputBytes = digit === 0 ? itemBytes.input : keyBytes;
        const given = windows.map(({ first, items }) => ({
          items,
          ranges: {
            input: subrangeOf(from.keys, first, items, inputBytes),
            values: subrangeOf(from.values, first, items, valueBytes),
            length: ranges.length,
          } as ResolvedRanges,
          params: { ...paramsOf(first, firstIndex), digit, tiles, window: first / tile } as PartParams,
        }));
        return [
          ...given.map((one) =>
            executionOf(count, one.items, { ...one.ranges, offsets: table(counts) }, one.params),
          ),
          executionOf(scanned, radix * tiles, { input: table(counts), output: table(offsets) }),
          ...given.flatMap((one) =>
            windows.map(({ first, items }) =>
              executionOf(
                move,
                one.items,
                {
                  ...one.ranges,
                  output: subrangeOf(to.keys, first, items, keyBytes),
                  reordered: subrangeOf(to.values, first, items, valueBytes),
                  offsets: table(offsets),
                },
                { ...one.params, first_place: first },
              ),
            ),
          ),
        ];
      });
      const moved = [
        ...(storesKeys ? [{ from: keys, to: keysOut, bytes: keyBytes }] : []),
        { from: values, to: valuesOut, bytes: valueBytes },
      ];
      const ends = copied.flatMap((copy, at) =>
        windows.map(({ first, items }) => {
          const { from, to, bytes } = moved[at] as (typeof moved)[number];
          return executionOf(
            copy,
            items,
            {
              input: subrangeOf(from, first, items, bytes),
              output: subrangeOf(to, first, items, bytes),
              length: ranges.length,
            },
            paramsOf(first, firstIndex),
          );
        }),
      );
      return [...executions, ...ends];
    },
  };
}

/** Compiles the moves of items in windows to the places of their sorted positions. @throws {SourceError} {@link OutOfMemoryError} */
export async function gatherInWindows(context: Context, windowed: WindowedGather): Promise<Division> {
  const { plan, window, gather, copy, scratch, names } = windowed;
  const { compiled, division } = await compileAll(context, [gather, copy]);
  const [gathered, copied] = compiled as [Compiled, Compiled];
  const [fromName, toName] = names;
  const bytes = plan.itemBytes.input;
  let aside: Range;
  try {
    aside = await rangeFor(context, gathered, "items", scratch);
  } catch (cause) {
    division.destroy();
    throw await explain(context, plan.title, cause);
  }
  return {
    plan,
    ...division,
    divide(length, ranges, { first_index: firstIndex = 0 }) {
      requireApart(plan, ranges);
      if (length === 0) {
        return [];
      }
      const { [fromName]: from, [toName]: to, positions } = ranges;
      const isAside = from?.buffer === to?.buffer || positions?.buffer === to?.buffer;
      const windows = windowsOf(length, window);
      const params = (first: number): PartParams => paramsOf(first, firstIndex);
      const moves = windows.flatMap((one) =>
        windows.map(({ first, items }) =>
          executionOf(
            gathered,
            one.items,
            {
              input: subrangeOf(from, first, items, bytes),
              output: subrangeOf(isAside ? aside : to, one.first, one.items, bytes),
              positions: subrangeOf(positions, one.first, one.items, 4),
              length: ranges.length,
            },
            { ...params(one.first), first_place: first },
          ),
        ),
      );
      const copies = (isAside ? windows : []).map(({ first, items }) =>
        executionOf(
          copied,
          items,
          {
            input: subrangeOf(aside, first, items, bytes),
            output: subrangeOf(to, first, items, bytes),
            length: ranges.length,
          },
          params(first),
        ),
      );
      return [...moves, ...copies];
    },
  };
}
