import type { ElementType } from "../algebra/types.ts";
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

/** A call of a primitive of `src/primitives/`, whose arguments have been checked. */
export interface CpuCall {
  /** The arrays, by the names of the operands. */
  readonly arrays: Readonly<Record<string, CpuArray>>;
  /** What follows from the arguments: the plan's options, numbers such as `rows`, and the results with their types. */
  readonly request: Request;
  /**
   * The results of a caller's text over each element `x` of an array: numbers of `type`, or of the text's own type. A condition gives u32:
   * 0 or 1. Undefined if the CPU has no code for the text. With the index of the array's first element, the text may name `i`, too.
   */
  mapped(
    text: string,
    from: CpuArray,
    type?: ElementType | "condition",
    firstIndex?: number,
  ): Promise<CpuArray | undefined>;
}

/**
 * The CPU's form of a primitive: the elements of each result, in the order of `request.results` and as many as there are. Undefined if it
 * has no loop for these options: another machine carries out the call.
 */
export type OnCpu = (call: CpuCall) => Promise<readonly Numbers[] | undefined>;
