import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { valuesOf } from "../../src/algebra/array_values.ts";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { u32 } from "../../src/algebra/integers.ts";
import type { ElementType, NarrowName, Value } from "../../src/algebra/types.ts";
import { isSameType } from "../../src/algebra/types.ts";
import { ArgumentError } from "../../src/errors.ts";
import { contextOf } from "../../src/gpu/device/device.ts";
import type { GpuArray } from "../../src/gpu/gpu_arrays/gpu_array.ts";
import type { Prepared } from "../../src/gpu/recordings/recording.ts";
import type { Fold } from "../../src/node.ts";
import type { Grouping } from "../../src/plan/grouping.ts";
import { givenAs, inLists } from "../../src/plan/ranges.ts";
import type { Arguments, Filled } from "../../src/primitives/example_calls.ts";
import { asArray, callOn, exampleOf, optionsAtHand } from "../../src/primitives/example_calls.ts";
import type { ExampleLayout } from "../../src/primitives/examples.ts";
import type { Request, Result } from "../../src/primitives/primitive.ts";
import type { PreparedScan } from "../../src/primitives/scan.ts";
import { compactReference } from "../../src/reference/compact.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { recordedParams, typesOnly, withParams } from "../support/params.ts";
import type { Described } from "../support/primitives.ts";
import { described, prepareName } from "../support/primitives.ts";
import { requestFor } from "../support/request_for.ts";
import type { Meant } from "./described_arguments.ts";
import { argumentsOf, meaningOf, optionArbitraries } from "./described_arguments.ts";
import type { Fixture } from "./fixture.ts";
import { hasFeature } from "./fixture.ts";
import type { Scale } from "./plans.ts";
import { dataArbitrary, oneIn, Pooled, sizeAround, typeArbitrary } from "./plans.ts";
import type { Expected } from "./ranges.ts";
import { BEHIND, bufferMaker, FILL, placed, preparedOn, requireBytes } from "./ranges.ts";
import { requireEqual } from "./require_equal.ts";
import type { DataSpec, TypeSpec } from "./values.ts";
import { arrayOf, bytesOf, typeOf } from "./values.ts";
import type { Verdict } from "./verdict.ts";
import { attempt, attemptNow, Fault, oneLine, verdictOf } from "./verdict.ts";
import { inShortBindings } from "./windows.ts";

// Calls of each primitive that src/primitives/ describes, by its examples: at hand, on the GPU and recorded. All results are exact. Of
// recordings, and of arrays in buffers of the caller's, all bytes of all buffers are compared.

export const places = ["at hand", "uploaded", "wrapped", "counted", "recorded"] as const;

/** What is called. */
export interface DescribedSpec {
  readonly primitive: string;
  readonly type: TypeSpec | NarrowName;
  /** The room of arrays whose length is on the GPU, and what recordings are prepared for. */
  readonly maxLength: number;
  /** Which of the primitive's examples it is, and the seed that they come from. */
  readonly example: number;
  readonly seed: number;
  /** Options beside those of the example. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** Whether recordings take the length from the GPU. */
  readonly lengthOnGpu?: boolean;
  /** Whether numbers in texts are params. */
  readonly params?: boolean;
}

export interface DescribedStep {
  readonly place: (typeof places)[number];
  readonly length: number;
  readonly data: DataSpec;
  /** The items before each range, and before each array in a buffer of the caller's. */
  readonly before: number;
  readonly firstIndex?: number;
  /** How ranges share buffers, or what calls take as `into`. A primitive that need not take it may refuse it. Then it is called without. */
  readonly layout?: ExampleLayout;
  /** Of calls that take `into`: the items before that array in a buffer of the caller's. */
  readonly into?: number;
  /** Whether further calls on the GPU take the first result. */
  readonly isChained?: boolean;
}

export const layouts: readonly ExampleLayout[] = ["in place", "behind", "together"];

export interface DescribedCase {
  readonly family: "described";
  readonly call: DescribedSpec;
  readonly steps: readonly DescribedStep[];
  /** Whether the device is taken for one whose bindings are short, so that ranges go in windows. */
  readonly windows?: boolean;
}

export function describedArbitrary(scale: Scale): fc.Arbitrary<DescribedCase> {
  const usual = casesOf(described, scale, Math.min(scale.usualLength, 50_000));
  const inWindows = described.filter(({ primitive }) => goInWindows.includes(primitive.name));
  const long = casesOf(inWindows, scale, scale.inWindows).map((one) => ({ ...one, windows: true }));
  return fc.oneof({ weight: described.length, arbitrary: usual }, { weight: 3, arbitrary: long });
}

/** The primitives whose ranges may be longer than a binding. */
const goInWindows: readonly string[] = ["scan", "reduce", "compact"];

function casesOf(some: readonly Described[], scale: Scale, mostItems: number): fc.Arbitrary<DescribedCase> {
  const length = sizeAround(mostItems);
  const calls = some.map(({ primitive, examples }) =>
    fc.record(
      {
        primitive: fc.constant(primitive.name),
        type: fc
          .oneof(
            { weight: 3, arbitrary: typeArbitrary(scale) },
            { weight: 1, arbitrary: fc.constantFrom<NarrowName[]>("u8", "i8", "u16", "i16") },
          )
          .map((type) => (examples.of(typeOf(type), 1, () => 0).length > 0 ? type : "u32")),
        maxLength: length,
        example: fc.nat({ max: 99 }),
        seed: fc.nat({ max: 0xffff }),
        options: fc.record(optionArbitraries(primitive), { requiredKeys: [] }),
        lengthOnGpu: fc.boolean(),
        params: fc.boolean(),
      },
      { requiredKeys: ["primitive", "type", "maxLength", "example", "seed"] },
    ),
  );
  const step = fc.record(
    {
      place: fc.constantFrom(...places, "recorded" as const),
      length,
      data: dataArbitrary(),
      before: fc.integer({ min: 0, max: 9 }),
      // The index of an item is taken modulo 2^32.
      firstIndex: oneIn(4, fc.oneof(fc.nat(), fc.integer({ min: 2 ** 32 - 600, max: 2 ** 32 - 1 }))),
      layout: fc.constantFrom(...layouts),
      into: fc.integer({ min: 0, max: 9 }),
      isChained: fc.boolean(),
    },
    { requiredKeys: ["place", "length", "data", "before"] },
  );
  return fc.record({
    family: fc.constant("described" as const),
    call: new Pooled(fc.oneof(...calls), (scale.software ? 4 : 12) * calls.length),
    steps: fc.array(step, { minLength: 1, maxLength: 4 }),
  }) as fc.Arbitrary<DescribedCase>;
}

/** What all steps of a case have in common. */
interface Called {
  readonly spec: DescribedSpec;
  readonly described: Described;
  readonly fixture: Fixture;
  readonly title: string;
  readonly mustWork: boolean;
  /** The names and the types of the results. */
  readonly results: readonly Result[];
}

export const runDescribed = ({ windows, ...one }: DescribedCase, fixture: Fixture): Promise<Verdict> =>
  windows ? inShortBindings(fixture, (short) => runCalls(one, short)) : runCalls(one, fixture);

async function runCalls(
  { call, steps }: Pick<DescribedCase, "call" | "steps">,
  fixture: Fixture,
): Promise<Verdict> {
  const of = described.find(({ primitive }) => primitive.name === call.primitive);
  if (of === undefined) {
    throw new Error(`src/primitives/ describes no ${call.primitive}`);
  }
  const type = typeOf(call.type);
  const found = exampleOf(of, type, call);
  if (found === undefined) {
    return "refused";
  }
  const drawn = call.params ? { ...found, options: withParams(found.options) } : found;
  const { example, options } = drawn;
  const title = `${call.primitive}<${type.name}> ${JSON.stringify(options, shownIn)}`;
  const whole = argumentsOf(of, type, drawn, {
    length: Math.max(1, call.maxLength),
    room: Math.max(1, call.maxLength),
    data: { kind: "small", seed: 0 },
  });
  const twins = Object.values(example.twins ?? {}) as readonly Partial<ElementType>[];
  const named = options.type === undefined ? [] : [options.type as ElementType];
  const types = [type, ...named, ...twins, ...whole.operands.map((one) => one.type)];
  const mustWork =
    types.every((one) => hasFeature(fixture, one.feature)) &&
    (options.algorithm !== "subgroup" || hasFeature(fixture, "subgroups"));
  const request = await attempt(title, false, async () =>
    requestOf({ described: of, fixture }, { ...whole, isCounted: false }, options),
  );
  if ("refusal" in request) {
    return refused({ title, mustWork }, request.refusal, true);
  }
  const { results, aliases } = request.result;
  const called = { spec: call, described: of, fixture, title, mustWork, results };
  const verdict = await verdictOf(steps, async (step) => {
    const isRecorded =
      (step.place === "recorded" || example.isInOrder === true) && prepareName(of.primitive) in fixture.fold;
    const isCounted =
      !example.isLengthKnown && (isRecorded ? call.lengthOnGpu === true : step.place === "counted");
    const length = Math.min(step.length, call.maxLength);
    const given = argumentsOf(of, type, drawn, {
      length,
      room: isCounted ? call.maxLength : length,
      data: step.data,
    });
    const runWith = isRecorded ? runRecorded : step.place === "at hand" ? runAtHand : runOnGpu;
    // A call whose length is known has room for as many results as follow from it.
    const sized =
      isCounted || given.options === undefined
        ? called
        : { ...called, results: requestOf(called, { ...given, isCounted }, given.options).results };
    const run = (how: Partial<Called>, one: DescribedStep): Promise<Verdict> =>
      runWith({ ...sized, ...how }, { ...given, isCounted }, one);
    if (step.layout === undefined || mustTake(sized, step.layout, type, aliases)) {
      return run({}, step);
    }
    const { layout: _, ...usual } = step;
    const isTaken = (await run({ mustWork: false }, step)) === "passed";
    return isTaken ? "passed" : run({}, usual);
  });
  await fixture.requireNoError(title);
  return verdict;
}

/** Options in titles: what has a name goes by that. */
const shownIn = (_: string, value: unknown): unknown =>
  typeof value === "bigint" ? `${value}n` : (Object(value).name ?? value);

/** Whether a call must take a layout. It need not if items of input and result differ in size, share words, or if a range is read as another one, too. */
const mustTake = (
  { described: { examples }, results: [first] }: Called,
  layout: ExampleLayout,
  type: ElementType,
  aliases: Request["aliases"],
): boolean =>
  examples.layouts?.includes(layout) === true &&
  first?.type.bytes === type.bytes &&
  !type.wide &&
  Object.keys(aliases ?? {}).length === 0;

/** Whether a refusal is right. @throws {Fault} if the call must work. */
function refused(
  { title, mustWork }: Pick<Called, "title" | "mustWork">,
  refusal: Error,
  hasResult: boolean,
): Verdict {
  if (mustWork && hasResult && refusal.name !== "LimitError") {
    throw new Fault(`${title} is refused, and must work: ${oneLine(refusal)}`);
  }
  return "refused";
}

type Given = Arguments & { readonly isCounted: boolean };

/** What follows from the arguments of a call. */
function requestOf(
  { described: { primitive, examples }, fixture }: Pick<Called, "described" | "fixture">,
  given: Given,
  options: object,
): Request {
  const request = requestFor(contextOf(fixture.fold.device).facts, primitive, given, options);
  const elements = examples.elements?.(request.options as Readonly<Record<string, unknown>>) ?? [];
  const results = request.results.map((one) =>
    elements.includes(one.name) ? { ...one, isElement: true } : one,
  );
  return { ...request, results };
}

/** The bytes of a range once a result is stored there. If the result has gaps, the bytes in these stay as they were. */
function stored(before: Uint8Array, result: Result, elements: Uint8Array, { operands }: Given): Uint8Array {
  const after = before.slice();
  after.set(elements);
  if (result.hasGaps) {
    const [begins, ends] = ["begins", "ends"].map((name) => {
      const one = operands.find(({ operand }) => operand.name === name);
      return one ? [...(asArray(one) as Uint32Array)] : [];
    }) as [number[], number[]];
    for (const [gap, from] of [0, ...ends].entries()) {
      const [start, end] = [from, begins[gap] ?? before.length].map((place) => place * result.type.bytes);
      after.set(before.subarray(start, end), start);
    }
  }
  return after;
}

/** The results of a call, by their names. */
function resultsOf(results: readonly Result[], made: unknown): readonly (readonly [Result, unknown])[] {
  // Those of lists are in the order of the results.
  const isListed = results.some(({ name }) => name !== givenAs(name));
  const named = isListed ? Object.values(Object(made)).flat() : results.map(({ name }) => Object(made)[name]);
  return results.map((one, at) => [one, results.length === 1 ? made : named[at]]);
}

/** Whether a call takes `into`: it gives one array, but for counts. */
const takesInto = ({ described: { primitive }, results }: Called): boolean =>
  "into" in { ...primitive.callOptions } && results.filter(({ range }) => range !== "count").length === 1;

/** The input, if the first result may lie in its place. */
const inPlaceOf = ({ results: [first] }: Called, { operands }: Given): Filled | undefined =>
  operands.find(
    ({ operand, type, room }) =>
      operand.range === "input" && first && first.type.bytes === type.bytes && first.most <= room,
  );

/** The input, if it is given as `into`. */
const intoItself = (called: Called, given: Given, { layout }: DescribedStep): Filled | undefined => {
  const input = inPlaceOf(called, given);
  const { type } = called.results[0] as Result;
  return layout === "in place" && takesInto(called) && input && isSameType(type, input.type)
    ? input
    : undefined;
};

/** The array at hand that a call puts its first result in; undefined if there is to be none. */
function intoAtHand(
  called: Called,
  given: Given,
  arrays: Readonly<Record<string, AnyArray>>,
  step: DescribedStep,
): AnyArray | undefined {
  // Reductions at hand return their totals.
  if (called.described.primitive.name === "reduce" || !takesInto(called)) {
    return undefined;
  }
  const input = intoItself(called, given, step);
  if (input || step.into === undefined) {
    return input && arrays[input.operand.name];
  }
  const { type, most } = called.results[0] as Result;
  return arrayOf(type, new Uint8Array(most * type.bytes).fill(FILL));
}

/** The elements of an operand, in an array that starts so many elements behind the start of its buffer. Arrays of structs start there. */
function behind(one: Filled, before: number): AnyArray {
  const { type, bytes, length } = one;
  const start = before * type.bytes;
  const all = new Uint8Array(start + length * type.bytes).fill(FILL);
  all.set(bytes.subarray(0, length * type.bytes), start);
  const whole = arrayOf(type, all);
  return ArrayBuffer.isView(whole) ? (whole as Uint32Array).subarray(before) : asArray(one);
}

/** Requires that a call has left its operands as they were, but for those that it writes. @throws {Fault} */
async function requireUnchanged(
  operands: readonly Filled[],
  written: unknown,
  nowOf: (one: Filled) => AnyArray | Promise<AnyArray>,
  arrays: Readonly<Record<string, unknown>>,
  title: string,
): Promise<void> {
  for (const one of operands) {
    const { name, isWritten } = one.operand;
    if (!isWritten && arrays[name] !== written) {
      requireEqual(await nowOf(one), asArray(one), `after ${title}, ${name}`);
    }
  }
}

async function runAtHand(called: Called, given: Given, step: DescribedStep): Promise<Verdict> {
  const { operands, options = given.planned } = given;
  const title = `${called.title} of ${step.length}`;
  const { primitive } = called.described;
  // There is room for all that results have.
  const results = called.results.map((one) => ({ ...one, most: Number.POSITIVE_INFINITY }));
  const meant = meaningOf(called.described, given, results, 0);
  const arrays = Object.fromEntries(operands.map((one) => [one.operand.name, behind(one, step.before)]));
  const f16 = given.type.name === "f16" && !("from" in options) ? { type: given.type } : {};
  const into = intoAtHand(called, given, arrays, step);
  const room = into && bytesOf(into).slice();
  const made = await attempt(title, false, () =>
    callOn(called.fixture.fold, primitive, arrays, {
      ...optionsAtHand(primitive, options),
      ...f16,
      ...(into && { into }),
    }),
  );
  if ("refusal" in made) {
    return given.example.isRefusedAtHand && made.refusal instanceof ArgumentError
      ? "passed"
      : refused(called, made.refusal, meant !== undefined);
  }
  if (meant === undefined) {
    throw new Fault(`${title} works, and has no result`);
  }
  await requireUnchanged(operands, into, ({ operand }) => arrays[operand.name] as AnyArray, arrays, title);
  for (const { operand, type } of operands.filter((one) => one.operand.isWritten)) {
    requireEqual(
      arrays[operand.name],
      arrayOf(type, meant[operand.name] as Uint8Array),
      `${title}: ${operand.name}`,
    );
  }
  for (const [one, result] of resultsOf(called.results, made.result)) {
    const { name, type, isElement, atHand } = one;
    const isInto = into !== undefined && one === called.results[0];
    const elements = meant[name] as Uint8Array;
    const expected = arrayOf(
      type,
      isInto ? stored(room as Uint8Array, one, elements, given).subarray(0, elements.length) : elements,
    );
    const isPart = one.length === "count";
    if (isInto && (isPart ? elements.length > 0 && Object(result).buffer !== into.buffer : result !== into)) {
      throw new Fault(`${title}: into is not what it gives`);
    }
    if (!isElement) {
      requireEqual(result, expected, `${title}: ${name}`);
      continue;
    }
    const element = valuesOf(expected, type)(0);
    if (!isDeepStrictEqual(result, atHand ? atHand(element as never) : element)) {
      throw new Fault(`${title}: ${name} is ${String(result)}, and should be another value`);
    }
  }
  return "passed";
}

/** A range of a buffer: what it holds, and what it must hold then. It starts so many items behind what comes before it. */
interface OwnRange {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly after?: Uint8Array;
  readonly itemBytes: number;
  readonly items: number;
}

/** Buffers of the caller's, with bytes around the ranges. */
interface Own {
  readonly made: { destroy(): void }[];
  readonly expected: Expected[];
  /** Places ranges one behind another in one buffer. */
  place(...ranges: readonly OwnRange[]): readonly { buffer: GPUBuffer; offset: number }[];
  range(
    ...range: readonly [name: string, bytes: Uint8Array, itemBytes: number, items: number, after?: Uint8Array]
  ): {
    buffer: GPUBuffer;
    offset: number;
  };
}

function ownBuffers({ fixture: { fold } }: Called): Own {
  const made: { destroy(): void }[] = [];
  const bufferOf = bufferMaker(fold.device, made as GPUBuffer[]);
  const expected: Expected[] = [];
  const place: Own["place"] = (...ranges) => {
    let end = 0;
    const offsets = ranges.map(({ bytes, itemBytes, items }) => {
      const offset = (Math.ceil(end / itemBytes) + items) * itemBytes;
      end = offset + bytes.length;
      return offset;
    });
    const whole = (contentOf: (range: OwnRange) => Uint8Array): Uint8Array<ArrayBuffer> => {
      const all = new Uint8Array(end).fill(FILL);
      ranges.forEach((range, at) => {
        all.set(contentOf(range), offsets[at]);
      });
      return placed(all, 0);
    };
    const buffer = bufferOf(whole(({ bytes }) => bytes));
    const name = ranges.map((range) => range.name).join(" and ");
    expected.push({ name, buffer, bytes: whole(({ bytes, after = bytes }) => after) });
    return offsets.map((offset) => ({ buffer, offset }));
  };
  return {
    made,
    expected,
    place,
    range: (name, bytes, itemBytes, items, after = bytes) =>
      place({ name, bytes, itemBytes, items, after })[0] as { buffer: GPUBuffer; offset: number },
  };
}

/** Ranges start at multiples of this many bytes: those of an item, or of a word if items share words. */
const unitOf = ({ bytes, wide }: ElementType): number => (wide ? u32.bytes : bytes);

const wordOf = (word: number): Uint8Array => new Uint8Array(Uint32Array.of(word).buffer);

/** An array that a call made or filled, and what it is. */
type Found = readonly [Pick<Result, "name" | "type" | "hasGaps">, AnyArray];

/** Which elements further calls keep. */
const KEPT = "i % 3u == 1u";
const isKept = (_: Value, index: number): boolean => index % 3 === 1;

/** Whether further calls end with sums. Those of floats would be rounded. */
const isSummed = ({ kind, wide }: ElementType): boolean => /signed$/.test(kind) && wide === undefined;

/**
 * Calls on a result: a compaction, a compaction of what that keeps, whose length only the GPU knows, and prefix sums of that, if they are exact.
 * The first compaction's result is destroyed as soon as the second one has begun, if `isEarly`.
 */
async function furtherCalls(
  fold: Fold,
  result: GpuArray,
  keep: <T>(array: T) => T,
  isEarly: boolean,
): Promise<readonly AnyArray[]> {
  const keepSome = (array: GpuArray): Promise<GpuArray> =>
    fold.compact(array as GpuArray<"u32", number>, { where: KEPT }) as Promise<never>;
  const some = keep(await keepSome(result));
  const pending = keepSome(some);
  if (isEarly) {
    some.destroy();
  }
  const few = keep(await pending);
  const sums = isSummed(few.type) ? [keep(await fold.scan(few as GpuArray<"u32", number>))] : [];
  return Promise.all([few, ...sums].map((one) => one.read() as Promise<AnyArray>));
}

/** Compares what further calls on a result gave. @throws {Fault} */
function requireFurther(
  [few, sums]: readonly AnyArray[],
  result: AnyArray,
  type: ElementType,
  title: string,
): void {
  const keepSome = (array: AnyArray): AnyArray =>
    compactReference(array, isKept as never, (type.name === "f16" ? { type } : {}) as never) as AnyArray;
  const expected = keepSome(keepSome(result));
  if (few) {
    requireEqual(few, expected, `${title}: what two compactions of it keep`);
  }
  if (sums) {
    requireEqual(sums, scanReference(expected as Uint32Array), `${title}: sums of that`);
  }
}

async function runOnGpu(called: Called, given: Given, step: DescribedStep): Promise<Verdict> {
  const { described, fixture } = called;
  const { fold } = fixture;
  const { place, length, before } = step;
  const { operands, isCounted } = given;
  const title = `${called.title} of ${length}, ${place}`;
  const [first] = called.results as readonly [Result];
  const itself = intoItself(called, given, step);
  // If only the GPU knows the length, the call is the same for all lengths.
  const options = isCounted ? given.planned : (given.options ?? given.planned);
  const meant = meaningOf(described, given, called.results, 0);
  const own = ownBuffers(called);
  const keep = <T>(array: T): T => {
    own.made.push(array as GpuArray);
    return array;
  };
  try {
    const made = await attempt(title, false, async () => {
      const arrays: Record<string, GpuArray> = {};
      for (const one of operands) {
        const { operand, type, bytes, room } = one;
        const { name } = operand;
        if (place === "uploaded") {
          const f16 = type.name === "f16" ? { type } : {};
          arrays[name] = keep(
            (await fold.upload(asArray(one, room) as Uint32Array, f16 as never)) as GpuArray,
          );
          continue;
        }
        const isInput = operand.range === "input";
        const after = operand.isWritten
          ? meant?.[name]
          : one === itself && meant
            ? stored(bytes, first, meant[first.name] as Uint8Array, given)
            : bytes;
        const range = own.range(name, bytes, unitOf(type), before, after);
        // What goes with another array has no room for what lies behind that.
        const isAlone = operands.every((other) => other.operand.isOneEach !== name);
        const isOnGpu = isInput ? isCounted : operand.count !== undefined && before % 2 === 0 && isAlone;
        // A length that is more than there is room for stands for the room. Other arrays have room for what lies behind them.
        const word = isInput && one.length === room && before % 5 === 4 ? room + 900 : one.length;
        const most = isInput ? room : room + Math.floor(BEHIND / type.bytes);
        const lengths = isOnGpu
          ? { length: own.range(`${name}'s length`, wordOf(word), 4, 1), maxLength: most }
          : { length: room };
        arrays[name] = keep((await fold.wrap({ ...range, type, ...lengths } as never)) as GpuArray);
      }
      const into = itself
        ? arrays[itself.operand.name]
        : takesInto(called) && step.into !== undefined
          ? keep(await intoOnGpu(called, given, own, meant, step.into))
          : undefined;
      const pending = callOn(fold, described.primitive, arrays, { ...options, ...(into && { into }) });
      // Neither the call nor its results need the arrays any more, even if these have their length.
      for (const one of before % 2 === 1 ? operands : []) {
        if (!one.operand.isWritten && one !== itself) {
          arrays[one.operand.name]?.destroy();
        }
      }
      const result = await pending;
      const found: Found[] = [];
      for (const { operand, type } of operands.filter((one) => one.operand.isWritten)) {
        found.push([{ name: operand.name, type }, (await arrays[operand.name]?.read()) as AnyArray]);
      }
      for (const [one, array] of resultsOf(called.results, result)) {
        found.push([one, (await keep(array as GpuArray).read()) as AnyArray]);
      }
      if (place === "uploaded" && before % 2 === 0) {
        const nowOf = async ({ operand }: Filled): Promise<AnyArray> =>
          (await arrays[operand.name]?.read()) as AnyArray;
        await requireUnchanged(operands, into, nowOf, arrays, title);
      }
      const [[, array] = []] = resultsOf(called.results, result);
      const further = step.isChained
        ? await furtherCalls(fold, array as GpuArray, keep, before % 2 === 1)
        : [];
      return { found, further };
    });
    if ("refusal" in made) {
      return refused(called, made.refusal, meant !== undefined);
    }
    const { found, further } = made.result;
    for (const [{ name, type, hasGaps }, array] of meant ? found : []) {
      // What lies in the gaps of the caller's array is compared with all of its buffer.
      if (!(hasGaps && (itself || step.into !== undefined))) {
        requireEqual(array, arrayOf(type, meant?.[name] as Uint8Array), `${title}: ${name}`);
      }
    }
    if (meant && !first.hasGaps) {
      requireFurther(further, arrayOf(first.type, meant[first.name] as Uint8Array), first.type, title);
    }
    const encoder = fold.device.createCommandEncoder();
    await requireBytes(
      fold.device,
      encoder,
      own.expected,
      own.made as GPUBuffer[],
      (name) => `${title} writes ${name}`,
    );
    return "passed";
  } finally {
    destroyAll(own);
  }
}

/** An array in a buffer of the caller's, for the first result of a call. */
async function intoOnGpu(
  { fixture: { fold }, results }: Called,
  given: Given,
  own: Own,
  meant: Meant | undefined,
  before: number,
): Promise<GpuArray> {
  const [first] = results as readonly [Result];
  const { name, type, most } = first;
  const room = new Uint8Array(most * type.bytes).fill(FILL);
  const after = meant ? stored(room, first, meant[name] as Uint8Array, given) : room;
  const range = own.range("into", room, unitOf(type), before, after);
  return (await fold.wrap({ ...range, type, length: most } as never)) as GpuArray;
}

/** The recording's plan: it is the same for each step, unless it is for a shape. */
function planOf(called: Called, given: Given): Promise<Prepared | undefined> {
  const { spec, described, fixture, title, mustWork } = called;
  const { isOfShape, recorded } = given.example;
  const { options: own = given.planned } = given;
  const { fold } = fixture;
  const { maxLength } = spec;
  const name = prepareName(described.primitive);
  const prepare = async (): Promise<Prepared> => {
    const operands = isOfShape ? given.operands : given.operandsOf(Math.max(1, maxLength));
    const request = requestOf(called, { ...given, operands }, isOfShape ? own : given.planned);
    return (fold[name as keyof Fold] as unknown as (options: object) => Promise<Prepared>).call(fold, {
      ...typesOnly(request.options as Readonly<Record<string, unknown>>),
      ...recorded?.options,
      maxLength,
      lengthOnGpu: given.isCounted,
    });
  };
  const key = `described ${JSON.stringify(spec)}${isOfShape ? JSON.stringify(own.segments) : ""}`;
  return preparedOn(fixture, key, title, mustWork, prepare);
}

async function runRecorded(called: Called, given: Given, step: DescribedStep): Promise<Verdict> {
  const { device } = called.fixture.fold;
  const { layout } = step;
  const title = `${called.title}, recorded, ${given.length} items${layout ? `, ${layout}` : ""}`;
  // No shape is that of nothing.
  const hasShape = !given.example.isOfShape || given.options !== undefined;
  const prepared = hasShape ? await planOf(called, given) : undefined;
  if (prepared === undefined) {
    return "refused";
  }
  const mustWork = called.mustWork || layout === undefined;
  const refuse = (refusal: Error): Verdict => {
    // No binding may reach from a range to another one in the same buffer.
    if (mustWork && (layout === undefined || refusal.name !== "LimitError")) {
      throw new Fault(`${title} is refused, and must work: ${oneLine(refusal)}`);
    }
    return "refused";
  };
  let recording = recordingOf(called, given, step, given.example.isInOrder ? undefined : {});
  if (given.example.isInOrder) {
    const { ranges, own } = recording;
    const told = attemptNow(title, false, () => (prepared as Partial<PreparedScan>).groupingOf?.(ranges));
    destroyAll(own);
    if ("refusal" in told) {
      return refuse(told.refusal);
    }
    const { subgroupMinSize, subgroupMaxSize } = contextOf(device).facts;
    // Nobody knows the order of a kernel whose subgroups may have several sizes.
    const isOpen = (grouping: Grouping): boolean =>
      grouping.algorithm === "subgroup" && subgroupMinSize !== subgroupMaxSize;
    if (told.result === undefined) {
      destroyAll(own);
      throw new Fault(`${title} tells no order`);
    }
    if (isOpen(told.result)) {
      return "refused";
    }
    recording = recordingOf(called, given, step, { grouping: told.result });
  }
  const { ranges, own } = recording;
  const encoder = device.createCommandEncoder();
  const made = attemptNow(title, false, () => prepared.record(encoder, ranges));
  if ("refusal" in made) {
    destroyAll(own);
    return refuse(made.refusal);
  }
  await requireBytes(
    device,
    encoder,
    own.expected,
    own.made as GPUBuffer[],
    (name) => `wrong in ${title}'s ${name}`,
  );
  destroyAll(own);
  return "passed";
}

function destroyAll({ made }: Own): void {
  for (const one of made) {
    one.destroy();
  }
}

/** The ranges of a recording, whose results are those of the reference with more options. Without these, nothing is expected yet. */
function recordingOf(
  called: Called,
  given: Given,
  step: DescribedStep,
  more: object | undefined,
): { readonly own: Own; readonly ranges: never } {
  const { described } = called;
  const { before, layout } = step;
  const { firstIndex: index = 0 } = step;
  const firstIndex = described.examples.keepsBelowWrap ? index % 2 ** 31 : index;
  const { operands, length, isCounted } = given;
  const likeThat = { ...given, options: given.options && { ...given.options, ...more } };
  const whole = (more && meaningOf(described, likeThat, called.results, firstIndex)) ?? {};
  // If there is no result, its ranges are those of a longer recording.
  const some =
    given.options || (isCounted && called.spec.maxLength > 0)
      ? given
      : { ...given, operands: given.operandsOf(Math.max(1, called.spec.maxLength)) };
  const options = isCounted ? given.planned : (given.options ?? given.planned);
  const { results: all, numbers, aliases = {}, initial } = requestOf(called, some, options);
  const [results, meant] = withRest(given, all, whole);
  const own = ownBuffers(called);
  const counted = results.find((one) => one.length === "count");
  const [first] = results as readonly [Result];
  const isInPlace = layout === "in place" && inPlaceOf({ ...called, results }, given) !== undefined;
  // All ranges start at vectors, or each at another item.
  const apart = before % 16 === 0 ? 0 : 1;
  const read = operands.map(({ operand: { name, range, isWritten }, type, bytes }, at) => ({
    name: range,
    bytes,
    itemBytes: unitOf(type),
    items: before + apart * at,
    ...(isWritten && { after: meant[name] }),
    ...(isInPlace &&
      range === "input" && { after: stored(bytes, first, meant[first.name] ?? NOTHING, given) }),
  })) as readonly OwnRange[];
  const written = results.map((result, at): OwnRange => {
    const bytes = new Uint8Array(result.most * result.type.bytes).fill(FILL);
    const after = stored(bytes, result, meant[result.name] ?? NOTHING, given);
    return {
      name: result.range,
      bytes,
      after,
      itemBytes: unitOf(result.type),
      items: before + apart * (1 + at),
    };
  });
  const arrays = placedRanges(own, read, isInPlace ? written.slice(1) : written, layout);
  if (isInPlace) {
    arrays[first.range] = arrays.input;
  }
  for (const [range, name] of Object.entries(aliases)) {
    arrays[range] = arrays[operands.find(({ operand }) => operand.name === name)?.operand.range ?? ""];
  }
  const ranges = {
    ...inLists(Object.entries(arrays)),
    ...(counted && {
      count: own.range(
        "count",
        new Uint8Array(4).fill(FILL),
        4,
        before,
        wordOf((meant[counted.name]?.length ?? 0) / counted.type.bytes),
      ),
    }),
    ...numbers,
    ...(initial !== undefined && { initial }),
    ...recordedParams(options),
    ...(firstIndex > 0 && { firstIndex }),
    length: isCounted ? own.range("length", wordOf(length), u32.bytes, 1) : length,
  };
  return { own, ranges: ranges as never };
}

const NOTHING = new Uint8Array();

/** Places the ranges that a recording reads, and those that it writes, by their names. */
function placedRanges(
  own: Own,
  read: readonly OwnRange[],
  written: readonly OwnRange[],
  layout: ExampleLayout | undefined,
): Record<string, unknown> {
  const isTogether = ({ name }: OwnRange): boolean => layout === "together" && name !== "count";
  const [first] = written;
  const behind = layout === "behind" ? first : undefined;
  const groups = [
    ...read.map((one) => (one.name === "input" && behind ? [one, behind] : [one])),
    ...written.filter((one) => one !== behind && !isTogether(one)).map((one) => [one]),
    written.filter(isTogether),
  ];
  return Object.fromEntries(
    groups
      .filter(({ length }) => length > 0)
      .flatMap((group) => own.place(...group).map((range, at) => [group[at]?.name, range])),
  );
}

/** The results of a recording that stores the last elements of one in a range of their own, and what these are. */
function withRest(
  { example: { recorded } }: Given,
  results: readonly Result[],
  meant: Meant,
): readonly [readonly Result[], Meant] {
  if (recorded === undefined) {
    return [results, meant];
  }
  const { of, from, range } = recorded.rest;
  const result = results.find(({ name }) => name === of) as Result;
  const all = meant[of] ?? NOTHING;
  const [count = 0] = new Uint32Array((meant[from] ?? NOTHING).slice().buffer);
  const end = count * result.type.bytes;
  return [
    [...results, { ...result, name: range, range }],
    { ...meant, [of]: all.subarray(0, end), [range]: all.subarray(end) },
  ];
}
