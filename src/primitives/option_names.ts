import type { OptionKind, OptionNames } from "../options.ts";

// Which options a primitive takes, in each form.

/** The options of a primitive. */
export interface OptionsOf {
  /** The method of `Fold`. That for recordings is `prepare` and this, unless `recordedBy` says otherwise. */
  readonly name: string;
  /** The primitive whose recordings do the same, with an option for plans: `argSort` is recorded as a sort with `indices`. */
  readonly recordedBy?: string;
  /** The options of calls and of plans, beside `maxLength` and `lengthOnGpu`. */
  readonly options: Readonly<Record<string, OptionKind | "boolean">>;
  /** What to do instead of options that only other primitives take, by their names. For messages. */
  readonly cures?: Readonly<Record<string, string>>;
  /** The options that only calls take. */
  readonly callOptions?: OptionNames;
  /** The options that only a call on arrays on the GPU takes. */
  readonly gpuOptions?: OptionNames;
  /** The options that only plans take. */
  readonly planOptions?: OptionNames;
}

const namesAtHand = new WeakMap<OptionsOf, OptionNames>();

/** The names of the options of calls, on arrays at hand or on the GPU. */
export function callNames(primitive: OptionsOf, isOnGpu = false): OptionNames {
  const { options, callOptions, gpuOptions } = primitive;
  const others = isOnGpu ? gpuOptions : undefined;
  const names = (others ? undefined : namesAtHand.get(primitive)) ?? {
    ...options,
    ...callOptions,
    ...others,
  };
  if (!others) {
    namesAtHand.set(primitive, names);
  }
  return names;
}

/** The names of the options of `prepare…`. */
export const planNames = ({ options, planOptions }: OptionsOf): OptionNames => ({
  ...options,
  ...planOptions,
  maxLength: true,
  lengthOnGpu: "boolean",
});
