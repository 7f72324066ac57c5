import type { PlainOperator } from "../codegen/linked_kernels.ts";
import { loadHandScan, loadHandTypes, loadPlainGpu, loadPlainSoftware } from "../later.ts";
import type { Operator } from "../operators.ts";
import type { AnyArray } from "../reference/arrays.ts";
import type { ElementType } from "../types.ts";
import { wholeWords } from "../whole_words.ts";
import { BufferUsage, MAP_READ } from "./constants.ts";
import type { Context } from "./context.ts";
import { allocate, explain, requireDevice } from "./context.ts";

/** What a call at hand takes of the device. All of it is gone when the call ends. */
export interface Hand {
  /** What is to be destroyed. */
  readonly owned: { destroy(): void }[];
  /** A buffer with room for so many bytes. */
  own(name: string, bytes: number, usage: number): Promise<GPUBuffer>;
  encoderOf(): GPUCommandEncoder;
  /** Submits what is recorded, and reads the first bytes of a buffer. */
  readBack(buffer: GPUBuffer, bytes: number, encoder?: GPUCommandEncoder): Promise<ArrayBuffer>;
}

/**
 * One call from array to array.
 *
 * @throws {OutOfMemoryError} {@link DeviceLostError}
 */
export async function atHand<T>(
  context: Context,
  title: string,
  call: (hand: Hand) => Promise<T>,
): Promise<T> {
  const { device } = context;
  const owned: { destroy(): void }[] = [];
  const own = async (name: string, bytes: number, usage: number): Promise<GPUBuffer> => {
    const label = `wavefold ${title} ${name}`;
    const buffer = await allocate(context, { label, size: wholeWords(bytes), usage }, title);
    owned.push(buffer);
    return buffer;
  };
  const encoderOf = (): GPUCommandEncoder => device.createCommandEncoder({ label: `wavefold ${title}` });
  try {
    requireDevice(context, title);
    return await call({
      owned,
      own,
      encoderOf,
      async readBack(buffer, bytes, encoder = encoderOf()) {
        const staging = await own("read-back", bytes, BufferUsage.MAP_READ | BufferUsage.COPY_DST);
        if (bytes > 0) {
          encoder.copyBufferToBuffer(buffer, 0, staging, 0, wholeWords(bytes));
        }
        device.queue.submit([encoder.finish()]);
        await staging.mapAsync(MAP_READ);
        return staging.getMappedRange().slice(0, bytes);
      },
    });
  } catch (cause) {
    throw await explain(context, title, cause);
  } finally {
    for (const one of owned) {
      one.destroy();
    }
  }
}

/** Scans plain u32; nothing, where the device has less room than most. */
export type PlainScan = (
  context: Context,
  data: Uint32Array<ArrayBuffer>,
  op: PlainOperator,
  exclusive: boolean,
) => Promise<Uint32Array | undefined>;

/** `add`, as far as plain u32 goes. */
const sum: PlainOperator = { name: "add", combine: "earlier + later", u32Identity: 0 };

/**
 * `Fold.scan`. Most often its data is plain: u32, an operator that WGSL has for it, and nothing chosen. That takes no
 * plan, no types and no generator. What takes every other case also says what is wrong with one.
 */
export async function scanAtHand(
  context: Context,
  data: AnyArray,
  options: AnyHandScanOptions,
): Promise<AnyArray> {
  const { op = sum, exclusive = false, ...chosen } = options;
  if (isU32(data) && data.length > 0 && op?.u32Identity !== undefined && Object.keys(chosen).length === 0) {
    const { plainScan } = await (context.facts.software ? loadPlainSoftware() : loadPlainGpu());
    const scanned = await plainScan(context, data, op as PlainOperator, exclusive);
    if (scanned !== undefined) {
      return scanned;
    }
  }
  // Side by side: the types are not waited for twice.
  const [{ scanOfAny }] = await Promise.all([loadHandScan(), isU32(data) || loadHandTypes()]);
  return scanOfAny(context, data, options);
}

const isU32 = (data: AnyArray): data is Uint32Array<ArrayBuffer> =>
  data instanceof Uint32Array && data.constructor === Uint32Array;

/** What a scan at hand takes beside. */
export interface AnyHandScanOptions extends AnyHandOptions {
  readonly op?: Operator;
  readonly exclusive?: boolean;
}

/** What tells the types of a call at hand, of any of its forms. */
export interface AnyHandOptions {
  readonly type?: unknown;
  readonly from?: unknown;
  readonly map?: unknown;
}

/** What a compaction at hand takes beside. */
export interface AnyHandCompactOptions extends AnyHandOptions {
  readonly flags?: ArrayLike<number | boolean>;
  readonly indices?: boolean;
}

/** What goes in, where it is another type; and what comes out. */
export interface HandTypes {
  readonly from?: ElementType;
  readonly type: ElementType;
  /** The result over its bytes: an array like the one given, where it is of the same type. */
  arrayOf(bytes: ArrayBuffer): AnyArray;
}
