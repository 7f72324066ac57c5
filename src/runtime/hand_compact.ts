import { ArgumentError } from "../errors.ts";
import type { CompactOptions } from "../primitives/compact.ts";
import { planCompact } from "../primitives/compact.ts";
import type { AnyArray } from "../reference/arrays.ts";
import { u32 } from "../types.ts";
import type { Context } from "./context.ts";
import type { AnyHandCompactOptions } from "./hand.ts";
import { APART, checkAtHand, runAtHand, typesOf } from "./hand.ts";

export { planCompact };

/** `Fold.compact`, loaded with the first one. */
export async function compactAtHand(
  context: Context,
  data: AnyArray,
  options: AnyHandCompactOptions,
): Promise<AnyArray> {
  const { arrayOf, ...types } = await typesOf(data, options, "compact");
  const { type } = types;
  const { flags, indices = false } = options;
  if (flags !== undefined && flags.length !== data.length) {
    throw new ArgumentError(
      `compact<${type.name}>: ${flags.length} flags for ${data.length} elements; it takes one for each`,
    );
  }
  const plan = await planCompact(
    {
      ...(options as unknown as CompactOptions),
      ...types,
      flags: flags !== undefined,
      maxLength: data.length,
    },
    context.facts,
    APART,
  );
  if (data.length === 0) {
    await checkAtHand(context, plan);
  }
  const words =
    flags === undefined ? undefined : Uint32Array.from(flags as ArrayLike<number>, (flag) => (flag ? 1 : 0));
  const itemBytes = indices ? u32.bytes : type.bytes;
  const [output] =
    data.length === 0
      ? [new ArrayBuffer(0)]
      : await runAtHand(context, plan, data, words, "count", itemBytes);
  return indices ? new Uint32Array(output as ArrayBuffer) : arrayOf(output as ArrayBuffer);
}
