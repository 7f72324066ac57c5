import copyCounted from "#shaders/device/io/copy_counted.wgsl";
import copyRest from "#shaders/device/io/copy_rest.wgsl";
import copyWhole from "#shaders/device/io/copy_whole.wgsl";
import inputPacked from "#shaders/device/io/input_packed.wgsl";
import packItems from "#shaders/device/kernels/pack_items.wgsl";
import widenItems from "#shaders/device/kernels/widen_items.wgsl";
import signedItems from "#shaders/device/narrow/signed.wgsl";
import unsignedItems from "#shaders/device/narrow/unsigned.wgsl";
import type { ElementType, RangeFiles } from "../algebra/types.ts";
import type { Constants } from "../text/module.ts";
import type { SourceText } from "../text/source.ts";
import { constantsText } from "./contract.ts";
import type { Arrangement, Kernel } from "./kernel.ts";
import { filesOf, lengthFile, linkKernel } from "./kernel.ts";
import type { Sizes } from "./sizes.ts";

// The kernels that take items of 8 and 16 bits apart, and put them together again.

/** How many items of a narrow type share a word. */
export const itemsOfWord = ({ bytes }: ElementType): number => 4 / bytes;

const constantsOf = (type: ElementType): Constants => ({
  BITS: 8 * type.bytes,
  ITEMS_OF_WORD: itemsOfWord(type),
});

const valueFile = ({ kind }: ElementType): SourceText => (kind === "signed" ? signedItems : unsignedItems);

/** The files of kernels that read a type's items from the words that they share, in a buffer of their own. */
export function packedInput(type: ElementType): NonNullable<ElementType["packed"]> {
  const reading = [constantsText(constantsOf(type)), valueFile(type), inputPacked];
  const apart = (arrangement: Arrangement): RangeFiles => {
    const { files, input, wide } = filesOf(arrangement);
    return { files: [...reading, ...files.slice(1)], input: [...reading, ...input.slice(1)], wide };
  };
  const vectors = apart("vectors");
  const items = apart("items");
  return {
    vectors,
    items,
    // The files go with edges.wgsl alone, so a padded output is written as any range of vectors.
    padded: vectors,
    "in-place": { ...filesOf("in-place"), input: vectors.input },
    "one-buffer": { ...filesOf("one-buffer"), input: items.input },
  };
}

/** Whether a kernel reads its input so. */
export const readsPacked = ({ sources }: Kernel): boolean => sources.includes(inputPacked);

/** The kernel that gives each item of a narrow type a word of its own. */
export const widenKernel = (type: ElementType, lengthOnGpu: boolean, sizes: Sizes): Kernel =>
  linkKernel(
    `wavefold widen <${type.name}>`,
    "widen_items",
    [widenItems, valueFile(type), lengthFile(lengthOnGpu)],
    sizes,
    { more: constantsOf(type) },
  );

/** How many items are packed: all, as many as were counted, or all others. */
export type PackedCount = "all" | "counted" | "rest";

/** The kernel that packs items of a word each as items of a narrow type. */
export function packKernel(
  type: ElementType,
  count: PackedCount,
  lengthOnGpu: boolean,
  sizes: Sizes,
): Kernel {
  const length = lengthFile(lengthOnGpu);
  const counts: Readonly<Record<PackedCount, readonly SourceText[]>> = {
    all: [copyWhole, length],
    counted: [copyCounted],
    rest: [copyRest, length],
  };
  return linkKernel(`wavefold pack <${type.name}>`, "pack_items", [packItems, ...counts[count]], sizes, {
    more: constantsOf(type),
  });
}
