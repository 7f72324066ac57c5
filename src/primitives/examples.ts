import { leavesOf, scalarAt } from "../algebra/fields.ts";
import type { StructType } from "../algebra/struct.ts";
import type { ElementType } from "../algebra/types.ts";
import type { RangeName } from "../plan/plan.ts";
import type { SortKeyOptions } from "../plan/sort_key.ts";

// Calls that make sense. A primitive's description says which options there are, and not which of them go together, or what arrays hold.
// Tests and the fuzz draw calls from a primitive's examples. The library does not load them.

/** Random numbers: 32 bits a call. */
export type Random = () => number;

/** An array of a call. */
export interface ExampleArray {
  readonly type: ElementType;
  /** The number of elements, or what it is for a length of the input. The default is that length. */
  readonly length?: number | ((length: number) => number);
  /**
   * What it holds. The default is anything.
   *
   * - `small`: whole numbers from 0 to 3.
   * - `signs`: 1 and -1.
   * - `ascending`: values in ascending order, with NaN behind all others.
   * - `runs`: anything, in runs of equal elements, of which some are long.
   * - `counts`: how many elements runs have, together no more than there are runs. Some have none, and some have many.
   * - `uneven`: f64 of many magnitudes, whose sums are rounded.
   * - `{ below }`: u32 below a number.
   * - `{ oneIn }`: u32 of which about one in so many is not zero.
   * - `{ distinct }`: u32 below a power of two, of which no two are the same if there are no more than it has.
   * - `{ order }`: values in an order.
   * - `offsets`: from 0 up to the length of the input, in ascending order.
   * - `{ upTo }`: the same, of segments that have no more than so many elements each. Each two segments together have that many.
   * - `begins`, `ends`: where segments with gaps begin, and where the same segments end, if both are in one call.
   */
  readonly contents?:
    | "small"
    | "signs"
    | "ascending"
    | "runs"
    | "uneven"
    | "counts"
    | "offsets"
    | "begins"
    | "ends"
    | { readonly below: number }
    | { readonly oneIn: number }
    | { readonly distinct: number }
    | { readonly upTo: number }
    | { readonly order: ExampleOrder };
}

/** How many elements an array has beside an input of some length. */
export const lengthOf = ({ length }: Partial<ExampleArray>, ofInput: number): number =>
  typeof length === "function" ? length(ofInput) : (length ?? ofInput);

/** An order of elements: that of a sort. */
export interface ExampleOrder {
  /** The key of an element, if that is not the element itself. */
  key?(x: never): unknown;
  readonly descending: boolean;
  /** Whether they are whole numbers from 0 to 3. */
  readonly isSmall: boolean;
}

/** Arguments of a call that go together. */
export interface Example<Options = object> {
  /**
   * The options, and the numbers such as `k`. Left out are the options whose kinds say enough: `type`, those that are true or false, those that
   * are one of some words, and the sizes of work-groups.
   */
  readonly options: Partial<Options>;
  /** What the reference takes in the place of WGSL: functions of an element and its index. */
  readonly twins?: Readonly<Record<string, unknown>>;
  /**
   * The arrays beside the input. For an operand that may be a list, there may be several, and for one that is an object, one for each name. Of
   * the input, only its type and contents count.
   */
  readonly operands?: Readonly<
    Record<string, ExampleArray | readonly ExampleArray[] | Readonly<Record<string, ExampleArray>>>
  >;
  /** Values at which something changes, such as the edges of bins, so that the input should hold them. 64-bit integers are numbers, too. */
  readonly values?: readonly number[];
  /** Whether equal elements of the input should come in runs, of which some are long. */
  readonly hasRuns?: boolean;
  /** Whether the length of the input must be known, so that it may not be on the GPU. */
  readonly isLengthKnown?: boolean;
  /** Whether its options are for the shape of the input, so that it has a plan for each length. */
  readonly isOfShape?: boolean;
  /** Whether calls at hand may refuse it for what the arrays hold, which calls on the GPU do not see. */
  readonly isRefusedAtHand?: boolean;
  /** Whether sums are rounded, in the order that recordings tell. Only recordings are compared then. */
  readonly isInOrder?: boolean;
  /** What its recordings do beside, if it differs from calls. */
  readonly recorded?: {
    /** Options that only plans take. */
    readonly options: object;
    /** The result whose last elements go to a range of their own, and the result that says from which element on. */
    readonly rest: { readonly of: string; readonly from: string; readonly range: RangeName };
  };
}

/**
 * Where the first result lies: in the range of the input, in the same buffer behind that, or in the same buffer as the other results. Counts lie
 * in buffers of their own. If the first result lies in the range of the input, so does each result that is like an operand in that of the operand.
 */
export type ExampleLayout = "in place" | "behind" | "together";

/** How a primitive may be called. */
export interface Examples<Options = object> {
  /** The results that have positions of elements. In recordings, these count from `firstIndex`. */
  readonly positions?: readonly string[];
  /** The primitive that gives the positions, in the operands, of the elements of results that are like an optional operand. */
  readonly order?: string;
  /** The results of a call with such options that are arrays of one element, and of which calls at hand give that element. */
  elements?(options: Readonly<Record<string, unknown>>): readonly string[];
  /** The layouts that it must take, if elements of the input and the result have the same size, and none of them share words. */
  readonly layouts?: readonly ExampleLayout[];
  /**
   * The options of an example of rows, as offsets, for the reference, if its last row may be short. That is so if only the GPU knows the length,
   * whatever `isLengthKnown` says.
   */
  withShortRow?(options: Partial<Options>, length: number): Partial<Options>;
  /** Whether the indices of items must stay below 2^32, as those of a histogram with channels: it takes them by turns. */
  readonly keepsBelowWrap?: boolean;
  /** The options that change no result, beside those of all primitives for tuning, so that the reference does not take them. */
  readonly tuning?: readonly string[];
  /** Some calls on elements of a type. They are none if the primitive does not take the type. */
  of(type: ElementType, length: number, random: Random): readonly Example<Options>[];
  /**
   * The options of an example, as they are for an input of another length. They are undefined if such an input has no result: calls are
   * refused then, and recordings write nothing.
   */
  forLength?(options: Partial<Options>, length: number): Partial<Options> | undefined;
  /** The result for items that start at `firstIndex` in longer data, from that of the reference. By default they are the same, but for `positions`. */
  startingAt?(firstIndex: number, result: unknown, options: Partial<Options>): unknown;
}

/** A whole number from `least` to `most`. */
export const between = (random: Random, least: number, most: number): number =>
  least + (random() % (most - least + 1));

/** One of some values. */
export const pick = <T>(random: Random, values: readonly [T, ...T[]]): T =>
  values[random() % values.length] as T;

/** The elements of a row: as many as these, or the most below that divide the length. */
export function rowsWithin(most: number, length: number): number {
  if (length === 0) {
    return most;
  }
  let rows = 1;
  // Divisors come in pairs, of which one is at most the root. The length may be that of the longest buffer.
  for (let small = 1; small * small <= length; small++) {
    for (const divisor of length % small === 0 ? [small, length / small] : []) {
      rows = divisor <= most ? Math.max(rows, divisor) : rows;
    }
  }
  return rows;
}

/** WGSL over `x`, what it means, and the type that it gives. */
export interface ExampleKey {
  readonly key?: string;
  readonly keyType?: ElementType;
  readonly twins?: { readonly key: (x: never) => unknown; readonly keyType: ElementType };
}

/** Keys of elements: scalars are keys themselves, and of some types there are others, too. Structs have their first scalar. */
export function keysOf(type: ElementType): readonly [ExampleKey, ...ExampleKey[]] {
  if (type.kind === "struct") {
    const [leaf] = leavesOf(type as StructType);
    const keyType = leaf?.type as ElementType;
    const key = (x: unknown) => scalarAt(x, leaf?.keys ?? []);
    return [{ key: `x${leaf?.access}`, twins: { key, keyType } }];
  }
  switch (type.name) {
    case "u32":
      return [{}, { key: "x % 7u", twins: { key: (x: number) => x % 7, keyType: type } }];
    case "i64":
      return [{}, { key: "x >> 33", twins: { key: (x: bigint) => x >> 33n, keyType: type } }];
    default:
      return [{}];
  }
}

/** Some bits of a key, from the first one up to the second. */
export function bitsOf({ bytes }: ElementType, random: Random): readonly [from: number, to: number] {
  const from = between(random, 0, 8 * bytes - 1);
  return [from, between(random, from + 1, 8 * bytes)];
}

/** Orders of elements: by each of their keys, or by some bits of it. */
export const ordersOf = (type: ElementType, random: Random): readonly Example<SortKeyOptions>[] =>
  keysOf(type).map(({ twins, ...key }) => {
    const bits = pick(random, [undefined, bitsOf(twins?.keyType ?? type, random)]);
    return { options: { ...key, ...(bits && { bits }) }, ...(twins && { twins }) };
  });
