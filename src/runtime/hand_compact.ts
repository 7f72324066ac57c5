import { ArgumentError } from "../errors.ts";
import type { CompactOptions } from "../primitives/compact.ts";
import { planCompact } from "../primitives/compact.ts";
import type { AnyArray, NameOf } from "../reference/arrays.ts";
import { arrayLike } from "../reference/arrays.ts";
import type { ElementType } from "../types.ts";
import { u32 } from "../types.ts";
import type { Context } from "./context.ts";
import type { HandCompactOptions } from "./fold.ts";
import { APART, checkAtHand, runAtHand, typeOfArray } from "./hand.ts";

export { planCompact };

/** `Fold.compact`, loaded with the first one. */
export async function compactAtHand<A extends AnyArray>(
  context: Context,
  data: A,
  options: HandCompactOptions<NameOf<A>> & { readonly indices?: boolean },
): Promise<A | Uint32Array> {
  const type = await typeOfArray(data, options.type as ElementType | undefined, "compact");
  const { flags, indices = false } = options;
  if (flags !== undefined && flags.length !== data.length) {
    throw new ArgumentError(
      `compact<${type.name}>: ${flags.length} flags for ${data.length} elements; it takes one for each`,
    );
  }
  const plan = await planCompact(
    { ...(options as unknown as CompactOptions), type, flags: flags !== undefined, maxLength: data.length },
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
  return indices ? new Uint32Array(output as ArrayBuffer) : arrayLike(data, output as ArrayBuffer);
}
