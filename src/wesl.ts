/**
 * The in-kernel functions as a package of WESL, for kernels that WESL's linker links.
 *
 * @module wavefold/wesl
 */
import type { InKernelFunctions, Operator, ScalarType } from "./wgsl.ts";
// From the entry itself, so that its programs load it in one file as before.
import {
  add,
  and,
  f32,
  i32,
  max,
  min,
  mul,
  or,
  u32,
  workGroupBroadcast,
  workGroupCompact,
  workGroupReduce,
  workGroupScan,
  workGroupSegmentedReduce,
  workGroupSegmentedScan,
  workGroupSplit,
  xor,
} from "./wgsl.ts";

/** Shader modules of a package, as WESL's linker takes them in `libs`. */
export interface WeslBundle {
  /** The package's name in `import` statements. */
  readonly name: string;
  /** The edition of WESL that the modules are in. */
  readonly edition: string;
  /** The text of each module, by its path in the package. */
  readonly modules: Readonly<Record<string, string>>;
}

/** The work-group sizes that there is a module for. */
const SIZES = [32, 64, 128, 256, 512, 1024] as const;

const numbers = [add, mul, min, max];
const bits = [and, or, xor];
/** The types of elements, and the operators on each. */
const ELEMENTS: readonly (readonly [type: ScalarType, ops: readonly Operator[]])[] = [
  [u32, [...numbers, ...bits]],
  [i32, [...numbers, ...bits]],
  [f32, numbers],
];

/** All functions for work-groups of a size. */
function functionsFor(workGroupSize: number): InKernelFunctions[] {
  const combining = [workGroupScan, workGroupReduce, workGroupSegmentedScan, workGroupSegmentedReduce];
  return [
    ...ELEMENTS.flatMap(([type, ops]) => [
      workGroupBroadcast({ type, workGroupSize }),
      ...ops.flatMap((op) =>
        combining.map((make) => make({ type, op: op as Operator<string>, workGroupSize })),
      ),
    ]),
    workGroupSplit({ workGroupSize }),
    workGroupCompact({ workGroupSize }),
  ];
}

/** What several functions need is declared once. A declaration has no empty line in it. */
const moduleFor = (workGroupSize: number): string =>
  [...new Set(functionsFor(workGroupSize).flatMap(({ code }) => code.split("\n\n")))].join("\n\n");

/** The module of each size, made when a linker first asks for it: it asks for those alone that a kernel imports. */
function modulesOf(sizes: readonly number[]): WeslBundle["modules"] {
  const made = new Map<number, string>();
  const modules = {};
  for (const size of sizes) {
    Object.defineProperty(modules, `wesl/size_${size}.wesl`, {
      enumerable: true,
      get() {
        const text = made.get(size) ?? moduleFor(size);
        made.set(size, text);
        return text;
      },
    });
  }
  return modules;
}

/**
 * The functions of a work-group on u32, i32 and f32: scans, reductions, both over segments, broadcasts, compactions and splits. There is a
 * module for each work-group size: 32, 64, 128, 256, 512 and 1024 threads. Take the one of your entry point's `@workgroup_size`: WESL does
 * not compare them.
 *
 * @example
 * ```ts
 * const [path] = Object.keys(weslBundle.modules);
 * path; // "wesl/size_32.wesl"
 * ```
 */
export const weslBundle: WeslBundle = {
  name: "wavefold",
  edition: "2026_pre",
  modules: /* @__PURE__ */ modulesOf(SIZES),
};

// biome-ignore lint/style/noDefaultExport: WESL's tools import the default export
export default weslBundle;
