import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { valuesOf } from "../../src/algebra/array_values.ts";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { u32 } from "../../src/algebra/integers.ts";
import type { ElementType, NarrowName } from "../../src/algebra/types.ts";
import { ArgumentError } from "../../src/errors.ts";
import { contextOf } from "../../src/gpu/device/device.ts";
import type { GpuArray } from "../../src/gpu/gpu_arrays/gpu_array.ts";
import type { Prepared } from "../../src/gpu/recordings/recording.ts";
import type { Fold } from "../../src/node.ts";
import { givenAs, inLists } from "../../src/plan/ranges.ts";
import type { Arguments } from "../../src/primitives/example_calls.ts";
import { asArray, callOn, exampleOf, optionsAtHand } from "../../src/primitives/example_calls.ts";
import type { Request, Result } from "../../src/primitives/primitive.ts";
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
import { requireEqual } from "./segments.ts";
import type { DataSpec, TypeSpec } from "./values.ts";
import { arrayOf, typeOf } from "./values.ts";
import type { Verdict } from "./verdict.ts";
import { attempt, attemptNow, Fault, oneLine, verdictOf } from "./verdict.ts";

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
}

export interface DescribedCase {
  readonly family: "described";
  readonly call: DescribedSpec;
  readonly steps: readonly DescribedStep[];
}

export function describedArbitrary(scale: Scale): fc.Arbitrary<DescribedCase> {
  const length = sizeAround(Math.min(scale.usualLength, 50_000));
  const calls = described.map(({ primitive, examples }) =>
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
      firstIndex: oneIn(4, fc.nat()),
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

export async function runDescribed({ call, steps }: DescribedCase, fixture: Fixture): Promise<Verdict> {
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
  const title = `${call.primitive}<${type.name}> ${JSON.stringify(options)}`;
  const whole = argumentsOf(of, type, drawn, {
    length: Math.max(1, call.maxLength),
    room: Math.max(1, call.maxLength),
    data: { kind: "small", seed: 0 },
  });
  const twins = Object.values(example.twins ?? {}) as readonly Partial<ElementType>[];
  const types = [type, ...twins, ...whole.operands.map((one) => one.type)];
  const mustWork =
    types.every((one) => hasFeature(fixture, one.feature)) &&
    (options.algorithm !== "subgroup" || hasFeature(fixture, "subgroups"));
  const request = await attempt(title, false, async () =>
    requestOf({ described: of, fixture }, { ...whole, isCounted: false }, options),
  );
  if ("refusal" in request) {
    return refused({ title, mustWork }, request.refusal, true);
  }
  const { results } = request.result;
  const called = { spec: call, described: of, fixture, title, mustWork, results };
  const verdict = await verdictOf(steps, (step) => {
    const isRecorded = step.place === "recorded" && prepareName(of.primitive) in fixture.fold;
    const isCounted =
      !example.isLengthKnown && (isRecorded ? call.lengthOnGpu === true : step.place === "counted");
    const length = Math.min(step.length, call.maxLength);
    const given = argumentsOf(of, type, drawn, {
      length,
      room: isCounted ? call.maxLength : length,
      data: step.data,
    });
    const run = isRecorded ? runRecorded : step.place === "at hand" ? runAtHand : runOnGpu;
    // A call whose length is known has room for as many results as follow from it.
    const own =
      isCounted || given.options === undefined
        ? called
        : { ...called, results: requestOf(called, { ...given, isCounted }, given.options).results };
    return run(own, { ...given, isCounted }, step);
  });
  await fixture.requireNoError(title);
  return verdict;
}

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
const requestOf = (
  { described: { primitive }, fixture }: Pick<Called, "described" | "fixture">,
  given: Given,
  options: object,
): Request => requestFor(contextOf(fixture.fold.device).facts, primitive, given, options);

/** The results of a call, by their names. */
function resultsOf(results: readonly Result[], made: unknown): readonly (readonly [Result, unknown])[] {
  // Those of lists are in the order of the results.
  const isListed = results.some(({ name }) => name !== givenAs(name));
  const named = isListed ? Object.values(Object(made)).flat() : results.map(({ name }) => Object(made)[name]);
  return results.map((one, at) => [one, results.length === 1 ? made : named[at]]);
}

async function runAtHand(called: Called, given: Given, { length }: DescribedStep): Promise<Verdict> {
  const { operands, options = given.planned } = given;
  const title = `${called.title} of ${length}`;
  const { primitive } = called.described;
  // There is room for all that results have.
  const results = called.results.map((one) => ({ ...one, most: Number.POSITIVE_INFINITY }));
  const meant = meaningOf(called.described, given, results, 0);
  const arrays = Object.fromEntries(operands.map((one) => [one.operand.name, asArray(one)]));
  const f16 = given.type.name === "f16" ? { type: given.type } : {};
  const made = await attempt(title, false, () =>
    callOn(called.fixture.fold, primitive, arrays, { ...optionsAtHand(primitive, options), ...f16 }),
  );
  if ("refusal" in made) {
    return given.example.isRefusedAtHand && made.refusal instanceof ArgumentError
      ? "passed"
      : refused(called, made.refusal, meant !== undefined);
  }
  if (meant === undefined) {
    throw new Fault(`${title} works, and has no result`);
  }
  for (const [{ name, type, isElement, atHand }, result] of resultsOf(called.results, made.result)) {
    const expected = arrayOf(type, meant[name] as Uint8Array);
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

/** Buffers of the caller's that a call reads, with bytes around the arrays. */
interface Own {
  readonly made: { destroy(): void }[];
  readonly expected: Expected[];
  range(
    name: string,
    bytes: Uint8Array,
    itemBytes: number,
    items: number,
    after?: Uint8Array,
  ): { buffer: GPUBuffer; offset: number };
}

function ownBuffers({ fixture: { fold } }: Called): Own {
  const made: { destroy(): void }[] = [];
  const bufferOf = bufferMaker(fold.device, made as GPUBuffer[]);
  const expected: Expected[] = [];
  return {
    made,
    expected,
    range(name, bytes, itemBytes, items, after = bytes) {
      const offset = items * itemBytes;
      const buffer = bufferOf(placed(bytes, offset));
      expected.push({ name, buffer, bytes: placed(after, offset) });
      return { buffer, offset };
    },
  };
}

/** Ranges start at multiples of this many bytes: of items that share words, at a word. */
const unitOf = ({ bytes, wide }: ElementType): number => (wide ? u32.bytes : bytes);

const wordOf = (word: number): Uint8Array => new Uint8Array(Uint32Array.of(word).buffer);

async function runOnGpu(called: Called, given: Given, step: DescribedStep): Promise<Verdict> {
  const { described, fixture } = called;
  const { fold } = fixture;
  const { place, length, before } = step;
  const { operands, isCounted } = given;
  const title = `${called.title} of ${length}, ${place}`;
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
        const range = own.range(name, bytes, unitOf(type), before);
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
      const result = await callOn(fold, described.primitive, arrays, options);
      // Results do not need the arrays any more, even if these have their length.
      for (const array of before % 2 === 1 ? Object.values(arrays) : []) {
        array.destroy();
      }
      const found: (readonly [Result, AnyArray])[] = [];
      for (const [one, array] of resultsOf(called.results, result)) {
        found.push([one, (await keep(array as GpuArray).read()) as AnyArray]);
      }
      return found;
    });
    if ("refusal" in made) {
      return refused(called, made.refusal, meant !== undefined);
    }
    for (const [{ name, type }, array] of meant ? made.result : []) {
      requireEqual(array, arrayOf(type, meant?.[name] as Uint8Array), `${title}: ${name}`);
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
    for (const one of own.made) {
      one.destroy();
    }
  }
}

/** The recording's plan: it is the same for each step. */
function planOf(called: Called, given: Given): Promise<Prepared | undefined> {
  const { spec, described, fixture, title, mustWork } = called;
  const { fold } = fixture;
  const { maxLength } = spec;
  const name = prepareName(described.primitive);
  const prepare = async (): Promise<Prepared> => {
    const request = requestOf(
      called,
      { ...given, operands: given.operandsOf(Math.max(1, maxLength)) },
      given.planned,
    );
    return (fold[name as keyof Fold] as unknown as (options: object) => Promise<Prepared>).call(fold, {
      ...typesOnly(request.options as Readonly<Record<string, unknown>>),
      maxLength,
      lengthOnGpu: given.isCounted,
    });
  };
  return preparedOn(fixture, `described ${JSON.stringify(spec)}`, title, mustWork, prepare);
}

async function runRecorded(called: Called, given: Given, step: DescribedStep): Promise<Verdict> {
  const { described, fixture } = called;
  const { device } = fixture.fold;
  const { before, firstIndex = 0 } = step;
  const { operands, length, isCounted } = given;
  const title = `${called.title}, recorded, ${length} items`;
  const prepared = await planOf(called, given);
  if (prepared === undefined) {
    return "refused";
  }
  const meant: Meant = meaningOf(described, given, called.results, firstIndex) ?? {};
  // If there is no result, its ranges are those of a longer recording.
  const some =
    given.options || (isCounted && called.spec.maxLength > 0)
      ? given
      : { ...given, operands: given.operandsOf(Math.max(1, called.spec.maxLength)) };
  const options = isCounted ? given.planned : (given.options ?? given.planned);
  const { results, numbers } = requestOf(called, some, options);
  const own = ownBuffers(called);
  const counted = results.find((one) => one.length === "count");
  const arrays = {
    ...Object.fromEntries(
      operands.map(({ operand: { range }, type, bytes }, at) => [
        range,
        own.range(range, bytes, unitOf(type), before + at),
      ]),
    ),
    ...Object.fromEntries(
      results.map(({ name, range, type, most }, at) => {
        const blank = new Uint8Array(most * type.bytes).fill(FILL);
        const after = blank.slice();
        after.set(meant[name] ?? []);
        return [range, own.range(range, blank, unitOf(type), before + 1 + at, after)];
      }),
    ),
  };
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
    ...recordedParams(options),
    ...(firstIndex > 0 && { firstIndex }),
    length: isCounted ? own.range("length", wordOf(length), u32.bytes, 1) : length,
  };
  const encoder = device.createCommandEncoder();
  attemptNow(title, true, () => prepared.record(encoder, ranges as never));
  await requireBytes(
    device,
    encoder,
    own.expected,
    own.made as GPUBuffer[],
    (name) => `wrong in ${title}'s ${name}`,
  );
  for (const one of own.made) {
    one.destroy();
  }
  return "passed";
}
