import fc from "fast-check";
import { emptyLike } from "../../src/algebra/array_values.ts";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { elementTypes } from "../../src/algebra/element_types.ts";
import type { ElementType, Value } from "../../src/algebra/types.ts";
import { GPUBufferUsage } from "../../src/gpu/device/usage_flags.ts";
import type { GpuArray } from "../../src/gpu/gpu_arrays/gpu_array.ts";
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
  oneIn,
  orderOf,
  Pooled,
  planArbitrary,
  sizeAround,
} from "./plans.ts";
import { canRun } from "./recorded.ts";
import { isExact, requireEqual } from "./segments.ts";
import type { DataSpec } from "./values.ts";
import { arrayOf, bitsOf, bytesOf, itemBytes } from "./values.ts";
import type { Verdict } from "./verdict.ts";
import { attempt, Fault, oneLine } from "./verdict.ts";
import { inShortBindings } from "./windows.ts";

// Arrays that stay on the GPU: uploaded or wrapped, calls that chain, also after a compaction, when the length is on the GPU.
// Elements are whole numbers, of which all results are exact.

const primitives = ["scan", "reduce", "compact"] as const;
const reads = ["read", "into", "view"] as const;

export interface ArraysStep {
  readonly length: number;
  readonly data: DataSpec;
  /** The array lies in a buffer of the caller's: the number of items before it. Left out: it is uploaded. */
  readonly before?: number;
  /** An initial value: as a value, or as an array on the GPU. */
  readonly initial?: "value" | "array";
  readonly total?: boolean;
  /** The result goes to an array in a buffer of the caller's: the number of items before it. */
  readonly into?: number;
  /** Calls on what the call before gave. */
  readonly chain?: readonly (typeof primitives)[number][];
  /** Arrays are destroyed as soon as the call that takes them has begun. */
  readonly early?: boolean;
  readonly read: (typeof reads)[number];
}

export interface ArraysCase {
  readonly family: "arrays";
  readonly plan: PlanSpec;
  /** Whether ranges go in windows. */
  readonly windows?: boolean;
  /** Made at once. */
  readonly steps: readonly ArraysStep[];
}

export function arraysArbitrary(scale: Scale): fc.Arbitrary<ArraysCase> {
  const step = fc.record(
    {
      length: sizeAround(Math.min(2 * scale.usualLength, 20_000)),
      data: dataArbitrary("small", "sparse"),
      before: fc.nat({ max: 300 }),
      initial: fc.constantFrom("value" as const, "array" as const),
      total: fc.boolean(),
      into: fc.nat({ max: 300 }),
      chain: fc.array(fc.constantFrom(...primitives), { maxLength: 3 }),
      early: fc.boolean(),
      read: fc.constantFrom(...reads),
    },
    { requiredKeys: ["length", "data", "read"] },
  );
  return fc.record(
    {
      family: fc.constant("arrays" as const),
      windows: oneIn(3, fc.constant(true)) as fc.Arbitrary<boolean>,
      steps: fc.array(step, { minLength: 1, maxLength: 3 }),
      plan: new Pooled(planArbitrary(scale), scale.software ? 8 : 40),
    },
    { requiredKeys: ["family", "plan", "steps"] },
  );
}

export async function runArrays({ plan, windows, steps }: ArraysCase, fixture: Fixture): Promise<Verdict> {
  const all = (): Promise<Verdict[]> => settled(steps.map((step) => runStep(plan, step, fixture)));
  const verdicts = await (windows ? inShortBindings(fixture, all) : all());
  await fixture.requireNoError("arrays on the GPU");
  return verdicts.includes("passed") ? "passed" : "refused";
}

/** Waits for all, so that nothing is under way when the first failure is told. */
async function settled<T>(all: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(all);
  return Promise.all(all);
}

/** Bytes that nobody may change. */
const POISON = 0xa5;

/** What a scan, a reduction or a compaction of an array gives, as an array. Without `keep` or `flags`, every item is kept. */
export function expectedOf(
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
export const emptyOf = (type: ElementType): ReturnType<typeof emptyLike> =>
  emptyLike(arrayOf(type, new Uint8Array(0)), 1, type);

/** An initial value that every scalar holds, as the type holds it; none for a struct. */
export const initialFor = (type: ElementType): Value | undefined =>
  type.kind === "struct" ? undefined : type.name === "u64" || type.name === "i64" ? 3n : 3;

/** An array that lies in a buffer of the caller's. */
interface Wrapped {
  readonly array: GpuArray;
  /** @throws {Fault} if a byte beside the array was changed. */
  check(title: string): Promise<void>;
  destroy(): void;
}

/** Wraps items in a buffer, with bytes before and behind that nobody may change. */
async function wrap(
  { fold }: Fixture,
  type: ElementType,
  bytes: Uint8Array,
  before: number,
): Promise<Wrapped> {
  const { device } = fold;
  const offset = before * type.bytes;
  const end = offset + bytes.length;
  const content = new Uint8Array(Math.ceil(end / 4) * 4 + 64).fill(POISON);
  content.set(bytes, offset);
  const { STORAGE, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
  const buffer = device.createBuffer({ size: content.length, usage: STORAGE | COPY_SRC | COPY_DST });
  device.queue.writeBuffer(buffer, 0, content);
  const array = (await fold.wrap({
    buffer,
    type,
    offset,
    length: bytes.length / type.bytes,
  } as never)) as GpuArray;
  return {
    array,
    async check(title) {
      const staging = device.createBuffer({ size: content.length, usage: MAP_READ | COPY_DST });
      const encoder = device.createCommandEncoder();
      encoder.copyBufferToBuffer(buffer, 0, staging, 0, content.length);
      device.queue.submit([encoder.finish()]);
      await staging.mapAsync(0x1);
      const now = new Uint8Array(staging.getMappedRange());
      const wrong = now.findIndex((byte, at) => (at < offset || at >= end) && byte !== POISON);
      staging.destroy();
      if (wrong >= 0) {
        throw new Fault(`${title} writes byte ${wrong} of a buffer, and its range is ${offset} to ${end}`);
      }
    },
    destroy() {
      array.destroy();
      buffer.destroy();
    },
  };
}

async function read(array: GpuArray, how: ArraysStep["read"], like: AnyArray): Promise<AnyArray> {
  switch (how) {
    case "read":
      return (await array.read()) as AnyArray;
    case "into": {
      const { array: into } = emptyLike(like, array.maxLength, array.type);
      return (await array.read({ into: into as never })) as AnyArray;
    }
    case "view": {
      const view = await array.view();
      const elements = view.elements as AnyArray;
      // The bytes are gone once the view is destroyed.
      const copy = arrayOf(array.type, bytesOf(elements));
      view.destroy();
      return copy;
    }
    default:
      return how satisfies never;
  }
}

/** Whether sums of results, which may be large, are exact. */
const isWrapping = (type: ElementType): boolean => type.kind !== "float";

async function runStep(plan: PlanSpec, step: ArraysStep, fixture: Fixture): Promise<Verdict> {
  const facts = factsOf(plan);
  const { type, from, op, options, usesFlags, output } = facts;
  const { fold } = fixture;
  const length = Math.min(step.length, mostItems(facts));
  const bytes = itemBytes(from, step.data, length, true);
  const data = arrayOf(from, bytes);
  const isCompact = plan.primitive === "compact";
  const isScan = plan.primitive === "scan";
  const title = `${facts.title} of ${length} items on the GPU`;
  const initial = isCompact || step.initial === undefined ? undefined : initialFor(type);
  const next = bitsOf(step.data.seed + 1);
  const flags = usesFlags ? Uint32Array.from({ length }, () => next() % 2) : undefined;
  const made: { destroy(): void }[] = [];
  const keep = <T extends { destroy(): void }>(one: T): T => {
    made.push(one);
    return one;
  };
  const upload = async (array: AnyArray, own: ElementType): Promise<GpuArray> =>
    keep(
      (await fold.upload(
        array as Uint32Array,
        (own.name === "f16" ? { type: own } : {}) as never,
      )) as GpuArray,
    );
  const call = (name: PlanSpec["primitive"], input: GpuArray, given: object): Promise<GpuArray> =>
    (fold[name] as unknown as (input: GpuArray, options: object) => Promise<GpuArray>).call(
      fold,
      input,
      given,
    );
  const one = emptyOf(type);
  if (initial !== undefined) {
    one.set(0, initial);
  }
  const sum = emptyOf(type).array;
  const wantsTotal = isScan && step.total === true;
  try {
    const tried = await attempt(title, false, async () => {
      const source =
        step.before === undefined
          ? await upload(data, from)
          : keep(await wrap(fixture, from, bytes, step.before)).array;
      const results = plan.primitive === "reduce" ? 1 : length;
      const room =
        step.into === undefined
          ? undefined
          : keep(await wrap(fixture, output, new Uint8Array(results * output.bytes).fill(POISON), step.into));
      const total = wantsTotal ? await upload(emptyOf(type).array, type) : undefined;
      const given = {
        ...options,
        ...(facts.map && from !== type && { type }),
        ...(flags && { flags: await upload(flags, elementTypes.u32) }),
        ...(initial !== undefined && {
          initial: step.initial === "array" ? await upload(one.array, type) : initial,
        }),
        ...(room && { into: room.array }),
        ...(total && { total }),
      };
      const pending = call(plan.primitive, source, given);
      if (step.early) {
        source.destroy();
      }
      let result = keep(await pending);
      for (const name of step.chain ?? []) {
        const own = factsOf({ primitive: name, type: facts.indices ? "u32" : plan.type });
        if (name === "compact" || isWrapping(own.type)) {
          const then = call(name, result, name === "compact" ? { where: "i % 3u == 1u" } : { op: own.op });
          if (step.early) {
            result.destroy();
          }
          result = keep(await then);
        }
      }
      const like = arrayOf(output, new Uint8Array(0));
      const got = await read(result, step.read, like);
      await room?.check(title);
      return { got, total: total && (await total.read()) };
    });
    if ("refusal" in tried) {
      if (canRun(fixture, facts) && tried.refusal.name !== "LimitError") {
        throw new Fault(`${title} is refused, and must work: ${oneLine(tried.refusal)}`);
      }
      return "refused";
    }
    if (!facts.fits) {
      throw new Fault(`${title} works, and ${op.name} does not take ${type.name}`);
    }
    if (!isExact(facts, length) || !isDefined(facts, bytes)) {
      return "passed";
    }
    let expected = expectedOf(facts, data, {
      flags,
      ...(initial !== undefined && { initial }),
      ...(wantsTotal && { total: sum }),
    });
    for (const name of step.chain ?? []) {
      const own = factsOf({
        primitive: name,
        type: facts.indices ? "u32" : plan.type,
      });
      if (name === "compact" || isWrapping(own.type)) {
        const kept = { ...own, keep: (_: Value, index: number) => index % 3 === 1 };
        expected = expectedOf(kept, expected);
      }
    }
    const calls = (step.chain ?? []).map((name) => `, then ${name}`).join("");
    requireEqual(tried.result.got, expected, `${title}${calls}`);
    if (wantsTotal) {
      requireEqual(tried.result.total, sum, `${title}: total`);
    }
    return "passed";
  } finally {
    for (const own of made) {
      own.destroy();
    }
  }
}
