import countWorkGroupsText from "#shaders/device/kernels/count_work_groups.wgsl";
import { tablesFor } from "../adapters/adapter.ts";
import type { Kernel } from "../kernels/kernel.ts";
import { lengthFile, linkKernel } from "../kernels/kernel.ts";
import type { DeviceFacts } from "./device_facts.ts";
import type { Pass, Plan, Scratch } from "./plan.ts";
import { bound, gridOf } from "./plan.ts";
import type { Preparation } from "./ways.ts";
import { prepared } from "./ways.ts";

/** The entry points whose work-groups take a tile each, and whose work-groups past the last tile do nothing that is read. */
const byTiles: ReadonlySet<string> = new Set([
  "scan_tiles",
  "reduce_tiles",
  "scan_single_pass",
  "compact_single_pass",
]);

/** Whether a pass is `scan_left_tiles`. Each of its threads looks at one tile, so it needs few work-groups at any length. */
const scansLeft = ({ kernel }: Pass): boolean => kernel.entryPoint === "scan_left_tiles";

/** The kernel that counts tiles of `tile` items. */
const countKernel = (tile: number): Kernel =>
  linkKernel("wavefold count work-groups", "count_work_groups", [countWorkGroupsText, lengthFile(true)], {
    workGroupSize: 1,
    items: tile,
    minSubgroupSize: 4,
    maxSubgroupSize: 128,
    unrolled: false,
  });

/**
 * A plan whose length is on the GPU, with a dispatch before the others, so that a recording of many tiles starts only the work-groups that the
 * length takes. Otherwise a short length takes as long as the start of all work-groups of the longest.
 *
 * If a plan has several passes, a later one could read what work-groups past the end would have stored. That of a scan does not: no
 * prefix depends on what comes after it.
 */
export const countWorkGroups = (plan: Plan, isScan: boolean, facts: DeviceFacts): Plan =>
  prepared(plan, countingOf(plan, isScan, facts));

function countingOf(plan: Plan, isScan: boolean, facts: DeviceFacts): Preparation | undefined {
  const { few, countsOnePass } = tablesFor(facts).counting;
  if (plan.segments || !(isScan || countsOnePass)) {
    return undefined;
  }
  const takesLength = (pass: Pass): boolean => pass.kernel.bindings.has("length_buffer") && !scansLeft(pass);
  const isFor = (passes: readonly Pass[]): boolean =>
    passes.some((pass) => takesLength(pass) && pass.tiles > few) &&
    (passes.length > 1 ? isScan : countsOnePass) &&
    passes.every((pass) => !takesLength(pass) || byTiles.has(pass.kernel.entryPoint));
  const used = plan.variants.filter(({ arrangement, aside }) =>
    isFor(plan.passes(plan.maxLength, arrangement, aside)),
  );
  if (used.length === 0) {
    return undefined;
  }
  const kernels = new Map(
    used.map(({ arrangement }) => {
      const { workGroupSize, itemsPerThread } = plan.groupingOf(arrangement);
      return [arrangement, countKernel(workGroupSize * itemsPerThread)];
    }),
  );
  const counted: Scratch = { name: "number of work-groups", bytes: 16, late: true };
  return {
    kernels: [...kernels.values()],
    scratch: [counted],
    passes(planned, length, arrangement) {
      const kernel = kernels.get(arrangement);
      const largest = planned.find(takesLength);
      if (kernel === undefined || largest === undefined || !isFor(planned)) {
        return planned;
      }
      const { width } = gridOf(largest.tiles, facts.limits, plan.title);
      const bindings = bound(kernel, { length_buffer: "length", work_groups: counted });
      return [
        { kernel, bindings, length, tiles: 1, params: { counted_grid_width: width } },
        ...planned.map((pass) => (takesLength(pass) ? { ...pass, counted } : pass)),
      ];
    },
  };
}
