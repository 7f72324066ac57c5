import type { BindingKind, Kernel } from "./kernel.ts";

/** A kernel but for its operator. */
export interface LinkedKernel {
  readonly label: string;
  readonly entryPoint: string;
  /** In the order of their numbers: the parameters, the input, the output, and the carries where there are some. */
  readonly bindings: readonly (readonly [number, BindingKind])[];
  /** Its declarations, by their places among all. */
  readonly declarations: readonly number[];
}

/**
 * The kernels that scan plain u32 in buffers of whole vectors, from the same WGSL as all others, in sizes that
 * an adapter's row has. `identity`, `combine` and one of the prefixes make them whole.
 */
export interface LinkedScan {
  readonly workGroupSize: number;
  /** Items of a tile. */
  readonly tile: number;
  /** Items of a vector. */
  readonly vector: number;
  /** What their uniform holds, in order. */
  readonly params: readonly string[];
  readonly declarations: readonly string[];
  /** `select_prefix`, either way. */
  readonly prefixes: Readonly<Record<"exclusive" | "inclusive", string>>;
  /** All items in one tile; each tile's total; and each tile on top of its carry. */
  readonly kernels: Readonly<Record<"alone" | "totals" | "last", LinkedKernel>>;
}

/** An operator that combines u32 by WGSL's own arithmetic. */
export interface PlainOperator {
  readonly name: string;
  readonly combine: string;
  readonly u32Identity: number;
}

/** What a plain scan is made of: linked kernels, and the operators that make them whole. */
export interface PlainKernels extends Omit<LinkedScan, "declarations" | "kernels" | "prefixes"> {
  kernelOf(name: keyof LinkedScan["kernels"], op: PlainOperator, exclusive: boolean): Omit<Kernel, "vector">;
}

export const plainKernels = ({ declarations, kernels, prefixes, ...sizes }: LinkedScan): PlainKernels => ({
  ...sizes,
  kernelOf(name, op, exclusive) {
    const { label, entryPoint, bindings, declarations: places } = kernels[name];
    return {
      label: `${label} <u32, ${op.name}>`,
      entryPoint,
      bindings: new Map(bindings),
      code: [
        `fn identity() -> u32 {\n  return ${op.u32Identity}u;\n}`,
        `fn combine(earlier: u32, later: u32) -> u32 {\n  return ${op.combine};\n}`,
        exclusive ? prefixes.exclusive : prefixes.inclusive,
        ...places.map((place) => declarations[place]),
      ].join("\n\n"),
    };
  },
});
