import type { Scalar } from "../algebra/types.ts";
import type { ArgValue } from "../gpu/at_hand/arg_min_max_at_hand.ts";
import { withElements } from "./arrays.ts";
import { formatValue } from "./format.ts";
import { readAll } from "./npy.ts";
import type { AdapterOption, RawOption } from "./options.ts";
import { withFold } from "./options.ts";
import { print } from "./print.ts";

/** `wavefold argmin` and `wavefold argmax` */
export async function argOfFile(
  call: "argMin" | "argMax",
  path: string,
  options: RawOption & AdapterOption,
): Promise<void> {
  const printed = await withElements(path, options, async (source, input) => {
    const data = await readAll(source, input.path);
    const { value, index }: ArgValue<Scalar> = await withFold(options, (fold) => {
      const typed = { type: source.type };
      return call === "argMin" ? fold.argMin(data, typed) : fold.argMax(data, typed);
    });
    return `${index} ${formatValue(value, source.type)}\n`;
  });
  await print(printed);
}
