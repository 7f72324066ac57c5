import inputItems from "#shaders/device/io/input_items.wgsl";
import outputItems from "#shaders/device/io/output_items.wgsl";
import joinKeys from "#shaders/device/kernels/join_keys.wgsl";
import positionOfIndex from "#shaders/device/sort/position_of_index.wgsl";
import positionSorted from "#shaders/device/sort/position_sorted.wgsl";
import { typeFiles } from "../algebra/expression_files.ts";
import { generated } from "../text/source.ts";
import { carriedAs, conversion } from "./contract.ts";
import { itemsText } from "./copied_items.ts";
import type { Kernel } from "./kernel.ts";
import { lengthFile, linkKernel } from "./kernel.ts";
import type { Sizes } from "./sizes.ts";
import type { SortKey } from "./sort_key.ts";
import { keyBits, orderText, wordsPerKey } from "./sort_key.ts";

/** What an item is sorted by first, and then: keys that have 64 bits together at most. */
export type JoinedKeys = readonly [SortKey] | readonly [SortKey, SortKey];

/** The bits that keys have together. */
export const joinedBits = (keys: readonly SortKey[]): number =>
  keys.reduce((sum, { type }) => sum + keyBits(type), 0);

/** Whether two keys are one: each has a word at most. */
export const canJoin = (keys: readonly [SortKey, SortKey]): boolean =>
  keys.every(({ type }) => wordsPerKey(type) === 1);

/** WGSL for a key, in the lowest bits of its words. */
function wordText(key: SortKey): string {
  const bits = keyBits(key.type);
  return bits < 32 ? `(${orderText(key)}) & ${2 ** bits - 1}u` : orderText(key);
}

/** WGSL for the words `first` and `later` as one key, whose highest bits are those of `first`. */
function joinText(bits: number, laterBits: number): string {
  if (bits <= 32) {
    return `(first << ${laterBits}u) | later`;
  }
  return laterBits === 32
    ? "vec2<u32>(later, first)"
    : `vec2<u32>((first << ${laterBits}u) | later, first >> ${32 - laterBits}u)`;
}

/** Declares `joined_key` of the item at a position. */
function joinedText([first, later]: JoinedKeys): string {
  if (later === undefined) {
    return [
      conversion("first_key", "Input", "Output", wordText(first)),
      "fn joined_key(position: u32) -> Output {\n  return first_key(read_item(position));\n}",
    ].join("\n");
  }
  return [
    `alias Later = ${carriedAs(later.type)};`,
    "@group(0) @binding(17) var<storage, read> values: array<Later>;",
    conversion("first_key", "Input", "u32", wordText(first)),
    conversion("later_key", "Later", "u32", wordText(later)),
    "fn joined_key(position: u32) -> Output {",
    "  let first = first_key(read_item(position));",
    "  let later = later_key(values[call.values_base + position]);",
    `  return ${joinText(joinedBits([first, later]), keyBits(later.type))};`,
    "}",
  ].join("\n");
}

/** The kernel that joins the keys of items: in the order of the data, or of the positions that a sort has left. */
export const joinKernel = (keys: JoinedKeys, isSorted: boolean, lengthOnGpu: boolean, sizes: Sizes): Kernel =>
  linkKernel(
    `wavefold join keys <${keys.map(({ type }) => type.name).join(", ")}>`,
    "join_keys",
    [
      itemsText(carriedAs(keys[0].type), joinedBits(keys) > 32 ? "vec2<u32>" : "u32"),
      generated(joinedText(keys)),
      ...typeFiles(...keys.map(({ type }) => type)),
      inputItems,
      outputItems,
      lengthFile(lengthOnGpu),
      isSorted ? positionSorted : positionOfIndex,
      joinKeys,
    ],
    sizes,
  );
