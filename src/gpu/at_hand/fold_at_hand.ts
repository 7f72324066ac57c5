import type { AnyArray } from "../../algebra/arrays.ts";
import { requireOptions } from "../../options.ts";
import { loadOnDevice } from "../../parts.ts";
import type { AnyOperator } from "../../plan/options.ts";
import type { Plan } from "../../plan/plan.ts";
import type { ScanOptions } from "../../plan/scan.ts";
import { callNames } from "../../primitives/option_names.ts";
import { scan } from "../../primitives/scan.ts";
import type { Context } from "../device/context.ts";
import type { Given } from "../device/given.ts";
import { plannedLength } from "../executor/planned.ts";
import { paramsOf } from "../executor/with_params.ts";
import { onCpu } from "./choose_cpu.ts";
import type { EndValues, HandTypes, TypeOptions } from "./hand_types.ts";
import { endReaderOf, foldedTypesOf, targetFor } from "./hand_types.ts";

// Scans and reductions at hand. What they take of a device is loaded when a device is opened.

/** The options of a scan or a reduction at hand. Nobody has checked their values yet. */
export type FoldOptions = TypeOptions & EndValues & { readonly into?: unknown };

/** Options that are checked, as planners take them. A reduction takes fewer. */
type PlannerOptions = Partial<AnyOperator<ScanOptions>> & Pick<ScanOptions, "type" | "maxLength">;

/** `Fold.scan`. `given` and `into` are the array, and the one for the result, as they were when the call began. */
export async function scanAtHand(
  context: Context,
  given: Given,
  options: FoldOptions,
  into: Given,
): Promise<AnyArray> {
  requireOptions("scan", options, callNames(scan));
  const { bytes, arrayOf } = await foldAtHand("scan", context, given, options, into, async (all) =>
    (await loadOnDevice()).planScanAtHand(all, context.facts),
  );
  return into.data ?? arrayOf(bytes.buffer as ArrayBuffer);
}

/** A scan or a reduction whose options are known to be its own: the bytes of the result, and its types. */
export async function foldAtHand(
  primitive: "scan" | "reduce",
  context: Context,
  given: Given,
  options: FoldOptions,
  into: Given,
  plan: (all: PlannerOptions) => Promise<Plan>,
): Promise<{ readonly bytes: Uint8Array } & Pick<HandTypes, "type" | "arrayOf">> {
  const { into: _, initial, total, ...others } = options;
  const readEnds = endReaderOf(primitive, initial, total);
  const { arrayOf, ...types } = await foldedTypesOf(given, options, primitive);
  const target = targetFor(into, arrayOf, primitive, given.length, true);
  const { options: endOptions, ...ends } = await readEnds({ arrayOf, ...types, into });
  const all = {
    ...(others as Partial<AnyOperator<ScanOptions>>),
    ...(await paramsOf("call", options, primitive, context)),
    ...types,
    ...endOptions,
    maxLength: plannedLength(given.length),
  };
  const planned = { primitive, all, plan };
  const size = { primitive, length: given.length, options: all };
  const call = { primitive, options: all, given, types, ends, target };
  const bytes =
    (await onCpu(context, size, (cpu) => cpu[primitive](context, call))) ??
    (await (await loadOnDevice()).runAtHand(context, planned, types, given, ends, { target, into }));
  return { bytes, arrayOf, ...types };
}
