import { tablesFor } from "../adapters/adapter.ts";
import type { SortRow } from "../adapters/tables.ts";
import { u32 } from "../algebra/integers.ts";
import type { ElementType, ScalarType } from "../algebra/types.ts";
import { requireType } from "../algebra/types.ts";
import type { SortLookBack } from "../kernels/sort.ts";
import { wordsPerKey } from "../kernels/sort_key.ts";
import type { Payload } from "../kernels/sort_tile.ts";
import { requireChosen } from "./check_tuning_options.ts";
import { requireMaxLength } from "./choose_sizes.ts";
import type { DeviceFacts } from "./device_facts.ts";
import type { ParamsOption, TuningOptions } from "./options.ts";
import { requireFeature } from "./require_feature.ts";
import type { SortKeyOptions } from "./sort_key.ts";
import { requireBits, requireKey } from "./sort_key.ts";

// What all sorts take, checked.

/** The options of `prepareSort`. */
export interface SortOptions<Name extends string = string>
  extends TuningOptions,
    SortKeyOptions,
    ParamsOption {
  /** The type of the items. */
  readonly type: ElementType<Name>;
  /** Whether to write the positions of the items, as u32, instead of the items. */
  readonly indices?: boolean;
  /** The most items of a recording: a whole number from 0 up. It sets the size of the scratch. */
  readonly maxLength: number;
  /** Whether recordings take the length from a buffer on the GPU. */
  readonly lengthOnGpu?: boolean;
}

/** What a plan moves together with the items. For other values, it moves positions, and the values are gathered by these. */
export type Moved = ScalarType | "positions" | undefined;

/** For tests: sizes, and the faults of a look-back. */
export type SortTesting = Partial<SortRow> &
  Partial<SortLookBack> & {
    /** Whether marks check ranks, if subgroups vote. */
    readonly byMarks?: boolean;
    /** Items of every such tile arrive in a wrong order. */
    readonly disorder?: number;
  };

/** The words that a plan moves as values. */
const payloadOf = (moved: Moved): Payload =>
  moved === undefined
    ? { kind: "none" }
    : moved === "positions"
      ? { kind: "positions" }
      : { kind: "buffer", words: moved.bytes === 8 ? 2 : 1 };

/** Whether a plan moves values of the type itself. Others are gathered by their positions. */
export const movesDirectly = (type: ElementType): type is ScalarType =>
  type.kind !== "struct" && (type.bytes === 4 || type.bytes === 8);

/** Checks the type of the items and the key that they are ordered by. */
export function checkedKey(
  name: string,
  options: Pick<SortOptions, "type"> & SortKeyOptions & ParamsOption,
  facts: DeviceFacts,
) {
  const type = requireType(options.type, name);
  const title = `${name}<${type.name}>`;
  const key = requireKey(options, type, title);
  const range = requireBits(options.bits, key, title);
  requireFeature(type, title, facts);
  requireFeature(key.type, title, facts);
  return { type, title, key, range };
}

/** Checks the options that all sorts have, and returns what follows from them. */
export function checkedSort(
  options: SortOptions,
  facts: DeviceFacts,
  moved: Moved,
  testing: SortTesting,
  name = "sort",
) {
  const { lengthOnGpu = false, indices = false } = options;
  const { type, title, key, range } = checkedKey(name, options, facts);
  // Items by their keys are not stored: the caller gathers them by their positions.
  const keysAlone = indices || key.text !== undefined;
  const row: SortRow = { ...tablesFor(facts).sort, ...testing };
  const payload = payloadOf(moved);
  const valueType = typeof moved === "object" && movesDirectly(moved) ? moved : u32;
  const keyBytes = keysAlone ? wordsPerKey(key.type) * 4 : type.bytes;
  const longest = Math.max(type.bytes, valueType.bytes, keyBytes);
  const maxLength = requireMaxLength(title, options.maxLength, longest, facts.limits);
  requireChosen(options, title, facts);
  const base = { type, key, keysAlone, payload, lengthOnGpu };
  return {
    title,
    type,
    range,
    row,
    base,
    maxLength,
    valueType,
    keyBytes,
  };
}

/** What follows from the options of a sort. */
export type CheckedSort = ReturnType<typeof checkedSort>;
