import { callMembers } from "../../kernels/contract.ts";
import type { Plan } from "../../plan/plan.ts";
import { wholeWords } from "../../plan/plan.ts";
import type { Context } from "../device/context.ts";
import { givenOf } from "../device/given.ts";
import type { Hand } from "../device/transfer.ts";
import { READ, submit, WRITTEN } from "../device/transfer.ts";
import { MAP_READ, MAP_WRITE } from "../device/usage_flags.ts";
import type { Dispatch, Range, ResolvedRanges } from "../executor/executor.ts";
import type { PlanForCalls } from "../executor/plans_of_calls.ts";
import { forgetRuns, writtenParams } from "../executor/plans_of_calls.ts";
import type { PieceCall, PieceCut, PieceLayout } from "./piece_sizes.ts";
import { layoutFor } from "./piece_sizes.ts";

// The GPU's side of a stream: the buffers that all pieces use one after another, their staging, and what is submitted for a piece.

/** For how many lengths of pieces dispatches are kept, each for pieces of even and of odd number. */
const MOST_LENGTHS = 8;

/** The staging of a piece. */
export interface Slot {
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

/** What the GPU does with a piece's staging. */
export interface PieceRun {
  /** Resolves when the staging can be written. */
  writable: Promise<unknown>;
  /** Resolves when the result can be read. */
  readable: Promise<unknown>;
}

/** A plan and its buffers, once they are there. */
export interface PieceDevice {
  slot(): Promise<Slot>;
  /** Sends a piece to the GPU. */
  run(slot: Slot, piece: number): PieceRun;
  /** Reads the total of so many pieces. */
  total(pieces: number): Promise<Uint8Array>;
}

/** What a stream does, and how. */
interface PieceWork {
  readonly call: PieceCall;
  readonly cut: PieceCut;
  readonly layout: PieceLayout;
}

/** The buffers on the device that all pieces use, one piece after another. */
interface Buffers {
  readonly input: GPUBuffer;
  /** For results. A piece whose results are carries has none. */
  readonly output: GPUBuffer | undefined;
  readonly flags: GPUBuffer | undefined;
  /** For the number of kept items. */
  readonly count: GPUBuffer | undefined;
  /** The value before the first item, or before the first item of each row. */
  readonly start: GPUBuffer | undefined;
  /** A dispatch may not read and write the same buffer, so that the carry goes from one to the other and back. */
  readonly carries: readonly GPUBuffer[];
}

async function buffersFor(hand: Hand, plan: Plan, { call, cut, layout }: PieceWork): Promise<Buffers> {
  const { initial, rows, writeFlags } = call;
  const { mostItems, mostResults } = cut;
  const input = await hand.own("input", layout.roomOf("input", mostItems));
  const output = cut.givesCarries
    ? undefined
    : await hand.own("output", layout.roomOf("output", mostResults));
  const flags = writeFlags && (await hand.own("flags", layout.roomOf("flags", mostItems)));
  const count = plan.needs.has("count") ? await hand.own("count", 4) : undefined;
  const start = initial && (await hand.upload("carry", givenOf(initial)));
  const carry = (): GPUBuffer | Promise<GPUBuffer> => hand.own("carry", initial?.length ?? 0);
  const carries = start === undefined || rows?.isWhole ? [] : [rows ? await carry() : start, await carry()];
  return { input, output, flags, count, start, carries };
}

/** The carry after so many pieces. */
const carryOf = ({ carries }: Buffers, pieces: number): GPUBuffer | undefined => carries[pieces % 2];

/** The ranges that a piece of `items` items reads and writes. */
function rangesOf(
  plan: Plan,
  buffers: Buffers,
  { call: { rows, initial }, cut, layout }: PieceWork,
  piece: number,
  items: number,
): ResolvedRanges {
  const { input, output, flags, count, start } = buffers;
  const rangeOf = (buffer: GPUBuffer, bytes: number): Range => ({ buffer, offset: 0, bytes });
  const carryIn = (buffer: GPUBuffer | undefined): Range | undefined =>
    buffer && rangeOf(buffer, initial?.length ?? 0);
  const carryAfter = carryIn(carryOf(buffers, piece + 1));
  return {
    input: rangeOf(input, layout.bytesOf("input", items)),
    output: output ? rangeOf(output, layout.bytesOf("output", cut.resultsOf(piece, items))) : carryAfter,
    flags: flags && rangeOf(flags, layout.bytesOf("flags", items)),
    count: count && rangeOf(count, 4),
    initial: carryIn(rows?.starts(piece) ? start : carryOf(buffers, piece)),
    total: plan.needs.has("total") ? carryAfter : undefined,
  };
}

/** Destroys the dispatches for pieces that a plan keeps. */
function dropDispatches(kept: PlanForCalls): void {
  for (const { uniform } of [...(kept.pieces?.dispatches.values() ?? [])].flat()) {
    uniform.destroy();
  }
  delete kept.pieces;
}

/** Gives the dispatches for a piece. A driver takes milliseconds for each new buffer while it copies, so the plan keeps them. */
function keptDispatches(
  { device }: Context,
  kept: PlanForCalls,
  buffers: Buffers,
  work: PieceWork,
): (piece: number, items: number) => readonly Dispatch[] {
  const { compiled } = kept;
  const { rows } = work.call;
  const { arrangement } = work.layout;
  const { input, output, flags, count, start, carries } = buffers;
  const values = writtenParams(kept, work.call.planned);
  const bound = [input, output, flags, count, start, ...carries];
  return (piece, items) => {
    const ranges = { ...rangesOf(compiled.plan, buffers, work, piece, items), ...values };
    if (compiled.nextRun()) {
      forgetRuns(kept);
    }
    if (kept.pieces?.buffers.some((buffer, at) => buffer !== bound[at])) {
      dropDispatches(kept);
    }
    kept.pieces ??= { buffers: bound, dispatches: new Map() };
    const place = rows ? ` ${rows.columns} ${rows.starts(piece)} ${rows.ends(piece)}` : "";
    const key = `${items} ${piece % 2}${place}`;
    const first = work.cut.firstOf(piece) % 2 ** 32;
    const known = kept.pieces.dispatches.get(key);
    if (known !== undefined) {
      const at = callMembers.indexOf("first_index") * 4;
      for (const { uniform } of known) {
        device.queue.writeBuffer(uniform, at, Uint32Array.of(first));
      }
      return known;
    }
    if (kept.pieces.dispatches.size === MOST_LENGTHS) {
      dropDispatches(kept);
    }
    kept.pieces ??= { buffers: bound, dispatches: new Map() };
    const count = items / (rows?.columns ?? 1);
    const params = {
      first_index: first,
      ...(rows?.isWhole && { columns: rows.columns, segment_count: count, room: count }),
    };
    const made = compiled.dispatches(compiled.bind(items, ranges, { arrangement }, params));
    kept.pieces.dispatches.set(key, made);
    return made;
  };
}

/** Makes the staging of a piece. */
async function slotFor(hand: Hand, { flags, count }: Buffers, { call, cut }: PieceWork): Promise<Slot> {
  const { input, output } = call.itemBytes;
  return {
    stage: await hand.take("staging", wholeWords(cut.mostItems * input), WRITTEN),
    back: cut.hasResults
      ? await hand.take("read-back", wholeWords(cut.mostResults * output), READ)
      : undefined,
    countBack: count && (await hand.take("read-back", 4, READ)),
    flagStage: flags && (await hand.take("staging", cut.mostItems * 4, WRITTEN)),
    bytes: undefined,
    filled: 0,
  };
}

/** Allocates the buffers that the pieces of a stream share. */
export async function openPieceDevice(
  context: Context,
  hand: Hand,
  kept: PlanForCalls,
  call: PieceCall,
  cut: PieceCut,
): Promise<PieceDevice> {
  const { compiled } = kept;
  const { plan } = compiled;
  const { itemBytes, writeFlags } = call;
  const work: PieceWork = { call, cut, layout: layoutFor(plan, call) };
  const buffers = await buffersFor(hand, plan, work);
  const { input, output, flags, count } = buffers;
  const dispatchesOf = keptDispatches(context, kept, buffers, work);
  return {
    slot: () => slotFor(hand, buffers, work),
    run({ stage, back, countBack, flagStage, filled }, piece) {
      const items = filled / itemBytes.input;
      if (flagStage) {
        writeFlags?.(new Uint32Array(flagStage.getMappedRange(), 0, items), cut.firstOf(piece));
        flagStage.unmap();
      }
      compiled.requireDevice();
      const dispatches = dispatchesOf(piece, items);
      stage.unmap();
      const submitted = submit(context, plan.title, (encoder) => {
        encoder.copyBufferToBuffer(stage, 0, input, 0, wholeWords(filled));
        if (flags && flagStage) {
          encoder.copyBufferToBuffer(flagStage, 0, flags, 0, wholeWords(items * 4));
        }
        compiled.encode(encoder, dispatches);
        const results = cut.resultsOf(piece, items);
        const result = output ?? carryOf(buffers, piece + 1);
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
    async total(pieces) {
      const bytes = new Uint8Array(call.initial?.length ?? 0);
      const buffer = carryOf(buffers, pieces) as GPUBuffer;
      await hand.readBack([{ buffer, bytes: bytes.length, use: (from) => bytes.set(from) }]);
      return bytes;
    },
  };
}
