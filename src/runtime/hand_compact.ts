import { ArgumentError } from "../errors.ts";
import type { CompactOptions } from "../primitives/compact.ts";
import { planCompact } from "../primitives/compact.ts";
import type { AnyArray } from "../reference/arrays.ts";
import { u32 } from "../types.ts";
import type { Context } from "./context.ts";
import type { AnyHandCompactOptions, Given } from "./hand.ts";
import { APART, planAtHand, typesOf } from "./hand_plan.ts";

export { planCompact };

/** `Fold.compact`, loaded with the first one. */
export async function compactAtHand(
  context: Context,
  given: Given,
  options: AnyHandCompactOptions,
): Promise<AnyArray> {
  const { data, length } = given;
  const { arrayOf, ...types } = await typesOf(data, options, "compact");
  const { type } = types;
  const { flags, indices = false } = options;
  if (flags !== undefined && flags.length !== length) {
    throw new ArgumentError(
      `compact<${type.name}>: ${flags.length} flags for ${length} elements; it takes one for each`,
    );
  }
  const words =
    flags === undefined ? undefined : Uint32Array.from(flags as ArrayLike<number>, (flag) => (flag ? 1 : 0));
  const plan = await planCompact(
    {
      ...(options as unknown as CompactOptions),
      ...types,
      flags: flags !== undefined,
      maxLength: length,
    },
    context.facts,
    APART,
  );
  const itemBytes = indices ? u32.bytes : type.bytes;
  const kept = await planAtHand(context, plan, async ({ upload, output, record, readBack }) => {
    if (length === 0) {
      return new ArrayBuffer(0);
    }
    const ranges = {
      input: await upload("input", given),
      flags: words && (await upload("flags", words)),
      output: await output("output", length * itemBytes),
      total: await output("count", 4),
    };
    const [count = 0] = new Uint32Array(await readBack(ranges.total, 4, record(length, ranges)));
    return readBack(ranges.output, count * itemBytes);
  });
  return indices ? new Uint32Array(kept) : arrayOf(kept);
}
