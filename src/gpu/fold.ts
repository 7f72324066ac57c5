import type { AnyArray, ArrayOf, NameOf, ValueIn } from "../algebra/arrays.ts";
import type { Value } from "../algebra/types.ts";
import type { CompactOptions } from "../plan/compact.ts";
import type { Grouping } from "../plan/grouping.ts";
import type { ReduceOptions } from "../plan/reduce.ts";
import type { ScanOptions } from "../plan/scan.ts";
import type { HandCompactOptions, HandMapOptions, HandOptions } from "./at_hand.ts";
import { compactAtHand, reduceAtHand, scanAtHand } from "./at_hand.ts";
import type { Context, SinglePassTest } from "./context.ts";
import { trim } from "./device.ts";
import type { BufferRange } from "./recording.ts";

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
   * then each item is read once. With a map to items of another size, they are in two buffers. A `length` on the GPU
   * is in another buffer than the output.
   *
   * @throws {ArgumentError} {@link LimitError} {@link DeviceLostError}
   */
  record(encoder: GPUCommandEncoder | GPUComputePassEncoder, ranges: ScanRanges): void;
  /** The order of operations on such ranges: `scanReference(data, { op, grouping })` follows f64's to the last bit. */
  groupingOf(ranges: ScanRanges): Grouping;
  /** Frees the scratch. Recordings that are not yet submitted become invalid. */
  destroy(): void;
}

/** A reduction, compiled and with its scratch allocated. */
export interface PreparedReduce {
  /** Records the reduction of `length` items to the first item of `output`. As {@link PreparedScan.record}. */
  record(encoder: GPUCommandEncoder | GPUComputePassEncoder, ranges: ScanRanges): void;
  /** The order of operations on such ranges: `reduceReference(data, { op, grouping })` follows f64's to the last bit. */
  groupingOf(ranges: ScanRanges): Grouping;
  /** As {@link PreparedScan.destroy}. */
  destroy(): void;
}

/** A compaction, compiled and with its scratch allocated. */
export interface PreparedCompact {
  /**
   * Records the compaction of `length` items. `output` has room for all of them; `count` (one u32)
   * receives how many were kept, and what follows them in `output` is left as it was (in place: as
   * the input was). Ranges may share buffers, but in place `count` lies in another one. Where the input is of
   * another size, or `flags` or `length` lie in the output's buffer, so it does too. As {@link PreparedScan.record}.
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
  /** As {@link PreparedScan.destroy}. */
  destroy(): void;
}

/** Scan, reduce and compact on one device. See `openFold`. */
export class Fold {
  /** The device that it computes on: yours, where one was given. */
  readonly device: GPUDevice;
  readonly #context: Context;
  readonly #release: () => void;

  /** @internal */
  constructor(context: Context, release: () => void) {
    this.device = context.device;
    this.#context = context;
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
   * What became of the test that `openFold({ testSinglePass: true })` makes, on every element of scans and compactions
   * whose tiles hand on late, in part or never. Where it passed, primitives that are faster so read their data
   * once by default; where it failed, none does. A plan whose `passes` says how is not affected, nor is a scan of u32 at
   * hand, which the copies to and from the device take longer than.
   *
   * @example
   * ```ts
   * const fold = await openFold({ testSinglePass: true });
   * fold.singlePassTest?.passed; // true
   * fold.destroy();
   * ```
   */
  get singlePassTest(): SinglePassTest | undefined {
    return this.#context.singlePassTest;
  }

  /**
   * The prefixes of an array: for each place, the combination of all elements up to it.
   *
   * @param data - `Uint32Array` is u32, `Int32Array` i32, `Float32Array` f32, `Float16Array` f16,
   * `BigUint64Array` u64, `BigInt64Array` i64, `Float64Array` f64; a `StructArray` its struct. It is read during the
   * call: leave it as it is until then.
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
  async scan(data: AnyArray, options: object = {}): Promise<AnyArray> {
    return scanAtHand(this.#context, data, options);
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
  async reduce(data: AnyArray, options: object = {}): Promise<Value> {
    return reduceAtHand(this.#context, data, options);
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
  // What decides is asked for with the other checks, of those who leave the options out too.
  async compact(data: AnyArray, options: object = {}): Promise<AnyArray> {
    return compactAtHand(this.#context, data, options);
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
    const { prepareScan } = await import("./recording.ts");
    return prepareScan(this.#context, options);
  }

  /**
   * Compiles a reduction and allocates its scratch. As {@link Fold.prepareScan}.
   *
   * @example
   * ```ts
   * const reduce = await fold.prepareReduce({ type: f32, op: max, maxLength: 1 << 20 });
   * reduce.record(encoder, { input, output, length });
   * ```
   */
  async prepareReduce<Name extends string>(options: ReduceOptions<Name>): Promise<PreparedReduce> {
    const { prepareReduce } = await import("./recording.ts");
    return prepareReduce(this.#context, options);
  }

  /**
   * Compiles a compaction and allocates its scratch. As {@link Fold.prepareScan}.
   *
   * @example
   * ```ts
   * const compact = await fold.prepareCompact({ type: u32, where: "x > 7u", maxLength: 1 << 20 });
   * compact.record(encoder, { input, output, count, length });
   * ```
   */
  async prepareCompact<Name extends string>(options: CompactOptions<Name>): Promise<PreparedCompact> {
    const { prepareCompact } = await import("./recording.ts");
    return prepareCompact(this.#context, options);
  }

  /**
   * Lets go of what is kept for the next call: the device's pipelines, most of all. What is prepared keeps its own. The
   * next call of each kind compiles its kernels again.
   *
   * @example
   * ```ts
   * await fold.compact(Uint32Array.of(4, 7, 2, 9), { where: "x > 4u" }); // 7 9
   * fold.trim();
   * ```
   */
  trim(): void {
    trim(this.#context);
  }

  /** Gives the device back, when it was opened here; what is pending is rejected. Else as {@link Fold.trim}. */
  destroy(): void {
    this.trim();
    this.#release();
  }
}
