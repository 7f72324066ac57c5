import functionsFile from "../../shaders/work_group/functions.wgsl";
import { ArgumentError } from "../errors.ts";
import type { Operator } from "../operators.ts";
import { add, monoid as monoidOf } from "../operators.ts";
import type { ElementType, SourceText } from "../types.ts";
import type { Algorithm } from "./algorithms.ts";
import { algorithms, requireAlgorithm, workGroupMemory } from "./algorithms.ts";
import type { Sizes } from "./contract.ts";
import { operatorText, sizesText, subgroupText, typeSources, valueText } from "./contract.ts";
import type { Declaration, Line, Module } from "./module.ts";
import { assemble, linesOf, parse, parseSources, reachable, rename, usesF16 } from "./module.ts";

/** What {@link workGroupScan} and {@link workGroupReduce} take. */
export interface WorkGroupOptions<Name extends string> {
  readonly type: ElementType<Name>;
  /** The operator; `add` where it is left out. */
  readonly op?: Operator<Name>;
  /** Threads in the work-group: the product of `@workgroup_size`. Any number from 1 up. */
  readonly workGroupSize: number;
  /** `hillis-steele` where it is left out: it needs no feature. `subgroup` needs the feature "subgroups". */
  readonly algorithm?: Algorithm;
  /** The least subgroup size of the adapters it will run on, for `subgroup`; 4 where it is left out, which is right everywhere. */
  readonly minSubgroupSize?: number;
}

/** In-kernel functions as text, to link into a kernel. */
export interface WorkGroupFunctions {
  /** The functions that a kernel may call. */
  readonly names: readonly string[];
  /** Bytes of work-group memory that they use together. */
  readonly workGroupMemory: number;
  /** The functions and all they need, as WGSL that compiles as it stands. */
  readonly code: string;
  /** @internal */
  readonly enables: readonly string[];
  /** @internal */
  readonly declarations: readonly Declaration[];
}

const functions: SourceText = { name: "shaders/work_group/functions.wgsl", text: functionsFile };

const scanNames = [
  "work_group_scan_inclusive_value",
  "work_group_scan_exclusive_value",
  "work_group_scan_inclusive_value_total",
  "work_group_scan_exclusive_value_total",
] as const;
const reduceNames = ["work_group_reduce_value"] as const;

function workGroupFunctions<Name extends string>(
  caller: string,
  templates: readonly string[],
  options: WorkGroupOptions<Name>,
): WorkGroupFunctions {
  const { workGroupSize, minSubgroupSize = 4 } = options;
  const algorithm = requireAlgorithm(options.algorithm ?? "hillis-steele", caller);
  if (!Number.isInteger(workGroupSize) || workGroupSize < 1 || workGroupSize > 1024) {
    throw new ArgumentError(`${caller}: workGroupSize is ${String(workGroupSize)}; it takes 1 to 1024`);
  }
  if (![4, 8, 16, 32, 64, 128].includes(minSubgroupSize)) {
    throw new ArgumentError(
      `${caller}: minSubgroupSize is ${minSubgroupSize}; it takes 4, 8, 16, 32, 64 or 128`,
    );
  }
  const monoid = monoidOf((options.op ?? add) as Operator, options.type as ElementType, caller);
  const sizes: Sizes = { workGroupSize, items: 1, unrolled: false, minSubgroupSize, maxSubgroupSize: 128 };
  const sources: (SourceText | readonly SourceText[])[] = [
    sizesText(sizes),
    operatorText(monoid),
    valueText(monoid),
    ...typeSources(monoid.type),
    ...(algorithms[algorithm].subgroups ? [subgroupText(monoid)] : []),
    algorithms[algorithm].file,
    functions,
  ];
  const { declarations: all } = parseSources(sources, undefined);
  // Aliases are written out, so that a signature reads as the caller's own would.
  const aliases = new Map([
    ["Element", monoid.domain.element],
    ["Value", monoid.type.value],
  ]);
  const kept = reachable(all, templates).filter((one) => one.keyword !== "alias" || !aliases.has(one.name));
  const enables = [
    ...(algorithms[algorithm].subgroups ? ["subgroups"] : []),
    ...(usesF16(kept) || monoid.type.value === "f16" ? ["f16"] : []),
  ];
  const names = new Map(aliases);
  for (const { name } of kept.filter((one) => one.name !== monoid.type.value)) {
    // Public names say "value" where the operator and the type go; the others are private.
    names.set(
      name,
      /_value(_total)?$/.test(name) && name.startsWith("work_group_")
        ? name.replace("_value", `_${monoid.key}`)
        : name === "WorkGroupScanValue"
          ? `WorkGroupScan_${monoid.key}`
          : `_${name}_${monoid.key}`,
    );
  }
  const declarations = kept.map((declaration) => renamed(declaration, names));
  return {
    names: templates.map((name) => names.get(name) ?? name),
    workGroupMemory: workGroupMemory(algorithm, sizes, monoid.domain.elementBytes),
    code: assemble(enables, declarations).code,
    enables,
    declarations,
  };
}

function renamed(declaration: Declaration, names: ReadonlyMap<string, string>): Declaration {
  return {
    name: names.get(declaration.name) ?? declaration.name,
    keyword: declaration.keyword,
    lines: declaration.lines.map((line) => ({ ...line, text: rename(line.text, names) })),
    references: new Set([...declaration.references].map((name) => names.get(name) ?? name)),
  };
}

/**
 * OpenCL C's `work_group_scan_inclusive_<op>` and `work_group_scan_exclusive_<op>` for one operator
 * and type: `work_group_scan_exclusive_add_u32(x, local_index)` returns the prefix, and with
 * `_total` after the name a struct of `prefix` and `total`.
 *
 * @throws {ArgumentError} when the operator does not take the type, or a size is out of range.
 *
 * @example
 * ```ts
 * const scan = workGroupScan({ type: u32, op: add, workGroupSize: 256 });
 * const code = link(myKernel, [scan]);
 * // in myKernel:  let rank = work_group_scan_exclusive_add_u32(x, local_index);
 * ```
 */
export function workGroupScan<Name extends string>(options: WorkGroupOptions<Name>): WorkGroupFunctions {
  return workGroupFunctions("workGroupScan", scanNames, options);
}

/**
 * OpenCL C's `work_group_reduce_<op>` for one operator and type. The result is uniform.
 *
 * @throws as {@link workGroupScan}.
 */
export function workGroupReduce<Name extends string>(options: WorkGroupOptions<Name>): WorkGroupFunctions {
  return workGroupFunctions("workGroupReduce", reduceNames, options);
}

/** Links functions into a kernel, with the origin of each line. */
export function linkModule(kernel: string, functionSets: readonly WorkGroupFunctions[]): Module {
  const own = parse(linesOf({ name: "kernel", text: kernel, callers: true }));
  const declared = new Set(own.declarations.map((one) => one.name));
  const called = new Set(own.declarations.flatMap((one) => [...one.references]));
  const enables = new Set<string>();
  const added = new Map<string, Declaration>();
  for (const { names, declarations, enables: needed } of functionSets) {
    const roots = names.filter((name) => called.has(name));
    const kept = reachable(declarations, roots);
    if (kept.length > 0) {
      for (const name of needed) {
        enables.add(name);
      }
    }
    for (const declaration of kept) {
      const text = textOf(declaration);
      const other = added.get(declaration.name);
      if (declared.has(declaration.name)) {
        throw new ArgumentError(
          declaration.keyword === "struct" && !declaration.name.includes("_")
            ? `link: the kernel declares ${declaration.name}, which linking adds: leave it out`
            : `link: the kernel declares ${declaration.name}, which is the name of a linked function`,
        );
      }
      if (other !== undefined && textOf(other) !== text) {
        throw new ArgumentError(
          `link: ${declaration.name} is given twice, for different algorithms or work-group sizes`,
        );
      }
      added.set(declaration.name, declaration);
    }
  }
  // The kernel's directives must come first; its own lines then keep their order.
  const directives: Line[] = [];
  const body: Line[] = [];
  for (const line of linesOf({ name: "kernel", text: kernel, callers: true })) {
    (/^\s*(enable|requires|diagnostic)\b/.test(line.text) ? directives : body).push(line);
  }
  const present = new Set(own.enables);
  const library = assemble([], [...added.values()]);
  const hoisted = assemble(
    [...enables].filter((name) => !present.has(name)),
    [],
  );
  const lines = [...directives, ...hoisted.lines.slice(0, -1), ...library.lines, ...body];
  return { code: lines.map((line) => line.text).join("\n"), lines };
}

const textOf = (declaration: Declaration): string => declaration.lines.map((line) => line.text).join("\n");

/**
 * One module of a kernel and the in-kernel functions that it calls: `enable` lines first, each
 * helper once, and nothing that the kernel does not call. Same input, same text.
 *
 * @throws {ArgumentError} when names clash.
 */
export function link(kernel: string, functionSets: readonly WorkGroupFunctions[]): string {
  if (typeof kernel !== "string") {
    throw new ArgumentError(`link: kernel is ${typeof kernel}; it takes WGSL text`);
  }
  return linkModule(kernel, functionSets).code;
}
