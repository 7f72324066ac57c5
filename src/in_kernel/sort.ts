import sortFile from "#shaders/work_group/sort.wgsl";
import sortBitsFile from "#shaders/work_group/sort_bits.wgsl";
import sortPairsFile from "#shaders/work_group/sort_pairs.wgsl";
import sortPlacesFile from "#shaders/work_group/sort_places.wgsl";
import sortTakeFile from "#shaders/work_group/sort_take.wgsl";
import sortTakeWordsFile from "#shaders/work_group/sort_take_words.wgsl";
import { u32 } from "../algebra/integers.ts";
import type { Operator } from "../algebra/monoid.ts";
import type { ElementType, TypeName } from "../algebra/types.ts";
import { requireType, requireValueType, scalarTypes } from "../algebra/types.ts";
import { refuse, shown } from "../errors.ts";
import { memoryOf, withGaps } from "../kernels/algorithms.ts";
import { conversion } from "../kernels/contract.ts";
import { unroll } from "../text/module.ts";
import { count, SIZES, scanBody, withOwn } from "./functions.ts";
import type { Family, InKernelOptions } from "./generate.ts";
import { generate, splitAgain } from "./generate.ts";
import type { InKernelFunctions } from "./link.ts";
import { codeOf } from "./link.ts";

/** The options of {@link workGroupSort}. */
export interface WorkGroupSortOptions extends InKernelOptions {
  /** The type of the keys: a scalar. u64, i64 and f64 are `vec2<u32>` in the kernel, low word first. */
  readonly type: ElementType<TypeName>;
  /**
   * The keys of a thread: the length of the array that each thread passes. The default is 1. A work-group sorts a tile of
   * `workGroupSize` times as many keys, which are at most 32768.
   */
  readonly items?: number;
  /** Whether the greatest key comes first. The default is false. The function's name then has `_descending`. */
  readonly descending?: boolean;
  /**
   * The bits to sort by, from the first up to, and without, the second: `[0, 8]` is the lowest 8 bits. The default is all
   * bits of a key. Fewer bits take less time. Bits are counted from the least significant one, of the key as an unsigned
   * integer in the order of keys: of a signed integer plus 2^31 (2^63 for i64); and of a float with its sign bit flipped,
   * or with all bits flipped if it is negative.
   */
  readonly bits?: readonly [from: number, to: number];
}

/** The options of {@link workGroupSortPairs}. */
export interface WorkGroupSortPairsOptions extends WorkGroupSortOptions {
  /** The type of the values that move with the keys: a scalar, a struct, or a `wgslType`. */
  readonly values: ElementType;
}

/** The most items of a tile. Two counts of them share a word. */
const MOST_ITEMS = 32_768;

/** WGSL over `x`: the bits (low word, high word) of a key, the key of these bits, and its place in the order as an integer. */
const keyTexts: Readonly<Record<TypeName, readonly [bits: string, key: string, order: string]>> = {
  u32: ["vec2<u32>(x, 0u)", "x.x", "x"],
  i32: ["vec2<u32>(bitcast<u32>(x), 0u)", "bitcast<i32>(x.x)", "x ^ vec2<u32>(0x80000000u, 0u)"],
  f32: [
    "vec2<u32>(bitcast<u32>(x), 0u)",
    "bitcast<f32>(x.x)",
    "vec2<u32>(order_from_f32_bits(x.x, 0xffffffffu), 0u)",
  ],
  f16: [
    "vec2<u32>(bits_from_f16(x), 0u)",
    "f16_from_bits(x.x)",
    "vec2<u32>(order_from_f16_bits(x.x, 0xffffu), 0u)",
  ],
  u64: ["x", "x", "x"],
  i64: ["x", "x", "x ^ vec2<u32>(0u, 0x80000000u)"],
  f64: ["x", "x", "order_from_f64_bits(x, vec2<u32>(0xffffffffu))"],
};

/** Loops over more items than these stay loops, since their text would take compilers too long. */
const MOST_UNROLLED = 16;

/** The files with their loops over a thread's items written out. */
const unrolled = (text: string, items: number): string =>
  items > MOST_UNROLLED ? text : unroll(text, { ITEMS: items });

/**
 * The bits of a digit: up to 4, as few as the passes allow. The digits' counts take no more memory than the words that move,
 * or 8 KiB.
 */
function digitOf(range: number, workGroupSize: number, items: number): number {
  const room = Math.max(2048, workGroupSize * items);
  const most = Math.min(4, 1 + Math.floor(Math.log2(room / workGroupSize)));
  return Math.ceil(range / Math.ceil(range / most));
}

/** An operator that combines nothing: the functions have its name, and compute with words. */
const named = (key: string): Operator => ({
  name: key,
  on: (_, type) => ({
    key,
    title: key,
    type,
    domain: u32.native as never,
    operation: undefined,
    combine: "later",
    identity: 0,
  }),
});

/** Whether values can move through the words that keys move through. */
const isWord = ({ kind, bytes }: ElementType): boolean => kind !== "struct" && bytes === 4;

/** The bits to sort by, of a key that has so many. @throws {ArgumentError} if it has no such bits. */
function bitsOf(
  caller: string,
  bits: WorkGroupSortOptions["bits"],
  width: number,
): readonly [from: number, to: number] {
  if (bits === undefined) {
    return [0, width];
  }
  const [from = -1, to = -1] = Array.isArray(bits) && bits.length === 2 ? bits : [];
  if (!(from >= 0 && from < to && to <= width && Number.isInteger(from) && Number.isInteger(to))) {
    refuse(
      caller,
      "bits",
      Array.isArray(bits) ? `[${bits.join(", ")}]` : shown(bits),
      `[from, to] with 0 <= from < to <= ${width}, in whole numbers`,
    );
  }
  return [from, to];
}

/** The functions that sort keys of a type by these options, with values of another type or none. */
function sorted(caller: string, options: WorkGroupSortOptions, values?: ElementType): InKernelFunctions {
  const { type, items = 1, descending = false, bits, ...sizes }: WorkGroupSortOptions = Object(options);
  const { workGroupSize, suffix } = sizes;
  const { name, kind, bytes } = requireType(type, caller);
  const texts = kind === "struct" ? undefined : keyTexts[name as TypeName];
  if (texts === undefined) {
    refuse(caller, "type", name, scalarTypes);
  }
  const [bitsText, keyText, orderText] = texts;
  if (typeof descending !== "boolean") {
    refuse(caller, "descending", shown(descending), "true or false");
  }
  // This checks the sizes and the options that are left.
  const takes = `type, ${values ? "values, " : ""}items, descending, bits, ${SIZES}`;
  const scan = generate(caller, withOwn(count, caller, sizes, takes), "", scanBody(sizes), takes);
  const tile = Number(items) * workGroupSize;
  if (!(items > 0 && tile <= MOST_ITEMS && Number.isInteger(items))) {
    refuse(
      caller,
      "items",
      shown(items),
      `1 to ${Math.floor(MOST_ITEMS / workGroupSize)}, for a tile of at most ${MOST_ITEMS} items`,
    );
  }
  const width = 8 * bytes;
  const [from, to] = bitsOf(caller, bits, width);
  const digit = digitOf(to - from, workGroupSize, items);
  const lanes = 2 ** (digit - 1);
  const slots = withGaps(Math.max(lanes * workGroupSize, tile));

  // The parts are generated one by one. A kernel that sorts keys of several types has only once what is the same for all.
  const parts = [scan];
  const words: Record<string, string> = { ITEMS: `${items}u`, TILE: `${tile}u` };
  const add = (
    of: ElementType,
    key: string,
    sizesInName: readonly number[],
    helpers: readonly string[],
    { words: own, memory = 0 }: Family,
    functions = "",
  ): InKernelFunctions => {
    const part = generate(
      caller,
      { workGroupSize, ...(suffix !== undefined && { suffix }), type: of, op: named(key) },
      unrolled(functions, items),
      {
        memory: () => memory,
        texts: () => helpers.map((text) => unrolled(text, items)),
        words: () => ({ ...words, ...own }),
        tile: `${sizesInName.join("_")}_`,
      },
    );
    parts.push(part);
    return part;
  };
  /** Gives a function of a part the name by which other parts call it. */
  const share = (part: InKernelFunctions, key: string, ...names: readonly string[]): void => {
    for (const one of names) {
      words[one] = part.pieces.find((piece) => piece.name.startsWith(`_${one}_${key}_`))?.name ?? one;
    }
  };
  share(scan, "add_u32", "work_group_scan_exclusive");
  const places = add(u32, "u32", [items, digit], [sortPlacesFile.text], {
    words: { SORT_WORDS: `${slots}u`, SORT_LANES: `${lanes}u` },
    memory: memoryOf([slots], 4, 0),
  });
  share(places, "u32", "sort_words", "sort_slot", "sort_places", "sort_move");
  if (values) {
    const take = isWord(values)
      ? add(values, values.name, [items, digit], [sortTakeWordsFile.text], {})
      : add(values, values.name, [items], [sortTakeFile.text], {
          memory: memoryOf([tile], values.native.elementBytes, 0),
        });
    share(take, values.name, "sort_take");
  }
  const key = `${descending ? "descending_" : ""}${name}${values ? `_${values.name}` : ""}`;
  const conversions = [
    conversion("bits_from_key", "Value", "vec2<u32>", bitsText),
    conversion("key_from_bits", "vec2<u32>", "Value", keyText),
    conversion("sort_order", "vec2<u32>", "vec2<u32>", descending ? `~(${orderText})` : orderText),
  ];
  const { names } = add(
    type,
    key,
    [items, from, to],
    [...conversions, sortBitsFile.text],
    {
      words: {
        ...(values && { Taken: values.value }),
        SORT_DIGIT: `${digit}u`,
        SORT_FROM: `${from}u`,
        SORT_TO: `${to}u`,
        SORT_WIDE: `${width > 32}`,
        SORT_PAIRS: `${values !== undefined}`,
      },
    },
    (values ? sortPairsFile : sortFile).text,
  );
  const made = {
    names,
    workGroupMemory: parts.reduce((sum, part) => sum + part.workGroupMemory, 0),
    workGroupSize,
    pieces: parts.flatMap(({ pieces }) => pieces),
    get code(): string {
      return codeOf(this.pieces, names);
    },
  };
  return splitAgain(made, values);
}

/**
 * CUB's `BlockRadixSort`: a stable sort of the keys of a work-group, of which each thread has an array of `items`.
 * `work_group_sort_u32(&keys, local_index)` sorts them in place. The arrangement is blocked, before and after: thread t has
 * the keys t · items … t · items + items − 1 of the tile. `work_group_sort_u32_partial(&keys, count, local_index)` sorts the
 * first `count` keys of the tile, and leaves the others as they are. All threads pass the same count.
 *
 * −0 comes before +0, and every NaN after +∞. Keys that are equal keep their order, and so do NaNs. With
 * `descending: true`, the function is `work_group_sort_descending_u32`. Then NaNs come first, and equal keys still keep their
 * order.
 *
 * The work-group memory is that of a scan of u32, and a word for each key (if that is fewer than 8 words a thread, up to 8 words
 * a thread), and 1/32 more than that.
 *
 * @throws {ArgumentError} if the type is no scalar, or if a size or a bit is out of range.
 *
 * @example
 * ```ts
 * const sort = workGroupSort({ type: u32, items: 2, workGroupSize: 256 });
 * const code = link(myKernel, [sort]);
 * // in myKernel:  var keys = array(x, x ^ 1u); work_group_sort_u32(&keys, local_index);
 * ```
 */
export function workGroupSort(options: WorkGroupSortOptions): InKernelFunctions {
  return sorted("workGroupSort", options);
}

/**
 * {@link workGroupSort} of keys and values: `work_group_sort_pairs_u32_f32(&keys, &values, local_index)` moves each value to
 * where its key goes. With positions as values, it says where each key came from. `…_partial(&keys, &values, count,
 * local_index)` sorts the first `count` pairs. Values of u32, i32 and f32 take no more work-group memory. Others take as much as
 * a tile of them has bytes.
 *
 * @throws as {@link workGroupSort}; also if there are no values.
 *
 * @example
 * ```ts
 * const sort = workGroupSortPairs({ type: f32, values: u32, items: 1, workGroupSize: 256, descending: true });
 * const code = link(myKernel, [sort]);
 * // in myKernel:  var keys = array(f32(x)); var places = array(local_index); work_group_sort_pairs_descending_f32_u32(&keys, &places, local_index);
 * ```
 */
export function workGroupSortPairs(given: WorkGroupSortPairsOptions): InKernelFunctions {
  const caller = "workGroupSortPairs";
  const { values, ...options }: WorkGroupSortPairsOptions = Object(given);
  return sorted(caller, options, requireValueType(values, caller));
}
