import { valuesOf } from "../../algebra/array_values.ts";
import type { AnyArray } from "../../algebra/arrays.ts";
import { arrayOver, goneError, isOnGpu, namedType } from "../../algebra/arrays.ts";
import { describe } from "../../algebra/check_value.ts";
import { u32 } from "../../algebra/integers.ts";
import { valuesIn } from "../../algebra/seen_params.ts";
import type { ElementType, Value } from "../../algebra/types.ts";
import { requireType } from "../../algebra/types.ts";
import { nameIfConverted } from "../../algebra/widening.ts";
import { ArgumentError, refuse } from "../../errors.ts";
import type { Arrangement } from "../../kernels/kernel.ts";
import { requireOptions } from "../../options.ts";
import { afterLoad, loadCpuPrimitives } from "../../parts.ts";
import { requireBindable } from "../../plan/binding_length.ts";
import { requireChosen } from "../../plan/check_tuning_options.ts";
import type { TuningOptions } from "../../plan/options.ts";
import type { Plan } from "../../plan/plan.ts";
import { givenAs } from "../../plan/ranges.ts";
import { requireFeature } from "../../plan/require_feature.ts";
import { callNames } from "../../primitives/option_names.ts";
import type { Operand, Primitive, Request, Result, Given as Seen } from "../../primitives/primitive.ts";
import {
  argumentsAmong,
  operandsOfList,
  pairedWith,
  requireNamed,
  requireOneEach,
} from "../../primitives/primitive.ts";
import { onCpu } from "../at_hand/choose_cpu.ts";
import type { HandTypes } from "../at_hand/hand_types.ts";
import { targetFor, typesOf } from "../at_hand/hand_types.ts";
import { planAtHand, readBackOf } from "../at_hand/run_at_hand.ts";
import { bufferBytesFor } from "../device/call_memory.ts";
import type { Context } from "../device/context.ts";
import type { Given } from "../device/given.ts";
import { bytesOf, fresh, givenOf } from "../device/given.ts";
import { requireDevice } from "../device/lost.ts";
import type { ReadBack } from "../device/transfer.ts";
import type { Range } from "../executor/executor.ts";
import type { PlanOptions } from "../executor/planned.ts";
import { keyOfCall } from "../executor/planned.ts";
import { loadedParams } from "../executor/with_params.ts";
import type { Kept } from "../gpu_arrays/calls_on_gpu.ts";
import { plannedLengthOnGpu, requireInto, requireOnGpu } from "../gpu_arrays/calls_on_gpu.ts";
import type { Arrays, Count, GpuArray } from "../gpu_arrays/gpu_array.ts";
import { countOf, runOnGpu } from "../gpu_arrays/run_on_gpu.ts";
import { readAll, uploadAs, viaGpu } from "../gpu_arrays/upload_and_wrap.ts";
import type { Prepared } from "../recordings/recording.ts";
import { prepare } from "../recordings/recording.ts";
import { planPrimitive } from "./prepare.ts";

// Calls of primitives on arrays: those on the GPU, and those at hand, which go there and back.

/** What a call was given. */
export interface Arguments {
  /** The arrays as they were when the call began, by the names of the operands, and `into`. */
  readonly arrays: Readonly<Record<string, Given | readonly Given[]>>;
  /** The arguments that are numbers, such as `k`. */
  readonly numbers?: Readonly<Record<string, unknown>>;
  /** The options, with the operands that are among them. */
  readonly options: object;
}

/** How calls of a primitive on arrays on the GPU are carried out. */
export interface Runner {
  /** Runs a call that was checked. It gives an array for each result, but none for those that are dropped. */
  run(
    called: CallOnGpu,
    request: Request,
    onGpu: Readonly<Record<string, GpuArray>>,
    into?: GpuArray,
  ): Promise<readonly GpuArray[]>;
  /** Prepares its plan, for ranges in some of its arrangements. */
  prepare(
    primitive: Primitive<never>,
    context: Context,
    options: object,
    arrangements: readonly Arrangement[] | undefined,
  ): Promise<Kept & Pick<Prepared, "record">>;
}

/** What is known of a call beside its arrays and its request. */
export interface CallOnGpu {
  readonly primitive: Primitive<never>;
  readonly runner: Runner;
  readonly context: Context;
  readonly arrays: Arrays;
  /** The operands that it was given. Each array of a list is one. */
  readonly operands: readonly Operand[];
}

/** A call of a primitive, whose options are known, but not checked. */
interface Call extends CallOnGpu {
  /** The operands that are lists. */
  readonly lists: readonly string[];
  /** What it was given as `into`. */
  readonly into: Given | undefined;
  /** The options beside the operands, and the numbers. */
  readonly options: TuningOptions & {
    readonly type?: unknown;
    readonly from?: unknown;
    readonly params?: unknown;
  };
}

/** An operand that a call was given, and its array. */
type GivenOperand = readonly [operand: Operand, array: Given];

/** The operands that a call was given, and their arrays. */
function operandsIn(
  { name: primitive, operands }: Primitive<never>,
  { arrays, options }: Arguments,
): readonly GivenOperand[] {
  const pairs: GivenOperand[] = [];
  for (const operand of operands) {
    const { name, isOption, inside, isByName, behind, mayBeAtHand } = operand;
    if (mayBeAtHand && !isOnGpu((arrays[name] as Given | undefined)?.data)) {
      continue;
    }
    const given = arrays[name] ?? givenOf(inside && Object(Object(options)[inside])[name]);
    if (!("data" in given)) {
      const names = Object.keys(isByName ? Object(Object(options)[name]) : given);
      pairs.push(...operandsOfList(operand, names).map((one, at): GivenOperand => [one, given[at] as Given]));
    } else if (given.data !== undefined || !(isOption || inside || behind)) {
      if (isByName && given.data !== undefined) {
        refuse(primitive, name, describe(given.data), "an object of arrays, such as { y: array }");
      }
      pairs.push([operand, given]);
    }
  }
  return pairs;
}

/** Calls a primitive on arrays, at hand or on the GPU. */
export async function call(
  primitive: Primitive<never>,
  context: Context,
  arrays: Arrays,
  given: Arguments,
  runner = usualRunner,
): Promise<unknown> {
  const { name } = primitive;
  const pairs = operandsIn(primitive, given);
  const [there] = pairs.find(([{ inside }, { data }]) => !inside && isOnGpu(data)) ?? [];
  requireOptions(name, given.options, callNames(primitive, there !== undefined), primitive.cures);
  requireDevice(context, name);
  const into = given.arrays.into as Given | undefined;
  const called: Call = {
    primitive,
    runner,
    context,
    arrays,
    operands: pairs.map(([operand]) => operand),
    lists: primitive.operands
      .filter(({ name: option, isByName }) => !isByName && Array.isArray(given.arrays[option]))
      .map(({ name: option }) => option),
    into: into?.data === undefined ? undefined : into,
    options: {
      ...withoutOperands(given.options, primitive),
      ...loadedParams(given.options, name, context),
      ...given.numbers,
    },
  };
  if (there === undefined) {
    return callAtHand(called, pairs);
  }
  const requireArray = (array: Given, option: string, place = option): GpuArray =>
    requireOnGpu(name, context, array.data, option, placeOf(there), place);
  const onGpu = Object.fromEntries(
    pairs.map(([operand, array]) => [operand.name, requireArray(array, optionOf(operand), placeOf(operand))]),
  );
  return callOnGpu(called, onGpu, called.into && requireArray(called.into, "into"));
}

/** The options that are no operands. */
function withoutOperands(options: object, { operands }: Primitive<never>): object {
  const others: Record<string, unknown> = {};
  for (const option of Object.keys(options)) {
    const value: unknown = options[option as keyof typeof options];
    if (!operands.some(({ name, mayBeAtHand }) => name === option && !(mayBeAtHand && !isOnGpu(value)))) {
      others[option] = value;
    }
  }
  return others;
}

/** The argument or the option that an operand is given as. */
const optionOf = ({ name, inside, behind }: Operand): string => inside ?? behind ?? givenAs(name);

/** Where it was given. The arrays behind an argument are the further ones of its list. */
const placeOf = ({ name, behind, isByName }: Operand): string =>
  behind
    ? `${behind}[${Number(name.slice(name.indexOf("[") + 1, -1)) + 1}]`
    : isByName
      ? name
      : givenAs(name);

/** What messages call the elements of an operand that has one for each of another. */
const nounOf = (operand: Operand): string =>
  operand.behind || operand.isByName ? `elements of ${placeOf(operand)}` : givenAs(operand.name);

/** What a call gives of its results. */
export function resultOf(request: Request, made: readonly unknown[]): unknown {
  if (request.give) {
    return request.give(made);
  }
  return made.length === 1
    ? made[0]
    : Object.fromEntries(request.results.map(({ name }, at) => [name, made[at]]));
}

/** Checks a call that has these types and lengths. @throws {ArgumentError} {@link LimitError} {@link FeatureError} */
function checked(
  { primitive, context, operands, lists, options }: Call,
  { types, lengths, arrays, isCounted, counted }: Omit<Seen<object>, "lists" | "options" | "facts">,
): Request {
  const { facts } = context;
  const ofLists: Record<string, readonly (ElementType | undefined)[]> = {};
  for (const list of lists) {
    ofLists[list] = operands.filter(({ name }) => givenAs(name) === list).map(({ name }) => types[name]);
  }
  // Members that stand behind what is spread would take microseconds.
  const given = { types, lengths, arrays, isCounted, counted, lists: ofLists, options, facts };
  const request = primitive.request(given as Seen<never>);
  if (primitive.checksItself) {
    return request;
  }
  const { title, words = {} } = request;
  requireChosen(options, title, facts);
  for (const operand of operands) {
    const { name, range } = operand;
    const type = types[name] as ElementType;
    requireFeature(type, title, facts);
    // The passes that take the input's items may keep a u32 for each.
    const bytes = range === "input" || type.wide ? Math.max(type.bytes, u32.bytes) : type.bytes;
    const ofOperand = operands.length === 1 ? title : `${title}: ${placeOf(operand)}`;
    requireBindable(ofOperand, lengths[name] as number, bytes, facts.limits, optionOf(operand));
  }
  for (const operand of wordsOf(primitive, request)) {
    const { length = 0 } = words[operand.name] ?? {};
    requireBindable(`${title}: ${operand.name}`, length, u32.bytes, facts.limits, optionOf(operand));
  }
  for (const { name, most, type } of request.results) {
    requireBindable(`${title}: ${name}`, most, (type.wide ?? type).bytes, facts.limits, name);
  }
  return request;
}

/** The operands that a call at hand has words for. */
const wordsOf = ({ operands }: Primitive<never>, { words = {} }: Request): readonly Operand[] =>
  operands.filter(({ name }) => words[name]);

/** What messages call the elements that others go with. */
const itemsOf = ({ name }: Operand): string =>
  name === "data" ? "elements" : name === "other" ? "elements of other" : name;

const inputOf = ({ operands }: CallOnGpu): Operand =>
  operands.find(({ range }) => range === "input") as Operand;

/** Requires that operands that go with another one have an element for each of its. @throws {ArgumentError} */
function requirePairs(
  title: string,
  operands: readonly Operand[],
  given: Pick<Seen<object>, "lengths" | "counted">,
): void {
  for (const operand of operands) {
    const paired = pairedWith(operand, operands);
    if (paired) {
      requireOneEach(title, given, paired.name, operand.name, {
        items: itemsOf(paired),
        noun: nounOf(operand),
        option: optionOf(operand),
      });
    }
  }
}

/** A call on arrays on the GPU. */
async function callOnGpu(
  called: Call,
  onGpu: Readonly<Record<string, GpuArray>>,
  into: GpuArray | undefined,
): Promise<unknown> {
  const { primitive, operands, options } = called;
  const arrayOf = ({ name }: Operand): GpuArray => onGpu[name] as GpuArray;
  for (const operand of operands.filter(({ isNamed, isWidened }) => isNamed && !isWidened)) {
    const [caller, named] = operand.isMapped
      ? ([`${primitive.name}: from`, "from"] as const)
      : ([primitive.name, "type"] as const);
    requireNamed(caller, arrayOf(operand).type, options[named], named);
  }
  const input = inputOf(called);
  const types: Record<string, ElementType> = {};
  const lengths: Record<string, number> = {};
  const counted: string[] = [];
  for (const { name } of operands) {
    const array = onGpu[name] as GpuArray;
    types[name] = array.type;
    lengths[name] = array.maxLength;
    if (countOf(array)) {
      counted.push(name);
    }
  }
  const request = checked(called, { types, lengths, isCounted: counted.includes(input.name), counted });
  const { title, results } = request;
  requirePairs(title, operands, { lengths, counted });
  const [first] = results;
  if (into && first) {
    requireInto(title, into, first.type, first.most);
  }
  return resultOf(request, await called.runner.run(called, request, onGpu, into));
}

const run: Runner["run"] = (called, request, onGpu, into) => {
  const { primitive, runner, context, arrays, operands } = called;
  const { title, results, named, initial, aliases = {}, itemBytes = 0 } = request;
  const arrayOf = ({ name }: Operand): GpuArray => onGpu[name] as GpuArray;
  const data = arrayOf(inputOf(called));
  const sources: Record<string, GpuArray> = { input: data };
  const counts: Record<string, Count["range"]> = {};
  let mostBytes = Math.max(u32.bytes, itemBytes);
  for (const operand of operands) {
    const array = arrayOf(operand);
    const { count } = operand;
    const counted = count && countOf(array);
    if (counted) {
      counts[count] = counted.range;
    }
    sources[operand.range] = array;
    mostBytes = Math.max(mostBytes, array.type.bytes);
  }
  for (const [range, name = ""] of Object.entries(aliases)) {
    sources[range] = onGpu[name] as GpuArray;
  }
  for (const { type } of results) {
    mostBytes = Math.max(mostBytes, type.bytes);
  }
  const all: PlanOptions & { readonly lengthOnGpu: boolean } = {
    ...request.options,
    ...Object.fromEntries(Object.keys(counts).map((range) => [range, true] as const)),
    maxLength: plannedLengthOnGpu(data.maxLength, mostBytes, context, request.goesInWindows),
    lengthOnGpu: countOf(data) !== undefined,
  };
  // Most arrays start where their buffers do, and results are in buffers of their own. Such ranges take some of the kernels, so that the first
  // call compiles less.
  const isPlain =
    argumentsAmong(operands).every((one) => arrayOf(one).offset === 0) &&
    !(into && (into.offset > 0 || Object.values(sources).some((one) => sharesBuffer(one, into))));
  const arrangements = primitive.arrangements?.slice(0, isPlain ? 1 : undefined);
  return runOnGpu(context, arrays, {
    title,
    key: keyOfCall({
      primitive: `${[primitive.name, ...(arrangements ?? [])].join()} on the GPU`,
      all: named ? { ...all, ...named } : all,
    }),
    compile: () => runner.prepare(primitive, context, all, arrangements),
    sources: sources as typeof sources & { readonly input: GpuArray },
    written: operands.filter(({ isWritten }) => isWritten).map(arrayOf),
    ranges: {
      ...request.numbers,
      ...(initial !== undefined && { initial: initial as Value }),
      ...counts,
      ...valuesIn(all),
    },
    results: results.map((result, at) => ({
      ...result,
      like: (at === 0 ? into : undefined) ?? onGpu[result.like ?? ""],
    })),
    into,
  });
};

/** How most primitives are carried out. */
export const usualRunner: Runner = {
  run,
  async prepare(primitive, context, options, arrangements) {
    const plan = await planPrimitive(primitive, context.facts, options, arrangements);
    const scratchBytes = plan.scratch.reduce((sum, { bytes }) => sum + bytes, 0);
    return { ...(await prepare(context, plan, undefined, true)), scratchBytes };
  },
};

/** Whether a call that writes an array binds a buffer that it reads of another one: its items, or their number. */
const sharesBuffer = (read: GpuArray, { buffer }: GpuArray): boolean =>
  read.buffer === buffer || countOf(read)?.range.buffer === buffer;

/** The types of an operand at hand. @throws {ArgumentError} if it is no array of an element type. */
async function typesAtHand({ primitive, options }: Call, operand: Operand, array: Given): Promise<HandTypes> {
  const { isNamed, isMapped, isWidened } = operand;
  const [option, place] = [optionOf(operand), placeOf(operand)];
  if (array.isGone) {
    throw goneError(primitive.name, option, place);
  }
  const title = place === "data" ? primitive.name : `${primitive.name}: ${place}`;
  const { type, from } = options;
  if (isMapped && from !== undefined) {
    requireType(from, `${primitive.name}: from`, "from");
  }
  try {
    const own = isMapped ? namedType(array.data, { ...(options as object), map: "" }) : type;
    const isOther =
      isWidened && nameIfConverted(array.data as AnyArray, options as object, title) !== undefined;
    return await typesOf(array, isMapped ? { from: own } : isNamed && !isOther ? { type: own } : {}, title);
  } catch (cause) {
    const isOfArray = cause instanceof ArgumentError && cause.option === "data";
    throw isOfArray ? new ArgumentError(cause.message, option) : cause;
  }
}

/** What makes the array of a result at hand, of bytes. */
const contentsOf = (
  { like = "", type }: Result,
  types: Readonly<Record<string, HandTypes>>,
): HandTypes["arrayOf"] => types[like]?.arrayOf ?? arrayOver.bind(undefined, type);

/** A call on arrays at hand, which was checked. */
interface HandCall {
  readonly called: Call;
  readonly request: Request;
  /** The operands beside those inside options, and their arrays. */
  readonly atHand: readonly GivenOperand[];
  /** The types of each operand, by its name. */
  readonly types: Readonly<Record<string, HandTypes>>;
  /** How many elements the input has. */
  readonly length: number;
}

/** Checks a call on arrays at hand. @throws {ArgumentError} {@link LimitError} {@link FeatureError} */
async function checkedAtHand(call: Call, pairs: readonly GivenOperand[]): Promise<HandCall> {
  const { primitive, into } = call;
  const atHand = pairs.filter(([{ inside }]) => !inside);
  const called = { ...call, operands: atHand.map(([operand]) => operand) };
  const handTypes: Record<string, HandTypes> = {};
  const types: Record<string, ElementType> = {};
  const lengths: Record<string, number> = {};
  const arrays: Record<string, AnyArray> = {};
  for (const [operand, array] of atHand) {
    const { name } = operand;
    const own = await typesAtHand(called, operand, array);
    handTypes[name] = own;
    types[name] = own.type;
    lengths[name] = array.length;
    arrays[name] = array.data;
  }
  // What the request follows from is read in its arrays.
  for (const [operand, array] of atHand) {
    bytesOf(array, primitive.name, placeOf(operand), optionOf(operand));
  }
  const request = checked(called, { types, lengths, arrays, isCounted: false });
  requirePairs(request.title, called.operands, { lengths });
  const [first] = request.results;
  if (into && first) {
    targetFor(into, contentsOf(first, handTypes), primitive.name, first.most, true);
  }
  const length = lengths[inputOf(called).name] as number;
  return { called, request, atHand, types: handTypes, length };
}

/** What a call at hand gives of the contents of its results. */
const givenOfResults = (request: Request, read: readonly AnyArray[]): unknown =>
  resultOf(
    request,
    request.results.map(({ type, isElement, atHand }, at) => {
      const array = read[at] as AnyArray;
      const result = isElement ? valuesOf(array, type)(0) : array;
      return atHand ? atHand(result as never) : result;
    }),
  );

/** A call on arrays at hand. */
async function callAtHand(call: Call, pairs: readonly GivenOperand[]): Promise<unknown> {
  const hand = await checkedAtHand(call, pairs);
  const { request, atHand, types } = hand;
  const { primitive, context, into, options } = call;
  const arrays: Record<string, Given> = {};
  let length = 0;
  for (const [{ name }, array] of atHand) {
    arrays[name] = array;
    length = Math.max(length, array.length);
  }
  const size = { primitive: primitive.name, length, options };
  const computed = await onCpu(context, size, (cpu) =>
    cpu.withArrays(primitive.name, arrays, () =>
      afterLoad(loadCpuPrimitives(), ({ described }) =>
        described(context, primitive, request, arrays, types),
      ),
    ),
  );
  return computed
    ? givenOfResults(
        request,
        computed.map((bytes, at) => {
          if (at === 0 && into) {
            bytesOf(into, primitive.name, "into", "into").set(bytes);
            return into.data;
          }
          return contentsOf(request.results[at] as Result, types)(bytes.buffer as ArrayBuffer);
        }),
      )
    : viaDevice(hand);
}

/** A call on arrays at hand that the CPU has no loops for. */
async function viaDevice({ called, request, atHand, types, length }: HandCall): Promise<unknown> {
  const { context, arrays, into } = called;
  const { title, words = {}, results, scratchBytes = 0 } = request;
  request.requireContents?.();
  const bytes = [
    ...[...atHand.map(([, array]) => array), ...Object.values(words)].map(({ byteLength }) => byteLength),
    ...results.map(({ most, type }) => most * type.bytes),
  ].reduce((sum, one) => sum + bufferBytesFor(one), scratchBytes);
  if (isShort(called, request, length, bytes)) {
    return givenOfResults(request, await inOneSubmission(called, request, atHand, types, bytes));
  }
  return viaGpu(context, title, length, bytes, async (own) => {
    const onGpu: Record<string, GpuArray> = {};
    const operands = wordsOf(called.primitive, request);
    const uploaded = operands.map((operand) => [operand, givenOf(words[operand.name])] as const);
    for (const [{ name }, array] of [...atHand, ...uploaded]) {
      const known = types[name] ?? (await typesOf(array, {}, title));
      onGpu[name] = own(await uploadAs(context, arrays, array, known, true));
    }
    const made = await run({ ...called, operands: [...called.operands, ...operands] }, request, onGpu);
    const rooms = [into && { into: into.data as never }];
    return givenOfResults(request, await readAll(made.map((array, at) => own(array).read(rooms[at]))));
  });
}

/** The most bytes of a call that goes in one submission: longer arrays go in pieces, some of which are copied while others are under way. */
const SHORT = 2 ** 20;

/** Whether a call at hand goes in one submission: the host knows how long its results are, and there is nothing beside its operands. */
const isShort = (
  { primitive, lists, into }: Call,
  { results, words, numbers = {} }: Request,
  length: number,
  bytes: number,
): boolean =>
  length > 0 &&
  bytes <= SHORT &&
  into === undefined &&
  words === undefined &&
  primitive.arrangements === undefined &&
  Object.keys(numbers).every((name) => primitive.operands.some((one) => name === `${one.range}Length`)) &&
  lists.length === 0 &&
  results.every(({ length: from }) => from !== "count");

/** Uploads the arrays of a call at hand, runs its plan and reads the results, all in one submission, which takes half the time of several. */
function inOneSubmission(
  { primitive, context }: Call,
  { title, options, numbers, results }: Request,
  atHand: readonly GivenOperand[],
  types: Readonly<Record<string, HandTypes>>,
  bytes: number,
): Promise<readonly AnyArray[]> {
  const [, input] = atHand.find(([{ range }]) => range === "input") as readonly [Operand, Given];
  const longest = Math.max(...results.map(({ type }) => type.bytes), u32.bytes);
  // The plan is that of a call on the GPU.
  const all = {
    ...options,
    maxLength: plannedLengthOnGpu(input.length, longest, context),
    lengthOnGpu: false,
  };
  const planned = {
    primitive: `${title} at hand`,
    // The numbers are in the dispatches, which are kept with the plan.
    all: { ...all, ...numbers },
    plan: (own: object) => planPrimitive(primitive, context.facts, own),
    arrangementOf: ({ variants }: Plan) => variants[0]?.arrangement,
  };
  return planAtHand(context, planned, bytes, async ({ upload, output, run }) => {
    const ranges: Record<string, Range | undefined> = {};
    for (const [{ range }, array] of atHand) {
      ranges[range] = array.byteLength > 0 ? await upload(range, array) : undefined;
    }
    const made = results.map(({ most, type }) => fresh(most * type.bytes));
    const parts: ReadBack[] = [];
    for (const [at, { range, most, type }] of results.entries()) {
      const place = await output(range, most);
      ranges[range] = place;
      parts.push(readBackOf(place, most * type.bytes, made[at] as () => Uint8Array));
    }
    await run(ranges, input.length, parts);
    return results.map((result, at) =>
      contentsOf(result, types)((made[at] as () => Uint8Array)().buffer as ArrayBuffer),
    );
  });
}
