import amountWeights from "#shaders/device/histogram/amount_weights.wgsl";
import positionsCounted from "#shaders/device/histogram/positions_counted.wgsl";
import positionsDirect from "#shaders/device/histogram/positions_direct.wgsl";
import inputItems from "#shaders/device/io/input_items.wgsl";
import outputItems from "#shaders/device/io/output_items.wgsl";
import cutPositions from "#shaders/device/kernels/cut_positions.wgsl";
import fillItems from "#shaders/device/kernels/fill_items.wgsl";
import histogram from "#shaders/device/kernels/histogram.wgsl";
import scatterItems from "#shaders/device/kernels/scatter_items.wgsl";
import storeClaims from "#shaders/device/scatter/store_claims.wgsl";
import storeItems from "#shaders/device/scatter/store_items.wgsl";
import storeWords from "#shaders/device/scatter/store_words.wgsl";
import { atomicOf } from "../algebra/atomics.ts";
import type { Monoid } from "../algebra/monoid.ts";
import type { ElementType } from "../algebra/types.ts";
import type { Source } from "../text/source.ts";
import { generated } from "../text/source.ts";
import { carriedAs, itemsOfVector, operatorSources, storageText, vectorText } from "./contract.ts";
import { itemsText } from "./copied_items.ts";
import type { Arrangement, Kernel } from "./kernel.ts";
import { inputFor, isWide, lengthFile, linkKernel } from "./kernel.ts";
import type { Sizes } from "./sizes.ts";

/** What a kernel stores at positions: words, of which one stays where positions meet; indices, likewise; or items that never meet. */
export type Stored = "words" | "claims" | ElementType;

/** The kernel that stores something for each element at its position. */
export function scatterKernel(stored: Stored, lengthOnGpu: boolean, sizes: Sizes): Kernel {
  const sources: Readonly<Record<string, readonly Source[]>> = {
    words: [itemsText("u32"), inputItems, storeWords],
    claims: [storeClaims],
  };
  const [name, own] =
    typeof stored === "string"
      ? [stored, sources[stored] ?? []]
      : [stored.name, [itemsText(carriedAs(stored)), ...stored.files, inputItems, outputItems, storeItems]];
  return linkKernel(
    `wavefold scatter items <${name}>`,
    "scatter_items",
    [...own, lengthFile(lengthOnGpu), scatterItems],
    sizes,
  );
}

const filledText = (value: string): Source =>
  generated(`fn filled_item() -> Output {\n  return ${value};\n}`);

/** The kernel that fills a buffer with a word. */
export const fillWordsKernel = (word: string, sizes: Sizes): Kernel =>
  linkKernel(
    "wavefold fill words",
    "fill_items",
    [itemsText("u32"), filledText(word), outputItems, fillItems],
    sizes,
  );

/** The kernel that fills the output with what a reduction of no element shows. */
export const fillIdentityKernel = (monoid: Monoid, sizes: Sizes): Kernel =>
  linkKernel(
    `wavefold fill items <${monoid.title}>`,
    "fill_items",
    [
      ...operatorSources(monoid),
      storageText(monoid, "elements", "items", 1, monoid.start?.before),
      ...monoid.type.files,
      filledText("item_from_element(identity())"),
      outputItems,
      fillItems,
    ],
    sizes,
  );

/** The kernel that puts all positions past the end of the output at one place behind it. */
export const cutPositionsKernel = (lengthOnGpu: boolean, sizes: Sizes): Kernel =>
  linkKernel(
    "wavefold cut positions",
    "cut_positions",
    [itemsText("u32"), inputItems, outputItems, lengthFile(lengthOnGpu), cutPositions],
    sizes,
  );

/** What a kernel is generated for that combines elements atomically. */
export interface AtomicKernelOptions {
  readonly monoid: Monoid;
  readonly arrangement: Arrangement;
  readonly lengthOnGpu: boolean;
  readonly sizes: Sizes;
  /** How many positions there are, and the counters of a work-group for each; 0 if threads combine in the output. */
  readonly bins: number;
  readonly copies: number;
}

/** The kernel that combines the elements at each position atomically. */
export function atomicKernel(options: AtomicKernelOptions): Kernel {
  const { monoid, arrangement, lengthOnGpu, sizes, bins, copies } = options;
  const vector = isWide(arrangement) ? itemsOfVector(4, sizes.items) : 1;
  const combined = (name: string, place: string): string =>
    `fn ${name}(place: u32, amount: Amount) {\n  ${atomicOf(monoid)}(&${place}, amount);\n}`;
  return linkKernel(
    `wavefold scatter <${monoid.title}>`,
    "histogram",
    [
      generated(
        [
          "alias Input = u32;",
          `alias Amount = ${monoid.type.value};`,
          ...(copies > 0 ? [combined("combine_with_counter", "counters[place]")] : []),
          combined("combine_with_bin", "bins[call.output_base + place]"),
          vectorText("u32", undefined, vector),
        ].join("\n"),
      ),
      ...(copies > 0 ? operatorSources(monoid) : []),
      ...inputFor(arrangement),
      lengthFile(lengthOnGpu),
      amountWeights,
      copies > 0 ? positionsCounted : positionsDirect,
      histogram,
    ],
    sizes,
    { vector, ...(copies > 0 && { more: { COPIES: copies, COUNTERS: bins * copies } }) },
  );
}
