import { callMembers } from "../../kernels/contract.ts";
import { paddedBytes, rangeBytes, wholeWords } from "../../plan/plan.ts";
import { bufferBytesFor, letGoOfBuffers } from "../device/call_memory.ts";
import type { Context } from "../device/context.ts";
import type { Hand } from "../device/transfer.ts";
import { atHand, givenOf, PIECES, READ, submit, WRITTEN } from "../device/transfer.ts";
import { MAP_READ, MAP_WRITE } from "../device/usage_flags.ts";
import type { Dispatch, Range, ResolvedRanges } from "../executor/executor.ts";
import type { PlanForCalls, Planned } from "../executor/plans_of_calls.ts";
import { arrangementFor, forgetRuns, withPlan } from "../executor/plans_of_calls.ts";
import type { RowCut } from "./row_pieces.ts";

// Data of any length, piece by piece. Each piece is written into a staging buffer, runs on the GPU on top of the carry of
// the pieces before it, and is read from another staging buffer. The carry stays on the GPU.

/** For how many lengths of pieces dispatches are kept, each for pieces of even and of odd number. */
const MOST_LENGTHS = 8;

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
  /** Bytes of an item of the input, and of a result: an item of the output, or the total of a row that went in parts. */
  readonly itemBytes: { readonly input: number; readonly output: number };
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

/** The staging of a piece. */
interface Slot {
  readonly stage: GPUBuffer;
  /** For the result, if each piece has one. */
  readonly back: GPUBuffer | undefined;
  /** For the number of kept items. */
  readonly countBack: GPUBuffer | undefined;
  /** For the flags, if the plan takes some. It is mapped until the piece goes to the GPU. */
  readonly flagStage: GPUBuffer | undefined;
  /** The mapped staging buffer. */
  bytes: Uint8Array | undefined;
  filled: number;
}

/** A place for a piece: its staging, once it is allocated, and what the GPU does with it. */
interface Place {
  slot?: Slot;
  /** Resolves when the staging can be written. */
  writable: Promise<unknown>;
  /** Resolves when the result can be read. */
  readable: Promise<unknown>;
}

/** A plan and its buffers, once they are there. */
interface Device {
  slot(): Promise<Slot>;
  /** Sends a piece to the GPU. */
  run(slot: Slot, piece: number): Pick<Place, "writable" | "readable">;
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
      for (const one of made) {
        one();
      }
    });
  }
  const own = actions;
  own.add(action);
  return () => {
    own.delete(action);
  };
}

/** Bytes by which whole vectors may be longer than the items of a piece. */
const PADDING = 4096;

/** Items of a piece, for items of these sizes. The number is even, so that pieces of f16 are whole words. */
export function itemsOfPiece({ kept, facts }: Context, ...itemBytes: number[]): number {
  const { maxBufferSize, maxStorageBufferBindingSize } = facts.limits;
  const most = Math.min(maxBufferSize, maxStorageBufferBindingSize) - PADDING;
  return 2 * Math.max(1, Math.floor(Math.min(kept.pieceBytes, most) / Math.max(...itemBytes) / 2));
}

/** How many results a piece of `items` items has. `rows` are those of a reduction. */
const resultsOfPiece = (rows: RowCut | undefined, piece: number, items: number): number =>
  rows === undefined ? items : rows.isWhole ? items / rows.columns : Number(rows.ends(piece));

/** Bytes of the buffers that a call may take for pieces of `items` items. */
export function bytesOfPieces(
  primitive: string,
  items: number,
  { input, output }: Pieces["itemBytes"],
  rows: RowCut | undefined,
  hasFlags: boolean,
): number {
  const isReduction = primitive === "reduce";
  const results = Math.max(1, resultsOfPiece(isReduction ? rows : undefined, 0, items));
  // Each place has staging, and one piece is on the device.
  return (
    ((PIECES + 1) / 2) *
    (bufferBytesFor(items * input) +
      (isReduction && rows === undefined ? 0 : bufferBytesFor(results * output)) +
      (hasFlags ? bufferBytesFor(items * 4) : 0))
  );
}

/** Writes the flags of consecutive items, from the item `first` on. */
export type WriteFlags = (words: Uint32Array, first: number) => void;

/**
 * Starts a stream. The plan is for as many items as a piece has. `initial` has the bytes of the value before the first item,
 * if the plan takes one. `readsTotal` is whether to read the total at the end. If the plan takes flags, `writeFlags` writes
 * those of a piece as it goes to the GPU. With `rows`, each row is combined on its own. It does not wait for memory, and no call waits for
 * a stream to end: it may end only when another stream, or a call, goes on. `isOfCall` is whether a call under way has its bytes.
 */
export function openPieces(
  context: Context,
  planned: Planned,
  itemBytes: Pieces["itemBytes"],
  initial?: Uint8Array,
  readsTotal = false,
  writeFlags?: WriteFlags,
  rows?: RowCut,
  isOfCall = false,
): Pieces {
  const pieceItems = rows?.most ?? planned.all.maxLength;
  const isReduction = planned.primitive === "reduce";
  /** Whether each piece has a result. A reduction without rows has only a total of all. */
  const hasResults = !isReduction || rows !== undefined;
  const firstOf = (piece: number): number => rows?.firstOf(piece) ?? piece * pieceItems;
  const resultsOf = (piece: number, items: number): number =>
    resultsOfPiece(isReduction ? rows : undefined, piece, items);
  /** Resolves when the stream is over, whether it ended or was stopped. */
  const over = deferred<void>();
  const places: Place[] = [];
  let onGpu: Device | undefined;
  // How many pieces went to the GPU, had their results taken, and had them released.
  let started = 0;
  let taken = 0;
  let released = 0;
  let bytesFilled = 0;
  let ended = false;
  let stopped: { readonly reason: unknown } | undefined;
  let failed = false;
  let wake = deferred<void>();
  const changed = (): void => {
    wake.resolve();
    wake = deferred();
  };
  const broken = (cause: unknown): void => {
    failed = true;
    over.reject(cause);
    changed();
  };
  const overIfDone = (): void => {
    if (ended && released === started) {
      over.resolve();
    }
  };

  const mostResults = Math.max(1, resultsOf(0, pieceItems));
  const done = withPlan(context, planned, 0, async (own) => {
    const read = await atHand(context, own.compiled.plan.title, async (hand) => {
      const { open, total } = await deviceFor(hand, own);
      onGpu = open;
      changed();
      const forget = whenLost(context.device, () => broken(new Error("the device was lost")));
      try {
        await over.promise;
      } finally {
        forget();
      }
      // No command may use a buffer that is given back.
      const all = places.flatMap(({ writable, readable }) => [writable, readable]);
      for (const one of await Promise.allSettled(all)) {
        if (one.status === "rejected") {
          throw one.reason;
        }
      }
      for (const { slot } of places) {
        slot?.back?.unmap();
        slot?.countBack?.unmap();
        if (slot?.bytes !== undefined) {
          // Whoever takes it next asks for its bytes again.
          slot.stage.unmap();
          await slot.stage.mapAsync(MAP_WRITE);
        }
      }
      return readsTotal && stopped === undefined && started > 0 ? total(started) : undefined;
    });
    if (!isOfCall) {
      // What a stream leaves beside what calls under way may take.
      letGoOfBuffers(context.kept);
    }
    return read;
  });
  done.catch((cause: unknown) => {
    broken(cause);
  });

  /** Allocates what the stream uses. */
  async function deviceFor(
    hand: Hand,
    own: PlanForCalls,
  ): Promise<{ open: Device; total(pieces: number): Promise<Uint8Array> }> {
    const { compiled } = own;
    const { plan } = compiled;
    const { needs } = plan;
    const arrangement = rows?.isWhole ? "vectors" : arrangementFor(planned.all);
    const vector = arrangement === "padded" ? plan.vector : 1;
    const rangeOf = (buffer: GPUBuffer, bytes: number): Range => ({ buffer, offset: 0, bytes });
    type Name = "input" | "output" | "flags";
    const itemBytesOf = (name: Name): number => plan.itemBytes[name] ?? 4;
    const roomOf = (name: Name, items: number): number => paddedBytes(items, itemBytesOf(name), vector);
    // A range without bytes is not bound.
    const itemsOf = (name: Name, buffer: GPUBuffer, items: number): Range =>
      rangeOf(buffer, items && rangeBytes(items, itemBytesOf(name), vector));

    const input = await hand.own("input", roomOf("input", pieceItems));
    const inCarries = isReduction && !rows?.isWhole;
    const output = inCarries ? undefined : await hand.own("output", roomOf("output", mostResults));
    const flags = writeFlags && (await hand.own("flags", roomOf("flags", pieceItems)));
    const count = needs.has("count") ? await hand.own("count", 4) : undefined;
    const carryBytes = initial?.length ?? 0;
    const carry = (): GPUBuffer | Promise<GPUBuffer> => hand.own("carry", carryBytes);
    const start = initial && (await hand.upload("carry", givenOf(initial)));
    // A dispatch may not read and write the same buffer, so that the carry goes from one to the other and back.
    const carries: GPUBuffer[] =
      start === undefined || rows?.isWhole ? [] : [rows ? await carry() : start, await carry()];
    const carryBefore = (piece: number): Range | undefined => {
      const buffer = rows?.starts(piece) ? start : carries[piece % 2];
      return buffer && rangeOf(buffer, carryBytes);
    };
    const carryAfter = (piece: number): Range | undefined => {
      const buffer = carries[(piece + 1) % 2];
      return buffer && rangeOf(buffer, carryBytes);
    };
    // The total of a part of a row is a carry, and the row's result if the row ends with the part.
    const outputOf = (piece: number, items: number): Range | undefined =>
      output ? itemsOf("output", output, resultsOf(piece, items)) : carryAfter(piece);
    const resultIn = (piece: number): GPUBuffer | undefined => output ?? carryAfter(piece)?.buffer;
    const rangesOf = (piece: number, items: number): ResolvedRanges => ({
      input: itemsOf("input", input, items),
      output: outputOf(piece, items),
      flags: flags && itemsOf("flags", flags, items),
      count: count && rangeOf(count, 4),
      initial: carryBefore(piece),
      total: needs.has("total") ? carryAfter(piece) : undefined,
    });

    const drop = (): void => {
      for (const { uniform } of [...(own.pieces?.dispatches.values() ?? [])].flat()) {
        uniform.destroy();
      }
      delete own.pieces;
    };
    /** The dispatches for a piece. A driver takes milliseconds for each new buffer while it copies, so they are kept. */
    const dispatchesFor = (piece: number, items: number): readonly Dispatch[] => {
      const ranges = rangesOf(piece, items);
      const buffers = [input, output, flags, count, start, ...carries];
      if (compiled.nextRun()) {
        forgetRuns(own);
      }
      if (own.pieces?.buffers.some((one, at) => one !== buffers[at])) {
        drop();
      }
      own.pieces ??= { buffers, dispatches: new Map() };
      const place = rows ? ` ${rows.columns} ${rows.starts(piece)} ${rows.ends(piece)}` : "";
      const key = `${items} ${piece % 2}${place}`;
      const first = firstOf(piece) % 2 ** 32;
      const known = own.pieces.dispatches.get(key);
      if (known !== undefined) {
        const at = callMembers.indexOf("first_index") * 4;
        for (const { uniform } of known) {
          context.device.queue.writeBuffer(uniform, at, Uint32Array.of(first));
        }
        return known;
      }
      if (own.pieces.dispatches.size === MOST_LENGTHS) {
        drop();
      }
      own.pieces ??= { buffers, dispatches: new Map() };
      const params = {
        first_index: first,
        ...(rows?.isWhole && { columns: rows.columns, segment_count: items / rows.columns }),
      };
      const made = compiled.dispatches(compiled.bind(items, ranges, { arrangement }, params));
      own.pieces.dispatches.set(key, made);
      return made;
    };

    const open: Device = {
      async slot() {
        return {
          stage: await hand.take("staging", wholeWords(pieceItems * itemBytes.input), WRITTEN),
          back: hasResults
            ? await hand.take("read-back", wholeWords(mostResults * itemBytes.output), READ)
            : undefined,
          countBack: count && (await hand.take("read-back", 4, READ)),
          flagStage: flags && (await hand.take("staging", pieceItems * 4, WRITTEN)),
          bytes: undefined,
          filled: 0,
        };
      },
      run({ stage, back, countBack, flagStage, filled }, piece) {
        const items = filled / itemBytes.input;
        if (flagStage) {
          writeFlags?.(new Uint32Array(flagStage.getMappedRange(), 0, items), firstOf(piece));
          flagStage.unmap();
        }
        compiled.requireDevice();
        const dispatches = dispatchesFor(piece, items);
        stage.unmap();
        const submitted = submit(context, plan.title, (encoder) => {
          encoder.copyBufferToBuffer(stage, 0, input, 0, wholeWords(filled));
          if (flags && flagStage) {
            encoder.copyBufferToBuffer(flagStage, 0, flags, 0, wholeWords(items * 4));
          }
          compiled.encode(encoder, dispatches);
          const results = resultsOf(piece, items);
          const result = resultIn(piece);
          if (result && back && results > 0) {
            encoder.copyBufferToBuffer(result, 0, back, 0, wholeWords(results * itemBytes.output));
          }
          if (count && countBack) {
            encoder.copyBufferToBuffer(count, 0, countBack, 0, 4);
          }
        });
        return {
          writable: Promise.all([submitted, stage.mapAsync(MAP_WRITE), flagStage?.mapAsync(MAP_WRITE)]),
          readable: Promise.all([submitted, back?.mapAsync(MAP_READ), countBack?.mapAsync(MAP_READ)]),
        };
      },
    };
    const total = async (pieces: number): Promise<Uint8Array> => {
      const bytes = new Uint8Array(carryBytes);
      const buffer = carries[pieces % 2] as GPUBuffer;
      await hand.readBack([{ buffer, bytes: bytes.length, use: (from) => bytes.set(from) }]);
      return bytes;
    };
    return { open, total };
  }

  /** Waits until something holds. @throws the reason, if the stream was stopped; or why it failed. */
  async function until(holds: () => boolean): Promise<void> {
    for (;;) {
      if (stopped !== undefined) {
        throw stopped.reason;
      }
      if (failed) {
        await done;
      }
      if (holds()) {
        return;
      }
      await wake.promise;
    }
  }

  /** Waits for the GPU. */
  async function gpu(work: Promise<unknown>): Promise<void> {
    await work.catch(broken);
    await until(() => true);
  }

  function start(place: Place, slot: Slot): void {
    const piece = started++;
    try {
      Object.assign(place, onGpu?.run(slot, piece));
      place.writable.catch(broken);
      place.readable.catch(broken);
    } catch (cause) {
      broken(cause);
    }
    slot.bytes = undefined;
    if (!hasResults) {
      released++;
    }
    changed();
  }

  return {
    itemBytes,
    async room() {
      await until(() => onGpu !== undefined);
      await until(() => started - released < PIECES);
      const at = started % PIECES;
      let place = places[at];
      if (place === undefined) {
        const made = (onGpu as Device).slot();
        place = { writable: made, readable: made };
        places[at] = place;
        await gpu(made);
        place.slot = await made;
      }
      await gpu(place.writable);
      const slot = place.slot as Slot;
      if (slot.bytes === undefined) {
        const items = rows?.itemsOf(started) ?? pieceItems;
        slot.bytes = new Uint8Array(slot.stage.getMappedRange(), 0, items * itemBytes.input);
        slot.filled = 0;
      }
      return slot.bytes.subarray(slot.filled);
    },
    filled(bytes) {
      const place = places[started % PIECES];
      const slot = place?.slot;
      if (place !== undefined && slot?.bytes !== undefined) {
        slot.filled += bytes;
        bytesFilled += bytes;
        if (slot.filled === slot.bytes.length) {
          start(place, slot);
        }
      }
    },
    bytesFilled: () => bytesFilled,
    end() {
      const place = places[started % PIECES];
      const slot = place?.slot;
      const isWanted = (slot?.filled ?? 0) > 0 || (readsTotal && started === 0);
      if (place !== undefined && slot?.bytes !== undefined && isWanted) {
        start(place, slot);
      }
      ended = true;
      overIfDone();
      changed();
    },
    async next() {
      await until(() => taken < started || (ended && released === started));
      if (taken === started) {
        await done;
        return undefined;
      }
      const results = resultsOf(taken, itemsStarted(taken));
      const place = places[taken++ % PIECES] as Place;
      await gpu(place.readable);
      const { back, countBack } = place.slot as Slot;
      const kept = countBack && new Uint32Array(countBack.getMappedRange(0, 4))[0];
      const bytes = (kept ?? results) * itemBytes.output;
      return {
        bytes:
          bytes === 0 || !back
            ? new Uint8Array(0)
            : new Uint8Array(back.getMappedRange(0, wholeWords(bytes)), 0, bytes),
        release() {
          back?.unmap();
          countBack?.unmap();
          released++;
          overIfDone();
          changed();
        },
      };
    },
    async total() {
      await until(() => ended);
      return done;
    },
    async stop(reason) {
      stopped ??= { reason };
      over.resolve();
      changed();
      await done.catch(() => {});
    },
    onFailure(action) {
      done.catch(action);
    },
  };

  /** How many items a piece has that went to the GPU. */
  function itemsStarted(piece: number): number {
    return (places[piece % PIECES]?.slot?.filled ?? 0) / itemBytes.input;
  }
}
