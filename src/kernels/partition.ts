import copyWholeFile from "../../shaders/device/io/copy_whole.wgsl";
import storePartedFile from "../../shaders/device/io/store_parted.wgsl";
import type { Parted } from "./compact.ts";
import { file } from "./contract.ts";

// This is loaded only for partitions.

/** The files that make the kernels of a compaction those of a partition. */
export const parted: Parted = {
  primitive: "partition",
  store: /* @__PURE__ */ file("io/store_parted.wgsl", storePartedFile),
  copy: /* @__PURE__ */ file("io/copy_whole.wgsl", copyWholeFile),
};
