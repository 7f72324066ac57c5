import totalNone from "#shaders/device/io/total_none.wgsl";
import scanFlatSegments from "#shaders/device/kernels/scan_flat_segments.wgsl";
import flatAnyOrder from "#shaders/device/segments/flat_any_order.wgsl";
import flatHeadBits from "#shaders/device/segments/flat_head_bits.wgsl";
import flatHeads from "#shaders/device/segments/flat_heads.wgsl";
import flatInOrder from "#shaders/device/segments/flat_in_order.wgsl";
import flatKeys from "#shaders/device/segments/flat_keys.wgsl";
import headVectors from "#shaders/device/segments/head_vectors.wgsl";
import keyVectors from "#shaders/device/segments/key_vectors.wgsl";
import loadKeys from "#shaders/device/segments/load_keys.wgsl";
import type { Monoid } from "../algebra/monoid.ts";
import type { ElementType } from "../algebra/types.ts";
import type { SourceText } from "../text/source.ts";
import { arrayOfVectorText } from "./array_of_vector.ts";
import { carriedAs } from "./contract.ts";
import type { FlatOptions } from "./flat_rows.ts";
import { flatVector, scanFlatKernel } from "./flat_rows.ts";
import type { Kernel } from "./kernel.ts";

// This is loaded only if a plan takes segments.

/** What says where segments start: flags, bits, or keys of a type of one word. */
export type FlatHeads = "heads" | "bits" | ElementType;

/** The files that find the heads of a thread's items. */
function headFilesOf(heads: FlatHeads, vector: number): readonly SourceText[] {
  switch (heads) {
    case "heads":
      return [arrayOfVectorText("HeadVector", "u32", "u32", vector), headVectors, flatHeads];
    case "bits":
      return [flatHeadBits];
    default:
      return [
        arrayOfVectorText("KeyVector", "Key", carriedAs(heads), vector),
        keyVectors,
        loadKeys,
        flatKeys,
      ];
  }
}

/** The kernel that scans segments by keys of a word, flags or bits in a single pass, in tiles of items. */
export const scanFlatSegmentsKernel = (monoid: Monoid, heads: FlatHeads, options: FlatOptions): Kernel =>
  scanFlatKernel(monoid, options, {
    title: "segments",
    entryPoint: "scan_flat_segments",
    files: [...headFilesOf(heads, flatVector(monoid, options)), scanFlatSegments],
    anyOrder: flatAnyOrder,
    inOrder: flatInOrder,
    behind: [
      ...(options.ends?.sources("look-back") ?? [totalNone]),
      // In later windows, other files say where segments start.
      ...(options.segments?.heads ?? []),
    ],
  });
