import type { AnyArray } from "../../algebra/arrays.ts";
import { requireOptions } from "../../options.ts";
import type { AnyOperator } from "../../plan/options.ts";
import type { Plan } from "../../plan/plan.ts";
import type { ScanOptions } from "../../plan/scan.ts";
import { callNames } from "../../primitives/option_names.ts";
import { scan } from "../../primitives/scan.ts";
import type { Context } from "../device/context.ts";
import { givenOf } from "../device/given.ts";
import { paramsAtHand } from "../executor/load_later.ts";
import { plannedLength } from "../executor/planned.ts";
import { onCpu } from "./choose_cpu.ts";
import type { EndValues, TypeOptions } from "./hand_types.ts";
import { endReaderOf, foldedTypesOf, targetFor } from "./hand_types.ts";
import { loadOnDevice } from "./load_on_device.ts";

// Scans at hand. What they take of a device is loaded when a device is opened.

/** `Fold.scan`. */
export async function scanAtHand(
  context: Context,
  data: AnyArray,
  options: TypeOptions & EndValues & { readonly into?: unknown },
): Promise<AnyArray> {
  const given = givenOf(data);
  requireOptions("scan", options, callNames(scan));
  const { into, initial, total, ...others } = options;
  const room = givenOf(into as AnyArray);
  const ends = endReaderOf("scan", initial, total);
  const { arrayOf, ...types } = await foldedTypesOf(given, options, "scan");
  const target = targetFor(into, room, arrayOf, "scan", given.length, true);
  const { options: endOptions, ...own } = await ends({ arrayOf, ...types, into: room });
  const all = {
    ...(others as Partial<AnyOperator<ScanOptions>>),
    ...(await paramsAtHand(options, "scan", context)),
    ...types,
    ...endOptions,
    maxLength: plannedLength(given.length),
  };
  const plan = async (options: typeof all): Promise<Plan> =>
    (await loadOnDevice()).planScanAtHand(options, context.facts);
  const planned = { primitive: "scan", all, plan } as const;
  const size = { primitive: "scan", length: given.length, options: all };
  const call = { primitive: "scan", options: all, given, types, ends: own, target } as const;
  const made =
    (await onCpu(context, size, ({ scan }) => scan(context, call))) ??
    (await (await loadOnDevice()).runAtHand(context, planned, types, given, own, { target, room }));
  return into === undefined ? arrayOf(made.buffer as ArrayBuffer) : room.data;
}
