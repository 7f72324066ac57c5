import type { ScalarArray } from "../src/algebra/arrays.ts";
import { roundingOf } from "../src/algebra/rounding.ts";
import type { Scalar } from "../src/algebra/types.ts";
import type { Operator, ScalarType, TypeName } from "../src/index.ts";
import { elementTypes } from "../src/index.ts";
import type { Grouping } from "../src/plan/grouping.ts";
import { spineLengths } from "../src/plan/plan.ts";
import { compactReference, encodeFloat16, reduceReference, scanReference } from "../src/reference/index.ts";
import type { PlannedName, Predicate } from "./choices.ts";
import { readerOf, show } from "./data.ts";

/** What the CPU computes on. */
export interface Task {
  readonly primitive: PlannedName;
  readonly type: TypeName;
  readonly op: Operator<string>;
  /** Whether the operator is the visitor's own. */
  readonly own: boolean;
  readonly exclusive: boolean;
  readonly predicate: Predicate | undefined;
  readonly data: ScalarArray;
}

/** The same on the CPU; in a plan's order, where the order shows. */
export function onCpu(task: Task, grouping?: Grouping): ScalarArray {
  const { primitive, data, predicate, exclusive } = task;
  const options = {
    op: task.op as Operator<TypeName>,
    type: elementTypes[task.type] as ScalarType,
    ...(grouping && { grouping }),
  };
  switch (primitive) {
    case "scan":
      return scanReference(data, { ...options, exclusive });
    case "reduce": {
      const value = reduceReference(data, options) as Scalar;
      const one = new (data.constructor as new (length: number) => ScalarArray)(1);
      (one as { [index: number]: unknown })[0] = task.type === "f16" ? encodeFloat16(value as number) : value;
      return one;
    }
    case "compact":
      return compactReference(data, predicate?.keep as never, { type: options.type } as never);
    default:
      return primitive satisfies never;
  }
}

/** What a check found. */
export interface Verdict {
  readonly ok: boolean | undefined;
  readonly text: string;
}

/** Compares what the GPU gave with the CPU: bit for bit, or where WGSL leaves the rounding open within its bound. */
export function verify(task: Task, actual: ScalarArray, grouping: Grouping | undefined): Verdict {
  const { type, op, own, data } = task;
  const scalar = elementTypes[type] as ScalarType;
  const rounding = own ? (scalar.kind === "float" ? "own" : "none") : roundingOf(op as Operator, scalar);
  const moved = task.primitive === "compact";
  const expected = onCpu(task, !moved && rounding === "each operation" ? grouping : undefined);
  const count = `${actual.length.toLocaleString("en")} ${actual.length === 1 ? "value" : "values"}`;
  if (actual.length !== expected.length) {
    return {
      ok: false,
      text: `The GPU gives ${count}, and the CPU ${expected.length.toLocaleString("en")}.`,
    };
  }
  const [found, wanted] = [readerOf(actual, type), readerOf(expected, type)];
  if (moved || rounding === "none" || rounding === "each operation") {
    for (let index = 0; index < expected.length; index++) {
      if (!Object.is(found(index), wanted(index))) {
        return {
          ok: false,
          text: `At ${index} the GPU has ${String(found(index))}, and the CPU ${String(wanted(index))}.${own ? " An operator that is not associative gives something else for each grouping: see whether yours is a monoid." : ""}`,
        };
      }
    }
    return { ok: true, text: `${count}: each the same on the GPU and on the CPU, bit for bit.` };
  }
  if (rounding === "own") {
    let off = 0;
    for (let index = 0; index < expected.length; index++) {
      off = Math.max(off, Math.abs((found(index) as number) - (wanted(index) as number)));
    }
    return {
      ok: undefined,
      text: `${count}, at most ${off.toPrecision(2)} from the CPU’s. WGSL leaves the rounding of floats open, so no bound is known for an operator of your own.`,
    };
  }
  const isProduct = op.name === "mul";
  if (grouping === undefined) {
    throw new Error(`${task.primitive} has no grouping`);
  }
  const bounds = boundsOf(task, grouping, isProduct);
  const read = readerOf(data, type);
  let [sum, magnitude] = isProduct ? [1, 1] : [0, 0];
  let worst = 0;
  const check = (index: number): Verdict | undefined => {
    const off = Math.abs((found(index) as number) - sum);
    const bound = bounds.relative * magnitude + bounds.absolute;
    // An infinity or a NaN that was typed is off by nothing that could be told.
    worst = Number.isFinite(off) ? Math.max(worst, off) : worst;
    return off <= bound || !Number.isFinite(magnitude)
      ? undefined
      : {
          ok: false,
          text: `At ${index} the GPU has ${show(found(index))}, which is ${off.toPrecision(2)} from ${show(sum)}, and the bound is ${bound.toPrecision(2)}.`,
        };
  };
  for (let index = 0; index < data.length; index++) {
    const before = task.exclusive && task.primitive === "scan" ? check(index) : undefined;
    const value = read(index) as number;
    sum = isProduct ? sum * value : sum + value;
    magnitude = isProduct ? Math.abs(sum) : magnitude + Math.abs(value);
    const after = task.primitive === "scan" && !task.exclusive ? check(index) : undefined;
    const wrong = before ?? after;
    if (wrong !== undefined) {
      return wrong;
    }
  }
  const wrong = task.primitive === "reduce" ? check(0) : undefined;
  return (
    wrong ?? {
      ok: true,
      text: `${count}, each within the bound that WGSL’s rounding allows; at most ${worst.toPrecision(2)} from the exact ones.`,
    }
  );
}

/** The unit by which WGSL lets one operation be off. */
export const units: Partial<Record<TypeName, number>> = { f32: 2 ** -23, f16: 2 ** -10 };
export const leastNormals: Partial<Record<TypeName, number>> = { f32: 2 ** -126, f16: 2 ** -14 };
/** The greatest finite values. */
export const greatest: Partial<Record<TypeName, number>> = { f32: 3.4028234e38, f16: 65504 };

/** k · u / (1 − k · u), where each item enters a result through at most k operations. */
function boundsOf(
  { type, data }: Task,
  grouping: Grouping,
  isProduct: boolean,
): { relative: number; absolute: number } {
  const { algorithm, workGroupSize, itemsPerThread, subgroupSize } = grouping;
  const tile = workGroupSize * itemsPerThread;
  const depth = Math.ceil(Math.log2(workGroupSize)) + 1;
  // What comes before a subgroup: the totals of those before it, one after another.
  const subgroups = algorithm === "subgroup" ? Math.ceil(workGroupSize / subgroupSize) : 0;
  // A tile's total: a thread's items, and a tree of the threads' sums. Its prefixes: up and down that tree, the
  // thread's items, and a carry.
  const inTotal = itemsPerThread + depth;
  const inScan = itemsPerThread + (algorithm === "subgroup" ? depth + subgroups : 2 * depth) + 2;
  const levels = spineLengths(data.length, tile).length;
  let operations = inScan + levels * (inTotal + inScan);
  if (grouping.passes === "single") {
    // A look-back combines a group's totals one after another at worst, and carries are a chain of two a group.
    const { fanOut } = grouping.lookBack;
    operations = inTotal + fanOut + 2 * Math.ceil(data.length / tile / fanOut) + inScan;
  }
  const unit = units[type] ?? 0;
  return {
    relative: (operations * unit) / (1 - operations * unit),
    // Subnormals may be flushed to 0.
    absolute: isProduct ? (leastNormals[type] ?? 0) : 0,
  };
}
