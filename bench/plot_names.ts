import { slugOf } from "../src/gpu/diagnosis/card_name.ts";

/** What is plotted over the length, for each type. */
export const quantityNames = ["throughput", "ratio"] as const;

/** The name of a plot's file: `nvidia-h200-throughput-u32.svg`. */
export const plotName = (card: string, quantity: (typeof quantityNames)[number], type: string): string =>
  [slugOf(card).replaceAll(/^-|-$/g, ""), quantity, `${type}.svg`].filter(Boolean).join("-");

/** The names of the files that plots of these types have. */
export const plotNames = (card: string, types: Iterable<string>): string[] =>
  [...new Set(types)].flatMap((type) => quantityNames.map((quantity) => plotName(card, quantity, type)));
