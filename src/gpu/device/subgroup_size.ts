import type { Kernel } from "../../kernels/kernel.ts";

/** The feature by which a kernel names the size of its subgroups. */
const SIZE_CONTROL = "subgroup-size-control";

/** Sizes above it are taken only where there are no smaller ones. */
const MOST_LANES = 32;

/**
 * The text of a kernel that asks for one size of subgroups, where the device would choose among several: the largest of at most 32 lanes, or the
 * smallest. Undefined for a kernel without subgroups, for a device that has one size, and for one that takes no sizes. Lines stay what they are.
 */
export function withSubgroupSize(
  { features, adapterInfo }: GPUDevice,
  { code, entryPoint }: Pick<Kernel, "code" | "entryPoint">,
): string | undefined {
  const { subgroupMinSize: least = 0, subgroupMaxSize: most = 0 } = adapterInfo ?? {};
  if (!features.has(SIZE_CONTROL) || least >= most || !/\benable subgroups;/.test(code)) {
    return undefined;
  }
  const size = Math.max(least, Math.min(most, MOST_LANES));
  // Devices take no work-groups whose threads do not fill subgroups.
  const [, threads] = /\bconst WORK_GROUP_SIZE = (\d+)u;/.exec(code) ?? [];
  if (Number(threads) % size !== 0) {
    return undefined;
  }
  return code
    .replace("enable subgroups;", "enable subgroups, subgroup_size_control;")
    .replace(
      new RegExp(`@compute (?=@workgroup_size\\([^)]*\\)\\s+fn ${entryPoint}\\b)`),
      `$&@subgroup_size(${size}) `,
    );
}
