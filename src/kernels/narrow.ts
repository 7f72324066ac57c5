import copyCounted from "#shaders/device/io/copy_counted.wgsl";
import copyRest from "#shaders/device/io/copy_rest.wgsl";
import copyWhole from "#shaders/device/io/copy_whole.wgsl";
import packItems from "#shaders/device/kernels/pack_items.wgsl";
import widenItems from "#shaders/device/kernels/widen_items.wgsl";
import signedItems from "#shaders/device/narrow/signed.wgsl";
import unsignedItems from "#shaders/device/narrow/unsigned.wgsl";
import type { ElementType } from "../algebra/types.ts";
import type { Constants } from "../text/module.ts";
import type { SourceText } from "../text/source.ts";
import type { Kernel } from "./kernel.ts";
import { lengthFile, linkKernel } from "./kernel.ts";
import type { Sizes } from "./sizes.ts";

// The kernels that take items of 8 and 16 bits apart, and put them together again.

/** How many items of a narrow type share a word. */
export const itemsOfWord = ({ bytes }: ElementType): number => 4 / bytes;

const constantsOf = (type: ElementType): Constants => ({
  BITS: 8 * type.bytes,
  ITEMS_OF_WORD: itemsOfWord(type),
});

/** The kernel that gives each item of a narrow type a word of its own. */
export const widenKernel = (type: ElementType, lengthOnGpu: boolean, sizes: Sizes): Kernel =>
  linkKernel(
    `wavefold widen <${type.name}>`,
    "widen_items",
    [widenItems, type.kind === "signed" ? signedItems : unsignedItems, lengthFile(lengthOnGpu)],
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
