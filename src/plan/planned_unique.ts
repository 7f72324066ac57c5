import { u32 } from "../algebra/integers.ts";
import type { ElementType } from "../algebra/types.ts";
import type { CheckedBounds, CountBounds } from "./count_bounds.ts";
import type { ParamsOption, TuningOptions } from "./options.ts";
import type { Bindable, Plan, RangeName, Scratch } from "./plan.ts";
import { wholeWords } from "./plan.ts";
import type { RunKeyOptions } from "./run_key.ts";

// What a search for runs is planned from, and what comes before and after it.

/** The options of `prepareUnique`. */
export interface UniqueOptions<Name extends string = string>
  extends RunKeyOptions,
    CountBounds,
    TuningOptions,
    ParamsOption {
  /** The type of the items. */
  readonly type: ElementType<Name>;
  /** Whether to sort first, so that equal items that are apart are one run. Items with equal keys keep their order. */
  readonly sort?: boolean;
  /** Whether to write the position of each run's first item, as u32, instead of the item. */
  readonly indices?: boolean;
  /** Whether recordings take `counts`, which receives how many items each run has, as u32. */
  readonly counts?: boolean;
  /** Whether recordings take `inverse`, which receives the index of each item's run, as u32. */
  readonly inverse?: boolean;
  /** The most items of a recording: a whole number from 0 up. It sets the size of the scratch. */
  readonly maxLength: number;
  /** Whether recordings take the length from a buffer on the GPU. */
  readonly lengthOnGpu?: boolean;
}

/** Where the runs of a plan are read and stored. */
export interface RunPlaces {
  readonly data: Bindable;
  /** The first item of each run, or the position of that. */
  readonly firsts: Bindable;
  readonly counts: Bindable;
  /** How many runs there are. */
  readonly count: Bindable;
}

/** A plan inside a plan: where its ranges are. */
export interface Stage {
  readonly plan: Plan;
  readonly ranges: Readonly<Partial<Record<RangeName, Bindable>>>;
}

/** What comes before and after the search for runs, and where this reads and stores. */
export interface Stages {
  readonly places: RunPlaces;
  readonly before: readonly Stage[];
  readonly after: readonly Stage[];
}

/** What is asked for, checked. */
export interface CheckedUnique extends UniqueOptions {
  readonly title: string;
  readonly bounds: CheckedBounds;
  /** Whether runs are counted: for the caller, or for what comes after. */
  readonly isCounted: boolean;
}

/** A buffer with a word for each item, which is made when a recording first needs it. */
export const wordsFor = ({ maxLength }: Pick<UniqueOptions, "maxLength">, name: string): Scratch => ({
  name,
  bytes: wholeWords(maxLength * u32.bytes),
  late: true,
});
