/** Those of some options that are given. */
export const givenOptions = <Options, Name extends keyof Options>(
  options: Options,
  names: readonly Name[],
): { readonly [One in Name]?: Exclude<Options[One], undefined> } =>
  Object.fromEntries(
    names.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])),
  ) as { readonly [One in Name]?: Exclude<Options[One], undefined> };
