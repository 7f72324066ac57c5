import inputMirrored from "#shaders/device/io/input_mirrored.wgsl";
import inputVectorsMirrored from "#shaders/device/io/input_vectors_mirrored.wgsl";
import mirrorAll from "#shaders/device/io/mirror_all.wgsl";
import mirrorColumns from "#shaders/device/io/mirror_columns.wgsl";
import mirrorMatrices from "#shaders/device/io/mirror_matrices.wgsl";
import mirrorRows from "#shaders/device/io/mirror_rows.wgsl";
import oneBufferMirrored from "#shaders/device/io/one_buffer_mirrored.wgsl";
import outputMirrored from "#shaders/device/io/output_mirrored.wgsl";
import outputVectorsMirrored from "#shaders/device/io/output_vectors_mirrored.wgsl";
import type { Monoid } from "../algebra/monoid.ts";
import type { Arrangement, Mirror } from "../kernels/kernel.ts";
import { filesOf } from "../kernels/kernel.ts";
import type { SourceText } from "../text/source.ts";
import type { Order, Ordered } from "./order.ts";

// Reversed scans. A kernel that takes all items in mirrored order, and swaps the operands of its operator, scans from the last item to the
// first. So no kernel but those parts differs, and what comes before a tile is what lies behind it in the caller's data.

/** The files of kernels whose input and output are in two buffers: where mirrored items lie, and what reads and writes them there. */
function apartBy(
  arrangement: "items" | "vectors",
  places: SourceText,
  reading: SourceText,
  writing: SourceText,
) {
  const { files, input, wide } = filesOf(arrangement);
  return { files: [places, reading, writing, ...files], input: [places, reading, ...input], wide };
}

/** The files of kernels, where a file says where mirrored items lie. Items go one by one. */
function mirrorBy(places: SourceText): Mirror {
  const items = apartBy("items", places, inputMirrored, outputMirrored);
  const oneBuffer = {
    ...items,
    files: [places, oneBufferMirrored, outputMirrored, ...filesOf("one-buffer").files],
  };
  return { items, "one-buffer": oneBuffer, "in-place": oneBuffer };
}

/** An operator that gets its operands the other way round. Those of the table commute. */
function swapped(own: Monoid): Monoid {
  const { callers } = own;
  return callers
    ? {
        ...own,
        callers: {
          ...callers,
          sources: (head) => callers.sources(head.replace(/earlier(: .*?, )later/, "later$1earlier")),
        },
      }
    : own;
}

const arrangements: Readonly<Record<Arrangement, keyof Mirror>> = {
  vectors: "items",
  items: "items",
  padded: "items",
  "in-place": "in-place",
  "one-buffer": "one-buffer",
};

/** Where mirrored items lie of segments that stay where they are. */
const mirrors: Readonly<Record<string, SourceText>> = {
  rows: mirrorRows,
  columns: mirrorColumns,
  matrices: mirrorMatrices,
};

/**
 * The order of a reversed scan. Rows and columns stay where they are, and each is mirrored on its own. Where it has no segments, and the CPU knows
 * the length, it takes vectors if all are whole: otherwise, mirrored ones start between the caller's.
 */
function inReverse({ segments, lengthOnGpu }: Ordered): Order {
  const takesVectors = segments === undefined && !lengthOnGpu;
  return {
    mirror: {
      ...mirrorBy((typeof segments === "string" ? mirrors[segments] : undefined) ?? mirrorAll),
      ...(takesVectors && {
        vectors: apartBy("vectors", mirrorAll, inputVectorsMirrored, outputVectorsMirrored),
      }),
    },
    // A length on the GPU may leave windows empty. They come before those that have items, and hand on the identity.
    isEmpty: "data_length() == 0u && call.length_before == 0u",
    operatorOf: swapped,
    arrangementsOf: (given) => [
      ...new Set([
        ...(takesVectors ? given.filter((one) => one === "vectors") : []),
        ...given.map((arrangement) => arrangements[arrangement]),
      ]),
    ],
  };
}

const same = <T>(given: T): T => given;
const forward: Order = { arrangementsOf: same, operatorOf: same };

/** The order that options ask for. */
export const orderOf = (options: Ordered): Order => (options.reverse ? inReverse(options) : forward);
