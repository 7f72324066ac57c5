import inputMirrored from "#shaders/device/io/input_mirrored.wgsl";
import mirrorAll from "#shaders/device/io/mirror_all.wgsl";
import mirrorColumns from "#shaders/device/io/mirror_columns.wgsl";
import mirrorRows from "#shaders/device/io/mirror_rows.wgsl";
import oneBufferMirrored from "#shaders/device/io/one_buffer_mirrored.wgsl";
import outputMirrored from "#shaders/device/io/output_mirrored.wgsl";
import type { Monoid } from "../algebra/monoid.ts";
import type { Arrangement, Mirror } from "../kernels/kernel.ts";
import { filesOf } from "../kernels/kernel.ts";
import type { SourceText } from "../text/source.ts";
import type { Order } from "./order.ts";

// Reversed scans. A kernel that takes all items in mirrored order, and swaps the operands of its operator, scans from the last item to the
// first. So no kernel but those parts differs, and what comes before a tile is what lies behind it in the caller's data. This is loaded only if
// a plan is reversed.

/** The files of kernels, where a file says where mirrored items lie. Items go one by one, since mirrored vectors start between the caller's. */
function mirrorBy(places: SourceText): Mirror {
  const { files, input, wide } = filesOf("items");
  const oneBuffer = {
    files: [places, oneBufferMirrored, outputMirrored, ...filesOf("one-buffer").files],
    input: [places, inputMirrored, ...input],
    wide,
  };
  return {
    items: {
      files: [places, inputMirrored, outputMirrored, ...files],
      input: [places, inputMirrored, ...input],
      wide,
    },
    "one-buffer": oneBuffer,
    "in-place": oneBuffer,
  };
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

/** The order of a reversed scan. Rows and columns stay where they are, and each is mirrored on its own. */
export const inReverse = (segments: unknown): Order => ({
  mirror: mirrorBy(segments === "rows" ? mirrorRows : segments === "columns" ? mirrorColumns : mirrorAll),
  // A length on the GPU may leave windows empty. They come before those that have items, and hand on the identity.
  isEmpty: "data_length() == 0u && call.length_before == 0u",
  operatorOf: swapped,
  arrangementsOf: (given) => [...new Set(given.map((arrangement) => arrangements[arrangement]))],
});
