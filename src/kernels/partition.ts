import storeApartFile from "../../shaders/device/io/store_apart.wgsl";
import storePartedFile from "../../shaders/device/io/store_parted.wgsl";
import countClassesFile from "../../shaders/device/kernels/count_classes.wgsl";
import partClassesFile from "../../shaders/device/kernels/part_classes.wgsl";
import storeOffsetsFile from "../../shaders/device/kernels/store_offsets.wgsl";
import { generated } from "../text/source.ts";
import type { Parted } from "./compact.ts";
import { classesText } from "./compact.ts";
import { file, operatorSources, storageText } from "./contract.ts";
import { carrySpine, linkKernel } from "./kernel.ts";

const countClasses = /* @__PURE__ */ file("kernels/count_classes.wgsl", countClassesFile);
const partClasses = /* @__PURE__ */ file("kernels/part_classes.wgsl", partClassesFile);
const storeOffsets = /* @__PURE__ */ file("kernels/store_offsets.wgsl", storeOffsetsFile);
const storeApart = /* @__PURE__ */ file("io/store_apart.wgsl", storeApartFile);
const storeParted = /* @__PURE__ */ file("io/store_parted.wgsl", storePartedFile);

/** Options of a partition in two. */
export const inTwo: Parted = { primitive: "partition", store: storeParted };

/** The binding of the rest, where it has a range of its own. A partition has no keys, so it is the number of unique ones. */
export const REST_BINDING = 15;

/** Options of a partition in two whose rest has a range of its own. */
export const apart: Parted = { primitive: "partition", store: storeApart, apart: true };

/** Options of a partition into classes. */
export const byClass = (number: number, expression: string): Parted => ({
  primitive: "partition",
  classes: {
    number,
    expression,
    count: countClasses,
    move: partClasses,
    offsets: (count, sizes) =>
      linkKernel(
        "wavefold store where classes begin",
        "store_offsets",
        [
          ...operatorSources(count),
          storageText(count, "elements", "elements", 1),
          generated(classesText(number)),
          carrySpine,
          storeOffsets,
        ],
        sizes,
      ),
  },
});
