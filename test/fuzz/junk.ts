import fc from "fast-check";
import { describedAdapters } from "../../src/adapters/described.ts";
import { operator } from "../../src/algebra/custom_operator.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { add } from "../../src/algebra/operators.ts";
import { struct } from "../../src/algebra/struct.ts";
import { u64 } from "../../src/algebra/types_64.ts";
import { linkDirectives } from "../../src/in_kernel/directives.ts";
import {
  coalescedScan,
  threadTileScan,
  workGroupAllocate,
  workGroupCompact,
  workGroupScan,
  workGroupScanUpdate,
} from "../../src/in_kernel/functions.ts";
import { link } from "../../src/in_kernel/link.ts";
import { checkMonoid } from "../../src/laws/index.ts";
import type { Fold } from "../../src/node.ts";
import { openFold } from "../../src/node.ts";
import { optionsAtHand, optionsWith } from "../../src/primitives/example_calls.ts";
import { callNames } from "../../src/primitives/option_names.ts";
import { argumentsAmong } from "../../src/primitives/primitive.ts";
import {
  argMinReference,
  compactReference,
  partitionReference,
  reduceReference,
  scanReference,
} from "../../src/reference/index.ts";
import { fromSchema } from "../../src/typegpu.ts";
import {
  blelloch,
  fixedArray,
  identityOf,
  numeric,
  subgroupOf,
  vec2,
  wgslType,
  workGroupBroadcast,
  workGroupReduce,
  workGroupSort,
  workGroupSortPairs,
} from "../../src/wgsl.ts";
import type { ExampleCall, Options } from "../primitives/calls.ts";
import { arraysOf, exampleCalls, isPrepared } from "../primitives/calls.ts";
import { described, prepareName } from "../support/primitives.ts";
import type { Fixture } from "./fixture.ts";
import type { Verdict } from "./verdict.ts";
import { attempt, Fault, oneLine } from "./verdict.ts";

// Calls in which one argument, or a part of one, is of any kind: they are refused by an error of ours, or work.

/** Values of any kind, by the names that cases have for them. */
const values: Readonly<Record<string, () => unknown>> = {
  undefined: () => undefined,
  null: () => null,
  true: () => true,
  zero: () => 0,
  one: () => 1,
  minus: () => -1,
  half: () => 1.5,
  NaN: () => Number.NaN,
  infinity: () => Number.POSITIVE_INFINITY,
  huge: () => 2 ** 40,
  bigint: () => 5n,
  empty: () => "",
  text: () => "x",
  proto: () => "__proto__",
  constructor: () => "constructor",
  object: () => ({}),
  draw: () => ({ draw: { vertexCount: 3 } }),
  array: () => [],
  words: () => Uint32Array.of(3, 1, 2),
  function: () => () => 1,
};
const junkNames = Object.keys(values);
const junkValue = (name: string): unknown => values[name]?.();

/** Gives the case's value in its place, and elsewhere what is right there. */
type At = <T>(place: string, right: T) => T;

const tuning = { workGroupSize: 4, itemsPerThread: 2 } as const;
const data = (): Uint32Array => Uint32Array.of(1, 2, 3);

const planOf = (at: At) => ({
  type: at("type", u32),
  op: at("op", add),
  maxLength: at("maxLength", 8),
  workGroupSize: at("workGroupSize", 4),
  itemsPerThread: at("itemsPerThread", 2),
  ...at<object>("more", {}),
});

type Encoded = (encoder: never, ranges: never) => unknown;

/** What is recorded, prepared as it takes it. */
const preparations: Readonly<
  Record<"scan" | "reduce" | "compact", (fixture: Fixture) => Promise<{ destroy(): void }>>
> = {
  scan: ({ fold }) => fold.prepareScan({ type: u32, maxLength: 8, ...tuning }),
  reduce: ({ fold }) => fold.prepareReduce({ type: u32, maxLength: 8, ...tuning }),
  compact: ({ fold }) => fold.prepareCompact({ type: u32, where: "true", maxLength: 8, ...tuning }),
};

/** Records with ranges of right buffers, in all but one place. */
async function recorded(
  fixture: Fixture,
  at: At,
  key: keyof typeof preparations,
  call: (prepared: never) => Encoded,
): Promise<unknown> {
  const { device } = fixture.fold;
  const prepared = await fixture.kept(`junk ${key}`, () => preparations[key](fixture));
  const buffers = Array.from({ length: 3 }, () => device.createBuffer({ size: 64, usage: 0x80 }));
  const [input, output, count] = buffers;
  const encoder = device.createCommandEncoder();
  try {
    return call(prepared as never)(
      at("encoder", encoder) as never,
      at("ranges", {
        input: at("input", { buffer: at("buffer", input), offset: at("offset", 0), size: at("size", 32) }),
        output: at("output", output),
        ...(key === "compact" && { count: at("count", count) }),
        length: at("length", 8),
      }) as never,
    );
  } finally {
    encoder.finish();
    for (const buffer of buffers) {
      buffer.destroy();
    }
  }
}

const rangePlaces = ["encoder", "ranges", "input", "buffer", "offset", "size", "output", "length"] as const;
const planPlaces = ["options", "type", "op", "maxLength", "workGroupSize", "itemsPerThread"] as const;
const functionPlaces = ["type", "op", "workGroupSize", "suffix"] as const;
const functionOf = (at: At) => ({
  type: at("type", u32),
  op: at("op", add),
  workGroupSize: at("workGroupSize", 8),
  ...at<object>("more", {}),
});

interface Call {
  readonly places: readonly string[];
  run(fixture: Fixture, at: At): unknown;
}

const recordOf = (key: keyof typeof preparations, places: readonly string[]): Call => ({
  places,
  run: (fixture, at) => recorded(fixture, at, key, (prepared: { record: Encoded }) => prepared.record),
});

/** A call: its arguments, and its options one by one, are right in all but one place. */
const callOf = (
  call: (fixture: Fixture) => (...given: never[]) => unknown,
  given: () => object,
  ownOptions?: () => object,
): Call => {
  const allAt = (object: object, at: At): object =>
    Object.fromEntries(Object.entries(object).map(([name, right]) => [name, at(name, right)]));
  return {
    places: [...Object.keys(given()), ...(ownOptions ? ["options", ...Object.keys(ownOptions())] : [])],
    run: (fixture, at) =>
      call(fixture)(
        ...(Object.values(allAt(given(), at)) as never[]),
        ...(ownOptions ? [at("options", allAt(ownOptions(), at)) as never] : []),
      ),
  };
};
const methodOf = (
  name: keyof Fold,
  given: () => object,
  ownOptions: () => object = () => ({ workGroupSize: 8 }),
): Call => callOf(({ fold }) => (fold[name] as (...given: never[]) => unknown).bind(fold), given, ownOptions);
const prepared = { type: u32, maxLength: 8, workGroupSize: 8 };
const ofData = () => ({ data: data() });
const rowsOf = () => ({ segments: { rows: 3 } });

/** Reads a stream's first results. */
const started = ({ readable, writable }: ReadableWritablePair): Promise<unknown> => {
  writable.close().catch(() => {});
  return readable.getReader().read();
};
/** The same call on an array on the GPU. */
const onGpu = (name: keyof Fold, ownOptions: () => object): Call =>
  callOf(
    ({ fold }) =>
      async (options: never) => {
        const array = await fold.upload(data());
        return (fold[name] as (...given: unknown[]) => unknown).call(fold, array, options);
      },
    () => ({}),
    ownOptions,
  );
const inKernel = () => ({ type: u32, workGroupSize: 8 });
const pair = struct({ name: "Own", fields: { a: u32 } });

/** An array that was given at hand, on the GPU. All else is as it was given. */
const onGpuIf = (fold: Fold, given: unknown): unknown =>
  ArrayBuffer.isView(given) ? fold.upload(given as Uint32Array) : given;

type Methods = Readonly<Record<string, (...given: never[]) => unknown>>;

/**
 * The calls of an example of a primitive: in each form, and of its reference. Each option has a place, though most are left out. Examples with
 * the same options and arrays have the same name.
 */
function callsOf(call: ExampleCall): Readonly<Record<string, Call>> {
  const { primitive, reference } = call.of;
  const { name, operands, numbers = [] } = primitive;
  const prepare = prepareName(primitive);
  const some = (names: readonly string[], all: Options): Options =>
    Object.fromEntries(names.map((one) => [one, all[one]]));
  const names = [...argumentsAmong(operands).map((one) => one.name), ...numbers];
  const first = () => some(names, { ...arraysOf(call), ...call.options });
  const optionsIn = (isOnGpu: boolean) => () =>
    some(Object.keys(callNames(primitive, isOnGpu)), {
      ...optionsWith(primitive, arraysOf(call)),
      ...(isOnGpu ? call.options : optionsAtHand(primitive, call.options)),
    });
  const given = [
    ...Object.keys(call.options),
    ...call.operands.slice(names.length).map((one) => one.operand.name),
  ];
  const title = given.length > 0 ? ` by ${given.join(", ")}` : "";
  const methodIn = (fixture: Fixture, method: string) =>
    (fixture.fold as unknown as Methods)[method]?.bind(fixture.fold) as Methods[string];
  const onGpuIn =
    (fixture: Fixture) =>
    async (...all: never[]) =>
      methodIn(
        fixture,
        name,
      )(...((await Promise.all(all.map((one) => onGpuIf(fixture.fold, one)))) as never[]));
  return {
    [`${name}${title}`]: callOf((fixture) => methodIn(fixture, name), first, optionsIn(false)),
    [`${name} on the GPU${title}`]: callOf(onGpuIn, first, optionsIn(true)),
    [`${name}Reference${title}`]: callOf(
      () => reference,
      first,
      () => call.referenced().at(-1) as object,
    ),
    ...(isPrepared(call.of) && {
      [`${prepare}${title}`]: callOf(
        (fixture) => methodIn(fixture, prepare),
        () => ({}),
        () => call.planned(describedAdapters.gpu),
      ),
    }),
  };
}

const calls: Readonly<Record<string, Call>> = {
  partition: methodOf("partition", ofData, () => ({ where: "true", indices: true })),
  "partition by classes": methodOf("partition", ofData, () => ({ classes: 2, class: "x" })),
  "compact by flags": methodOf("compact", ofData, () => ({ flags: [0, 1, 1], into: data() })),
  argMin: methodOf("argMin", ofData),
  argMax: methodOf("argMax", ofData, () => ({ type: u32 })),
  upload: methodOf("upload", ofData, () => ({ type: u32 })),
  wrap: methodOf(
    "wrap",
    () => ({}),
    () => ({ buffer: {}, type: u32, offset: 0, length: 1, maxLength: 2 }),
  ),
  "scan of segments": methodOf("scan", ofData, () => ({ op: add, into: data(), initial: 1, ...rowsOf() })),
  "reduce by keys": methodOf("reduce", ofData, () => ({ segments: { keys: data() }, map: "x", from: u32 })),
  "scan with a total": methodOf("scan", ofData, () => ({ total: new Uint32Array(1), exclusive: true })),
  read: callOf(
    ({ fold }) =>
      async (options: never) =>
        (await fold.upload(data())).read(options),
    () => ({}),
    () => ({ into: data() }),
  ),
  "scan on the GPU": onGpu("scan", () => ({ op: add, into: data(), initial: 1, map: "x" })),
  "compact on the GPU": onGpu("compact", () => ({ where: "true", flags: data(), indices: true })),
  "reduce on the GPU": onGpu("reduce", () => ({ segments: { keys: data() } })),
  scanStream: callOf(
    ({ fold }) =>
      (options: never) =>
        started(fold.scanStream(options)),
    () => ({}),
    () => ({
      type: u32,
      op: add,
      map: "x",
      initial: 1,
      total: new Uint32Array(1),
      exclusive: true,
      segments: { rows: 2 },
    }),
  ),
  compactStream: callOf(
    ({ fold }) =>
      (options: never) =>
        started(fold.compactStream(options)),
    () => ({}),
    () => ({ type: u32, where: "true", map: "x", indices: false }),
  ),
  reduceStream: methodOf(
    "reduceStream",
    () => ({ source: [data()] }),
    () => ({ type: u32, op: add, map: "x", initial: 1 }),
  ),
  preparePartition: methodOf(
    "preparePartition",
    () => ({}),
    () => ({ ...prepared, classes: 2, class: "x", indices: true }),
  ),
  "prepareScan of segments": methodOf(
    "prepareScan",
    () => ({}),
    () => ({ ...prepared, segments: { keys: u32, key: "x", keyType: u32 }, initial: true }),
  ),
  "struct.over": callOf(
    () => pair.over,
    () => ({ buffer: new ArrayBuffer(8), byteOffset: 0, length: 1 }),
  ),
  "struct.from": callOf(
    () => pair.from,
    () => ({ values: [{ a: 1 }] }),
  ),
  fixedArray: callOf(
    () => fixedArray,
    () => ({ type: u32, count: 2 }),
  ),
  vec2: callOf(
    () => vec2,
    () => ({ type: u32 }),
  ),
  wgslType: callOf(
    () => wgslType,
    () => ({}),
    () => ({ name: "vec2u", wgsl: "vec2u", declarations: "" }),
  ),
  fromSchema: callOf(
    () => fromSchema,
    () => ({ schema: { type: "u32" } }),
    () => ({ name: "Own" }),
  ),
  numeric: callOf(
    () => numeric,
    () => ({ kernel: "fn f() {}" }),
  ),
  identityOf: callOf(
    () => identityOf,
    () => ({ op: add, type: u32 }),
  ),
  subgroupOf: callOf(
    () => subgroupOf,
    () => ({ size: 32 }),
  ),
  workGroupSort: callOf(
    () => workGroupSort,
    () => ({}),
    () => ({ ...inKernel(), items: 1, descending: true, bits: [0, 4] }),
  ),
  workGroupSortPairs: callOf(
    () => workGroupSortPairs,
    () => ({}),
    () => ({ ...inKernel(), values: u32 }),
  ),
  workGroupBroadcast: callOf(
    () => workGroupBroadcast,
    () => ({}),
    inKernel,
  ),
  workGroupReduce: callOf(
    () => workGroupReduce,
    () => ({}),
    () => ({ ...inKernel(), op: add, algorithm: blelloch }),
  ),
  "link, functions": callOf(
    () => link,
    () => ({ kernel: "fn f() {}", functions: [] }),
    () => ({ name: "own" }),
  ),
  checkMonoid: callOf(
    () => checkMonoid,
    () => ({ op: add, type: u32 }),
    () => ({ values: [1, 2], runs: 2, seed: 1 }),
  ),
  partitionReference: callOf(
    () => partitionReference,
    () => ({ data: data(), keep: () => true }),
    () => ({ indices: true, classes: 2 }),
  ),
  argMinReference: callOf(
    () => argMinReference,
    ofData,
    () => ({ type: u32 }),
  ),
  "scanReference of segments": callOf(
    () => scanReference,
    ofData,
    () => ({
      segments: { keys: data() },
      initial: 1,
      total: new Uint32Array(1),
      exclusive: true,
      grouping: undefined,
    }),
  ),
  scan: {
    places: ["data", "options"],
    run: ({ fold }, at) => fold.scan(at("data", data()), at("options", tuning)),
  },
  reduce: {
    places: ["data", "options"],
    run: ({ fold }, at) => fold.reduce(at("data", data()), at("options", tuning)),
  },
  compact: {
    places: ["data", "options"],
    run: ({ fold }, at) => fold.compact(at("data", data()), at("options", { where: "true", ...tuning })),
  },
  prepareScan: { places: planPlaces, run: ({ fold }, at) => fold.prepareScan(at("options", planOf(at))) },
  prepareReduce: { places: planPlaces, run: ({ fold }, at) => fold.prepareReduce(at("options", planOf(at))) },
  prepareCompact: {
    places: [...planPlaces, "where", "indices", "indirect"],
    run: ({ fold }, at) =>
      fold.prepareCompact(
        at("options", {
          ...planOf(at),
          where: at("where", "true"),
          ...{ indices: at("indices", false) },
          indirect: at("indirect", { draw: { vertexCount: 3 } }),
        }),
      ),
  },
  "scan.record": recordOf("scan", rangePlaces),
  "scan.groupingOf": {
    places: ["ranges", "input", "length"],
    run: (fixture, at) =>
      recorded(
        fixture,
        at,
        "scan",
        (prepared: { groupingOf(ranges: never): unknown }) => (_encoder, ranges) =>
          prepared.groupingOf(ranges),
      ),
  },
  "reduce.record": recordOf("reduce", rangePlaces),
  "compact.record": recordOf("compact", [...rangePlaces, "count"]),
  openFold: {
    places: ["options", "adapter", "device", "testSinglePass"],
    run: ({ fold }, at) =>
      openFold(
        at("options", {
          adapter: at("adapter", "software"),
          device: at("device", fold.device),
          testSinglePass: at("testSinglePass", false),
        }),
      ).then((one) => {
        if (one.device !== fold.device) {
          one.destroy();
        }
      }),
  },
  struct: {
    places: ["definition", "name", "fields", "field"],
    run: (_, at) =>
      struct(at("definition", { name: at("name", "Own"), fields: at("fields", { a: at("field", u32) }) })),
  },
  "struct.array": {
    places: ["length", "index", "value", "field"],
    run: (_, at) => {
      const array = struct({ name: "Own", fields: { a: u32 } }).array(at("length", 2));
      array.set(at("index", 1), at("value", { a: at("field", 3) }));
      return array.get(at("index", 1));
    },
  },
  operator: {
    places: ["definition", "name", "type", "identity", "combine", "reference", "declarations"],
    run: (_, at) =>
      operator(
        at("definition", {
          name: at("name", "own"),
          type: at("type", u32),
          identity: at("identity", 0),
          combine: at("combine", "earlier + later"),
          reference: at("reference", (earlier: number, later: number) => (earlier + later) >>> 0),
          declarations: at("declarations", ""),
        }),
      ),
  },
  scanReference: {
    places: ["data", "options", "op", "type", "map", "result"],
    run: (_, at) =>
      scanReference(at("data", BigUint64Array.of(1n, 2n)), at("options", referenceOf(at)) as never),
  },
  reduceReference: {
    places: ["data", "options", "op", "type", "map", "result"],
    run: (_, at) =>
      reduceReference(at("data", BigUint64Array.of(1n, 2n)), at("options", referenceOf(at)) as never),
  },
  compactReference: {
    places: ["data", "keep", "options", "flags"],
    run: (_, at) =>
      compactReference(
        at("data", data()),
        at("keep", () => true),
        at("options", { flags: at("flags", [1, 0, 1]) }),
      ),
  },
  workGroupScan: {
    places: functionPlaces,
    run: (_, at) => workGroupScan(at("options", withMore(functionOf(at), at))).code,
  },
  coalescedScan: {
    places: functionPlaces,
    run: (_, at) => coalescedScan(at("options", withMore(functionOf(at), at))).code,
  },
  threadTileScan: {
    places: [...functionPlaces, "tileSize"],
    run: (_, at) =>
      threadTileScan(at("options", { ...withMore(functionOf(at), at), tileSize: at("tileSize", 4) })).code,
  },
  workGroupScanUpdate: {
    places: [...functionPlaces, "counter"],
    run: (_, at) =>
      workGroupScanUpdate(at("options", { ...withMore(functionOf(at), at), counter: at("counter", "used") }))
        .code,
  },
  workGroupCompact: {
    places: ["workGroupSize"],
    run: (_, at) => workGroupCompact(at("options", { workGroupSize: at("workGroupSize", 8) })).code,
  },
  workGroupAllocate: {
    places: ["counter", "capacity"],
    run: (_, at) =>
      workGroupAllocate(
        at("options", { workGroupSize: 8, counter: at("counter", "used"), capacity: at("capacity", 3) }),
      ).code,
  },
  link: {
    places: ["kernel"],
    run: (_, at) => link(at("kernel", "fn f() {}"), [workGroupScan({ type: u32, workGroupSize: 8 })]),
  },
  linkDirectives: {
    places: ["kernel"],
    run: (_, at) => linkDirectives(at("kernel", "fn f() {}")),
  },
  ...Object.assign({}, ...described.flatMap((of) => exampleCalls(of, u32, 3)).map(callsOf)),
};

/** What has no value where nothing is said. */
const withMore = <T extends object>(options: T, at: At): T => ({
  ...options,
  suffix: at("suffix", undefined),
});

function referenceOf(at: At): object {
  const own = operator({
    name: "own",
    type: u64,
    identity: 0n,
    combine: "add_u64(earlier, later)",
    reference: (earlier, later) => at("result", earlier + later),
  });
  return { op: at("op", own), type: at("type", u64), map: at("map", (x: bigint) => x) };
}

const methods = Object.keys(calls);
/** All cases, in their order. */
export const junkCases = (): JunkCase[] =>
  methods
    .flatMap((method) =>
      (calls[method] as Call).places.flatMap((place) =>
        junkNames.map((value) => ({ family: "junk" as const, method, place, value })),
      ),
    )
    .filter((one) => !isChance(one));

/** A call with a value of any kind in one place. */
export interface JunkCase {
  readonly family: "junk";
  readonly method: string;
  readonly place: string;
  readonly value: string;
}

export const junkArbitrary = (): fc.Arbitrary<JunkCase> =>
  fc.oneof(
    ...methods.map((method) =>
      fc
        .record({
          family: fc.constant("junk" as const),
          method: fc.constant(method),
          place: fc.constantFrom(...(calls[method] as Call).places),
          value: fc.constantFrom(...junkNames),
        })
        .filter((one) => !isChance(one)),
    ),
  );

/** What has a method of an option's name is no options by chance. */
const isChance = ({ place, value }: JunkCase): boolean =>
  place === "options" && (value === "words" || value === "array");

/** Whether a number of bytes or of items may be taken. */
const isCount = (value: unknown): boolean =>
  typeof value === "number" && Number.isInteger(value) && value >= 0;

export async function runJunk({ method, place, value }: JunkCase, fixture: Fixture): Promise<Verdict> {
  const title = `${method} with a ${place} of any kind (${value})`;
  const call = calls[method] as Call;
  const at: At = (one, right) => (one === place ? (junkValue(value) as never) : right);
  const isAsync = method === "openFold" || (method.split(" ")[0] ?? "") in fixture.fold;
  let started: unknown;
  let isThrown = true;
  const made = await attempt(title, false, async () => {
    started = call.run(fixture, at);
    isThrown = false;
    return await started;
  });
  await fixture.requireNoError(title);
  if ("refusal" in made) {
    if (isThrown && isAsync) {
      throw new Fault(`${title} throws where it should reject: ${oneLine(made.refusal)}`);
    }
    if (value === "text" && / is x[;,]/.test(made.refusal.message)) {
      throw new Fault(`${title} is refused without quotes: ${oneLine(made.refusal)}`);
    }
    return "refused";
  }
  const isRecorded = method.endsWith(".record");
  const given = junkValue(value);
  const isMeasure = isRecorded && (place === "size" || place === "offset" || place === "length");
  if (isMeasure && !isCount(given) && !(place !== "length" && given === undefined)) {
    throw new Fault(`${title} is taken, and takes a whole number`);
  }
  (made.result as { destroy?: () => void } | undefined)?.destroy?.();
  return "passed";
}
