import fc from "fast-check";
import { emptyLike, valuesOf } from "../../src/algebra/array_values.ts";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import type { Value } from "../../src/algebra/types.ts";
import { contextOf } from "../../src/gpu/device/device.ts";
import type { Grouping } from "../../src/plan/grouping.ts";
import { wholeWords } from "../../src/plan/plan.ts";
import type { PreparedCompact } from "../../src/primitives/compact.ts";
import type { PreparedReduce } from "../../src/primitives/reduce.ts";
import type { PreparedScan } from "../../src/primitives/scan.ts";
import { compactReference } from "../../src/reference/compact.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { plannedParams, recordedParams } from "../support/params.ts";
import type { Fixture } from "./fixture.ts";
import { hasFeature } from "./fixture.ts";
import type { Bound, PlanFacts, PlanSpec, Scale } from "./plans.ts";
import {
  boundsOf,
  dataArbitrary,
  dataFor,
  factsOf,
  isBounded,
  isDefined,
  mostItems,
  numberAt,
  oneIn,
  orderOf,
  Pooled,
  planArbitrary,
  rarely,
  sizeAround,
} from "./plans.ts";
import type { DataSpec } from "./values.ts";
import { arrayOf, bitsOf, bytesOf } from "./values.ts";
import type { Verdict } from "./verdict.ts";
import { attempt, attemptNow, Fault } from "./verdict.ts";

// Prepared plans, recorded into encoders with ranges that lie in shared buffers in any way.

const roles = ["input", "flags", "output", "count", "indirect", "length", "initial", "total"] as const;
type Role = (typeof roles)[number];

/** Where a range lies. Left out: from the start of a buffer of its own. */
export interface RangeSpec {
  /** One of the buffers that ranges share. */
  readonly buffer: number;
  /**
   * `apart`: behind all that the buffer has so far, and a gap; `aligned`: there, where a binding and a vector may start.
   * `on`: where an earlier range starts. `at`: anywhere. `input`: where the same recording's input starts.
   */
  readonly how: "apart" | "aligned" | "on" | "at" | "input";
  /** Items of the gap, or from where it is placed on. */
  readonly items?: number;
  /** `on`: which of the ranges that were placed, counted from the last. */
  readonly of?: number;
  /** Bytes that the offset is off. */
  readonly skew?: number;
  /** The size that is given, less the size that it takes. */
  readonly size?: number;
}

/** A plan, and what it is prepared for beside. */
export interface RecordedPlan extends PlanSpec {
  readonly maxLength: number;
  readonly lengthOnGpu?: boolean;
  readonly indirect?: "dispatch" | "draw" | "drawIndexed";
  /** Of a scan or a reduction. */
  readonly initial?: boolean;
  /** Of a scan. */
  readonly total?: boolean;
  /** Prepared with `soon`, and recorded at once, or once it is settled. A plan that is kept for later cases settles meanwhile. */
  readonly soon?: "at once" | "settled";
}

/** One recording. */
export interface StepSpec {
  readonly plan: number;
  readonly encoder: number;
  readonly length: number;
  /** Left out: what lies there. */
  readonly data?: DataSpec;
  readonly input?: RangeSpec;
  readonly flags?: RangeSpec;
  readonly output?: RangeSpec;
  readonly count?: RangeSpec;
  readonly indirect?: RangeSpec;
  readonly lengthAt?: RangeSpec;
  readonly initial?: RangeSpec;
  /** Whether the initial value is given as a value, and not as a range. */
  readonly asValue?: boolean;
  readonly total?: RangeSpec;
  readonly firstIndex?: number;
  /** A range that is left out of the call. */
  readonly omit?: Role;
}

export interface RecordedCase {
  readonly family: "recorded";
  readonly plans: readonly RecordedPlan[];
  readonly encoders: readonly ("command" | "pass")[];
  /** Whether buffers end where the last range does. */
  readonly tight?: boolean;
  readonly steps: readonly StepSpec[];
}

const rangeArbitrary = (): fc.Arbitrary<RangeSpec> =>
  fc.record(
    {
      buffer: fc.nat({ max: 2 }),
      how: fc.constantFrom("apart" as const, "aligned" as const, "on" as const, "at" as const),
      items: fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom(0, 4, 16, 64, 128) },
        { weight: 2, arbitrary: fc.nat({ max: 80 }) },
      ),
      of: fc.nat({ max: 5 }),
      skew: oneIn(20, fc.integer({ min: 1, max: 7 })),
      size: oneIn(6, fc.integer({ min: -8, max: 8 })),
    },
    { requiredKeys: ["buffer", "how"] },
  );

/** Cases; plans come from a few that are drawn again and again. */
export function recordedArbitrary(scale: Scale): fc.Arbitrary<RecordedCase> {
  const lengths = fc.oneof(
    { weight: 40, arbitrary: sizeAround(scale.usualLength) },
    { weight: 1, arbitrary: sizeAround(scale.rareLength) },
  );
  const plan = fc
    .tuple(
      planArbitrary(scale),
      fc.record(
        {
          maxLength: lengths,
          lengthOnGpu: rarely(4),
          indirect: oneIn(3, fc.constantFrom("dispatch" as const, "draw" as const, "drawIndexed" as const)),
          initial: fc.boolean(),
          total: rarely(2),
          soon: oneIn(4, fc.constantFrom("at once" as const, "settled" as const)),
        },
        { requiredKeys: ["maxLength"] },
      ),
    )
    .map(
      ([own, more]): RecordedPlan => ({ ...own, ...more }),
      (given) => {
        const { maxLength, lengthOnGpu, indirect, initial, total, soon, ...own } = given as RecordedPlan;
        return [
          own,
          {
            maxLength,
            ...(lengthOnGpu !== undefined && { lengthOnGpu }),
            ...(indirect !== undefined && { indirect }),
            ...(initial !== undefined && { initial }),
            ...(total !== undefined && { total }),
            ...(soon !== undefined && { soon }),
          },
        ];
      },
    );
  const range = rangeArbitrary();
  const step: fc.Arbitrary<StepSpec> = fc.record(
    {
      plan: fc.nat({ max: 3 }),
      encoder: fc.nat({ max: 1 }),
      length: lengths,
      data: dataArbitrary(),
      input: range,
      flags: range,
      // Often the input's own place.
      output: fc.oneof(
        { weight: 3, arbitrary: range },
        { weight: 1, arbitrary: fc.constant({ buffer: 0, how: "input" } as const) },
      ),
      count: range,
      indirect: range,
      lengthAt: range,
      initial: range,
      asValue: fc.boolean(),
      total: range,
      firstIndex: oneIn(3, fc.constantFrom(1, 7, 0x7fffffff, 0xfffffff0)),
      omit: fc.oneof(
        { weight: 30, arbitrary: fc.constant(undefined) },
        { weight: 1, arbitrary: fc.constantFrom(...roles) },
      ) as fc.Arbitrary<Role>,
    },
    { requiredKeys: ["plan", "encoder", "length", "data"] },
  );
  return fc.record(
    {
      family: fc.constant("recorded" as const),
      // In the order in which they are shortened: what takes the longest to compile comes last.
      steps: fc.array(step, { minLength: 1, maxLength: 6 }),
      encoders: fc.array(fc.constantFrom("command" as const, "pass" as const), {
        minLength: 1,
        maxLength: 2,
      }),
      tight: fc.boolean(),
      plans: fc.array(new Pooled(plan, scale.software ? 10 : 40), { minLength: 1, maxLength: 4 }),
    },
    { requiredKeys: ["family", "plans", "encoders", "steps"] },
  );
}

/** What a buffer holds before anything is recorded, where no range's data lies. */
const POISON = 0xa5;
/** Bytes around ranges that must stay as they were: more than any binding's alignment. */
const GUARD = 300;
const BINDING_ALIGNMENT = 256;
const ITEMS_PER_WORK_GROUP = 7;

interface PlacedRange {
  readonly buffer: number;
  readonly offset: number;
  /** Bytes that it takes. */
  readonly bytes: number;
  readonly size: number | undefined;
  readonly isSkewed: boolean;
}

interface Step {
  readonly spec: StepSpec;
  readonly plan: RecordedPlan;
  readonly facts: PlanFacts;
  readonly prepared: Recordable;
  readonly encoder: number;
  readonly length: number;
  readonly ranges: ReadonlyMap<Role, PlacedRange>;
}

type Recordable = {
  record(encoder: GPUCommandEncoder | GPUComputePassEncoder, ranges: Record<string, unknown>): void;
  groupingOf?(ranges: Record<string, unknown>): Grouping;
  destroy(): void;
};

/** A buffer as the CPU follows it. */
interface Shadow {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** By byte: 0 where it is known; the number of a check, where it is known within a bound; -1 where it is not known. */
  readonly owners: Int32Array;
}

interface Check {
  readonly buffer: number;
  readonly offset: number;
  readonly plan: PlanFacts;
  readonly bounds: readonly Bound[];
  readonly title: string;
}

const alignUp = (value: number, unit: number): number => Math.ceil(value / unit) * unit;

/** Whether an adapter can run it: its types, its algorithm and its sizes. */
export function canRun(fixture: Fixture, { spec, fits, type, from }: PlanFacts): boolean {
  const { algorithm, workGroupSize = 2, itemsPerThread = 2 } = spec;
  return (
    fits &&
    [type, from].every((one) => hasFeature(fixture, one.feature)) &&
    (algorithm !== "subgroup" || hasFeature(fixture, "subgroups")) &&
    workGroupSize * itemsPerThread > 1 &&
    workGroupSize <= fixture.scale.mostThreads
  );
}

/** Prepares a plan; nothing where it was refused, as it may be. */
async function prepare(
  fixture: Fixture,
  plan: RecordedPlan,
  facts: PlanFacts,
): Promise<Recordable | undefined> {
  const { maxLength, lengthOnGpu, indirect } = plan;
  const isCompact = plan.primitive === "compact";
  const options = {
    type: facts.type,
    ...(facts.from !== facts.type && { from: facts.from }),
    ...plannedParams(facts.options),
    ...(lengthOnGpu !== undefined && { lengthOnGpu }),
    ...(!isCompact && plan.initial !== undefined && { initial: plan.initial }),
    ...(plan.primitive === "scan" && plan.total !== undefined && { total: plan.total }),
    ...(isCompact &&
      indirect !== undefined && {
        indirect:
          indirect === "dispatch"
            ? { dispatch: { itemsPerWorkGroup: ITEMS_PER_WORK_GROUP } }
            : indirect === "draw"
              ? { draw: { vertexCount: 3 } }
              : { drawIndexed: { indexCount: 6 } },
      }),
    ...(plan.soon !== undefined && { soon: true }),
    maxLength,
  };
  const { fold } = fixture;
  const made = await attempt(`prepare ${facts.title}`, false, () =>
    fixture.kept(JSON.stringify(plan), async (): Promise<Recordable> => {
      const name = ({ scan: "prepareScan", reduce: "prepareReduce", compact: "prepareCompact" } as const)[
        plan.primitive
      ];
      const call = fold[name].bind(fold) as unknown as (
        given: object,
      ) => Promise<PreparedScan | PreparedReduce | PreparedCompact>;
      const prepared = await call(options);
      if (plan.soon === "settled") {
        await prepared.settled;
      }
      return prepared as unknown as Recordable;
    }),
  );
  await fixture.requireNoError(`prepare ${facts.title}`);
  if ("result" in made) {
    return made.result;
  }
  // The device's memory decides the rest.
  if (canRun(fixture, facts) && made.refusal.name !== "LimitError") {
    throw new Fault(`prepare ${facts.title} is refused, and must work: ${made.refusal.message}`);
  }
  return undefined;
}

const indirectWords = { dispatch: 3, draw: 4, drawIndexed: 5 } as const;

const takesInitial = ({ primitive, initial }: RecordedPlan): boolean =>
  initial === true && primitive !== "compact";
const takesTotal = ({ primitive, total }: RecordedPlan): boolean => total === true && primitive === "scan";

/** The bytes of a step's initial value, whether it is given as a value or lies in a range. */
const initialBytes = ({ spec, facts }: Pick<Step, "spec" | "facts">): Uint8Array =>
  dataFor(unmapped(facts), { kind: "bits", seed: 1, ...spec.data }, 1);

/** The facts of a plan of the same type without a map. */
function unmapped({ map: _, ...facts }: PlanFacts): PlanFacts {
  return { ...facts, from: facts.type };
}

/** The ranges that a recording takes, and the bytes of an item and of all. */
function needsOf(
  plan: RecordedPlan,
  facts: PlanFacts,
  length: number,
  { asValue = false }: StepSpec,
): [Role, number, number][] {
  const items = plan.lengthOnGpu ? plan.maxLength : length;
  const isCompact = plan.primitive === "compact";
  const needs: [Role, number, number][] = [];
  if (!(facts.usesFlags && facts.indices)) {
    needs.push(["input", facts.from.bytes, items * facts.from.bytes]);
  }
  if (facts.usesFlags) {
    needs.push(["flags", 4, items * 4]);
  }
  needs.push([
    "output",
    facts.output.bytes,
    plan.primitive === "reduce" ? facts.output.bytes : items * facts.output.bytes,
  ]);
  if (isCompact) {
    needs.push(["count", 4, 4]);
    if (plan.indirect !== undefined) {
      needs.push(["indirect", 4, indirectWords[plan.indirect] * 4]);
    }
  }
  if (plan.lengthOnGpu) {
    needs.push(["length", 4, 4]);
  }
  const { bytes } = facts.type;
  if (takesInitial(plan) && !asValue) {
    needs.push(["initial", bytes, bytes]);
  }
  if (takesTotal(plan)) {
    needs.push(["total", bytes, bytes]);
  }
  return needs;
}

/** Where everything lies: the buffers' sizes, and each step's ranges. */
class Layout {
  readonly ends: number[] = [0, 0, 0];
  readonly #placed: PlacedRange[] = [];

  place(
    spec: RangeSpec | undefined,
    itemBytes: number,
    bytes: number,
    input: PlacedRange | undefined,
  ): PlacedRange {
    const range = this.#rangeOf(spec, itemBytes, bytes, input);
    this.ends[range.buffer] = Math.max(this.ends[range.buffer] ?? 0, range.offset + bytes);
    this.#placed.push(range);
    return range;
  }

  #rangeOf(
    spec: RangeSpec | undefined,
    itemBytes: number,
    bytes: number,
    input: PlacedRange | undefined,
  ): PlacedRange {
    if (spec === undefined) {
      return { buffer: this.ends.length, offset: 0, bytes, size: undefined, isSkewed: false };
    }
    const { how, items = 0, of = 0, skew = 0 } = spec;
    const size = spec.size === undefined ? undefined : Math.max(0, bytes + spec.size);
    const earlier =
      how === "input" ? input : how === "on" ? this.#placed[this.#placed.length - 1 - of] : undefined;
    const buffer = earlier?.buffer ?? spec.buffer;
    const unit = how === "aligned" ? itemBytes * BINDING_ALIGNMENT : itemBytes;
    const isBehind = how === "apart" || how === "aligned";
    const start = alignUp(isBehind ? (this.ends[buffer] ?? 0) : (earlier?.offset ?? 0), unit);
    const offset = start + items * itemBytes + skew;
    return { buffer, offset, bytes, size, isSkewed: offset % itemBytes !== 0 };
  }
}

/** Runs a case, and compares every word of every buffer. */
export async function runRecorded(given: RecordedCase, fixture: Fixture): Promise<Verdict> {
  const { device } = fixture.fold;
  const plans = given.plans.map((one) => {
    const facts = factsOf(one);
    return { plan: { ...one, maxLength: Math.min(one.maxLength, mostItems(facts)) }, facts };
  });
  const layout = new Layout();
  const steps: Step[] = [];
  for (const spec of given.steps) {
    const { plan, facts } = plans[spec.plan % plans.length] as (typeof plans)[number];
    const prepared = await prepare(fixture, plan, facts);
    if (prepared === undefined) {
      continue;
    }
    // Sometimes one more than it was prepared for.
    const length = spec.length % (plan.maxLength + (spec.length % 7 === 6 ? 2 : 1));
    const ranges = new Map<Role, PlacedRange>();
    for (const [role, itemBytes, bytes] of needsOf(plan, facts, length, spec)) {
      const where = role === "length" ? spec.lengthAt : spec[role];
      ranges.set(role, layout.place(where, itemBytes, bytes, ranges.get("input")));
    }
    steps.push({
      spec,
      plan,
      facts,
      prepared,
      encoder: spec.encoder % given.encoders.length,
      length,
      ranges,
    });
  }
  const shadows = layout.ends.map((end): Shadow => {
    const bytes = new Uint8Array(wholeWords(end) + (given.tight ? 0 : alignUp(GUARD, 4))).fill(POISON);
    return { bytes, owners: new Int32Array(bytes.length) };
  });
  const sizes = shadows.map(({ bytes }) => bytes.length);
  for (const step of steps) {
    fillInputs(step, shadows);
  }
  const buffers = shadows.map(({ bytes }, at) => {
    const buffer = device.createBuffer({
      label: `fuzz ${at}`,
      size: Math.max(4, bytes.length),
      usage: 0x80 | 0x4 | 0x8,
      mappedAtCreation: true,
    });
    new Uint8Array(buffer.getMappedRange()).set(bytes);
    buffer.unmap();
    return buffer;
  });
  try {
    const recorded = record(given, steps, buffers, sizes, device);
    const contents = await readAll(device, buffers);
    await fixture.requireNoError("recordings");
    compare(recorded, shadows, contents);
    return recorded.length === 0 ? "refused" : "passed";
  } finally {
    for (const buffer of buffers) {
      buffer.destroy();
    }
  }
}

/** Puts a step's data where it reads. What lies in the same place is written over. */
function fillInputs(step: Step, shadows: readonly Shadow[]): void {
  const { spec, facts, plan, ranges, length } = step;
  const items = plan.lengthOnGpu ? plan.maxLength : length;
  const input = ranges.get("input");
  if (input !== undefined && spec.data !== undefined) {
    shadows[input.buffer]?.bytes.set(dataFor(facts, spec.data, items), input.offset);
  }
  const flags = ranges.get("flags");
  if (flags !== undefined) {
    const next = bitsOf((spec.data?.seed ?? 0) + 1);
    const words = Uint32Array.from({ length: items }, () => (next() % 2 === 0 ? 0 : next()));
    shadows[flags.buffer]?.bytes.set(new Uint8Array(words.buffer), flags.offset);
  }
  const initial = ranges.get("initial");
  if (initial !== undefined) {
    shadows[initial.buffer]?.bytes.set(initialBytes({ spec, facts }), initial.offset);
  }
  const at = ranges.get("length");
  if (at !== undefined) {
    const word = Uint32Array.of(Math.min(length, plan.maxLength));
    shadows[at.buffer]?.bytes.set(new Uint8Array(word.buffer), at.offset);
  }
}

/** Whether a recording must be taken: its ranges are right, and apart in every way that could matter. */
function mustRecord({ spec, plan, facts, length, ranges }: Step, sizes: readonly number[]): boolean {
  if (spec.omit !== undefined || (length > plan.maxLength && !plan.lengthOnGpu)) {
    return false;
  }
  const all = [...ranges];
  const isRight = all.every(
    ([, range]) =>
      !range.isSkewed &&
      (range.size ?? range.bytes) >= range.bytes &&
      range.offset + Math.max(wholeWords(range.bytes), range.size ?? 0) <= (sizes[range.buffer] ?? 0) &&
      range.offset % 4 === 0,
  );
  const input = ranges.get("input");
  const output = ranges.get("output");
  const isShared = (role: Role): boolean =>
    all.some(([other, range]) => other !== role && range.buffer === ranges.get(role)?.buffer);
  const others = all.every(([role]) => role === "input" || role === "output" || !isShared(role));
  const isApart =
    input === undefined || output === undefined || input.buffer !== output.buffer
      ? true
      : facts.from.bytes === facts.output.bytes &&
        (input.offset === output.offset
          ? true
          : input.offset + input.bytes <= output.offset || output.offset + output.bytes <= input.offset);
  return isRight && others && isApart;
}

/** Records all steps, and submits them. Returns those that were taken, in the order in which they run. */
function record(
  given: RecordedCase,
  steps: readonly Step[],
  buffers: readonly GPUBuffer[],
  sizes: readonly number[],
  device: GPUDevice,
): { step: Step; grouping: Grouping | undefined }[] {
  const encoders = given.encoders.map((kind) => {
    const command = device.createCommandEncoder();
    return { command, pass: kind === "pass" ? command.beginComputePass() : undefined };
  });
  const taken: { step: Step; grouping: Grouping | undefined }[] = [];
  for (const step of steps) {
    const { spec, facts, plan, prepared, length } = step;
    const { command, pass } = encoders[step.encoder] as (typeof encoders)[number];
    const call: Record<string, unknown> = { length, ...recordedParams(facts.options) };
    for (const [role, { buffer, offset, size }] of step.ranges) {
      const isBare = offset === 0 && size === undefined;
      call[role] = isBare
        ? buffers[buffer]
        : { buffer: buffers[buffer], offset, ...(size !== undefined && { size }) };
    }
    if (takesInitial(plan) && spec.asValue) {
      call.initial = valuesOf(arrayOf(facts.type, initialBytes(step)), facts.type)(0);
    }
    if (spec.firstIndex !== undefined) {
      call.firstIndex = spec.firstIndex;
    }
    if (spec.omit !== undefined) {
      delete call[spec.omit];
    }
    const title = `record ${facts.title}`;
    // Perhaps no binding reaches from the input to the output.
    const at = step.ranges.get("output")?.buffer ?? 0;
    const { maxStorageBufferBindingSize } = contextOf(device).facts.limits;
    const isFar = (sizes[at] ?? 0) > maxStorageBufferBindingSize && step.ranges.get("input")?.buffer === at;
    const mustWork = mustRecord(step, sizes) && !isFar;
    const made = attemptNow(title, mustWork, () => {
      const grouping =
        facts.type.name === "f64" || isBounded(facts) ? prepared.groupingOf?.(call) : undefined;
      prepared.record(pass ?? command, call);
      return grouping;
    });
    if ("refusal" in made && plan.primitive === "compact" && /\btotal\b/.test(made.refusal.message)) {
      throw new Fault(
        `a refusal names total where the caller wrote count, and so whoever reads it looks in vain: ${made.refusal.message}`,
      );
    }
    if ("result" in made) {
      if (spec.omit !== undefined && length > 0 && step.ranges.has(spec.omit)) {
        throw new Fault(`${title} takes a call without ${spec.omit}`);
      }
      if (length > plan.maxLength && !plan.lengthOnGpu) {
        throw new Fault(`${title} takes length ${length}, and was prepared for ${plan.maxLength}`);
      }
      taken.push({ step, grouping: made.result });
    }
  }
  for (const { pass } of encoders) {
    pass?.end();
  }
  device.queue.submit(encoders.map(({ command }) => command.finish()));
  // One encoder after another.
  return taken.sort((a, b) => a.step.encoder - b.step.encoder);
}

/** Reads all buffers back. */
async function readAll(device: GPUDevice, buffers: readonly GPUBuffer[]): Promise<Uint8Array[]> {
  const encoder = device.createCommandEncoder();
  const stagings = buffers.map((buffer) => {
    const staging = device.createBuffer({ size: buffer.size, usage: 0x1 | 0x8 });
    encoder.copyBufferToBuffer(buffer, 0, staging, 0, buffer.size);
    return staging;
  });
  device.queue.submit([encoder.finish()]);
  return Promise.all(
    stagings.map(async (staging) => {
      await staging.mapAsync(0x1);
      const bytes = new Uint8Array(staging.getMappedRange().slice(0));
      staging.destroy();
      return bytes;
    }),
  );
}

/** Follows the recordings on the CPU, and compares every byte. */
function compare(
  recorded: readonly { step: Step; grouping: Grouping | undefined }[],
  shadows: readonly Shadow[],
  contents: readonly Uint8Array[],
): void {
  const checks: Check[] = [];
  for (const { step, grouping } of recorded) {
    follow(step, grouping, shadows, checks);
  }
  const titles = recorded.map(({ step }) => step.facts.title).join(", ");
  shadows.forEach(({ bytes, owners }, at) => {
    const content = contents[at] as Uint8Array;
    let wrong = 0;
    let first = -1;
    for (let index = 0; index < bytes.length; index++) {
      if (owners[index] === 0 && bytes[index] !== content[index]) {
        first = first < 0 ? index : first;
        wrong++;
      }
    }
    if (first >= 0) {
      const place = first - (first % 4);
      const word = (of: Uint8Array): string =>
        `0x${[3, 2, 1, 0].map((byte) => (of[place + byte] ?? 0).toString(16).padStart(2, "0")).join("")}`;
      throw new Fault(
        `${titles}: wrong in ${placeOf(recorded, at, first)}: ${wrong} bytes of buffer ${at}, the first in the word at byte ${place}: it is ${word(content)}, and the CPU has ${word(bytes)}`,
      );
    }
  });
  for (const [number, check] of checks.entries()) {
    requireBounds(check, number + 1, shadows, contents);
  }
}

/** What lies at a byte, for a message. */
function placeOf(recorded: readonly { step: Step }[], buffer: number, byte: number): string {
  for (const { step } of [...recorded].reverse()) {
    for (const [role, range] of step.ranges) {
      const isOutput = role === "output" || role === "count" || role === "indirect" || role === "total";
      if (isOutput && range.buffer === buffer && byte >= range.offset && byte < range.offset + range.bytes) {
        return `${step.facts.title}'s ${role}`;
      }
    }
  }
  return "no range that is written";
}

function requireBounds(
  { buffer, offset, plan, bounds, title }: Check,
  number: number,
  shadows: readonly Shadow[],
  contents: readonly Uint8Array[],
): void {
  const { owners } = shadows[buffer] as Shadow;
  const { bytes: size } = plan.type;
  const content = (contents[buffer] as Uint8Array).subarray(offset);
  bounds.forEach(({ value, bound }, index) => {
    const start = offset + index * size;
    if (owners[start] !== number || owners[start + size - 1] !== number) {
      return;
    }
    const actual = numberAt(plan.type, content, index);
    if (!(Math.abs(actual - value) <= bound || (Number.isNaN(actual) && Number.isNaN(value)))) {
      throw new Fault(`${title}: item ${index} is ${actual}; it may be off ${value} by ${bound}`);
    }
  });
}

/** Does on the CPU what a recording does. */
function follow(
  { spec, plan, facts: given, length, ranges }: Step,
  grouping: Grouping | undefined,
  shadows: readonly Shadow[],
  checks: Check[],
): void {
  const facts = countingFrom(given, spec.firstIndex ?? 0);
  const shadowOf = (range: PlacedRange): Shadow => shadows[range.buffer] as Shadow;
  const isKnown = (range: PlacedRange | undefined, bytes: number): boolean =>
    range === undefined ||
    shadowOf(range)
      .owners.subarray(range.offset, range.offset + bytes)
      .every((owner) => owner === 0);
  const read = (range: PlacedRange, bytes: number): Uint8Array =>
    shadowOf(range).bytes.slice(range.offset, range.offset + bytes);
  const write = (range: PlacedRange, bytes: Uint8Array, owner = 0): void => {
    shadowOf(range).bytes.set(bytes, range.offset);
    shadowOf(range).owners.fill(owner, range.offset, range.offset + bytes.length);
  };
  const forget = (): void => {
    for (const role of ["output", "count", "indirect", "total"] as const) {
      const range = ranges.get(role);
      if (range !== undefined) {
        shadowOf(range).owners.fill(-1, range.offset, range.offset + range.bytes);
      }
    }
  };
  const output = ranges.get("output") as PlacedRange;
  const lengthAt = ranges.get("length");
  const items = lengthAt === undefined ? length : (new Uint32Array(read(lengthAt, 4).buffer)[0] ?? 0);
  const input = ranges.get("input");
  const flags = ranges.get("flags");
  const inputBytes = items * facts.from.bytes;
  if (
    items > plan.maxLength ||
    !isKnown(lengthAt, 4) ||
    !isKnown(input, inputBytes) ||
    !isKnown(flags, items * 4) ||
    !isKnown(ranges.get("initial"), facts.type.bytes)
  ) {
    forget();
    return;
  }
  const data = input === undefined ? new Uint8Array(0) : read(input, inputBytes);
  if (input !== undefined && !isDefined(facts, data)) {
    forget();
    return;
  }
  if (plan.primitive !== "compact") {
    const from = ranges.get("initial");
    const bytes = !takesInitial(plan)
      ? undefined
      : from === undefined
        ? initialBytes({ spec, facts })
        : read(from, facts.type.bytes);
    if (bytes !== undefined && !isDefined(unmapped(facts), bytes)) {
      forget();
      return;
    }
    const initial = bytes && valuesOf(arrayOf(facts.type, bytes), facts.type)(0);
    const ends = { initial, total: ranges.get("total") };
    combine(facts, data, items, grouping, output, { write, forget }, checks, ends);
    return;
  }
  const words = flags === undefined ? undefined : new Uint32Array(read(flags, items * 4).buffer);
  const keep = facts.keep ?? ((_: Value, index: number) => words?.[index] !== 0);
  const kept =
    input === undefined
      ? Uint32Array.from(Array.from({ length: items }, (_, index) => index).filter((index) => keep(0, index)))
      : compactReference(
          arrayOf(facts.from, data),
          keep as never,
          {
            ...(facts.from.name === "f16" && { type: facts.from }),
            ...(facts.indices && { indices: true }),
            ...(facts.map !== undefined && { type: facts.type, from: facts.from, map: facts.map }),
          } as never,
        );
  const { firstIndex = 0 } = spec;
  write(output, bytesOf(facts.indices ? (kept as Uint32Array).map((place) => place + firstIndex) : kept));
  const count = ranges.get("count") as PlacedRange;
  write(count, new Uint8Array(Uint32Array.of(kept.length).buffer));
  const indirect = ranges.get("indirect");
  if (indirect !== undefined && plan.indirect !== undefined) {
    write(indirect, new Uint8Array(indirectOf(plan.indirect, kept.length).buffer));
  }
}

/** Work-groups in a dimension, at most: of every device. */
const MOST_WORK_GROUPS = 65535;

function indirectOf(kind: NonNullable<RecordedPlan["indirect"]>, kept: number): Uint32Array {
  if (kind === "draw") {
    return Uint32Array.of(3, kept, 0, 0);
  }
  if (kind === "drawIndexed") {
    return Uint32Array.of(6, kept, 0, 0, 0);
  }
  const workGroups = Math.ceil(kept / ITEMS_PER_WORK_GROUP);
  const rows = Math.max(1, Math.ceil(workGroups / MOST_WORK_GROUPS));
  return Uint32Array.of(Math.ceil(workGroups / rows), rows, 1);
}

/** The most operations that an item enters a result through, in a plan's order. */
function operationsOf(grouping: Grouping | undefined, length: number): number {
  if (grouping === undefined) {
    return length;
  }
  const { workGroupSize, itemsPerThread } = grouping;
  const tile = workGroupSize * itemsPerThread;
  const inTile = 2 * (workGroupSize + itemsPerThread);
  if (grouping.passes === "single") {
    const { fanOut } = grouping.lookBack;
    return inTile + fanOut + 2 + 2 * Math.ceil(length / tile / fanOut);
  }
  let kernels = 1;
  for (let level = length; level > tile; level = Math.ceil(level / tile)) {
    kernels += 2;
  }
  return kernels * inTile;
}

interface Results {
  write(range: PlacedRange, bytes: Uint8Array, owner?: number): void;
  forget(): void;
}

/** The facts of a plan whose map and predicate count from an index. */
function countingFrom(facts: PlanFacts, first: number): PlanFacts {
  const { map, keep } = facts;
  return {
    ...facts,
    ...(map && { map: (x, i) => map(x, (i + first) >>> 0) }),
    ...(keep && { keep: (x, i) => keep(x, (i + first) >>> 0) }),
  };
}

/** A scan or a reduction on the CPU. */
function combine(
  facts: PlanFacts,
  data: Uint8Array,
  length: number,
  grouping: Grouping | undefined,
  output: PlacedRange,
  { write, forget }: Results,
  checks: Check[],
  { initial, total }: { readonly initial: Value | undefined; readonly total: PlacedRange | undefined },
): void {
  const { spec, type, from, op, title } = facts;
  const order = orderOf(spec);
  const isScan = spec.primitive === "scan";
  const array = arrayOf(from, data);
  const twin = {
    op,
    type,
    ...(facts.map !== undefined && { from, map: facts.map }),
    // The order of operations decides the last bits of f64 alone.
    ...(type.name === "f64" && grouping !== undefined && { grouping }),
  };
  if (isBounded(facts) && (initial !== undefined || total !== undefined)) {
    forget();
    return;
  }
  if (isBounded(facts)) {
    const values = valuesOf(array, from);
    const numbers = (index: number): number =>
      Number(type.round(facts.map === undefined ? values(index) : facts.map(values(index), index)));
    const all = boundsOf(facts, numbers, length, isScan && order.exclusive, operationsOf(grouping, length));
    if (all === undefined) {
      forget();
      return;
    }
    const bounds = isScan ? all : [all.at(-1) ?? { value: op.name === "add" ? 0 : 1, bound: 0 }];
    checks.push({ buffer: output.buffer, offset: output.offset, plan: facts, bounds, title });
    write(output, new Uint8Array(bounds.length * type.bytes), checks.length);
    return;
  }
  const ends = initial === undefined ? {} : { initial };
  const { array: sum } = emptySingle(array, facts);
  const own = total === undefined ? {} : { total: sum };
  const result = isScan
    ? scanReference(array, { ...twin, ...ends, ...own, ...order } as never)
    : singleOf(array, facts, reduceReference(array, { ...twin, ...ends } as never));
  const put = (range: PlacedRange, items: AnyArray): void => {
    const bytes = bytesOf(items);
    write(range, bytes);
    if (type.name === "f64") {
      // The bits of a NaN are not followed.
      const values = new Float64Array(bytes.slice().buffer);
      values.forEach((value, index) => {
        if (Number.isNaN(value)) {
          write({ ...range, offset: range.offset + index * 8 }, new Uint8Array(8), -1);
        }
      });
    }
  };
  put(output, result);
  if (total !== undefined) {
    put(total, sum);
  }
}

/** An array of one value of the plan's type. */
function singleOf(array: AnyArray, facts: PlanFacts, value: Value): AnyArray {
  const { array: single, set } = emptySingle(array, facts);
  set(0, value);
  return single;
}

function emptySingle(array: AnyArray, { type, from }: PlanFacts): ReturnType<typeof emptyLike> {
  return emptyLike(from === type ? array : arrayOf(type, new Uint8Array(0)), 1, type);
}
