/** What is plotted over the length, for each type. */
export const quantityNames = ["throughput", "ratio"] as const;

/** The name of a plot's file. */
export const plotName = (quantity: (typeof quantityNames)[number], type: string): string =>
  `${quantity}-${type}.svg`;

/** The names of the files that plots of these types have. */
export const plotNames = (types: Iterable<string>): string[] =>
  [...new Set(types)].flatMap((type) => quantityNames.map((quantity) => plotName(quantity, type)));
