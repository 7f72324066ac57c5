import type { AnyArray, Bytes } from "../../algebra/arrays.ts";
import {
  arrayLike,
  arrayOver,
  goneError,
  namedType,
  structOfArray,
  typeNameOfArray,
} from "../../algebra/arrays.ts";
import { f16, f32 } from "../../algebra/floats.ts";
import { i32, u32 } from "../../algebra/integers.ts";
import { narrowTypes } from "../../algebra/narrow_types.ts";
import type { ElementType, NarrowName, Scalar, TypeName } from "../../algebra/types.ts";
import { isSameType } from "../../algebra/types.ts";
import { nameIfConverted, requireWidening } from "../../algebra/widening.ts";
import { afterLoad, loadNumbers64, loadParamsAndEnds } from "../../parts.ts";
import type { CheckedEnds } from "../device/check_ends.ts";
import type { Given, Target } from "../device/given.ts";
import { fresh, givenOf } from "../device/given.ts";
import type { Planned, PlanOptions } from "../executor/planned.ts";
import { resultIn } from "./result_in.ts";

// The types of a call at hand, and where its results go.

/** The options that decide the types of a call, in any of its forms. Nobody has checked them yet. */
export interface TypeOptions {
  readonly type?: unknown;
  readonly from?: unknown;
  readonly map?: unknown;
  readonly params?: unknown;
}

/** The initial value and the array for the total, as a caller gives them. Nobody has checked them yet. */
export interface EndValues {
  readonly initial?: unknown;
  readonly total?: unknown;
}

/**
 * Notes where the array for the total lies now, and returns a function that checks the initial value and the total, when the types are known
 * and where the result goes.
 */
export function endReaderOf(
  caller: string,
  initial: unknown,
  total?: unknown,
): (types: HandTypes & { readonly into?: Given }) => Promise<Partial<CheckedEnds>> {
  const room = givenOf(total as AnyArray);
  return async (types) =>
    initial === undefined && total === undefined
      ? {}
      : (await loadParamsAndEnds()).checkEnds(caller, types, initial, total, room);
}

/** Where the result goes: to `into`, which is checked, or to a new array if there is none. `others` are the other arguments of `resultIn`. */
export const targetFor = (
  into: Given,
  ...others: readonly [HandTypes["arrayOf"], string, number, boolean]
): Target => (into.data === undefined ? fresh : resultIn(into, ...others));

/** The types of the input and of the output. */
export interface HandTypes {
  /** The type of the input, if there is a map. */
  readonly from?: ElementType;
  readonly type: ElementType;
  /** Makes an array of the result's bytes, or of a range of them: one like the given array, if both have the same type. */
  arrayOf(...range: Bytes): AnyArray;
}

/** The types of the array's elements and of the result. `name` is the argument or the option that the array was given as. */
export function typesOf(
  { data, isGone }: Given,
  options: TypeOptions,
  caller: string,
  name = "data",
): HandTypes | Promise<HandTypes> {
  if (isGone) {
    throw goneError(caller, name);
  }
  const given = options as { readonly [Name in keyof TypeOptions]?: ElementType };
  const named = namedType(data, given);
  const ofArray =
    structOfArray(data, named, caller, given.from ? "from" : "type") ??
    named ??
    typeNamed(typeNameOfArray(data, named, caller));
  return afterLoad(ofArray, (own): HandTypes => {
    if (given.map === undefined && given.from === undefined) {
      return { type: own, arrayOf: (...range) => arrayLike(data, ...range) };
    }
    const type = given.type ?? own;
    return {
      from: own,
      type,
      arrayOf: (...range) => (isSameType(own, type) ? arrayLike(data, ...range) : arrayOver(type, ...range)),
    };
  });
}

/** The same for a call that takes a map. Without one, `type` may be a type that has every value of the array's. */
export function mappedTypesOf(
  given: Given,
  options: TypeOptions,
  caller: string,
): HandTypes | Promise<HandTypes> {
  const name = given.isGone ? undefined : nameIfConverted(given.data, options, caller);
  if (name === undefined) {
    return typesOf(given, options, caller);
  }
  const type = options.type as ElementType;
  return afterLoad(typeNamed(name), (from) => {
    requireWidening(caller, from, type);
    return typesOf(given, { type, from }, caller);
  });
}

/** The same for a scan or a reduction. Of elements of 8 and 16 bits, the results have 32 bits if no type is named. */
export const foldedTypesOf = (
  given: Given,
  options: TypeOptions,
  caller: string,
): HandTypes | Promise<HandTypes> =>
  afterLoad(mappedTypesOf(given, options, caller), (types): HandTypes => {
    const { type, from = type } = types;
    return options.type === undefined && type.wide
      ? { from, type: type.wide, arrayOf: arrayOver.bind(undefined, type.wide) }
      : types;
  });

const shortTypes = { u32, i32, f32, f16, ...narrowTypes } as const;

/** The element type of this name. */
const typeNamed = (name: TypeName | NarrowName): ElementType | Promise<ElementType> =>
  shortTypes[name as keyof typeof shortTypes] ??
  afterLoad(loadNumbers64(), (types): ElementType => types[name as "u64" | "i64" | "f64"]);

/** The options of a compaction or a partition. Nobody has checked them yet. */
export type SelectOptions = TypeOptions & {
  /** An option of plans alone: calls refuse it, unless it is undefined. */
  readonly maxLength?: unknown;
  readonly where?: string;
  readonly flags?: ArrayLike<number | boolean>;
  readonly indices?: boolean;
  readonly into?: unknown;
  readonly classes?: number;
  readonly class?: string;
};

/** A compaction or a partition, and how it is carried out. */
export interface Selection {
  readonly planned: Omit<Planned, "primitive" | "all"> & {
    readonly primitive: "compact" | "partition";
    /** The flags themselves are given beside the plan. */
    readonly all: PlanOptions & Omit<SelectOptions, "flags"> & { readonly flags?: boolean };
  };
  readonly given: Given;
  readonly types: Pick<HandTypes, "from" | "type">;
  /** Bytes of an item of the result. */
  readonly itemBytes: number;
  readonly target: Target;
}

/** What a selection gives: its items; and how many are kept, or where each class begins, and where the last one ends. */
export interface Selected {
  readonly bytes: Uint8Array;
  readonly counts: Uint32Array;
}

/** An element and its index. */
export type ArgValue<V extends Scalar> = {
  /** The element. */
  readonly value: V;
  /** Its place in the array: the first one, if there are several. */
  readonly index: number;
};
