import fc from "fast-check";
import { emptyLike, valuesOf } from "../../src/algebra/array_values.ts";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import type { StructType } from "../../src/algebra/struct.ts";
import type { Value } from "../../src/algebra/types.ts";
import { compactReference } from "../../src/reference/compact.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { scanReference } from "../../src/reference/scan.ts";
import type { Fixture } from "./fixture.ts";
import { junkNames, junkValue } from "./junk.ts";
import type { PlanFacts, PlanSpec, Scale } from "./plans.ts";
import {
  boundsOf,
  dataArbitrary,
  dataFor,
  factsOf,
  isBounded,
  isDefined,
  mostItems,
  numberAt,
  orderOf,
  Pooled,
  placeAfter,
  planArbitrary,
  sizeAround,
} from "./plans.ts";
import { canRun } from "./recorded.ts";
import type { DataSpec } from "./values.ts";
import { arrayOf, bitsOf, bytesOf } from "./values.ts";
import type { Verdict } from "./verdict.ts";
import { attempt, attemptNow, Fault, oneLine, verdictOf } from "./verdict.ts";

// Calls at hand: typed array in, typed array out; with arrays that change hands on the way, and options that do not belong
// to the call.

/** What becomes of the array: its memory is shared; it is gone before the call; it goes, or shrinks, during the call. */
const hazards = ["shared", "detached", "transferred", "shrunk"] as const;
type Hazard = (typeof hazards)[number];

const optionNames = [
  "op",
  "type",
  "from",
  "map",
  "where",
  "flags",
  "indices",
  "exclusive",
  "reverse",
  "maxLength",
  "lengthOnGpu",
  "indirect",
  "algorithm",
  "passes",
  "workGroupSize",
  "itemsPerThread",
  "length",
  "grouping",
  "other",
] as const;

/** Options that another call takes. */
const likely = [
  ["lengthOnGpu", "true"],
  ["indirect", "draw"],
  ["maxLength", "one"],
  ["maxLength", "huge"],
  ["exclusive", "true"],
  ["reverse", "true"],
  ["indices", "true"],
  ["flags", "true"],
  ["flags", "words"],
  ["where", "text"],
  ["from", "undefined"],
] satisfies [(typeof optionNames)[number], string][];

/** One call. */
export interface CallSpec {
  readonly plan: PlanSpec;
  readonly length: number;
  readonly data: DataSpec;
  /** Where its items start in the array's memory. */
  readonly offset?: number;
  readonly hazard?: Hazard;
  /** Options beside, by the names of values. */
  readonly extra?: Readonly<Record<string, string>>;
}

export interface AtHandCase {
  readonly family: "at-hand";
  /** Made at once. */
  readonly calls: readonly CallSpec[];
}

export function atHandArbitrary(scale: Scale): fc.Arbitrary<AtHandCase> {
  const length = fc.oneof(
    { weight: 40, arbitrary: sizeAround(scale.usualLength) },
    { weight: 1, arbitrary: sizeAround(scale.rareLength) },
  );
  const extra = fc
    .array(
      fc.oneof(
        fc.tuple(fc.constantFrom(...optionNames), fc.constantFrom(...junkNames)),
        fc.constantFrom<[(typeof optionNames)[number], string][]>(...likely),
      ),
      { minLength: 1, maxLength: 2 },
    )
    .map(
      (pairs) => Object.fromEntries(pairs),
      (given) => Object.entries(given as Record<string, string>) as [(typeof optionNames)[number], string][],
    );
  const call: fc.Arbitrary<CallSpec> = fc.record(
    {
      plan: new Pooled(planArbitrary(scale), scale.software ? 12 : 60),
      length,
      data: dataArbitrary(),
      offset: fc.nat({ max: 9 }),
      hazard: fc.oneof(
        { weight: 4, arbitrary: fc.constant(undefined) },
        { weight: 3, arbitrary: fc.constantFrom(...hazards) },
      ) as fc.Arbitrary<Hazard>,
      extra: fc.oneof(
        { weight: 3, arbitrary: fc.constant(undefined) },
        { weight: 1, arbitrary: extra },
      ) as fc.Arbitrary<Record<string, string>>,
    },
    { requiredKeys: ["plan", "length", "data"] },
  );
  return fc.record({
    family: fc.constant("at-hand" as const),
    calls: fc.array(call, { minLength: 1, maxLength: 3 }),
  });
}

interface Made {
  readonly array: AnyArray;
  readonly data: Uint8Array;
  readonly buffer: ArrayBuffer;
}

/** An array over its own memory, at some offset of it. */
function makeArray(facts: PlanFacts, call: CallSpec): Made {
  const { from } = facts;
  const data = dataFor(facts, call.data, call.length);
  const start = (call.offset ?? 0) * from.bytes;
  const size = start + data.length + 2 * from.bytes;
  const buffer = (
    call.hazard === "shared"
      ? new SharedArrayBuffer(size)
      : call.hazard === "shrunk"
        ? new (ArrayBuffer as unknown as new (bytes: number, options: object) => ArrayBuffer)(size, {
            maxByteLength: size,
          })
        : new ArrayBuffer(size)
  ) as ArrayBuffer;
  new Uint8Array(buffer).set(data, start);
  const like = arrayOf(from, new Uint8Array(0));
  const array =
    from.kind === "struct"
      ? ((from as StructType).over(buffer, start, call.length) as unknown as AnyArray)
      : new (like.constructor as new (bytes: ArrayBuffer, offset: number, length: number) => AnyArray)(
          buffer,
          start,
          call.length,
        );
  return { array, data, buffer };
}

/** Makes all calls of a case at once, and compares what they give. */
export async function runAtHand({ calls }: AtHandCase, fixture: Fixture): Promise<Verdict> {
  const started = calls.map((given) => {
    const facts = factsOf(given.plan);
    const call = { ...given, length: Math.min(given.length, mostItems(facts)) };
    const made = attemptNow(`an array of ${facts.from.name}`, false, () => makeArray(facts, call));
    if ("refusal" in made) {
      return undefined;
    }
    const { array, data, buffer } = made.result;
    if (call.hazard === "detached") {
      structuredClone(buffer, { transfer: [buffer] });
    }
    const flags = facts.usesFlags ? flagsOf(call) : undefined;
    const promise = start(fixture, facts, call, array, flags);
    // What goes wrong is found below.
    promise.catch(() => undefined);
    if (call.hazard === "transferred") {
      structuredClone(buffer, { transfer: [buffer] });
    } else if (call.hazard === "shrunk") {
      (buffer as unknown as { resize(bytes: number): void }).resize(Math.floor(buffer.byteLength / 2));
    }
    return { call, facts, data, flags, promise };
  });
  const verdict = await verdictOf(started, async (one) => (one ? finish(fixture, one) : "refused"));
  await fixture.requireNoError("calls at hand");
  return verdict;
}

const flagsOf = ({ data, length }: CallSpec): Uint8Array => {
  const next = bitsOf(data.seed + 1);
  return Uint8Array.from({ length }, () => (next() % 2 === 0 ? 0 : 1 + (next() % 255)));
};

/** What a call is given but for the options beside. */
const ownOptions = (
  { plan }: CallSpec,
  { options, type, from }: PlanFacts,
  flags: Uint8Array | undefined,
): Readonly<Record<string, unknown>> => {
  const isMapped = plan.map !== undefined;
  return {
    ...options,
    ...(isMapped && from !== type && { type }),
    // Where the runtime has no Float16Array.
    ...(from.name === "f16" && (isMapped ? { from, type } : { type })),
    ...(flags !== undefined && { flags }),
  };
};

async function start(
  { fold }: Fixture,
  facts: PlanFacts,
  call: CallSpec,
  array: AnyArray,
  flags: Uint8Array | undefined,
): Promise<unknown> {
  const options = {
    ...ownOptions(call, facts, flags),
    ...Object.fromEntries(Object.entries(call.extra ?? {}).map(([name, value]) => [name, junkValue(value)])),
  };
  const method = fold[call.plan.primitive].bind(fold) as unknown as (
    data: AnyArray,
    options: object,
  ) => Promise<unknown>;
  return method(array, options);
}

async function finish(
  fixture: Fixture,
  one: {
    readonly call: CallSpec;
    readonly facts: PlanFacts;
    readonly data: Uint8Array;
    readonly flags: Uint8Array | undefined;
    readonly promise: Promise<unknown>;
  },
): Promise<Verdict> {
  const { call, facts, data, flags, promise } = one;
  const title = `${facts.title} at hand${call.hazard === undefined ? "" : ` (${call.hazard})`}${
    call.extra === undefined ? "" : ` with ${Object.keys(call.extra).join(", ")}`
  }`;
  const made = await attempt(title, false, () => promise);
  if ("refusal" in made) {
    const { refusal } = made;
    if (
      call.hazard === undefined &&
      call.extra === undefined &&
      canRun(fixture, facts) &&
      refusal.name !== "LimitError"
    ) {
      throw new Fault(`${title} is refused, and must work: ${oneLine(refusal)}`);
    }
    return "refused";
  }
  if (!facts.fits) {
    throw new Fault(`${title} works, and the operator does not take the type`);
  }
  // Of an array that is gone nothing is left.
  const items = call.hazard === "detached" ? new Uint8Array(0) : data;
  if (changesMeaning(call, ownOptions(call, facts, flags))) {
    return "passed";
  }
  requireResult(facts, items, flags, made.result, title);
  return "passed";
}

/** Whether options beside make it another call. One that is undefined takes the place of the call's own. */
const changesMeaning = ({ extra = {}, plan }: CallSpec, own: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(extra).some(
    ([name, value]) =>
      ["op", "type", "from", "map", "where", "flags", "indices", "exclusive", "reverse"].includes(name) &&
      !(
        plan.primitive === "reduce" && ["exclusive", "reverse", "where", "flags", "indices"].includes(name)
      ) &&
      !(plan.primitive === "scan" && ["where", "flags", "indices"].includes(name)) &&
      !(plan.primitive === "compact" && ["op", "exclusive", "reverse"].includes(name)) &&
      (value !== "undefined" || own[name] !== undefined),
  );

/** Compares what a call gave with the reference. */
function requireResult(
  facts: PlanFacts,
  data: Uint8Array,
  flags: Uint8Array | undefined,
  actual: unknown,
  title: string,
): void {
  const { spec, type, from, op } = facts;
  if (!isDefined(facts, data)) {
    return;
  }
  const array = arrayOf(from, data);
  const length = data.length / from.bytes;
  const types = {
    ...(type.name === "f16" && { type }),
    ...(facts.map !== undefined && { type, from, map: facts.map }),
  };
  let result: AnyArray;
  if (spec.primitive === "reduce") {
    const like = emptyLike(arrayOf(type, new Uint8Array(0)), 1, type);
    try {
      like.set(0, actual as Value);
    } catch {
      throw new Fault(`${title} gives ${String(actual)}, which is no value of ${type.name}`);
    }
    result = like.array;
  } else {
    result = actual as AnyArray;
    if (typeof result?.length !== "number" || typeof result.byteLength !== "number") {
      throw new Fault(`${title} gives no array`);
    }
  }
  if (isBounded(facts)) {
    const values = valuesOf(array, from);
    const numbers = (index: number): number =>
      Number(type.round(facts.map === undefined ? values(index) : facts.map(values(index), index)));
    const all = boundsOf(
      facts,
      numbers,
      length,
      spec.primitive === "scan" && spec.exclusive === true,
      length,
    );
    const bounds =
      spec.primitive === "scan" ? all : all && [all.at(-1) ?? { value: op.name === "add" ? 0 : 1, bound: 0 }];
    const bytes = bytesOf(result);
    if (bounds !== undefined && result.length !== bounds.length) {
      throw new Fault(`${title} gives ${result.length} items instead of ${bounds.length}`);
    }
    bounds?.forEach(({ value, bound }, index) => {
      const own = numberAt(type, bytes, index);
      if (!(Math.abs(own - value) <= bound)) {
        throw new Fault(`${title}: item ${index} is ${own}; it may be off ${value} by ${bound}`);
      }
    });
    return;
  }
  if (
    type.name === "f64" &&
    spec.primitive !== "compact" &&
    (op.name === "add" || op.name === "mul") &&
    length > 1
  ) {
    // At hand, nothing says in which order sums are taken.
    requireNear(facts, array, result, title);
    return;
  }
  const twin = { op, ...types };
  const expected =
    spec.primitive === "scan"
      ? scanReference(array, { ...twin, ...orderOf(spec) } as never)
      : spec.primitive === "reduce"
        ? singleOf(facts, reduceReference(array, twin as never))
        : compactReference(
            array,
            (facts.keep ?? ((_: Value, index: number) => flags?.[index] !== 0)) as never,
            {
              ...types,
              ...(facts.indices && { indices: true }),
            } as never,
          );
  requireSameBytes(result, expected, facts, title);
}

function singleOf({ type }: PlanFacts, value: Value): AnyArray {
  const { array, set } = emptyLike(arrayOf(type, new Uint8Array(0)), 1, type);
  set(0, value);
  return array;
}

function requireSameBytes(actual: AnyArray, expected: AnyArray, { type }: PlanFacts, title: string): void {
  if (actual.length !== expected.length || actual.constructor !== expected.constructor) {
    throw new Fault(
      `${title} gives ${actual.constructor.name} of ${actual.length} items instead of ${expected.constructor.name} of ${expected.length}`,
    );
  }
  const a = bytesOf(actual);
  const e = bytesOf(expected);
  const isOpen = (index: number): boolean =>
    type.name === "f64" &&
    actual instanceof Float64Array &&
    Number.isNaN(actual[Math.floor(index / 8)]) &&
    Number.isNaN((expected as Float64Array)[Math.floor(index / 8)]);
  const wrong = e.findIndex((byte, index) => byte !== a[index] && !isOpen(index));
  if (wrong >= 0) {
    const size = e.length / expected.length;
    const item = Math.floor(wrong / size);
    const show = (bytes: Uint8Array): string =>
      [...bytes.subarray(item * size, (item + 1) * size)]
        .map((byte) => byte.toString(16).padStart(2, "0"))
        .join("");
    throw new Fault(
      `${title}: item ${item} of ${expected.length} has the bytes ${show(a)}, and the CPU ${show(e)}`,
    );
  }
}

/** f64 sums and products in any order: far more exactly than any element that is left out would make a difference. */
function requireNear(
  { spec, type, from, op, map }: PlanFacts,
  array: AnyArray,
  result: AnyArray,
  title: string,
): void {
  const values = valuesOf(array, from);
  const exclusive = spec.primitive === "scan" && spec.exclusive === true;
  const isSum = op.name === "add";
  const read = valuesOf(result, type);
  let value = isSum ? 0 : 1;
  let magnitude = 0;
  let isFollowed = true;
  const isScan = spec.primitive === "scan";
  if (isScan && result.length !== array.length) {
    throw new Fault(`${title} gives ${result.length} items instead of ${array.length}`);
  }
  const require = (before: number, count: number): void => {
    const index = placeAfter(spec, before, array.length);
    const actual = Number(read(index));
    const bound = count * 2 ** -52 * (isSum ? magnitude : Math.abs(value));
    if (isFollowed && !(Math.abs(actual - value) <= bound)) {
      throw new Fault(`${title}: item ${index} is ${actual}; it may be off ${value} by ${bound}`);
    }
  };
  for (let index = 0; index < array.length; index++) {
    if (isScan && exclusive) {
      require(index, index);
    }
    const place = placeAfter(spec, index, array.length);
    const x = Number(map === undefined ? values(place) : map(values(place), place));
    value = isSum ? value + x : value * x;
    magnitude += Math.abs(x);
    const size = Math.abs(value);
    isFollowed &&= isSum ? magnitude < 2 ** 1000 : size < 2 ** 500 && size > 2 ** -500;
    if (isScan && !exclusive) {
      require(index, index + 1);
    }
  }
  if (!isScan) {
    require(0, array.length);
  }
}
