import { AdapterError, ArgumentError } from "../errors.ts";
import type { Operator } from "../operators.ts";
import type { CompactOptions } from "../primitives/compact.ts";
import { planCompact } from "../primitives/compact.ts";
import type { Plan } from "../primitives/plan.ts";
import { bindingBytes } from "../primitives/plan.ts";
import type { ReduceOptions } from "../primitives/reduce.ts";
import { planReduce } from "../primitives/reduce.ts";
import type { ScanOptions } from "../primitives/scan.ts";
import { planScan } from "../primitives/scan.ts";
import type { TuningOptions } from "../primitives/tuning.ts";
import type { AnyArray, ArrayOf, NameOf, ValueIn } from "../reference/arrays.ts";
import { arrayLike, arrayOver, structOfArray, valuesOf } from "../reference/arrays.ts";
import type { Grouping } from "../reference/grouping.ts";
import type { ElementType, TypeName, Value } from "../types.ts";
import { f16, f32, i32, typeNameOfArray, u32 } from "../types.ts";
import { BufferUsage, MAP_READ } from "./constants.ts";
import type { Context } from "./context.ts";
import { allocate, contextOf, explain, requireDevice } from "./context.ts";
import type { BufferRange } from "./prepared.ts";
import { prepare } from "./prepared.ts";

/** What `scan` and `reduce` take beside the data. */
export interface HandOptions<Name extends string> extends TuningOptions {
  /** The operator; `add` where it is left out. */
  readonly op?: Operator<Name>;
  /** Needed only for f16 bits in a `Uint16Array`. */
  readonly type?: ElementType<Name>;
  /** WGSL over each element's value `x` and its index `i`, applied as it is loaded: as {@link ScanOptions.map}. */
  readonly map?: string;
}

/** The same with a map to another type. */
export interface HandMapOptions<From extends string, Name extends string, V extends Value>
  extends TuningOptions {
  /** The type that `map` gives, and the result has. */
  readonly type: ElementType<Name, V>;
  /** WGSL over each element's value `x` and its index `i`, such as `"u32(x > 0.5)"`: as {@link ScanOptions.map}. */
  readonly map: string;
  /** The operator, on `type`; `add` where it is left out. */
  readonly op?: Operator<NoInfer<Name>>;
  /** The type of the array's elements; needed only for f16 bits in a `Uint16Array`. */
  readonly from?: ElementType<From>;
}

/** What `compact` takes beside the data: `where`, or `flags`. */
export interface HandCompactOptions<Name extends string> extends TuningOptions {
  readonly type?: ElementType<Name>;
  /** WGSL over the value `x` and the index `i` of each element that is kept: as {@link ScanOptions.map}. */
  readonly map?: string;
  /** WGSL: an expression over the element `x` and its index `i` (u32), such as `"x % 2u == 1u"`. */
  readonly where?: string;
  /** One for each element: kept where it is not zero. */
  readonly flags?: ArrayLike<number | boolean>;
}

/** How many items: a number; or where prepared with `lengthOnGpu`, a range that starts with it as a u32, and holds at most maxLength. */
export type Length = number | BufferRange;

/** Where a scan or a reduction reads and writes. */
export interface ScanRanges {
  readonly input: BufferRange;
  readonly output: BufferRange;
  readonly length: Length;
}

/** A scan, compiled and with its scratch allocated. */
export interface PreparedScan {
  /**
   * Records the scan of `length` items. Everything is checked before anything is recorded; nothing
   * is read back. Input and output may be the same range; ranges may start at any item. Fastest where
   * they are in two buffers and start at a multiple of 16 bytes (of 48, where an item has 12, and so on):
   * then each item is read once. With a map to items of another size, they are in two buffers.
   *
   * @throws {ArgumentError} {@link LimitError} {@link DeviceLostError}
   */
  record(encoder: GPUCommandEncoder | GPUComputePassEncoder, ranges: ScanRanges): void;
  /** The order of operations on such ranges: `scanReference(data, { op, grouping })` follows it to the last bit. */
  groupingOf(ranges: ScanRanges): Grouping;
  /** Frees the scratch. Recordings that are not yet submitted become invalid. */
  destroy(): void;
}

/** A reduction, compiled and with its scratch allocated. */
export interface PreparedReduce {
  /** Records the reduction of `length` items to the first item of `output`. As {@link PreparedScan.record}. */
  record(encoder: GPUCommandEncoder | GPUComputePassEncoder, ranges: ScanRanges): void;
  /** The order of operations on such ranges: `reduceReference(data, { op, grouping })` follows it to the last bit. */
  groupingOf(ranges: ScanRanges): Grouping;
  destroy(): void;
}

/** A compaction, compiled and with its scratch allocated. */
export interface PreparedCompact {
  /**
   * Records the compaction of `length` items. `output` has room for all of them; `count` (one u32)
   * receives how many were kept, and what follows them in `output` is left as it was (in place: as
   * the input was). As {@link PreparedScan.record}.
   */
  record(
    encoder: GPUCommandEncoder | GPUComputePassEncoder,
    ranges: {
      /** Not needed with flags and indices, which decide without it. */
      readonly input?: BufferRange;
      readonly flags?: BufferRange;
      readonly output: BufferRange;
      readonly count: BufferRange;
      /** Where prepared with `indirect`: room for the arguments, which are left as that call takes them. */
      readonly indirect?: BufferRange;
      readonly length: Length;
    },
  ): void;
  destroy(): void;
}

/** Options of {@link openDevice}. */
export interface OpenOptions {
  /** Your own device. It stays yours: `destroy()` leaves it open. */
  readonly device?: GPUDevice;
  /** The adapter to open a device on. */
  readonly adapter?: GPUAdapter;
}

/** At hand, input and output are buffers of their own, from their start: the other kernels need not be compiled. */
const APART = ["vectors"] as const;

/** Scan, reduce and compact on one device. See `open`. */
export class Fold {
  readonly device: GPUDevice;
  readonly #context: Context;
  readonly #release: () => void;

  /** @internal */
  constructor(device: GPUDevice, release: () => void) {
    this.device = device;
    this.#context = contextOf(device);
    this.#release = release;
  }

  /** What the adapter calls itself. */
  get adapterInfo(): GPUAdapterInfo {
    return this.device.adapterInfo;
  }

  /** Whether the adapter computes on the CPU. */
  get software(): boolean {
    return this.#context.facts.software;
  }

  /**
   * The prefixes of an array: for each place, the combination of all elements up to it.
   *
   * @param data - `Uint32Array` is u32, `Int32Array` i32, `Float32Array` f32, `Float16Array` f16,
   * `BigUint64Array` u64, `BigInt64Array` i64, `Float64Array` f64; a `StructArray` its struct.
   * @returns an array like `data`; with a map to another `type`, an array of that.
   * @throws {ArgumentError} {@link LimitError} {@link FeatureError} before the GPU is touched.
   * @throws {SourceError} when an operator or a map of the caller's does not compile.
   * @throws {OutOfMemoryError} {@link DeviceLostError}
   *
   * @example
   * ```ts
   * await fold.scan(Uint32Array.of(3, 1, 7, 0, 4, 1, 6, 3)); // 3 4 11 11 15 16 22 25
   * await fold.scan(Float32Array.of(0.2, 0.9, 0.7), { type: u32, map: "u32(x > 0.5)" }); // 0 1 2
   * ```
   */
  scan<A extends AnyArray>(
    data: A,
    options?: HandOptions<NameOf<A>> & { readonly exclusive?: boolean },
  ): Promise<A>;
  scan<A extends AnyArray, Name extends string, V extends Value>(
    data: A,
    options: HandMapOptions<NameOf<A>, Name, V> & { readonly exclusive?: boolean },
  ): Promise<ArrayOf<Name, V>>;
  async scan(data: AnyArray, options: HandTypes = {}): Promise<AnyArray> {
    const types = await typesOf(data, options, "scan");
    const plan = planScan(
      { ...(options as unknown as ScanOptions), ...types, maxLength: data.length },
      this.#context.facts,
      APART,
    );
    if (data.length === 0) {
      await this.#check(plan);
      return resultOver(data, types, new ArrayBuffer(0));
    }
    const [output] = await this.#run(plan, data, undefined, [data.length * types.type.bytes]);
    return resultOver(data, types, output as ArrayBuffer);
  }

  /**
   * The combination of all elements, in order; the operator's identity where there are none.
   *
   * @throws as {@link Fold.scan}.
   *
   * @example
   * ```ts
   * await fold.reduce(Float32Array.of(2, 9, 4), { op: max }); // 9
   * await fold.reduce(Float32Array.of(2, 9, 4), { map: "x * x" }); // 101
   * ```
   */
  reduce<A extends AnyArray>(data: A, options?: HandOptions<NameOf<A>>): Promise<ValueIn<A>>;
  reduce<A extends AnyArray, Name extends string, V extends Value>(
    data: A,
    options: HandMapOptions<NameOf<A>, Name, V>,
  ): Promise<V>;
  async reduce(data: AnyArray, options: HandTypes = {}): Promise<Value> {
    const types = await typesOf(data, options, "reduce");
    const { type } = types;
    const plan = planReduce(
      { ...(options as unknown as ReduceOptions), ...types, maxLength: data.length },
      this.#context.facts,
      APART,
    );
    const [output] = await this.#run(plan, data, undefined, [type.bytes]);
    return valuesOf(resultOver(data, types, output as ArrayBuffer), type)(0);
  }

  /**
   * The elements that a predicate or flags keep, in order, bit for bit; or their positions.
   *
   * @returns an array like `data`, or with `indices` a `Uint32Array` of positions; with a map to another `type`,
   * an array of that.
   * @throws as {@link Fold.scan}; a predicate that does not compile is a {@link SourceError}.
   *
   * @example
   * ```ts
   * await fold.compact(Uint32Array.of(4, 7, 2, 9), { where: "x % 2u == 1u" }); // 7 9
   * await fold.compact(Uint32Array.of(4, 7, 2, 9), { where: "x % 2u == 1u", map: "10u * x + i" }); // 71 93
   * ```
   */
  compact<A extends AnyArray>(
    data: A,
    options: HandCompactOptions<NameOf<A>> & { readonly indices: true },
  ): Promise<Uint32Array>;
  compact<A extends AnyArray>(
    data: A,
    options: HandCompactOptions<NameOf<A>> & { readonly indices?: false },
  ): Promise<A>;
  compact<A extends AnyArray>(
    data: A,
    options: HandCompactOptions<NameOf<A>> & { readonly indices?: boolean },
  ): Promise<A | Uint32Array>;
  compact<A extends AnyArray, Name extends string, V extends Value>(
    data: A,
    options: Omit<HandCompactOptions<string>, "type" | "map"> &
      Omit<HandMapOptions<NameOf<A>, Name, V>, "op">,
  ): Promise<ArrayOf<Name, V>>;
  async compact(
    data: AnyArray,
    options: HandTypes & { readonly flags?: ArrayLike<number | boolean>; readonly indices?: boolean },
  ): Promise<AnyArray> {
    const types = await typesOf(data, options, "compact");
    const { type } = types;
    const { flags, indices = false } = options;
    if (flags !== undefined && flags.length !== data.length) {
      throw new ArgumentError(
        `compact<${type.name}>: ${flags.length} flags for ${data.length} elements; it takes one for each`,
      );
    }
    const plan = planCompact(
      {
        ...(options as unknown as CompactOptions),
        ...types,
        flags: flags !== undefined,
        maxLength: data.length,
      },
      this.#context.facts,
      APART,
    );
    if (data.length === 0) {
      await this.#check(plan);
    }
    const words =
      flags === undefined
        ? undefined
        : Uint32Array.from(flags as ArrayLike<number>, (flag) => (flag ? 1 : 0));
    const itemBytes = indices ? u32.bytes : type.bytes;
    const [output] =
      data.length === 0 ? [new ArrayBuffer(0)] : await this.#run(plan, data, words, "count", itemBytes);
    return indices ? new Uint32Array(output as ArrayBuffer) : resultOver(data, types, output as ArrayBuffer);
  }

  /**
   * Compiles a scan and allocates its scratch, to record it into encoders of your own.
   *
   * @throws as {@link Fold.scan}.
   *
   * @example
   * ```ts
   * const scan = await fold.prepareScan({ type: f32, op: add, exclusive: true, maxLength: 1 << 20 });
   * scan.record(encoder, { input, output, length });
   * ```
   */
  async prepareScan<Name extends string>(options: ScanOptions<Name>): Promise<PreparedScan> {
    return prepare(this.#context, planScan(options as unknown as ScanOptions, this.#context.facts));
  }

  /** Compiles a reduction and allocates its scratch. As {@link Fold.prepareScan}. */
  async prepareReduce<Name extends string>(options: ReduceOptions<Name>): Promise<PreparedReduce> {
    return prepare(this.#context, planReduce(options as unknown as ReduceOptions, this.#context.facts));
  }

  /** Compiles a compaction and allocates its scratch. As {@link Fold.prepareScan}. */
  async prepareCompact<Name extends string>(options: CompactOptions<Name>): Promise<PreparedCompact> {
    const prepared = await prepare(
      this.#context,
      planCompact(options as unknown as CompactOptions, this.#context.facts),
    );
    return {
      record: (encoder, { count, ...ranges }) => prepared.record(encoder, { ...ranges, total: count }),
      destroy: () => prepared.destroy(),
    };
  }

  /** Gives the device back, when it was opened here. What is pending is rejected. */
  destroy(): void {
    this.#release();
  }

  /** Compiles without running: a call on no data still reports what is wrong with it. */
  async #check(plan: Plan): Promise<void> {
    const prepared = await prepare(this.#context, plan);
    prepared.destroy();
  }

  /** Uploads, runs, and reads back the output: all of it, or as many items as the total says. */
  async #run(
    plan: Plan,
    data: AnyArray,
    flags: Uint32Array | undefined,
    outputs: readonly [number] | "count",
    countedBytes = 4,
  ): Promise<ArrayBuffer[]> {
    const { device } = this.#context;
    const { title } = plan;
    requireDevice(this.#context, title);
    const owned: { destroy(): void }[] = [];
    const own = async (name: string, size: number, usage: number): Promise<GPUBuffer> => {
      const label = `wavefold ${title} ${name}`;
      const buffer = await allocate(this.#context, { label, size: bindingBytes(size, 1), usage }, title);
      owned.push(buffer);
      return buffer;
    };
    try {
      const prepared = await prepare(this.#context, plan);
      owned.push(prepared);
      const storage = BufferUsage.STORAGE | BufferUsage.COPY_DST;
      const input = await own("input", data.byteLength, storage);
      upload(device, input, data);
      const flagsBuffer = flags === undefined ? undefined : await own("flags", flags.byteLength, storage);
      if (flags !== undefined && flagsBuffer !== undefined) {
        upload(device, flagsBuffer, flags);
      }
      const counted = outputs === "count";
      const outputBytes = counted ? data.length * countedBytes : outputs[0];
      const output = await own("output", outputBytes, BufferUsage.STORAGE | BufferUsage.COPY_SRC);
      const total = counted ? await own("count", 4, BufferUsage.STORAGE | BufferUsage.COPY_SRC) : undefined;
      const encoder = device.createCommandEncoder({ label: `wavefold ${title}` });
      prepared.record(encoder, {
        input,
        output,
        length: data.length,
        ...(flagsBuffer && { flags: flagsBuffer }),
        ...(total && { total }),
      });
      const readBack = async (
        from: GPUBuffer,
        bytes: number,
        into: GPUCommandEncoder,
      ): Promise<ArrayBuffer> => {
        const staging = await own("read-back", bytes, BufferUsage.MAP_READ | BufferUsage.COPY_DST);
        if (bytes > 0) {
          into.copyBufferToBuffer(from, 0, staging, 0, bindingBytes(bytes, 1));
        }
        device.queue.submit([into.finish()]);
        await staging.mapAsync(MAP_READ);
        return staging.getMappedRange().slice(0, bytes);
      };
      if (total === undefined) {
        return [await readBack(output, outputBytes, encoder)];
      }
      const kept = new Uint32Array(await readBack(total, 4, encoder))[0] ?? 0;
      return [
        await readBack(
          output,
          kept * countedBytes,
          device.createCommandEncoder({ label: `wavefold ${title}` }),
        ),
      ];
    } catch (cause) {
      throw await explain(this.#context, title, cause);
    } finally {
      for (const one of owned) {
        one.destroy();
      }
    }
  }
}

/** What tells the types of a call, of any of its forms. */
interface HandTypes {
  readonly type?: unknown;
  readonly from?: unknown;
  readonly map?: unknown;
}

/** The types of the array's elements and of the result, which are the same where the options name none. */
async function typesOf(
  data: AnyArray,
  options: HandTypes,
  caller: string,
): Promise<{ readonly from: ElementType; readonly type: ElementType }> {
  const { from, type, map } = options as { readonly [Name in keyof HandTypes]?: ElementType };
  // Of a mapped array, `type` says what its elements are only where nothing else can.
  const isOwn = map === undefined || (type === f16 && (data as unknown) instanceof Uint16Array);
  const own = await typeOfArray(data, from ?? (isOwn ? type : undefined), caller);
  return { from: own, type: type ?? own };
}

/** A result over its bytes: an array like the one given, where it is of the same type. */
const resultOver = (
  data: AnyArray,
  { from, type }: { readonly from: ElementType; readonly type: ElementType },
  bytes: ArrayBuffer,
): AnyArray => (type === from ? arrayLike(data, bytes) : arrayOver(type, bytes));

/** The element type of an array. The 64-bit types are loaded when they are first met. */
async function typeOfArray(
  data: AnyArray,
  type: ElementType | undefined,
  caller: string,
): Promise<ElementType> {
  const given = structOfArray(data, type, caller) ?? type;
  if (given !== undefined) {
    return given;
  }
  const name: TypeName = typeNameOfArray(data, type, caller);
  switch (name) {
    case "u32":
      return u32;
    case "i32":
      return i32;
    case "f32":
      return f32;
    case "f16":
      return f16;
    case "u64":
    case "i64":
    case "f64":
      return (await import("../types64.ts"))[name];
    default:
      return name satisfies never;
  }
}

/** Writes an array whose bytes may be no multiple of 4, as an odd number of f16 is not. */
function upload(device: GPUDevice, buffer: GPUBuffer, data: AnyArray): void {
  if (data.byteLength === 0) {
    // Deno stumbles over a write of nothing.
    return;
  }
  const bytes = new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength);
  const whole = data.byteLength & ~3;
  device.queue.writeBuffer(
    buffer,
    0,
    bytes,
    0,
    data.byteLength < 2 ** 31 ? whole : data.byteLength - (data.byteLength % 4),
  );
  if (data.byteLength % 4 !== 0) {
    const rest = new Uint8Array(4);
    rest.set(bytes.subarray(data.byteLength - (data.byteLength % 4)));
    device.queue.writeBuffer(buffer, data.byteLength - (data.byteLength % 4), rest);
  }
}

/** The features that are used where the adapter has them. */
const WANTED_FEATURES = [
  "shader-f16",
  "subgroups",
  "timestamp-query",
] as const satisfies readonly GPUFeatureName[];
const WANTED_LIMITS = [
  "maxBufferSize",
  "maxStorageBufferBindingSize",
  "maxComputeInvocationsPerWorkgroup",
  "maxComputeWorkgroupSizeX",
  "maxComputeWorkgroupSizeY",
  "maxComputeWorkgroupSizeZ",
  "maxComputeWorkgroupStorageSize",
] as const satisfies readonly (keyof GPUSupportedLimits)[];

/** A device with all that is useful here of what the adapter has. */
export async function requestDevice(adapter: GPUAdapter): Promise<GPUDevice> {
  const has = (name: GPUFeatureName): boolean =>
    (adapter.features as unknown as ReadonlySet<string>).has(name);
  return adapter.requestDevice({
    label: "wavefold",
    requiredFeatures: WANTED_FEATURES.filter(has),
    requiredLimits: Object.fromEntries(WANTED_LIMITS.map((name) => [name, adapter.limits[name]])),
  });
}

/** A `Fold` on the caller's device or adapter, or on the one that `find` finds. */
export async function openDevice(
  options: OpenOptions,
  find: () => Promise<{ adapter: GPUAdapter; release?: () => void }>,
): Promise<Fold> {
  const { device, adapter } = options;
  if (device !== undefined) {
    if (typeof device.createComputePipelineAsync !== "function") {
      throw new ArgumentError("open: device is no GPUDevice");
    }
    return new Fold(device, () => {});
  }
  if (adapter !== undefined && typeof adapter.requestDevice !== "function") {
    throw new ArgumentError("open: adapter is no GPUAdapter");
  }
  const found = adapter === undefined ? await find() : { adapter };
  try {
    const own = await requestDevice(found.adapter);
    return new Fold(own, () => {
      own.destroy();
      found.release?.();
    });
  } catch (cause) {
    found.release?.();
    throw new AdapterError(
      `open: the adapter gave no device: ${cause instanceof Error ? cause.message : String(cause)}`,
    );
  }
}
