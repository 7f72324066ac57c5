import fc from "fast-check";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { elementTypes } from "../../src/algebra/element_types.ts";
import { scalarAt } from "../../src/algebra/fields.ts";
import { u32 } from "../../src/algebra/integers.ts";
import type { ElementType, Scalar, TypeName, Value } from "../../src/algebra/types.ts";
import type { GpuArray } from "../../src/gpu/gpu_arrays/gpu_array.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { scanReference } from "../../src/reference/scan.ts";
import type { Fixture } from "./fixture.ts";
import { hasFeature } from "./fixture.ts";
import type { PlanFacts, PlanSpec, Scale } from "./plans.ts";
import {
  dataArbitrary,
  factsOf,
  operatorNames,
  orderOf,
  Pooled,
  planArbitrary,
  sizeAround,
  typeArbitrary,
} from "./plans.ts";
import { canRun } from "./recorded.ts";
import type { DataSpec, ScalarField, TypeSpec } from "./values.ts";
import { arrayOf, bitsOf, bytesOf, fieldsOf, itemBytes, typeOf } from "./values.ts";
import type { Verdict } from "./verdict.ts";
import { attempt, Fault, oneLine, verdictOf } from "./verdict.ts";

// Scans and reductions of rows, columns and segments: at hand, on the GPU, and recorded. Elements are
// whole numbers, of which all results are exact.

const ways = ["rows", "columns", "offsets", "begins", "heads", "headBits", "keys"] as const;

/** What is called. */
export interface SegmentsSpec {
  readonly plan: PlanSpec;
  readonly by: (typeof ways)[number];
  /** The type of the keys. */
  readonly keys: TypeSpec;
  /** How keys are computed: from a bit of the first scalar, or as the first scalar itself. */
  readonly key?: "bit" | "scalar";
  /** Whether they are computed from the data. */
  readonly ofData?: boolean;
  readonly initial?: boolean;
}

export interface SegmentsCall {
  readonly length: number;
  readonly data: DataSpec;
  /** How many items a segment has, or about how many. */
  readonly each: number;
  readonly onGpu?: boolean;
  /** The number of items before each range of a recording. */
  readonly before?: number;
}

export interface SegmentsCase {
  readonly family: "segments";
  readonly call: SegmentsSpec;
  readonly steps: readonly SegmentsCall[];
}

export function segmentsArbitrary(scale: Scale): fc.Arbitrary<SegmentsCase> {
  const call = fc.record(
    {
      plan: fc
        .tuple(planArbitrary(scale), fc.constantFrom(...operatorNames))
        .map(([plan, op]) =>
          plan.primitive === "compact" ? { ...plan, primitive: "scan" as const, op } : plan,
        )
        .map(({ map: _, misfit: __, ...plan }) => plan as PlanSpec),
      by: fc.constantFrom(...ways),
      keys: typeArbitrary(scale),
      key: fc.constantFrom("bit" as const, "scalar" as const),
      ofData: fc.boolean(),
      initial: fc.boolean(),
    },
    { requiredKeys: ["plan", "by", "keys"] },
  );
  const step = fc.record(
    {
      length: sizeAround(Math.min(scale.usualLength, 20_000)),
      data: dataArbitrary("small", "sparse"),
      each: fc.oneof(fc.integer({ min: 1, max: 9 }), sizeAround(5000)),
      onGpu: fc.boolean(),
      before: fc.integer({ min: 0, max: 9 }),
    },
    { requiredKeys: ["length", "data", "each"] },
  );
  return fc.record({
    family: fc.constant("segments" as const),
    call: new Pooled(call, scale.software ? 6 : 24),
    steps: fc.array(step, { minLength: 1, maxLength: 4 }),
  });
}

/** Whether all results are exact, whatever the order. A product of f64 may round. */
export const isExact = ({ type, op }: PlanFacts, length: number): boolean =>
  op.name !== "mul"
    ? type.name !== "f16" || op.name !== "add" || length < 300
    : type.name !== "f32" && type.name !== "f16" && type.name !== "f64";

/** Where segments start, at random: about one in `each` items. */
function headsOf({ length, each, data }: SegmentsCall): boolean[] {
  const next = bitsOf(data.seed + 7);
  return Array.from({ length }, (_, at) => at === 0 || next() % Math.max(1, each) === 0);
}

/** The option of a call, and the arrays in it that a call on the GPU has there. */
function segmentsOf(
  spec: SegmentsSpec,
  step: SegmentsCall,
): { readonly option: Record<string, unknown>; readonly arrays: Record<string, AnyArray> } {
  const { length, each } = step;
  const heads = headsOf(step);
  switch (spec.by) {
    case "rows":
    case "columns":
      return { option: { [spec.by]: Math.max(1, each) }, arrays: {} };
    case "offsets": {
      // Some segments have no item.
      const next = bitsOf(step.data.seed + 9);
      const starts = heads.flatMap((head, at) =>
        head ? Array.from({ length: next() % 4 === 0 ? 3 : 1 }, () => at) : [],
      );
      const offsets = Uint32Array.from([...(length === 0 ? [0] : starts), length]);
      return { option: {}, arrays: { offsets } };
    }
    case "begins": {
      // Of the parts between two heads, some are segments and some are gaps, and some segments have no item.
      const next = bitsOf(step.data.seed + 11);
      const starts = [...heads.flatMap((head, at) => (head ? [at] : [])), length];
      const spans = starts.slice(1).flatMap((end, at): (readonly [number, number])[] => {
        const begin = starts[at] as number;
        const kind = next() % 4;
        return kind === 0
          ? []
          : kind === 1
            ? [
                [begin, begin],
                [begin, end],
              ]
            : [[begin, end - Number(kind === 2 && end > begin)]];
      });
      const [begins, ends] = [0, 1].map((side) => Uint32Array.from(spans, (span) => span[side] as number));
      return { option: {}, arrays: { begins, ends } as Record<string, Uint32Array> };
    }
    case "heads":
      return { option: {}, arrays: { heads: Uint32Array.from(heads, (head) => (head ? 5 : 0)) } };
    case "headBits": {
      const words = new Uint32Array(Math.ceil(length / 32));
      heads.forEach((head, at) => {
        words[at >>> 5] = ((words[at >>> 5] ?? 0) | (head ? 2 ** (at & 31) : 0)) >>> 0;
      });
      return { option: {}, arrays: { headBits: words } };
    }
    default:
      return { option: {}, arrays: { keys: runsOf(spec.keys, step) } };
  }
}

/** A key that is computed: WGSL, its CPU twin, and the type of the key. */
interface Computed {
  readonly key: string;
  readonly twin: (x: Value) => Value;
  readonly keyType: ElementType;
  /** Whether the type is named. It need not be if the key is a field, or has the type of the elements. */
  readonly isNamed: boolean;
}

/** WGSL for a high bit of a scalar. Of a float it tells numbers from 2 up, and NaN, whose other bits an adapter may change. */
const bitTexts = {
  u32: (x) => `(${x} >> 30u) & 1u`,
  i32: (x) => `(bitcast<u32>(${x}) >> 30u) & 1u`,
  f32: (x) => `(bitcast<u32>(${x}) >> 30u) & 1u`,
  f16: (x) => `(bitcast<u32>(vec2<f16>(${x}, 0.0h)) >> 14u) & 1u`,
  u64: (x) => `u32(${x} >> 62) & 1u`,
  i64: (x) => `u32(${x} >> 62) & 1u`,
  f64: (x) => `(bitcast<vec2<u32>>(${x}).y >> 30u) & 1u`,
} as const satisfies Record<TypeName, (x: string) => string>;

const bitOf = (type: TypeName, x: Scalar): number =>
  type === "f32" || type === "f16" || type === "f64"
    ? Number(!(Math.abs(Number(x)) < 2))
    : typeof x === "bigint"
      ? Number((x >> 62n) & 1n)
      : (x >>> 30) & 1;

/** How the keys of a case are computed from elements of a type. */
function computedOf(spec: SegmentsSpec, type: ElementType): Computed | undefined {
  if (spec.key === undefined || spec.by !== "keys") {
    return undefined;
  }
  const [first] = fieldsOf(type);
  const { name, keys, type: scalar } = first as ScalarField;
  const x = name === "" ? "x" : `x.${name}`;
  const own = (value: Value): Scalar => scalarAt(value, keys);
  const keyType = elementTypes[scalar];
  return spec.key === "bit" || keyType.kind === "float"
    ? { key: bitTexts[scalar](x), twin: (value) => bitOf(scalar, own(value)), keyType: u32, isNamed: true }
    : { key: x, twin: own, keyType, isNamed: false };
}

/** Elements of which neighbours are equal, more or less. Any bits, among them those of NaN. */
function runsOf(spec: TypeSpec, step: SegmentsCall): AnyArray {
  const type = typeOf(spec);
  const { length, data } = step;
  const bytes = itemBytes(type, { kind: "bits", seed: data.seed + 3 }, length, false);
  headsOf(step).forEach((head, at) => {
    if (!head) {
      bytes.copyWithin(at * type.bytes, (at - 1) * type.bytes, at * type.bytes);
    }
  });
  return arrayOf(type, bytes);
}

/** @throws {Fault} where two arrays differ in a bit. */
export function requireEqual(actual: unknown, expected: AnyArray, title: string): void {
  const array = actual as AnyArray;
  if (typeof array?.length !== "number" || typeof array.byteLength !== "number") {
    throw new Fault(`${title} gives no array`);
  }
  if (array.length !== expected.length || array.constructor !== expected.constructor) {
    throw new Fault(
      `${title} gives ${array.constructor.name} of ${array.length} items instead of ${expected.constructor.name} of ${expected.length}`,
    );
  }
  const a = bytesOf(array);
  const e = bytesOf(expected);
  const wrong = e.findIndex((byte, at) => byte !== a[at]);
  if (wrong >= 0) {
    const size = e.length / expected.length;
    throw new Fault(
      `${title}: item ${Math.floor(wrong / size)} of ${expected.length} is wrong: byte ${wrong} is ${a[wrong]}, and should be ${e[wrong]}`,
    );
  }
}

/** Uploads arrays for a call, and reads what it gave. All that is on the GPU is destroyed at the end. */
export async function onGpu<T>(
  { fold }: Fixture,
  action: (
    up: (array: AnyArray, type?: unknown) => Promise<GpuArray>,
    read: (one: unknown) => Promise<AnyArray>,
  ) => Promise<T>,
): Promise<T> {
  const made: GpuArray[] = [];
  try {
    return await action(
      async (array, type) => {
        const one = await fold.upload(array as Uint32Array, (type === undefined ? {} : { type }) as never);
        made.push(one as GpuArray);
        return one as GpuArray;
      },
      async (one) => {
        made.push(one as GpuArray);
        return (await (one as GpuArray).read()) as AnyArray;
      },
    );
  } finally {
    for (const one of made) {
      one.destroy();
    }
  }
}

export async function runSegments({ call, steps }: SegmentsCase, fixture: Fixture): Promise<Verdict> {
  const verdict = await verdictOf(steps, (step) => runStep(call, step, fixture));
  await fixture.requireNoError(`segments by ${call.by}`);
  return verdict;
}

async function runStep(spec: SegmentsSpec, given: SegmentsCall, fixture: Fixture): Promise<Verdict> {
  const { by } = spec;
  const facts = factsOf(spec.plan);
  const each = Math.max(1, given.each);
  const isMatrix = by === "rows" || by === "columns";
  const step = { ...given, each, length: isMatrix ? Math.floor(given.length / each) * each : given.length };
  const { type } = facts;
  const isRecorded = step.before !== undefined;
  const title = `${facts.title} by ${by} of ${step.length} items, about ${each} each${isRecorded ? ", recorded" : step.onGpu ? ", on the GPU" : ""}`;
  const keyType = typeOf(spec.keys);
  // Of columns, a thread may have one item if the call does not say how many. A tile has two items at least.
  const { workGroupSize: threads = 2, itemsPerThread: items = by === "columns" ? 1 : 2 } = facts.spec;
  const mustWork =
    canRun(fixture, facts) && threads * items > 1 && (by !== "keys" || hasFeature(fixture, keyType.feature));
  const { algorithm, passes, workGroupSize, itemsPerThread, op, exclusive, reverse } = facts.options;
  const order = {
    ...(exclusive !== undefined && { exclusive }),
    ...(reverse !== undefined && { reverse }),
  };
  const tuning = Object.fromEntries(
    // Of columns, each thread goes down one by itself, so there is no algorithm to choose.
    Object.entries({ ...(by !== "columns" && { algorithm, passes }), workGroupSize, itemsPerThread }).filter(
      ([, one]) => one !== undefined,
    ),
  );
  const { primitive } = facts.spec;
  const data = arrayOf(type, itemBytes(type, step.data, step.length, true));
  const isOfData = by === "keys" && spec.key !== undefined && spec.ofData === true;
  const { option, arrays } = isOfData
    ? { option: {}, arrays: {} as Record<string, AnyArray> }
    : segmentsOf(spec, step);
  const computed = computedOf(spec, isOfData ? type : keyType);
  const { twin: key, keyType: resultType } = computed ?? {};
  // As calls take it, and as the reference does.
  const keyed = computed && { key: computed.key, ...(computed.isNamed && { keyType: resultType }) };
  const twin = computed && { key, keyType: resultType };
  const isF16 = type.name === "f16" ? { type } : {};
  // A scalar that every type holds, as the type holds it.
  const initial =
    spec.initial && type.kind !== "struct"
      ? { initial: (["u64", "i64"].includes(type.name) ? 3n : 3) as Value }
      : {};
  const own = {
    ...tuning,
    op,
    ...initial,
    ...(primitive === "scan" && order),
  };
  const keysAreF16 = "keys" in arrays && keyType.name === "f16" ? { type: keyType } : {};
  const method = (
    fixture.fold as unknown as Record<string, (data: unknown, options: object) => Promise<unknown>>
  )[primitive]?.bind(fixture.fold) as (data: unknown, options: object) => Promise<unknown>;

  const segments = { ...option, ...arrays, ...keysAreF16, ...twin };
  const reference = { op: facts.op, ...isF16, ...initial, segments };
  const expected: unknown =
    primitive === "scan"
      ? scanReference(data, { ...reference, ...orderOf(facts.spec) } as never)
      : reduceReference(data, reference as never);
  const right = await partsOf(expected, async (one) => one as AnyArray);
  const made = await attempt(title, false, async () => {
    if (isRecorded) {
      return recorded(fixture, title, {
        spec,
        step,
        type,
        options: {
          type,
          ...tuning,
          op,
          ...(primitive === "scan" && order),
        },
        initial,
        data,
        option,
        arrays,
        keys: { items: isOfData ? type : keyType, keyed, result: resultType ?? keyType },
        right,
      });
    }
    if (!step.onGpu) {
      const segments = { segments: { ...option, ...arrays, ...keysAreF16, ...keyed } };
      return partsOf(await method(data, { ...own, ...isF16, ...segments }), async (one) => one as AnyArray);
    }
    return onGpu(fixture, async (up, read) => {
      const there: Record<string, unknown> = { ...option };
      for (const [name, array] of Object.entries(arrays)) {
        there[name] = await up(array, name === "keys" && keyType.name === "f16" ? keyType : undefined);
      }
      const segments = { segments: { ...there, ...keyed } };
      return partsOf(await method(await up(data, isF16.type), { ...own, ...segments }), read);
    });
  });
  if ("refusal" in made) {
    if (mustWork && made.refusal.name !== "LimitError") {
      throw new Fault(`${title} is refused, and must work: ${oneLine(made.refusal)}`);
    }
    return "refused";
  }
  if (!isExact(facts, step.length)) {
    return "passed";
  }
  if (isRecorded && by === "begins" && primitive === "scan") {
    fillGaps(right[""] as AnyArray, arrays, type.bytes);
  }
  for (const [name, array] of Object.entries(right)) {
    requireEqual(made.result[name], array, `${title}${name === "" ? "" : `: ${name}`}`);
  }
  return "passed";
}

/** What a recorded scan leaves of the output for items in gaps. */
function fillGaps(scanned: AnyArray, { begins, ends }: Record<string, AnyArray>, itemBytes: number): void {
  const bytes = bytesOf(scanned);
  const [from, to] = [ends, begins] as [Uint32Array, Uint32Array];
  for (let gap = 0; gap <= to.length; gap++) {
    bytes.fill(FILL, (from[gap - 1] ?? 0) * itemBytes, (to[gap] ?? bytes.length / itemBytes) * itemBytes);
  }
}

const AFTER = 64;
const FILL = 0x5a;

/** Records a call with ranges between bytes that nobody may write, and reads what is in those that are written. */
async function recorded(
  fixture: Fixture,
  title: string,
  given: {
    readonly spec: SegmentsSpec;
    readonly step: SegmentsCall;
    readonly type: ElementType;
    readonly options: object;
    readonly initial: { readonly initial?: Value };
    readonly data: AnyArray;
    readonly option: Record<string, unknown>;
    readonly arrays: Record<string, AnyArray>;
    /** The items of the range `keys`, how keys are computed from them, and the keys of runs. */
    readonly keys: {
      readonly items: ElementType;
      readonly keyed: object | undefined;
      readonly result: ElementType;
    };
    readonly right: Record<string, AnyArray>;
  },
): Promise<Record<string, AnyArray>> {
  const { spec, step, type, options, initial, data, option, arrays, keys, right } = given;
  const { fold } = fixture;
  const { device } = fold;
  const { by } = spec;
  const { before = 0, length } = step;
  const isScan = spec.plan.primitive === "scan";
  const maxLength = Math.min(fixture.scale.usualLength, 20_000);
  const prepared = await fixture.kept(`segments ${isScan} ${JSON.stringify(spec)}`, () => {
    const all = {
      ...options,
      maxLength,
      segments: by === "keys" ? { keys: keys.items, ...keys.keyed, ...(!isScan && { unique: true }) } : by,
      ...("initial" in initial && { initial: true }),
    } as never;
    return isScan ? fold.prepareScan(all) : fold.prepareReduce(all);
  });
  const made: GPUBuffer[] = [];
  const written: { name: string; buffer: GPUBuffer; start: number; bytes: number }[] = [];
  const range = (bytes: Uint8Array, start: number): { buffer: GPUBuffer; offset: number } => {
    const all = new Uint8Array(Math.ceil((start + bytes.length + AFTER) / 4) * 4).fill(FILL);
    all.set(bytes, start);
    const buffer = device.createBuffer({ size: all.length, usage: 0x80 | 0x4 | 0x8 });
    device.queue.writeBuffer(buffer, 0, all);
    made.push(buffer);
    return { buffer, offset: start };
  };
  const room = (name: string, itemBytes: number, items: number): { buffer: GPUBuffer; offset: number } => {
    const start = (before + 1) * itemBytes;
    const one = range(new Uint8Array(items * itemBytes).fill(FILL), start);
    const array = right[name];
    written.push({
      name,
      buffer: one.buffer,
      start,
      bytes: array === undefined ? itemBytes : bytesOf(array).length,
    });
    return one;
  };
  const isCounted = !isScan && ["heads", "headBits", "keys"].includes(by);
  const values = "values" in right ? "values" : "";
  const segmentCount = arrays.begins?.length ?? (arrays.offsets?.length ?? 1) - 1;
  const most = isScan || isCounted ? length : (right[values]?.length ?? 0);
  const marks = arrays.heads ?? arrays.headBits;
  const input = range(bytesOf(data), before * type.bytes);
  const ranges = {
    input,
    output: room(values, type.bytes, most),
    length,
    ...initial,
    ...option,
    ...Object.fromEntries(
      ["offsets", "begins", "ends"].flatMap((name) => {
        const places = arrays[name];
        return places ? [[name, range(bytesOf(places), before * 4)]] : [];
      }),
    ),
    ...((arrays.offsets ?? arrays.begins) && { segmentCount }),
    ...(marks && { heads: range(bytesOf(marks), before * 4) }),
    ...(by === "keys" && {
      keys: arrays.keys ? range(bytesOf(arrays.keys), before * keys.items.bytes) : input,
    }),
    ...(isCounted && { count: room("count", 4, 1) }),
    ...(isCounted && by === "keys" && { unique: room("keys", keys.result.bytes, length) }),
  };
  try {
    const encoder = device.createCommandEncoder();
    prepared.record(encoder, ranges as never);
    const stages = written.map(({ buffer }) => {
      const stage = device.createBuffer({ size: buffer.size, usage: 0x1 | 0x8 });
      encoder.copyBufferToBuffer(buffer, 0, stage, 0, buffer.size);
      made.push(stage);
      return stage;
    });
    device.queue.submit([encoder.finish()]);
    const found: Record<string, AnyArray> = {};
    for (const [at, { name, start, bytes }] of written.entries()) {
      const stage = stages[at] as GPUBuffer;
      await stage.mapAsync(0x1);
      const all = new Uint8Array(stage.getMappedRange());
      const touched = all.findIndex(
        (byte, index) => (index < start || index >= start + bytes) && byte !== FILL,
      );
      if (touched >= 0) {
        throw new Fault(
          `${title} writes byte ${touched} of ${name || "output"}, whose result is ${bytes} bytes from ${start}`,
        );
      }
      const own = all.slice(start, start + bytes);
      if (name === "count") {
        const count = new Uint32Array(own.buffer)[0];
        if (count !== right[values]?.length) {
          throw new Fault(`${title} counts ${count} segments, and there are ${right[values]?.length}`);
        }
      } else {
        found[name] = arrayOf(name === "keys" ? keys.result : type, own);
      }
    }
    return found;
  } finally {
    for (const buffer of made) {
      buffer.destroy();
    }
  }
}

/** The arrays of a result: one without a name, or some by their names. */
export async function partsOf(
  result: unknown,
  read: (one: unknown) => Promise<AnyArray>,
): Promise<Record<string, AnyArray>> {
  // An array has methods of these names, too.
  const isOne = "byteLength" in (result as object) || "read" in (result as object);
  const names = ["keys", "values", "counts", "count", "offsets"].filter((name) => name in (result as object));
  const made: Record<string, AnyArray> = {};
  for (const name of isOne ? [""] : names) {
    made[name] = await read(isOne ? result : (result as Record<string, unknown>)[name]);
  }
  return made;
}
