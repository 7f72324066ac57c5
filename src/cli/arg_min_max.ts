import type { Scalar } from "../algebra/types.ts";
import type { ArgValue } from "../gpu/at_hand/hand_types.ts";
import { elementsIn } from "./arrays.ts";
import { formatValue } from "./format.ts";
import type { AdapterOption, RawOption } from "./options.ts";
import { print } from "./print.ts";
import { withFold } from "./with_fold.ts";

/** `wavefold argmin` and `wavefold argmax` */
export async function argOfFile(
  call: "argMin" | "argMax",
  path: string,
  options: RawOption & AdapterOption,
): Promise<void> {
  const { type, data } = await elementsIn(path, options);
  const { value, index }: ArgValue<Scalar> = await withFold(options, (fold) => fold[call](data, { type }));
  await print(`${index} ${formatValue(value, type)}\n`);
}
