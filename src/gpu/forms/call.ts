import { valuesOf } from "../../algebra/array_values.ts";
import type { AnyArray } from "../../algebra/arrays.ts";
import { goneError, isOnGpu } from "../../algebra/arrays.ts";
import { u32 } from "../../algebra/integers.ts";
import type { ElementType } from "../../algebra/types.ts";
import { ArgumentError } from "../../errors.ts";
import { requireOptions } from "../../options.ts";
import { requireBindable } from "../../plan/binding_length.ts";
import type { Operand, Primitive, Request, Result, Given as Seen } from "../../primitives/primitive.ts";
import { callNames } from "../../primitives/primitive.ts";
import { typesOf } from "../at_hand/scan_at_hand.ts";
import { bufferBytesFor } from "../device/call_memory.ts";
import type { Context } from "../device/context.ts";
import { requireDevice } from "../device/device.ts";
import type { Given } from "../device/transfer.ts";
import {
  plannedLengthOnGpu,
  requireNamed,
  requireOneEach,
  requireOnGpu,
} from "../gpu_arrays/calls_on_gpu.ts";
import type { Arrays, GpuArray } from "../gpu_arrays/gpu_array.ts";
import { readAll, upload, viaGpu } from "../gpu_arrays/upload_and_wrap.ts";
import { planFor } from "./prepare.ts";
import { countOf, runOnGpu } from "./run_on_gpu.ts";

// Calls of primitives on arrays: those on the GPU, and those at hand, which go there and back.

/** What a call made on the GPU, for each result that it gives. */
type MadeOnGpu = readonly (readonly [result: Result, array: GpuArray])[];

/** What a call was given. */
export interface Arguments {
  /** The arrays as they were when the call began, by the names of the operands. */
  readonly arrays: Readonly<Record<string, Given>>;
  /** The arguments that are numbers, such as `k`. */
  readonly numbers?: Readonly<Record<string, unknown>>;
  /** The options, with the operands that are among them. */
  readonly options: object;
}

/** A call of a primitive, whose options are known, but not checked. */
interface Call {
  readonly primitive: Primitive<never>;
  readonly context: Context;
  readonly arrays: Arrays;
  /** The operands that it was given. */
  readonly operands: readonly Operand[];
  /** The options beside the operands, and the numbers. */
  readonly options: { readonly type?: unknown };
}

/** Calls a primitive on arrays, at hand or on the GPU. */
export async function call(
  primitive: Primitive<never>,
  context: Context,
  arrays: Arrays,
  given: Arguments,
): Promise<unknown> {
  const { name } = primitive;
  const operands = primitive.operands.filter(
    (one) => !one.isOption || given.arrays[one.name]?.data !== undefined,
  );
  const there = operands.find((one) => isOnGpu(given.arrays[one.name]?.data));
  for (const [option, instead] of Object.entries(primitive.instead ?? {})) {
    if (Object(given.options)[option] !== undefined) {
      throw new ArgumentError(`${name} takes no option ${option}; ${instead}`, option);
    }
  }
  requireOptions(name, given.options, callNames(primitive, there !== undefined));
  requireDevice(context, name);
  const isOperand = (option: string): boolean => primitive.operands.some((one) => one.name === option);
  const others = Object.entries(given.options).filter(([option]) => !isOperand(option));
  const called: Call = {
    primitive,
    context,
    arrays,
    operands,
    options: { ...Object.fromEntries(others), ...given.numbers },
  };
  if (there === undefined) {
    return callAtHand(called, given.arrays);
  }
  const requireArray = (option: string): GpuArray =>
    requireOnGpu(name, context, given.arrays[option]?.data, option, there.name);
  const onGpu = Object.fromEntries(operands.map((one) => [one.name, requireArray(one.name)]));
  return named((await callOnGpu(called, onGpu)).map(([result, array]) => [result.name, array]));
}

/** Results by their names; the only result as it is. */
function named<T>(results: readonly (readonly [name: string, value: T])[]): unknown {
  const [only, ...others] = results;
  return others.length === 0 ? only?.[1] : Object.fromEntries(results);
}

/** Checks a call that has these types and lengths. @throws {ArgumentError} {@link LimitError} {@link FeatureError} */
function checked(
  { primitive, context, operands, options }: Call,
  seen: Omit<Seen<object>, "options" | "facts">,
): Request {
  const { facts } = context;
  const request = primitive.request({ ...seen, options, facts } as Seen<never>);
  for (const { name, range } of operands) {
    const [length, type] = [seen.lengths[name] as number, seen.types[name] as ElementType];
    // The passes that take the input's items may keep a u32 for each.
    const bytes = range === "input" ? Math.max(type.bytes, u32.bytes) : type.bytes;
    const title = operands.length === 1 ? request.title : `${request.title}: ${name}`;
    requireBindable(title, length, bytes, facts.limits, name);
  }
  for (const { name, most, type } of request.results) {
    requireBindable(`${request.title}: ${name}`, most, type.bytes, facts.limits, name);
  }
  return request;
}

/** What messages call the elements that others go with. */
const itemsOf = (input: Operand): string => (input.name === "data" ? "elements" : input.name);

/** A call on arrays on the GPU. */
async function callOnGpu(called: Call, given: Readonly<Record<string, GpuArray>>): Promise<MadeOnGpu> {
  const { primitive, operands, options } = called;
  const arrayOf = ({ name }: Operand): GpuArray => given[name] as GpuArray;
  for (const operand of operands.filter(({ isNamed }) => isNamed)) {
    requireNamed(primitive.name, arrayOf(operand), options.type);
  }
  const input = operands.find(({ range }) => range === "input") as Operand;
  const data = arrayOf(input);
  const each = <T>(of: (array: GpuArray) => T): Record<string, T> =>
    Object.fromEntries(operands.map((operand) => [operand.name, of(arrayOf(operand))]));
  const isCounted = countOf(data) !== undefined;
  const request = checked(called, {
    types: each(({ type }) => type),
    lengths: each(({ maxLength }) => maxLength),
    isCounted,
  });
  for (const operand of operands.filter(({ isOneEach }) => isOneEach)) {
    requireOneEach(request.title, data, arrayOf(operand), operand.name, itemsOf(input));
  }
  return run(called, request, given);
}

/** Runs a call that was checked. */
async function run(
  { primitive, context, arrays, operands }: Call,
  { title, results, ...request }: Request,
  given: Readonly<Record<string, GpuArray>>,
): Promise<MadeOnGpu> {
  const arrayOf = ({ name }: Operand): GpuArray => given[name] as GpuArray;
  const data = arrayOf(operands.find(({ range }) => range === "input") as Operand);
  const counts = operands.flatMap((operand) => {
    const { count } = operand;
    const counted = count && countOf(arrayOf(operand));
    return counted === undefined ? [] : [[count, counted.range] as const];
  });
  const types = [u32, ...operands.map((one) => arrayOf(one).type), ...results.map(({ type }) => type)];
  const all = {
    ...request.options,
    ...Object.fromEntries(counts.map(([range]) => [range, true])),
    maxLength: plannedLengthOnGpu(data.maxLength, Math.max(...types.map(({ bytes }) => bytes)), context),
    lengthOnGpu: countOf(data) !== undefined,
  };
  // Most arrays start where their buffers do. Such ranges take some of the kernels, so that the first call compiles less.
  const isPlain = operands.every((one) => arrayOf(one).offset === 0);
  const arrangements = primitive.arrangements?.slice(0, isPlain ? 1 : undefined);
  const sourcesOf = (operand: Operand) =>
    [operand.range, operand.also ?? operand.range].map((range) => [range, arrayOf(operand)]);
  const rangeNamed = (name: string): string => operands.find((one) => one.name === name)?.range ?? "";
  const made = await runOnGpu(context, arrays, {
    title,
    primitive: [primitive.name, ...(arrangements ?? [])].join(),
    all,
    plan: () => planFor(primitive, context.facts, all, arrangements),
    sources: { input: data, ...Object.fromEntries(operands.flatMap(sourcesOf)) },
    ranges: { ...request.numbers, ...Object.fromEntries(counts) },
    results: results.map(({ like, ...others }) => ({ ...others, ...(like && { like: rangeNamed(like) }) })),
  });
  return results
    .filter(({ isDropped }) => !isDropped)
    .map((result, at) => [result, made[at] as GpuArray] as const);
}

/** The type of an operand at hand. @throws {ArgumentError} if it is no array of an element type. */
async function typeAtHand(
  { primitive, options }: Call,
  operand: Operand,
  array: Given,
): Promise<ElementType> {
  const { name, isNamed } = operand;
  if (array.isGone) {
    throw goneError(primitive.name, name);
  }
  const title = name === "data" ? primitive.name : `${primitive.name}: ${name}`;
  try {
    return (await typesOf(array, isNamed ? { type: options.type } : {}, title)).type;
  } catch (cause) {
    const isOfArray = cause instanceof ArgumentError && cause.option === "data";
    throw isOfArray ? new ArgumentError(cause.message, name) : cause;
  }
}

/** A call on arrays at hand. */
async function callAtHand(called: Call, given: Arguments["arrays"]): Promise<unknown> {
  const { context, arrays, operands } = called;
  const arrayOf = ({ name }: Operand): Given => given[name] as Given;
  const types: Record<string, ElementType> = {};
  for (const operand of operands) {
    types[operand.name] = await typeAtHand(called, operand, arrayOf(operand));
  }
  const lengths = Object.fromEntries(operands.map((one) => [one.name, arrayOf(one).length]));
  const contents = Object.fromEntries(operands.map((one) => [one.name, arrayOf(one).data]));
  const request = checked(called, { types, lengths, arrays: contents, isCounted: false });
  const { title, results } = request;
  const input = operands.find(({ range }) => range === "input") as Operand;
  for (const { name } of operands.filter(({ isOneEach }) => isOneEach)) {
    if (lengths[name] !== lengths[input.name]) {
      throw new ArgumentError(
        `${title}: ${lengths[name]} ${name} for ${lengths[input.name]} ${itemsOf(input)}; it takes one for each`,
        name,
      );
    }
  }
  const bytes = [
    ...operands.map((one) => arrayOf(one).byteLength),
    ...results.map(({ most, type }) => most * type.bytes),
  ].reduce((sum, one) => sum + bufferBytesFor(one), 0);
  return viaGpu(context, title, arrayOf(input).length, bytes, async (own) => {
    const onGpu: Record<string, GpuArray> = {};
    for (const operand of operands) {
      const { name } = operand;
      onGpu[name] = own(await upload(context, arrays, arrayOf(operand), { type: types[name] }, true));
    }
    const made = await run(called, request, onGpu);
    const read = await readAll(made.map(([, array]) => own(array).read()));
    return named(
      made.map(([{ name, type, isElement }], at) => {
        const array = read[at] as AnyArray;
        return [name, isElement ? valuesOf(array, type)(0) : array] as const;
      }),
    );
  });
}
