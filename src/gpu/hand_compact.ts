import type { AnyArray } from "../algebra/arrays.ts";
import { u32 } from "../algebra/types.ts";
import { ArgumentError } from "../errors.ts";
import type { CompactOptions } from "../plan/compact.ts";
import { planCompact } from "../plan/compact.ts";
import type { Context } from "./device.ts";
import type { HandCompactOptions } from "./fold.ts";
import type { AnyHandCompactOptions, Given } from "./hand.ts";
import { APART, handNames, planAtHand, requireOptions, typesOf } from "./hand_plan.ts";

export { planCompact };

const names = { where: true, flags: true, indices: true, ...handNames } satisfies Record<
  keyof HandCompactOptions<string> | "from" | "indices",
  true
>;

/** `Fold.compact`, loaded with the first one. */
export async function compactAtHand(
  context: Context,
  given: Given,
  options: AnyHandCompactOptions,
): Promise<AnyArray> {
  requireOptions("compact", options, names);
  const { data, length } = given;
  const { arrayOf, ...types } = await typesOf(data, options, "compact");
  const { type } = types;
  const { flags, indices = false } = options;
  const marks: { readonly length?: unknown } = Object(flags);
  if (flags !== undefined && marks.length !== length) {
    throw new ArgumentError(
      typeof marks.length === "number"
        ? `compact<${type.name}>: ${marks.length} flags for ${length} elements; it takes one for each`
        : `compact<${type.name}>: flags is ${flags === null ? "null" : typeof flags}; it takes an array of one flag for each element`,
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
