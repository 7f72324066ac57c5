import type { ElementType, Scalar } from "../algebra/types.ts";
import type { Request } from "../primitives/primitive.ts";

// What calls at hand that run on the CPU take and give.

/**
 * The elements of an array in memory. An element of a scalar type is a number of its own array: u32 in a `Uint32Array`, and so on; f16
 * as its bits, in a `Uint16Array`. An element of a struct is as many words of a `Uint32Array` as it has.
 */
export type Numbers =
  | Uint32Array
  | Int32Array
  | Float32Array
  | Float64Array
  | BigUint64Array
  | BigInt64Array
  | Uint16Array;

/** An array that a call was given. */
export interface CpuArray {
  readonly type: ElementType;
  /** How many elements it has. */
  readonly length: number;
  /** They lie in the caller's memory: nothing writes there. */
  readonly numbers: Numbers;
}

/** What a fold reads, whatever its operator. */
export interface FoldInput {
  readonly type: ElementType;
  readonly input: Numbers;
  /** A value that comes before the first element. */
  readonly initial?: Scalar | undefined;
}

/** Where the prefixes of a scan go. */
export interface ScanOutput {
  /** As long as the input. It may be the input. */
  readonly output: Numbers;
  readonly exclusive?: boolean;
}

/** Where the elements that are kept go. They are moved as words, or as halves if they have 2 bytes. */
export interface Moves {
  /** What is moved: an element for each that a condition sees, or that has a flag. Undefined if indices are. */
  readonly from: Int32Array | Uint16Array | undefined;
  /** Words or halves of an element that is moved. */
  readonly size: number;
  /** Takes those that are kept. It may lie where elements are read, if it starts there, and those that are moved are no longer. */
  readonly to: Int32Array | Uint16Array;
  /** Takes the others, if they are wanted. Then `to` may hold anything behind those that are kept; else nothing is written there. */
  readonly rest?: Int32Array | Uint16Array | undefined;
  /** Elements whose flags are zero are not kept. */
  readonly flags?: Uint32Array | undefined;
}

/** A caller's condition, as loops over an array. */
export interface Condition {
  /** How many elements it holds for. */
  count(array: CpuArray): number;
  /** Where it first gives what is wanted, on the way from `start` to before `end`, which may come before it; -1 if nowhere. */
  find(array: CpuArray, start: number, end: number, wanted: boolean): number;
  /** Moves the elements that it holds for, in order, and gives their number. */
  keep(array: CpuArray, moves: Moves): number;
}

/** Stores the class of each element of an array, and adds the elements of each class to its count. */
export type FindClasses = (array: CpuArray, counts: Int32Array, classes: Uint8Array) => void;

/** A call of a primitive of `src/primitives/`, whose arguments have been checked. */
export interface CpuCall {
  /** The arrays, by the names of the operands. */
  readonly arrays: Readonly<Record<string, CpuArray>>;
  /** What follows from the arguments: the plan's options, numbers such as `rows`, and the results with their types. */
  readonly request: Request;
  /**
   * The results of a caller's text over each element `x` of an array: numbers of `type`, or of the text's own type. Undefined if the CPU has no
   * code for the text. With `hasIndex`, the text may name `i`, too; and the elements `beside`, which lie at the same index of other arrays, by
   * their names.
   */
  mapped(
    text: string,
    from: CpuArray,
    type?: ElementType,
    hasIndex?: boolean,
    beside?: Readonly<Record<string, CpuArray>>,
  ): Promise<CpuArray | undefined>;
  /** Adds 1, or the element's weight, to the bin that a caller's text gives for each element. False if the CPU has no code that does. */
  addedToBins(
    text: string,
    from: CpuArray,
    bins: Int32Array | Float64Array,
    weights: Int32Array | Float32Array | undefined,
  ): Promise<boolean>;
  /** A caller's condition. It may name `i`, too. Undefined if the CPU has no code for it. */
  condition(text: string, type: ElementType): Promise<Condition | undefined>;
  /** The elements of `data` in the order of a sort with the call's options. Undefined if the CPU has no code for its key. */
  elementsInOrder(): Promise<Numbers | undefined>;
  /** The positions of the elements of `data` in the order of a sort with the call's options. Undefined if the CPU has no code for its key. */
  positionsInOrder(): Promise<Uint32Array | undefined>;
}

/**
 * The CPU's form of a primitive: the elements of each result, in the order of `request.results` and as many as there are. Undefined if it
 * has no loop for these options: another machine carries out the call.
 */
export type OnCpu = (call: CpuCall) => Promise<readonly Numbers[] | undefined>;
