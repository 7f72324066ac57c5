import type { ScalarArray } from "../algebra/arrays.ts";
import { u32 } from "../algebra/integers.ts";
import type { Scalar } from "../algebra/types.ts";
import { requireWhole } from "../plan/sort_key.ts";
import type { Nth } from "../primitives/nth.ts";
import type { TopK } from "../primitives/top_k.ts";
import type { OutputOption } from "./arrays.ts";
import { openOutput, withElements, writeArrays } from "./arrays.ts";
import { UsageError } from "./errors.ts";
import { DASH, openTarget } from "./files.ts";
import { formatValue } from "./format.ts";
import { readAll } from "./npy.ts";
import type { AdapterOption, RawOption, SegmentsOption } from "./options.ts";
import { requireKeyType, withFold } from "./options.ts";
import { print } from "./print.ts";
import { segmentsOf } from "./segments.ts";
import type { OrderOption } from "./sort.ts";
import { orderOf } from "./sort.ts";

// Selections hold all elements in memory at once.

/** The options of `wavefold nth`. */
export interface NthFileOptions extends OrderOption, RawOption, AdapterOption {
  readonly n: number;
}

/** The options of `wavefold topk`. */
export interface TopKFileOptions
  extends Omit<OrderOption, "descending">,
    RawOption,
    AdapterOption,
    OutputOption,
    Pick<SegmentsOption, "rows"> {
  readonly k: number;
  readonly smallest?: boolean;
  /** Where the positions go. */
  readonly indicesOut?: string;
}

/** `wavefold topk` */
export async function topKFile(path: string, options: TopKFileOptions): Promise<void> {
  const { k, smallest, indicesOut, output } = options;
  requireKeyType(options, "topk");
  if (indicesOut === DASH) {
    throw new UsageError("topk: --indices-out takes a file");
  }
  const positions = indicesOut === undefined ? undefined : await openTarget(indicesOut);
  const target = await openOutput(output, options);
  await withElements(path, options, async (source, input) => {
    const { type, shape: given } = source;
    requireWhole(k, 1, `topk<${type.name}>`, "k");
    const order = { type, ...orderOf(options, type, "topk"), ...(smallest && { smallest }) };
    const data = await readAll(source, input.path);
    const from = { type, shape: given, length: data.length, path: input.path, caller: "topk" };
    const segments = options.rows === undefined ? undefined : await segmentsOf({ rows: options.rows }, from);
    const selected = await withFold(
      options,
      (fold) =>
        fold.topK(data, k, { ...order, ...segments } as never) as Promise<TopK<ScalarArray, Uint32Array>>,
    );
    const { values, indices } = selected;
    // Rows stay rows, in one dimension more than what is taken of all.
    const { rows = data.length } = (segments?.segments ?? {}) as { readonly rows?: number };
    const taken = [values.length / Math.min(k, rows), Math.min(k, rows)];
    const shape = given && (segments === undefined ? [values.length] : taken);
    await writeArrays([
      ...(positions === undefined
        ? []
        : [{ target: positions, type: u32, data: indices, shape: segments ? taken : [indices.length] }]),
      { target, options, type, data: values, shape },
    ]);
  });
}

/** `wavefold nth` */
export async function nthOfFile(path: string, options: NthFileOptions): Promise<void> {
  requireKeyType(options, "nth");
  const printed = await withElements(path, options, async (source, input) => {
    const { type } = source;
    const order = { type, ...orderOf(options, type, "nth") };
    const data = await readAll(source, input.path);
    const { value, index } = await withFold(
      options,
      (fold) => fold.nth(data, options.n, order) as Promise<Nth<Scalar, number>>,
    );
    return `${index} ${formatValue(value, type)}\n`;
  });
  await print(printed);
}
