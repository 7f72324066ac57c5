import type { AnyArray } from "../../src/algebra/arrays.ts";
import { elementTypes } from "../../src/algebra/element_types.ts";
import { f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { struct } from "../../src/algebra/struct.ts";
import type { ElementType, ScalarType, TypeName } from "../../src/algebra/types.ts";
import { contextOf } from "../../src/gpu/device/device.ts";
import type { Fold } from "../../src/gpu/fold.ts";
import type { Prepared } from "../../src/gpu/recordings/recording.ts";
import { prepare } from "../../src/gpu/recordings/recording.ts";
import type { Moved, SortOptions, SortTesting } from "../../src/plan/check_sort.ts";
import type { TuningOptions } from "../../src/plan/options.ts";
import type { SortPlan } from "../../src/plan/sort.ts";
import { planSort } from "../../src/plan/sort.ts";
import { argSortReference } from "../../src/reference/sort.ts";
import { readWords, storageBuffer, wordsOf } from "./buffers.ts";
import { expectSameBits } from "./compare.ts";
import { randomItems } from "./random.ts";
import { gathered, kinds } from "./sorted_arrays.ts";

export const Particle = struct({ name: "Particle", fields: { id: u32, depth: f32, weight: f32 } });
export const particle = Particle as unknown as ElementType;

export const typeNames = Object.keys(elementTypes) as TypeName[];

/** Whether a fold's device lacks the feature that a type takes. */
export const lacks = ({ device }: Fold, { feature }: ElementType): boolean =>
  feature !== undefined && !device.features.has(feature);

/** How tiles are ranked, and how their places are found. */
export const ways: readonly (TuningOptions & { readonly name: string })[] = [
  { name: "votes, look-back", algorithm: "subgroup", passes: "single" },
  { name: "votes, counts", algorithm: "subgroup", passes: "reduce-then-scan" },
  { name: "counters, look-back", algorithm: "blelloch", passes: "single" },
  { name: "counters, counts", algorithm: "hillis-steele", passes: "reduce-then-scan" },
];

/** Sizes of a tile, so that some hundred items are several. */
export const sizes = { workGroupSize: 64, itemsPerThread: 2 } as const;
export const TILE = 128;

/** Plans a sort with sizes and faults for tests. */
export const plannedSort = (
  fold: Fold,
  options: SortOptions,
  moved: Moved,
  testing: SortTesting = {},
): SortPlan => planSort(options, contextOf(fold.device).facts, moved, undefined, testing);

/** Prepares a plan on a fold's device. */
export const prepareOn = ({ device }: Fold, plan: SortPlan): Promise<Prepared> =>
  prepare(contextOf(device), plan);

/** What is sorted, and how. */
export interface SortedData {
  readonly name: TypeName;
  readonly length: number;
  readonly descending?: boolean;
  readonly moved?: ScalarType | undefined;
  readonly bits?: readonly [number, number] | undefined;
  readonly kind?: keyof typeof kinds;
  /** Items in place of those of the kind. */
  readonly data?: AnyArray;
}

/** Records a sort, with values if a type of values is given, and compares all keys and values. */
export async function expectSorted(
  { device }: Fold,
  sort: Prepared,
  { name, length, descending = false, moved, bits, ...given }: SortedData,
): Promise<void> {
  const type = elementTypes[name] as ElementType;
  const kind = given.kind ?? (length % 2 === 0 ? "few" : "any");
  const data = (given.data ?? kinds[kind](name, length, `${name} ${length}`)) as Uint32Array;
  const title = `${length}, ${kind}`;
  const positions = argSortReference(data, { type: type as never, descending, ...(bits && { bits }) });
  const values = randomItems(moved ?? u32, length, `values ${length}`) as Uint32Array;
  const [input, valuesIn] = [data, values].map((from) => storageBuffer(device, wordsOf(from))) as [
    GPUBuffer,
    GPUBuffer,
  ];
  const [output, reordered] = [data, values].map((like) =>
    storageBuffer(device, new Uint32Array(Math.max(4, wordsOf(like).length))),
  ) as [GPUBuffer, GPUBuffer];
  const encoder = device.createCommandEncoder();
  sort.record(encoder, { input, output, ...(moved && { values: valuesIn, reordered }), length });
  device.queue.submit([encoder.finish()]);
  const expectIn = async (buffer: GPUBuffer, array: AnyArray, what: string): Promise<void> => {
    const words = wordsOf(array);
    expectSameBits((await readWords(device, buffer)).subarray(0, words.length), words, `${title}: ${what}`);
  };
  await expectIn(output, gathered(data, positions), "keys");
  if (moved) {
    await expectIn(reordered, gathered(values, positions), "values");
  }
  for (const buffer of [input, valuesIn, output, reordered]) {
    buffer.destroy();
  }
}
