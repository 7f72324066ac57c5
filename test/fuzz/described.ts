import fc from "fast-check";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { u32 } from "../../src/algebra/integers.ts";
import type { ElementType, NarrowName, Value } from "../../src/algebra/types.ts";
import { contextOf } from "../../src/gpu/device/device.ts";
import type { GpuArray } from "../../src/gpu/gpu_arrays/gpu_array.ts";
import type { Prepared } from "../../src/gpu/recordings/recording.ts";
import type { Fold } from "../../src/node.ts";
import type { Grouping } from "../../src/plan/grouping.ts";
import { inLists } from "../../src/plan/ranges.ts";
import type { Arguments, Filled } from "../../src/primitives/example_calls.ts";
import { asArray, callOn, exampleOf } from "../../src/primitives/example_calls.ts";
import type { ExampleLayout } from "../../src/primitives/examples.ts";
import type { Request, Result } from "../../src/primitives/primitive.ts";
import type { PreparedScan } from "../../src/primitives/scan.ts";
import { sort } from "../../src/primitives/sort.ts";
import { compactReference } from "../../src/reference/compact.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { recordedParams, typesOnly, withParams } from "../support/params.ts";
import { described, prepareName } from "../support/primitives.ts";
import type { Meant } from "./described_arguments.ts";
import { argumentsOf, meaningOf, optionArbitraries } from "./described_arguments.ts";
import { runAtHand } from "./described_at_hand.ts";
import type { Called, DescribedSpec, DescribedStep, Given } from "./described_call.ts";
import {
  hazards,
  intoItself,
  placeOf,
  places,
  refused,
  requestOf,
  requireUnchanged,
  resultsOf,
  stored,
  takesInto,
} from "./described_call.ts";
import type { Fixture } from "./fixture.ts";
import { hasFeature } from "./fixture.ts";
import type { Scale } from "./plans.ts";
import { dataArbitrary, oneIn, Pooled, sizeAround, typeArbitrary } from "./plans.ts";
import type { Expected } from "./ranges.ts";
import { BEHIND, bufferMaker, FILL, placed, preparedOn, requireBytes } from "./ranges.ts";
import { requireEqual } from "./require_equal.ts";
import { preparedSort, sortings } from "./sortings.ts";
import { arrayOf, typeOf } from "./values.ts";
import type { Verdict } from "./verdict.ts";
import { atOnce, attempt, attemptNow, Fault, oneLine, verdictOf } from "./verdict.ts";

// Calls of each primitive that src/primitives/ describes, by its examples: at hand, on the GPU and recorded. All results are exact. Of
// recordings, and of arrays in buffers of the caller's, all bytes of all buffers are compared.

export const layouts: readonly ExampleLayout[] = ["in place", "behind", "together"];

/** A call, and how it is made again and again. */
interface Repeated {
  readonly call: DescribedSpec;
  readonly steps: readonly DescribedStep[];
  /** Whether no step waits for the one before. */
  readonly atOnce?: boolean;
}

export interface DescribedCase extends Repeated {
  readonly family: "described";
  /** Another call, at the same time. */
  readonly beside?: Repeated;
}

/** The primitives whose ranges may be longer than a binding. */
const goInWindows: readonly string[] = ["scan", "reduce", "compact"];

export function describedArbitrary(scale: Scale, inWindows = false): fc.Arbitrary<DescribedCase> {
  const length = sizeAround(Math.min(scale.usualLength, 50_000));
  const longest = sizeAround(Math.min(scale.rareLength, 200_000));
  const some = described.filter(({ primitive }) => !inWindows || goInWindows.includes(primitive.name));
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
        maxLength: fc.oneof({ weight: 40, arbitrary: length }, { weight: 1, arbitrary: longest }),
        example: fc.nat({ max: 99 }),
        seed: fc.nat({ max: 0xffff }),
        options: fc.record(optionArbitraries(primitive), { requiredKeys: [] }),
        lengthOnGpu: fc.boolean(),
        params: fc.boolean(),
        ...(primitive.plan === sort.plan && { sorting: fc.constantFrom(...sortings) }),
      },
      { requiredKeys: ["primitive", "type", "maxLength", "example", "seed"] },
    ),
  );
  const step = fc.record(
    {
      place: fc.constantFrom(...places, "recorded" as const),
      // No more than the call is for, and often as much.
      length: fc.oneof({ weight: 5, arbitrary: length }, { weight: 1, arbitrary: longest }),
      data: dataArbitrary(),
      before: fc.integer({ min: 0, max: 9 }),
      // The index of an item is taken modulo 2^32.
      firstIndex: oneIn(4, fc.oneof(fc.nat(), fc.integer({ min: 2 ** 32 - 600, max: 2 ** 32 - 1 }))),
      layout: fc.constantFrom(...layouts),
      into: fc.integer({ min: 0, max: 9 }),
      isChained: fc.boolean(),
      hazard: oneIn(2, fc.record({ kind: fc.constantFrom(...hazards), operand: fc.nat({ max: 9 }) })),
    },
    { requiredKeys: ["place", "length", "data", "before"] },
  );
  const repeated = {
    call: new Pooled(fc.oneof(...calls), (scale.software ? 4 : 12) * calls.length),
    steps: fc.array(step, { minLength: 1, maxLength: 4 }),
    atOnce: fc.boolean(),
  };
  return fc.record(
    {
      family: fc.constant("described" as const),
      ...repeated,
      beside: oneIn(4, fc.record({ ...repeated, steps: fc.array(step, { minLength: 1, maxLength: 2 }) })),
    },
    { requiredKeys: ["family", "call", "steps"] },
  ) as fc.Arbitrary<DescribedCase>;
}

export const runDescribed = ({ beside, ...one }: DescribedCase, fixture: Fixture): Promise<Verdict> =>
  atOnce(beside ? [one, beside] : [one], (calls) => runCalls(calls, fixture));

async function runCalls({ call, steps, ...how }: Repeated, fixture: Fixture): Promise<Verdict> {
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
  const verdict = await (how.atOnce ? atOnce : verdictOf)(steps, async (step: DescribedStep) => {
    const isRecorded =
      (step.place === "recorded" || example.isInOrder === true) && prepareName(of.primitive) in fixture.fold;
    const { withShortRow } = of.examples;
    const isCounted =
      (!example.isLengthKnown || withShortRow !== undefined) &&
      (isRecorded ? call.lengthOnGpu === true : step.place === "counted");
    const length = Math.min(step.length, call.maxLength);
    const any = argumentsOf(of, type, drawn, {
      length,
      room: isCounted ? call.maxLength : length,
      data: step.data,
    });
    const given =
      isCounted && example.isLengthKnown && withShortRow
        ? { ...any, options: withShortRow(any.planned, length) as Arguments["options"] }
        : any;
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
    const planned = {
      ...typesOnly(request.options as Readonly<Record<string, unknown>>),
      ...recorded?.options,
      maxLength,
      lengthOnGpu: given.isCounted,
    };
    return (
      preparedSort(fold.device, planned, spec.sorting) ??
      (fold[name as keyof Fold] as unknown as (options: object) => Promise<Prepared>).call(fold, planned)
    );
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
  const inPlace = new Map(
    results.flatMap((one) => {
      const place = layout === "in place" && placeOf(one, results, given);
      return place ? [[place.operand.range, one] as const] : [];
    }),
  );
  // All ranges start at vectors, or each at another item.
  const apart = before % 16 === 0 ? 0 : 1;
  const afterThat = (bytes: Uint8Array, result: Result): Uint8Array =>
    stored(bytes, result, meant[result.name] ?? NOTHING, given);
  const read = operands.map(({ operand: { name, range, isWritten }, type, bytes }, at) => {
    const result = inPlace.get(range);
    return {
      name: range,
      bytes,
      itemBytes: unitOf(type),
      items: before + apart * at,
      ...(isWritten && { after: meant[name] }),
      ...(result && { after: afterThat(bytes, result) }),
    };
  }) as readonly OwnRange[];
  const written = results.map((result, at): OwnRange => {
    const bytes = new Uint8Array(result.most * result.type.bytes).fill(FILL);
    const after = afterThat(bytes, result);
    return {
      name: result.range,
      bytes,
      after,
      itemBytes: unitOf(result.type),
      items: before + apart * (1 + at),
    };
  });
  const elsewhere = written.filter((_, at) => ![...inPlace.values()].includes(results[at] as Result));
  const arrays = placedRanges(own, read, elsewhere, layout);
  for (const [range, result] of inPlace) {
    arrays[result.range] = arrays[range];
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
