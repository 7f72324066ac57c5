import { GPUBufferUsage, MAP_READ } from "../src/gpu/device/usage_flags.ts";
import type { Fold } from "../src/gpu/fold.ts";
import type { HandPace } from "./at_hand.ts";
import { timeInTurn } from "./at_hand.ts";
import { createBuffer, readerOf, sourceOf } from "./buffers.ts";
import { elementsOf } from "./elements.ts";
import type { Timing } from "./timer.ts";
import { verifyCopy, verifyReduce, verifyScan } from "./verify.ts";

// Short calls beside the least that a call must do, and what a page would write without staging buffers of its own.

/** Elements of a short call. */
export const SHORT = 1000;
/** A browser's clock is coarser than such a call is long, so several are timed together. */
const AT_ONCE = 16;

const question = (length: number) => ({ type: "u32", op: "add", length }) as const;

/** u32 as the bench has them. */
function dataOf(length: number): Uint32Array<ArrayBuffer> {
  const data = new Uint32Array(length);
  const elements = elementsOf("u32", "add", length);
  let at = 0;
  for (let chunk = elements.next(); chunk !== undefined; chunk = elements.next()) {
    new Uint8Array(data.buffer).set(chunk.bytes, at);
    at += chunk.bytes.byteLength;
  }
  return data;
}

/** The bytes of an array as they are now. */
const bytesOf = (data: Uint32Array<ArrayBuffer>): Uint8Array => new Uint8Array(data.buffer);

/** A result that is not the CPU's. */
function require(what: string, problem: string | undefined): void {
  if (problem !== undefined) {
    throw new Error(`${what} is wrong: ${problem}`);
  }
}

/** What {@link timeShort} found: microseconds of one call, by the host's clock. */
export interface ShortTimes {
  readonly length: number;
  /** As many bytes there and back: a write by the queue, a copy, a submission, and a `mapAsync`. */
  readonly bare: Timing;
  /** `fold.scan(data, { into })`. */
  readonly scan: Timing;
  /** `fold.reduce(data)`. */
  readonly reduce: Timing;
}

/**
 * Times calls of few elements in turn with a bare round trip of their bytes. All results were compared before.
 *
 * @throws when a result is wrong.
 */
export async function timeShort(fold: Fold, pace: HandPace, length = SHORT): Promise<ShortTimes> {
  const { device } = fold;
  const data = dataOf(length);
  const into = new Uint32Array(length);
  const { COPY_SRC, COPY_DST, MAP_READ: READ, STORAGE } = GPUBufferUsage;
  const there = await createBuffer(device, "there", data.byteLength, STORAGE | COPY_SRC | COPY_DST);
  const back = await createBuffer(device, "back", data.byteLength, READ | COPY_DST);
  try {
    const bare = async (): Promise<void> => {
      device.queue.writeBuffer(there, 0, data);
      const encoder = device.createCommandEncoder();
      encoder.copyBufferToBuffer(there, 0, back, 0, data.byteLength);
      device.queue.submit([encoder.finish()]);
      await back.mapAsync(MAP_READ);
      into.set(new Uint32Array(back.getMappedRange(0, data.byteLength)));
      back.unmap();
    };
    const works = {
      bare,
      scan: () => fold.scan(data, { into }),
      reduce: () => fold.reduce(data),
    } as const;

    into.fill(0xffc0dead);
    await works.bare();
    require("the bare round trip", await verifyCopy(question(length), { output: sourceOf(bytesOf(into)) }));
    into.fill(0xffc0dead);
    await works.scan();
    const scanned = { output: sourceOf(bytesOf(into)) };
    require("a short scan", await verifyScan({ ...question(length), exclusive: false }, scanned));
    const total = { output: sourceOf(bytesOf(Uint32Array.of(await works.reduce()))) };
    require("a short reduction", await verifyReduce(question(length), total));

    const timed = await timeInTurn(
      Object.values(works).map((run) => ({
        async run() {
          for (let turn = 0; turn < AT_ONCE; turn++) {
            await run();
          }
        },
      })),
      pace,
    );
    const [bareTime, scan, reduce] = timed.map(
      ({ median, quartiles: [low, high], runs }): Timing => ({
        median: median / AT_ONCE,
        quartiles: [low / AT_ONCE, high / AT_ONCE],
        runs,
      }),
    ) as [Timing, Timing, Timing];
    return { length, bare: bareTime, scan, reduce };
  } finally {
    there.destroy();
    back.destroy();
  }
}

/** What {@link timeWrite} found. */
export interface WriteTimes {
  readonly length: number;
  readonly bytes: number;
  /** Microseconds until the device is done. */
  readonly write: Timing;
  /** Of that, until the call returns. */
  readonly returned: Timing;
}

/**
 * Times `queue.writeBuffer` of a whole array of u32. What lies on the GPU is compared after that.
 *
 * @throws when it is wrong.
 */
export async function timeWrite(device: GPUDevice, length: number, pace: HandPace): Promise<WriteTimes> {
  const data = dataOf(length);
  const buffer = await createBuffer(device, "written", data.byteLength);
  try {
    const write = (): void => device.queue.writeBuffer(buffer, 0, data);
    const done = (): Promise<undefined> => device.queue.onSubmittedWorkDone();
    const [all, returned] = (await timeInTurn(
      [
        {
          run() {
            write();
            return done();
          },
        },
        {
          async prepare() {
            await done();
          },
          run: write,
        },
      ],
      pace,
    )) as [Timing, Timing];
    await done();
    require("what was written", await verifyCopy(question(length), {
      output: () => readerOf(device, buffer),
    }));
    return { length, bytes: data.byteLength, write: all, returned };
  } finally {
    buffer.destroy();
  }
}
