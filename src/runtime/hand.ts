import { load64, loadFloats, loadHandMap } from "../later.ts";
import type { Plan } from "../primitives/plan.ts";
import { bindingBytes } from "../primitives/plan.ts";
import type { AnyArray } from "../reference/arrays.ts";
import { arrayLike, structOfArray } from "../reference/arrays.ts";
import type { ElementType, TypeName } from "../types.ts";
import { i32, typeNameOfArray, u32 } from "../types.ts";
import { compilePlan } from "./compiled.ts";
import { BufferUsage, MAP_READ } from "./constants.ts";
import type { Context } from "./context.ts";
import { allocate, explain, requireDevice } from "./context.ts";

/** At hand, input and output are buffers of their own, from their start: the other kernels need not be compiled. */
export const APART = ["vectors"] as const;

/** Compiles without running: a call on no data still reports what is wrong with it. */
export async function checkAtHand(context: Context, plan: Plan): Promise<void> {
  const compiled = await compilePlan(context, plan);
  compiled.destroy();
}

/** Uploads, runs, and reads back the output: all of it, or as many items as the total says. */
export async function runAtHand(
  context: Context,
  plan: Plan,
  data: AnyArray,
  flags: Uint32Array | undefined,
  outputs: readonly [number] | "count",
  countedBytes = 4,
): Promise<ArrayBuffer[]> {
  const { device } = context;
  const { title } = plan;
  requireDevice(context, title);
  const owned: { destroy(): void }[] = [];
  const own = async (name: string, size: number, usage: number): Promise<GPUBuffer> => {
    const label = `wavefold ${title} ${name}`;
    const buffer = await allocate(context, { label, size: bindingBytes(size, 1), usage }, title);
    owned.push(buffer);
    return buffer;
  };
  try {
    const compiled = await compilePlan(context, plan);
    owned.push(compiled);
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
    const whole = (buffer: GPUBuffer | undefined) => buffer && { buffer, offset: 0, bytes: buffer.size };
    compiled.requireDevice();
    compiled.nextRun();
    compiled.encode(
      encoder,
      compiled.dispatches(
        data.length,
        {
          input: data.length === 0 ? undefined : { buffer: input, offset: 0, bytes: data.byteLength },
          output: { buffer: output, offset: 0, bytes: outputBytes },
          flags: whole(flagsBuffer),
          total: whole(total),
        },
        "vectors",
      ),
    );
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
    throw await explain(context, title, cause);
  } finally {
    for (const one of owned) {
      one.destroy();
    }
  }
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

/** The types of the array's elements and of the result. Loaded where they may be two. */
export async function typesOf(data: AnyArray, options: AnyHandOptions, caller: string): Promise<HandTypes> {
  if (options.map !== undefined || options.from !== undefined) {
    return (await loadHandMap()).mappedTypesOf(data, options, caller);
  }
  const type = await typeOfArray(data, options.type as ElementType | undefined, caller);
  return { type, arrayOf: (bytes) => arrayLike(data, bytes) };
}

/** The element type of an array. Floats and the 64-bit types are loaded when they are first met. */
export async function typeOfArray(
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
    case "f16":
      return (await loadFloats())[name];
    case "u64":
    case "i64":
    case "f64":
      return (await load64())[name];
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
