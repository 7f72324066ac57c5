import fc from "fast-check";
import { emptyLike } from "../../src/algebra/array_values.ts";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import type { ElementType, Value } from "../../src/algebra/types.ts";
import { contextOf } from "../../src/gpu/device/device.ts";
import { compactReference } from "../../src/reference/compact.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { scanReference } from "../../src/reference/scan.ts";
import type { Fixture } from "./fixture.ts";
import type { PlanFacts, PlanSpec, Scale } from "./plans.ts";
import {
  dataArbitrary,
  factsOf,
  isDefined,
  mostItems,
  orderOf,
  Pooled,
  planArbitrary,
  sizeAround,
  whereNames,
} from "./plans.ts";
import { canRun } from "./recorded.ts";
import { requireEqual } from "./require_equal.ts";
import type { DataSpec } from "./values.ts";
import { arrayOf, bitsOf, bytesOf, itemBytes } from "./values.ts";
import type { Verdict } from "./verdict.ts";
import { attempt, Fault, oneLine } from "./verdict.ts";

// Data that goes through the device piece by piece: streams, and calls at hand on long arrays. Elements are whole numbers, of
// which all results are exact.

export interface StreamsStep {
  readonly length: number;
  readonly data: DataSpec;
  /** A call at hand. Left out: a stream. */
  readonly atHand?: boolean;
  /** The longest chunk that comes in, in items. */
  readonly chunk: number;
  readonly initial?: boolean;
  /** The items of a row, of a scan or a reduction of rows. */
  readonly row?: number;
  /** The number of chunks after which a stream ends with an error. */
  readonly failsAfter?: number;
}

export interface StreamsCase {
  readonly family: "streams";
  readonly plan: PlanSpec;
  /** Bytes of a piece: a power of two. */
  readonly pieceBits: number;
  /** Made at once. */
  readonly steps: readonly StreamsStep[];
}

export function streamsArbitrary(scale: Scale): fc.Arbitrary<StreamsCase> {
  const step = fc.record(
    {
      length: sizeAround(Math.min(scale.usualLength, 20_000)),
      data: dataArbitrary("small", "sparse"),
      atHand: fc.boolean(),
      chunk: fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 20_000 })),
      initial: fc.boolean(),
      row: fc.oneof(fc.integer({ min: 1, max: 20 }), sizeAround(5000)),
      failsAfter: fc.oneof(
        { weight: 9, arbitrary: fc.constant(undefined) },
        { weight: 1, arbitrary: fc.nat({ max: 9 }) },
      ) as fc.Arbitrary<number>,
    },
    { requiredKeys: ["length", "data", "chunk"] },
  );
  return fc.record({
    family: fc.constant("streams" as const),
    pieceBits: fc.integer({ min: 10, max: 16 }),
    steps: fc.array(step, { minLength: 1, maxLength: 3 }),
    plan: new Pooled(
      // Streams of flags there are none.
      fc
        .tuple(planArbitrary(scale), fc.constantFrom(...whereNames))
        // They do not go in reverse.
        .map(([{ reverse: _, ...plan }, where]) =>
          plan.primitive === "compact" ? { where, ...plan } : plan,
        ),
      scale.software ? 8 : 40,
    ),
  });
}

/** Whether all results are exact, whatever the order. A product of f64 may round. */
const isExact = ({ type, op }: PlanFacts, length: number): boolean =>
  op.name !== "mul"
    ? type.name !== "f16" || op.name !== "add" || length < 300
    : type.name !== "f32" && type.name !== "f16" && type.name !== "f64";

/** What a scan, a reduction or a compaction of an array gives, as an array. Without `keep` or `flags`, every item is kept. */
function expectedOf(
  facts: PlanFacts,
  data: AnyArray,
  {
    flags,
    initial,
    total,
    rows,
  }: { flags?: Uint32Array | undefined; initial?: Value; total?: AnyArray; rows?: number } = {},
): AnyArray {
  const { spec, type, from, op, map, keep, indices } = facts;
  const isF16 = from.name === "f16" && map === undefined ? { type } : {};
  const types = { ...isF16, ...(map && { type, from, map }) };
  const segments = rows !== undefined && { segments: { rows } };
  const ends = { ...(initial !== undefined && { initial }), ...(total && { total }), ...segments };
  if (spec.primitive === "compact") {
    const kept = keep ?? ((_: Value, index: number) => flags?.[index] !== 0);
    return compactReference(data, kept as never, { ...types, ...(indices && { indices }) } as never);
  }
  if (spec.primitive === "scan") {
    return scanReference(data, { op, ...types, ...ends, ...orderOf(spec) } as never);
  }
  const result: unknown = reduceReference(data, { op, ...types, ...ends } as never);
  if (segments) {
    return result as AnyArray;
  }
  const { array, set } = emptyOf(type);
  set(0, result as Value);
  return array;
}

/** An array of one element of a type. */
const emptyOf = (type: ElementType): ReturnType<typeof emptyLike> =>
  emptyLike(arrayOf(type, new Uint8Array(0)), 1, type);

/** An initial value that every scalar holds, as the type holds it; none for a struct. */
const initialFor = (type: ElementType): Value | undefined =>
  type.kind === "struct" ? undefined : type.name === "u64" || type.name === "i64" ? 3n : 3;

export async function runStreams(
  { plan, pieceBits, steps }: StreamsCase,
  fixture: Fixture,
): Promise<Verdict> {
  const { kept } = contextOf(fixture.fold.device);
  const { pieceBytes, longBytes } = kept;
  kept.pieceBytes = 2 ** pieceBits;
  kept.longBytes = 2 ** pieceBits;
  try {
    const all = steps.map((step) => runStep(plan, step, fixture));
    await Promise.allSettled(all);
    const verdicts = await Promise.all(all);
    await fixture.requireNoError("streams");
    return verdicts.includes("passed") ? "passed" : "refused";
  } finally {
    Object.assign(kept, { pieceBytes, longBytes });
  }
}

/** What a stream that fails throws. */
class Broken extends Error {
  override name = "Broken";
}

/** The chunks of an array: of random lengths, also of none. */
async function* chunksOf(
  data: AnyArray,
  bytes: Uint8Array,
  itemBytes: number,
  make: (bytes: Uint8Array) => AnyArray,
  { chunk, data: { seed }, failsAfter }: StreamsStep,
): AsyncGenerator<AnyArray> {
  const next = bitsOf(seed + 5);
  for (let at = 0, sent = 0; at < data.length; sent++) {
    if (sent === failsAfter) {
      throw new Broken("the source is broken");
    }
    const end = Math.min(data.length, at + (next() % (chunk + 1)));
    yield make(bytes.subarray(at * itemBytes, end * itemBytes));
    at = end;
  }
}

/** A stream of what comes from chunks, which it asks for one by one. */
function streamOf(chunks: AsyncGenerator<AnyArray>): ReadableStream<AnyArray> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) {
        controller.close();
      } else {
        controller.enqueue(value);
      }
    },
  });
}

async function runStep(given: PlanSpec, step: StreamsStep, fixture: Fixture): Promise<Verdict> {
  const { fold } = fixture;
  const facts = factsOf(given);
  const { type, from, options, usesFlags } = facts;
  const isCompact = given.primitive === "compact";
  const rows = isCompact || step.row === undefined ? undefined : Math.max(1, step.row);
  const most = Math.min(step.length, mostItems(facts));
  const length = rows === undefined ? most : most - (most % rows);
  const segments = rows === undefined ? {} : { segments: { rows } };
  /** Whether the result is one value. */
  const isTotal = given.primitive === "reduce" && rows === undefined;
  const bytes = itemBytes(from, step.data, length, true);
  const data = arrayOf(from, bytes);
  const { atHand = false } = step;
  const title = `${facts.title} of${rows === undefined ? "" : ` rows of ${rows}, of`} ${length} items ${atHand ? "at hand, in pieces" : "in a stream"}`;
  const initial = isCompact || !step.initial ? undefined : initialFor(type);
  const next = bitsOf(step.data.seed + 1);
  const flags = usesFlags && atHand ? Uint32Array.from({ length }, () => next() % 2) : undefined;
  const ends = initial === undefined ? {} : { initial };
  const joined = (chunks: readonly AnyArray[], like: AnyArray): AnyArray => {
    const parts = chunks.map((one) => bytesOf(one));
    const all = new Uint8Array(parts.reduce((sum, one) => sum + one.length, 0));
    let at = 0;
    for (const one of parts) {
      all.set(one, at);
      at += one.length;
    }
    return chunks.length === 0 ? like : arrayOf(facts.output, all);
  };
  const single = (value: Value): AnyArray => {
    const { array, set } = emptyOf(type);
    set(0, value);
    return array;
  };
  const tried = await attempt(title, false, async (): Promise<AnyArray | undefined> => {
    if (atHand) {
      const isMapped = facts.map !== undefined;
      const own = {
        ...options,
        ...ends,
        ...segments,
        ...(isMapped && from !== type && { type }),
        ...(from.name === "f16" && (isMapped ? { from, type } : { type })),
        ...(flags && { flags }),
      };
      const call = fold[given.primitive] as unknown as (data: AnyArray, options: object) => Promise<unknown>;
      const result = await call.call(fold, data, own);
      return isTotal ? single(result as Value) : (result as AnyArray);
    }
    const chunks = chunksOf(data, bytes, from.bytes, (own) => arrayOf(from, own), step);
    const own = { type, ...(from !== type && { from }), ...options, ...ends, ...segments } as never;
    try {
      if (isTotal) {
        return single((await fold.reduceStream(chunks as never, own)) as Value);
      }
      const streams = fold as unknown as Record<string, (options: object) => unknown>;
      const through = streams[`${given.primitive}Stream`]?.(own);
      const results: AnyArray[] = [];
      for await (const one of streamOf(chunks).pipeThrough(
        through as never,
      ) as unknown as AsyncIterable<AnyArray>) {
        results.push(one);
      }
      return joined(results, arrayOf(facts.output, new Uint8Array(0)));
    } catch (cause) {
      if (cause instanceof Broken && step.failsAfter !== undefined) {
        return undefined;
      }
      throw cause;
    }
  });
  if ("refusal" in tried) {
    if (canRun(fixture, facts) && !(usesFlags && !atHand) && tried.refusal.name !== "LimitError") {
      throw new Fault(`${title} is refused, and must work: ${oneLine(tried.refusal)}`);
    }
    return "refused";
  }
  if (!facts.fits) {
    throw new Fault(`${title} works, and ${facts.op.name} does not take ${type.name}`);
  }
  // Its source was broken, and it said so.
  if (tried.result === undefined) {
    return "passed";
  }
  if (isExact(facts, length) && isDefined(facts, bytes)) {
    requireEqual(
      tried.result,
      expectedOf(facts, data, { flags, ...ends, ...(rows !== undefined && { rows }) }),
      title,
    );
  }
  return "passed";
}
