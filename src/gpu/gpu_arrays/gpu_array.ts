/// <reference lib="esnext.disposable" preserve="true" />
import type { AnyArray, ArrayOf, Bytes } from "../../algebra/arrays.ts";
import { arrayOver } from "../../algebra/arrays.ts";
import type { ElementType, Value } from "../../algebra/types.ts";
import { requireType } from "../../algebra/types.ts";
import type { WavefoldError } from "../../errors.ts";
import { ArgumentError, refuse } from "../../errors.ts";
import { requireOptions } from "../../options.ts";
import { wholeWords } from "../../plan/plan.ts";
import type { Length } from "../../primitives/ranges.ts";
import { targetFor } from "../at_hand/hand_types.ts";
import { endCall, keepBuffer, startCall } from "../device/call_memory.ts";
import type { Context } from "../device/context.ts";
import { fresh, givenOf } from "../device/given.ts";
import { explain, requireDevice } from "../device/lost.ts";
import type { Hand } from "../device/transfer.ts";
import { atHand, READ, roomFor, submit } from "../device/transfer.ts";
import { bytesOfCopy, readInPieces } from "../device/transfer_pieces.ts";
import { COPY_SRC, MAP_READ } from "../device/usage_flags.ts";

/**
 * A buffer that arrays on the GPU and pending calls share. When nobody uses it any more, it is given back. Commands that were
 * submitted may still use it then, since the queue carries them out first.
 */
export class Memory {
  readonly buffer: GPUBuffer;
  /** Whether it is a buffer of the caller's, who may destroy it at any time. */
  readonly isWrapped: boolean;
  /**
   * It is set if commands that write this buffer used a buffer of a caller's, or the results of such commands. It resolves to the reason
   * if the device refused them.
   */
  refused?: Promise<WavefoldError | undefined> | undefined;
  readonly #giveBack: () => void;
  #users = 1;

  constructor(buffer: GPUBuffer, isWrapped: boolean, giveBack: () => void) {
    this.buffer = buffer;
    this.isWrapped = isWrapped;
    this.#giveBack = giveBack;
  }

  get isGone(): boolean {
    return this.#users === 0;
  }

  /** Adds a user. Memory that is gone stays gone. */
  hold(): void {
    this.#users += this.isGone ? 0 : 1;
  }

  /** Removes a user. When the last one is removed, the buffer is given back. */
  letGo(): void {
    if (this.#users === 1) {
      this.destroy();
    } else if (this.#users > 1) {
      this.#users--;
    }
  }

  /** Gives the buffer back, even if it has users. */
  destroy(): void {
    if (!this.isGone) {
      this.#users = 0;
      this.#giveBack();
    }
  }
}

/** The memory of a fold's arrays. Arrays that nobody destroyed may be garbage-collected. */
export type Arrays = Set<WeakRef<Memory>>;

/** How often memory was owned. */
let owned = 0;

/** Memory of a fold's array. Once nobody uses it, its buffer is kept for later calls, if it is ours. */
export function own(context: Context, arrays: Arrays, buffer: GPUBuffer, isOurs = true): Memory {
  const memory = new Memory(buffer, !isOurs, () => {
    arrays.delete(reference);
    if (isOurs) {
      keepBuffer(context.kept, buffer);
    }
  });
  const reference = new WeakRef(memory);
  arrays.add(reference);
  if (++owned % 4096 === 0) {
    // Those of arrays that were garbage-collected.
    for (const one of arrays) {
      if (one.deref() === undefined) {
        arrays.delete(one);
      }
    }
  }
  return memory;
}

/** Where the number of items is, as a u32. */
export interface Count {
  readonly memory: Memory;
  readonly range: { readonly buffer: GPUBuffer; readonly offset: number };
}

/** The array on the CPU that has the contents of an array on the GPU. */
export type ContentsOf<Name extends string, V extends Value> = string extends Name
  ? AnyArray
  : ArrayOf<Name, V>;

/**
 * An array on the GPU of elements of a type, by the type's own: `GpuArrayOf<typeof Particle>`, `GpuArrayOf<typeof f32>`.
 *
 * @example
 * ```ts
 * const Particle = struct({ name: "Particle", fields: { x: f32, depth: f32 } });
 * const byDepth = (particles: GpuArrayOf<typeof Particle>): Promise<GpuArrayOf<typeof Particle>> =>
 *   fold.sort(particles, { key: "x.depth" });
 * const sorted = await byDepth(await fold.upload(Particle.from([{ x: 1, depth: 9 }, { x: 2, depth: 4 }])));
 * (await sorted.read()).get(0).x; // 2
 * ```
 */
export type GpuArrayOf<Type> = Type extends ElementType<infer Name, infer V> ? GpuArray<Name, V> : never;

/** What an array on the GPU consists of. */
export interface Parts {
  readonly context: Context;
  readonly memory: Memory;
  readonly offset: number;
  readonly maxLength: number;
  /** It is there if the length is on the GPU. */
  readonly count: Count | undefined;
  /** The memory that the array lets go of when it is destroyed. The rest of what it uses belongs to other arrays. */
  readonly held: Memory[];
  /** Whether it belongs to a call under way, which has the bytes that reading it takes. */
  isOfCall?: true;
  isDestroyed?: true;
}

/** An array on the CPU over bytes, for the contents. */
export type MakeContents<Name extends string, V extends Value> = (...range: Bytes) => ContentsOf<Name, V>;

/**
 * An array that stays on the GPU. `fold.upload` and `fold.wrap` make one, and so do `fold.scan`, `fold.reduce` and
 * `fold.compact` if they are given one. It may stand where a recording or a bind group takes a range of a buffer.
 *
 * @example
 * ```ts
 * const numbers = await fold.upload(Uint32Array.of(4, 7, 2, 9));
 * const odd = await fold.compact(numbers, { where: "x % 2u == 1u" });
 * const sum = await fold.reduce(odd);
 * await sum.read(); // 16
 * await odd.read(); // 7 9
 * for (const one of [numbers, odd, sum]) one.destroy();
 * ```
 */
export class GpuArray<Name extends string = string, V extends Value = Value> {
  readonly #type: ElementType<Name, V>;
  readonly #parts: Parts;
  // If the type of this member had `Name` in a conditional type, TypeScript would not always take an array of one name for an array of
  // any name: that depends on the order of its checks. So the type leaves `Name` out, and `read` and `view` have it as a type parameter
  // of their own.
  readonly #make: MakeContents<string, Value>;

  /** @internal */
  constructor(type: ElementType<Name, V>, make: MakeContents<Name, V>, parts: Parts) {
    this.#type = type;
    this.#make = make as MakeContents<string, Value>;
    this.#parts = parts;
  }

  /** The type of its elements. */
  get type(): ElementType<Name, V> {
    return this.#type;
  }

  /**
   * The buffer that it lies in. If it is not one of yours, it has the usages STORAGE, COPY_SRC and COPY_DST, other calls use
   * it once the array is destroyed, and what follows the array's elements is open.
   */
  get buffer(): GPUBuffer {
    return this.#parts.memory.buffer;
  }

  /**
   * Whether it was destroyed, or what it lies in: once no pending call uses its buffer, that may hold another array. Recordings
   * refuse it then.
   */
  get isGone(): boolean {
    return this.#parts.isDestroyed === true || this.#parts.memory.isGone;
  }

  /** The byte of the buffer that it starts at. */
  get offset(): number {
    return this.#parts.offset;
  }

  /** The bytes of the buffer that `maxLength` elements take: whole words. */
  get size(): number {
    const { offset, maxLength } = this.#parts;
    return maxLength === 0 ? 0 : wholeWords((offset % 4) + maxLength * this.#type.bytes) - (offset % 4);
  }

  /** The number of elements. If a compaction decided it, this is a range that starts with the number, as a u32. */
  get length(): Length {
    return this.#parts.count?.range ?? this.#parts.maxLength;
  }

  /** The number of elements, or the most that it may be. */
  get maxLength(): number {
    return this.#parts.maxLength;
  }

  /**
   * The same bytes as elements of another type of the same size, such as the bits of f32 as u32. Nothing is copied: what is written to
   * one is in both. It lies in the memory of this array, which it does not keep alive, and has the same length, also on the GPU.
   *
   * @throws {ArgumentError} for a type of another size, for an array that was destroyed, and for an array of f16 that starts inside a
   * word, as an integer of 16 bits.
   *
   * @example
   * ```ts
   * const numbers = await fold.upload(Float32Array.of(1, -0, 0.5));
   * const negative = await fold.count(numbers.as(u32), { where: "x >= 0x80000000u" });
   * await negative.read(); // 1
   * ```
   */
  as<Other extends string, W extends Value>(type: ElementType<Other, W>): GpuArray<Other, W> {
    const { name, bytes } = requireType(type, "as");
    const { offset } = this.#parts;
    requireAlive(this.#parts, "as", "the array");
    if (bytes !== this.#type.bytes) {
      const [own, ...others] = [this.#type, type].map((one) => `${one.name} has ${one.bytes} bytes`);
      refuse("as", "type", name, `a type of the same size: ${own}, and ${others}`);
    }
    if (type.wide !== undefined && offset % 4 !== 0) {
      refuse(
        "as",
        "type",
        name,
        `one of elements that may start at byte ${offset}; those of ${name} start at multiples of 4`,
      );
    }
    const make = arrayOver.bind(undefined, type) as MakeContents<Other, W>;
    return new GpuArray(type, make, { ...this.#parts, held: [] });
  }

  /** Its name in messages. */
  get [Symbol.toStringTag](): "GpuArray" {
    return "GpuArray";
  }

  /**
   * Copies the elements to the CPU, once the GPU has computed them.
   *
   * @param options - `into` is an array of yours to fill. If the length is a number, it has as many elements, and is what the
   * call returns. If the length is on the GPU, it has at least `maxLength` elements, and the call returns the part that it
   * filled.
   * @throws {ArgumentError} {@link OutOfMemoryError} {@link DeviceLostError}
   */
  async read<Own extends string = Name>(
    options: {
      /** An array of yours, which the elements are put into. It has at least as many. */
      readonly into?: NoInfer<ContentsOf<Own, V>>;
    } = {},
  ): Promise<ContentsOf<Own, V>> {
    requireOptions("read", options, { into: true });
    const into = givenOf(options.into as AnyArray | undefined);
    const { context, memory, offset, maxLength, count } = this.#parts;
    requireReadable(this.#parts, "read");
    const release = hold(this.#parts);
    try {
      const target = targetFor(into, this.#make, "read", maxLength, count === undefined);
      const { bytes, name } = this.#type;
      const title = `read<${name}>`;
      const copying = bytesOfCopy(this.size, context.kept.pieceBytes);
      const contents = await whileCopied(this.#parts, "read", copying, () =>
        atHand(context, title, async (hand) => {
          const length =
            count === undefined ? maxLength : Math.min(maxLength, await countOf(context, title, hand, count));
          const place = target(length * bytes);
          if (length > 0) {
            // Copies start at a whole word.
            const before = offset % 4;
            const whole = before === 0 ? place : fresh(before + length * bytes);
            await readInPieces(context, title, hand, memory.buffer, whole, offset - before);
            if (before > 0) {
              place().set(whole().subarray(before));
            }
          }
          await requireAccepted(this.#parts);
          return { place: place(), length };
        }),
      );
      return options.into !== undefined && count === undefined
        ? options.into
        : (this.#make(
            contents.place.buffer as ArrayBuffer,
            contents.place.byteOffset,
            contents.length,
          ) as ContentsOf<Own, V>);
    } finally {
      release();
    }
  }

  /**
   * Shows the elements where the GPU copied them to, without a copy by the CPU, until the view is destroyed.
   *
   * @throws as {@link GpuArray.read}.
   *
   * @example
   * ```ts
   * const sums = await fold.scan(await fold.upload(Uint32Array.of(4, 7, 2, 9)));
   * const view = await sums.view(); // or: using view = await sums.view();
   * view.elements.at(-1); // 22
   * view.destroy();
   * ```
   */
  async view<Own extends string = Name>(): Promise<GpuView<ContentsOf<Own, V>>> {
    const { context, memory, offset, maxLength, count } = this.#parts;
    requireReadable(this.#parts, "view");
    const release = hold(this.#parts);
    const { bytes, name } = this.#type;
    const title = `view<${name}>`;
    try {
      return await whileCopied(this.#parts, "view", bytesOfCopy(this.size), async () => {
        const length =
          count === undefined
            ? maxLength
            : Math.min(
                maxLength,
                await atHand(context, title, (hand) => countOf(context, title, hand, count)),
              );
        await requireAccepted(this.#parts);
        if (length === 0) {
          return new GpuView(this.#make(new ArrayBuffer(0)) as ContentsOf<Own, V>, () => {});
        }
        // Copies start at a whole word.
        const before = offset % 4;
        const size = wholeWords(before + length * bytes);
        const copy = (stage: GPUBuffer) => (encoder: GPUCommandEncoder) =>
          encoder.copyBufferToBuffer(memory.buffer, offset - before, stage, 0, size);
        const stage = await mappedCopy(context, title, size, copy);
        // The memory of the elements is the caller's from now on: calls that waited until a view is destroyed might wait for ever.
        return new GpuView(this.#make(stage.getMappedRange(), before, length) as ContentsOf<Own, V>, () => {
          stage.unmap();
          keepBuffer(context.kept, stage);
        });
      });
    } finally {
      release();
    }
  }

  /**
   * Gives its memory back, for later calls to use. A buffer that you wrapped stays as it is. Pending calls go on with the
   * array, and so does what was submitted. Submit your own commands that use the array first.
   */
  destroy(): void {
    for (const one of this.#parts.held.splice(0)) {
      one.letGo();
    }
    this.#parts.isDestroyed = true;
  }

  /** The same as {@link GpuArray.destroy}, for `using`. */
  [Symbol.dispose](): void {
    this.destroy();
  }

  /** An array of the same elements, which stay until it is destroyed, too. @internal */
  share(): GpuArray<Name, V> {
    hold(this.#parts);
    const { memory, count } = this.#parts;
    const held = count === undefined ? [memory] : [memory, count.memory];
    return new GpuArray(this.#type, this.#make as MakeContents<Name, V>, { ...this.#parts, held });
  }

  /** What it consists of. @internal */
  static partsOf(array: GpuArray): Parts {
    return array.#parts;
  }

  /** What makes its contents of bytes. @internal */
  static makeOf(array: GpuArray): MakeContents<string, Value> {
    return array.#make;
  }

  /** What tells it from other arrays. @internal */
  get isOnGpu(): true {
    return true;
  }
}

/** The elements of an array on the GPU, where the CPU can read them. */
export class GpuView<Contents = AnyArray> {
  /** The elements. They are gone, so that its length is 0, once the view is destroyed. */
  readonly elements: Contents;
  #giveBack: (() => void) | undefined;

  /** @internal */
  constructor(elements: Contents, giveBack: () => void) {
    this.elements = elements;
    this.#giveBack = giveBack;
  }

  /** Gives the memory of the elements back, for later calls to use. */
  destroy(): void {
    this.#giveBack?.();
    this.#giveBack = undefined;
  }

  /** The same as {@link GpuView.destroy}, for `using`. */
  [Symbol.dispose](): void {
    this.destroy();
  }
}

/**
 * Copies an array to the CPU when there is memory to copy through, `bytes` bytes at most. An array of a call under way does not wait: the
 * call waits for the copy, and has the bytes.
 */
async function whileCopied<T>(
  { isDestroyed: _, ...held }: Parts,
  caller: string,
  bytes: number,
  copy: () => Promise<T>,
): Promise<T> {
  const { kept } = held.context;
  const counted = held.isOfCall ? 0 : bytes;
  await startCall(kept, counted);
  try {
    // Meanwhile, the caller may have destroyed the array, whose memory is held; or the fold with all memory.
    requireAlive(held, caller, "the array");
    return await copy();
  } finally {
    endCall(kept, counted);
  }
}

/** Reads a length on the GPU. */
async function countOf(context: Context, title: string, hand: Hand, { range }: Count): Promise<number> {
  const number = fresh(4);
  await readInPieces(context, title, hand, range.buffer, number, range.offset);
  return new Uint32Array(number().buffer)[0] ?? 0;
}

/** Copies bytes to a buffer that the CPU reads, and maps it. */
async function mappedCopy(
  context: Context,
  title: string,
  bytes: number,
  copy: (stage: GPUBuffer) => (encoder: GPUCommandEncoder) => void,
): Promise<GPUBuffer> {
  const stage = await roomFor(context, title, "view", bytes, READ);
  try {
    const copied = submit(context, title, copy(stage));
    await Promise.all([copied, stage.mapAsync(MAP_READ)]);
    return stage;
  } catch (cause) {
    stage.destroy();
    throw await explain(context, title, cause);
  }
}

/** @throws {WavefoldError} if the device refused commands that write an array, or wrote what they read. */
async function requireAccepted({ memory }: Parts): Promise<void> {
  const cause = await memory.refused;
  if (cause !== undefined) {
    throw cause;
  }
}

/** @throws {ArgumentError} {@link DeviceLostError} if an array cannot be read. */
function requireReadable(parts: Parts, caller: string): void {
  const { context, memory, count } = parts;
  requireDevice(context, caller);
  requireAlive(parts, caller, "the array");
  for (const { buffer } of [memory, ...(count ? [count.memory] : [])]) {
    if ((buffer.usage & COPY_SRC) === 0) {
      throw new ArgumentError(`${caller}: the array's buffer lacks the usage COPY_SRC`, "buffer");
    }
  }
}

/** @throws {ArgumentError} if an array was destroyed, or what it lies in. `option` names it, if it is an argument. */
export function requireAlive(
  { memory, count, isDestroyed }: Parts,
  caller: string,
  name: string,
  option?: string,
): void {
  if (isDestroyed || memory.isGone || count?.memory.isGone) {
    throw new ArgumentError(`${caller}: ${name} was destroyed, or the fold that it belongs to`, option);
  }
}

/** Holds an array's memory for a pending call. It returns what lets go. */
export function hold({ memory, count }: Parts): () => void {
  memory.hold();
  count?.memory.hold();
  return () => {
    memory.letGo();
    count?.memory.letGo();
  };
}
