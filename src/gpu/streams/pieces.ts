import { wholeWords } from "../../plan/plan.ts";
import type { Context } from "../device/context.ts";
import { letGoOfBuffers } from "../device/kept.ts";
import { atHand, PIECES } from "../device/transfer.ts";
import { MAP_WRITE } from "../device/usage_flags.ts";
import { withPlan } from "../executor/plans_of_calls.ts";
import type { PieceDevice, PieceRun, Slot } from "./piece_device.ts";
import { openPieceDevice } from "./piece_device.ts";
import type { PieceCall, PieceCut, PieceItemBytes } from "./piece_sizes.ts";
import { cutFor } from "./piece_sizes.ts";

// Data of any length, piece by piece. Each piece is written into a staging buffer, runs on the GPU on top of the carry of
// the pieces before it, and is read from another staging buffer. The carry stays on the GPU.

/** The result of a piece: bytes that are there until they are released. */
export interface PieceResult {
  readonly bytes: Uint8Array;
  release(): void;
}

/**
 * The pieces of one stream. At most {@link PIECES} of them are under way at once: one is filled, others are on the GPU, and
 * others wait to be taken. One caller at a time asks for room, and one at a time for results.
 */
export interface Pieces {
  readonly itemBytes: PieceItemBytes;
  /**
   * Room for the next bytes of input, at least one byte: what is left of the piece that is filled. It waits for a piece
   * whose result was released. Nobody may write there after `stop`.
   */
  room(): Promise<Uint8Array>;
  /** Says how many bytes of the room were filled. A piece that is full goes to the GPU. */
  filled(bytes: number): void;
  /**
   * Says that no more input comes. The whole items of the last piece go to the GPU. If there was no item at all, but room was
   * asked for, the total of nothing is computed.
   */
  end(): void;
  /** The result of the next piece. It is undefined when all were released; then the buffers have been given back. */
  next(): Promise<PieceResult | undefined>;
  /** How many bytes were filled of all pieces. */
  bytesFilled(): number;
  /** The bytes of the total, after `end`, if it is read. It is undefined if nothing was computed. */
  total(): Promise<Uint8Array | undefined>;
  /**
   * Stops, and gives the buffers back. Requests that wait, and all later ones, are rejected with the reason. The promise
   * resolves when the buffers are back.
   */
  stop(reason: unknown): Promise<void>;
  /** Calls a function if the device fails or the plan does not compile, also while nobody waits. */
  onFailure(action: (cause: unknown) => void): void;
}

/** A place for a piece: its staging, once it is allocated, and what the GPU does with it. */
interface Place extends PieceRun {
  slot?: Slot;
}

interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(cause: unknown): void;
}

function deferred<T>(): Deferred<T> {
  const made: Partial<Deferred<T>> & { promise?: Promise<T> } = {};
  const promise = new Promise<T>((resolve, reject) => {
    Object.assign(made, { resolve, reject });
  });
  // It may be rejected while nobody waits.
  promise.catch(() => {});
  return Object.assign(made, { promise }) as Deferred<T>;
}

/** The functions to call when a device is lost. The device has one handler for all, so that it does not hold streams that are over. */
const losses = new WeakMap<GPUDevice, Set<() => void>>();

/** Calls a function when the device is lost, unless the returned function was called before. */
function whenLost(device: GPUDevice, action: () => void): () => void {
  let actions = losses.get(device);
  if (actions === undefined) {
    const made = new Set<() => void>();
    actions = made;
    losses.set(device, made);
    void device.lost.then(() => {
      for (const lost of made) {
        lost();
      }
    });
  }
  const added = actions.add(action);
  return () => {
    added.delete(action);
  };
}

/** The pieces of one stream, and how far they are. */
class PiecesUnderWay implements Pieces {
  readonly itemBytes: PieceItemBytes;
  readonly #call: PieceCall;
  readonly #cut: PieceCut;
  readonly #places: Place[] = [];
  #device: PieceDevice | undefined;
  // How many pieces went to the GPU, had their results taken, and had them released.
  #started = 0;
  #taken = 0;
  #released = 0;
  #bytesFilled = 0;
  #ended = false;
  #stopped: { readonly reason: unknown } | undefined;
  #failed = false;
  #wake = deferred<void>();
  /** Resolves when the stream is over, whether it ended or was stopped. */
  readonly #over = deferred<void>();
  /** Resolves with the total, if it is read, when the buffers have been given back. */
  readonly #done: Promise<Uint8Array | undefined>;

  constructor(context: Context, call: PieceCall) {
    this.itemBytes = call.itemBytes;
    this.#call = call;
    this.#cut = cutFor(call);
    this.#done = this.#run(context);
    this.#done.catch(this.#broken);
  }

  /** Holds the plan and the buffers until the stream is over. */
  #run(context: Context): Promise<Uint8Array | undefined> {
    return withPlan(context, this.#call.planned, 0, async (kept) => {
      const read = await atHand(context, kept.compiled.plan.title, async (hand) => {
        const device = await openPieceDevice(context, hand, kept, this.#call, this.#cut);
        this.#device = device;
        this.#changed();
        const forget = whenLost(context.device, () => this.#broken(new Error("the device was lost")));
        try {
          await this.#over.promise;
        } finally {
          forget();
        }
        await this.#leavePlaces();
        const isRead = this.#call.readsTotal && this.#stopped === undefined && this.#started > 0;
        return isRead ? device.total(this.#started) : undefined;
      });
      if (!this.#call.isOfCall) {
        // What a stream leaves beside what calls under way may take.
        letGoOfBuffers(context.kept);
      }
      return read;
    });
  }

  /** Waits for the GPU, since no command may use a buffer that is given back, and leaves the staging as others take it. */
  async #leavePlaces(): Promise<void> {
    const all = this.#places.flatMap(({ writable, readable }) => [writable, readable]);
    for (const settled of await Promise.allSettled(all)) {
      if (settled.status === "rejected") {
        throw settled.reason;
      }
    }
    for (const { slot } of this.#places) {
      slot?.back?.unmap();
      slot?.countBack?.unmap();
      if (slot?.bytes !== undefined) {
        // Whoever takes it next asks for its bytes again.
        slot.stage.unmap();
        await slot.stage.mapAsync(MAP_WRITE);
      }
    }
  }

  /** Wakes all who wait for something to hold. */
  #changed(): void {
    this.#wake.resolve();
    this.#wake = deferred();
  }

  readonly #broken = (cause: unknown): void => {
    this.#failed = true;
    this.#over.reject(cause);
    this.#changed();
  };

  #overIfDone(): void {
    if (this.#ended && this.#released === this.#started) {
      this.#over.resolve();
    }
  }

  /** Waits until something holds. @throws the reason, if the stream was stopped; or why it failed. */
  async #until(holds: () => boolean): Promise<void> {
    for (;;) {
      if (this.#stopped !== undefined) {
        throw this.#stopped.reason;
      }
      if (this.#failed) {
        await this.#done;
      }
      if (holds()) {
        return;
      }
      await this.#wake.promise;
    }
  }

  /** Waits for the GPU. */
  async #gpu(work: Promise<unknown>): Promise<void> {
    await work.catch(this.#broken);
    await this.#until(() => true);
  }

  /** Sends the piece that was filled to the GPU. */
  #start(place: Place, slot: Slot): void {
    const piece = this.#started++;
    try {
      Object.assign(place, this.#device?.run(slot, piece));
      place.writable.catch(this.#broken);
      place.readable.catch(this.#broken);
    } catch (cause) {
      this.#broken(cause);
    }
    slot.bytes = undefined;
    if (!this.#cut.hasResults) {
      this.#released++;
    }
    this.#changed();
  }

  async room(): Promise<Uint8Array> {
    await this.#until(() => this.#device !== undefined);
    await this.#until(() => this.#started - this.#released < PIECES);
    const at = this.#started % PIECES;
    let place = this.#places[at];
    if (place === undefined) {
      const made = (this.#device as PieceDevice).slot();
      place = { writable: made, readable: made };
      this.#places[at] = place;
      await this.#gpu(made);
      place.slot = await made;
    }
    await this.#gpu(place.writable);
    const slot = place.slot as Slot;
    if (slot.bytes === undefined) {
      const bytes = this.#cut.itemsOf(this.#started) * this.itemBytes.input;
      slot.bytes = new Uint8Array(slot.stage.getMappedRange(), 0, bytes);
      slot.filled = 0;
    }
    return slot.bytes.subarray(slot.filled);
  }

  filled(bytes: number): void {
    const place = this.#places[this.#started % PIECES];
    const slot = place?.slot;
    if (place !== undefined && slot?.bytes !== undefined) {
      slot.filled += bytes;
      this.#bytesFilled += bytes;
      if (slot.filled === slot.bytes.length) {
        this.#start(place, slot);
      }
    }
  }

  bytesFilled(): number {
    return this.#bytesFilled;
  }

  end(): void {
    const place = this.#places[this.#started % PIECES];
    const slot = place?.slot;
    const isFilled = (slot?.filled ?? 0) > 0;
    const hasTotalOfNothing = this.#call.readsTotal && this.#started === 0;
    if (place !== undefined && slot?.bytes !== undefined && (isFilled || hasTotalOfNothing)) {
      this.#start(place, slot);
    }
    this.#ended = true;
    this.#overIfDone();
    this.#changed();
  }

  async next(): Promise<PieceResult | undefined> {
    await this.#until(() => this.#taken < this.#started || (this.#ended && this.#released === this.#started));
    if (this.#taken === this.#started) {
      await this.#done;
      return undefined;
    }
    const piece = this.#taken++;
    const place = this.#places[piece % PIECES] as Place;
    const { back, countBack, filled } = place.slot as Slot;
    const results = this.#cut.resultsOf(piece, filled / this.itemBytes.input);
    await this.#gpu(place.readable);
    const kept = countBack && new Uint32Array(countBack.getMappedRange(0, 4))[0];
    const bytes = (kept ?? results) * this.itemBytes.output;
    return {
      bytes:
        bytes === 0 || !back
          ? new Uint8Array(0)
          : new Uint8Array(back.getMappedRange(0, wholeWords(bytes)), 0, bytes),
      release: () => {
        back?.unmap();
        countBack?.unmap();
        this.#released++;
        this.#overIfDone();
        this.#changed();
      },
    };
  }

  async total(): Promise<Uint8Array | undefined> {
    await this.#until(() => this.#ended);
    return this.#done;
  }

  async stop(reason: unknown): Promise<void> {
    this.#stopped ??= { reason };
    this.#over.resolve();
    this.#changed();
    await this.#done.catch(() => {});
  }

  onFailure(action: (cause: unknown) => void): void {
    this.#done.catch(action);
  }
}

/**
 * Starts a stream. It does not wait for memory, and no call waits for a stream to end: it may end only when another stream, or a
 * call, goes on.
 */
export const openPieces = (context: Context, call: PieceCall): Pieces => new PiecesUnderWay(context, call);
