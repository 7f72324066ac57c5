import { bytesOfInitial } from "../../algebra/initial.ts";
import type { Operator } from "../../algebra/monoid.ts";
import { monoid } from "../../algebra/monoid.ts";
import { add } from "../../algebra/operators.ts";
import { isTrue } from "../../algebra/truth.ts";
import type { ElementType } from "../../algebra/types.ts";
import { endCall, startCall } from "../device/call_memory.ts";
import type { CheckedEnds } from "../device/check_ends.ts";
import type { Context } from "../device/context.ts";
import type { Given, Target } from "../device/given.ts";
import { bytesOf, fresh } from "../device/given.ts";
import type { Planned, PlanOptions } from "../executor/planned.ts";
import type { FoldInPieces } from "./fold_pieces.ts";
import { planFoldPieces } from "./fold_pieces.ts";
import type { WriteFlags } from "./piece_sizes.ts";
import { bytesOfPieces, itemsOfPiece } from "./piece_sizes.ts";
import type { Pieces } from "./pieces.ts";
import { openPieces } from "./pieces.ts";
import { cutRows } from "./row_pieces.ts";

// Calls at hand on long arrays. They go in, through and out piece by piece, as a stream does: while one piece is copied by the
// CPU, the GPU works on others. So a call takes a few pieces of memory on the device and for staging, whatever its length,
// and the array may be longer than a buffer of the device.

/** A call that can go in pieces. Those of scans and reductions have plans of their own. */
export type LongPlanned =
  | (Pick<Planned, "all"> & Pick<FoldInPieces, "primitive">)
  | (Planned & { readonly primitive: "compact" });

/** A call on a long array. */
export interface LongCall {
  readonly planned: LongPlanned;
  readonly given: Given;
  /** Bytes of an item of the output. */
  readonly outputBytes: number;
  /** Where the result goes: to `into`, if that was given, or to a new array. */
  readonly target: Target;
  readonly into?: Given | undefined;
  readonly ends?: Partial<Omit<CheckedEnds, "options">>;
  /** The items of a row, if each is combined on its own. */
  readonly columns?: number;
  /** The flags of a compaction. `check` throws if they are not there any more. */
  readonly flags?: { readonly marks: ArrayLike<number | boolean>; check(): void } | undefined;
}

/** The key that all long calls share, so that they run one after another. */
const LONG = "in pieces";

/**
 * Does some work when all long calls that were asked for earlier are over, and there are bytes for it. A long call keeps the bus busy by
 * itself. So calls at once gain nothing, and each would take its own pieces of memory.
 */
async function inTurn<T>({ kept }: Context, bytes: number, work: () => Promise<T>): Promise<T> {
  await startCall(kept, bytes, LONG);
  try {
    return await work();
  } finally {
    endCall(kept, bytes, LONG);
  }
}

/** Whether results in `into` would replace items of `read` before they are read. Both go from their starts to their ends, or the other way. */
const isAhead = (
  read: Pick<Given, "buffer" | "byteOffset" | "byteLength">,
  into: Given | undefined,
  resultBytes: number,
  fromEnd = false,
): boolean =>
  into !== undefined &&
  into.buffer === read.buffer &&
  into.byteOffset < read.byteOffset + read.byteLength &&
  read.byteOffset < into.byteOffset + resultBytes &&
  (fromEnd
    ? into.byteOffset < read.byteOffset || resultBytes < read.byteLength
    : into.byteOffset > read.byteOffset || resultBytes > read.byteLength);

/** A function that writes the flags of a piece. If results may overwrite flags before these are read, the flags are copied first. */
function writerOf({ flags, into, given, outputBytes }: LongCall): WriteFlags | undefined {
  if (flags === undefined) {
    return undefined;
  }
  flags.check();
  const isReplaced =
    ArrayBuffer.isView(flags.marks) && isAhead(flags.marks, into, given.length * outputBytes);
  const marks = isReplaced ? (flags.marks as Uint32Array).slice() : flags.marks;
  return (words, first) => {
    flags.check();
    for (let at = 0; at < words.length; at++) {
      words[at] = isTrue(marks[first + at]) ? 1 : 0;
    }
  };
}

/** The options of a call's plan, as far as pieces depend on them. */
type LongOptions = PlanOptions & FoldInPieces["options"];

/** Runs a call piece by piece. Returns the bytes of its result. */
export function runInPieces(context: Context, call: LongCall): Promise<Uint8Array> {
  const { outputBytes, ends } = call;
  const { primitive, all } = call.planned;
  const { type, from = type } = all as LongOptions;
  const itemBytes = { input: from.bytes, output: outputBytes };
  const most = itemsOfPiece(context, from.bytes, outputBytes, call.flags ? 4 : 0);
  const rows = call.columns === undefined ? undefined : cutRows(call.columns, most);
  const bytes = bytesOfPieces(primitive, rows?.most ?? most, itemBytes, rows, call.flags !== undefined);
  return inTurn(context, bytes, async () => {
    const writeFlags = writerOf(call);
    const options = { ...(all as LongOptions), maxLength: most };
    const first = ends?.initial && bytesOf(ends.initial, primitive, "the initial value", "initial");
    const { carried, ...planned }: ReturnType<typeof planFoldPieces> =
      call.planned.primitive === "compact"
        ? { planned: { ...call.planned, all: options } }
        : planFoldPieces({ primitive: call.planned.primitive, options, rows, initial: first }, context.facts);
    const isReduction = primitive === "reduce" && rows === undefined;
    // Whole rows are scanned each on its own, in whatever order.
    const fromEnd = all.reverse === true && !rows?.isWhole;
    const pieces = openPieces(context, {
      ...planned,
      itemBytes,
      readsTotal: isReduction || ends?.total !== undefined,
      writeFlags,
      rows,
      fromEnd: fromEnd ? call.given.length : undefined,
      isOfCall: true,
    });
    try {
      const [result] = await Promise.all([
        isReduction ? undefined : read(pieces, call, fromEnd),
        write(pieces, call, fromEnd),
      ]);
      const sum = await pieces.total();
      const total = sum && carried ? bytesOfInitial(carried.value(sum), type, primitive) : sum;
      if (total !== undefined) {
        ends?.total?.().set(total);
      }
      return (isReduction ? total : result) as Uint8Array;
    } catch (cause) {
      await pieces.stop(cause);
      throw cause;
    }
  });
}

/** Whether rows can go in pieces. A row that is longer than a piece needs carries, which for some operators are no values of the type. */
export const rowsGoInPieces = (
  primitive: "scan" | "reduce",
  context: Context,
  columns: number,
  { type, from = type }: { readonly type: ElementType; readonly from?: ElementType },
  op: unknown = add,
): boolean =>
  primitive === "scan" ||
  columns <= itemsOfPiece(context, from.bytes, type.bytes) ||
  monoid(op as Operator, type, primitive).carried === undefined;

/** Combines rows of a long array, piece by piece. Each piece has whole rows, or a part of one. */
export async function rowsInPieces(
  context: Context,
  primitive: "scan" | "reduce",
  options: object & { readonly type: ElementType },
  columns: number,
  call: Pick<LongCall, "given" | "target" | "into" | "ends">,
): Promise<Uint8Array> {
  const planned = { primitive, all: { ...options, maxLength: call.given.length } };
  return runInPieces(context, { ...call, planned, columns, outputBytes: options.type.bytes });
}

/** Copies the array into the pieces, from its start on, or from its end. */
async function write(
  pieces: Pieces,
  { planned, given, into, outputBytes }: LongCall,
  fromEnd: boolean,
): Promise<void> {
  const now = (): Uint8Array => bytesOf(given, planned.primitive, "the array", "data");
  const copy = isAhead(given, into, given.length * outputBytes, fromEnd) ? now().slice() : undefined;
  for (let at = 0; at < given.byteLength; ) {
    const place = await pieces.room();
    const left = given.byteLength - at;
    const first = fromEnd ? Math.max(0, left - place.length) : at;
    const bytes = (copy ?? now()).subarray(first, first + Math.min(place.length, left));
    place.set(bytes);
    pieces.filled(bytes.length);
    at += bytes.length;
  }
  pieces.end();
}

/** Copies the pieces' results to where they belong. Returns all of them. */
async function read(
  pieces: Pieces,
  { planned, given, target, outputBytes, columns }: LongCall,
  fromEnd: boolean,
): Promise<Uint8Array> {
  // Nobody knows beforehand how many items a compaction keeps.
  const kept: Uint8Array[] | undefined = planned.primitive === "compact" && target === fresh ? [] : undefined;
  const results = planned.primitive === "reduce" && columns ? given.length / columns : given.length;
  const whole =
    kept === undefined && (target === fresh || fromEnd) ? target(results * outputBytes) : undefined;
  let at = 0;
  for (let result = await pieces.next(); result !== undefined; result = await pieces.next()) {
    const { bytes, release } = result;
    if (kept) {
      kept.push(bytes.slice());
    } else {
      const place = fromEnd ? results * outputBytes - at - bytes.length : at;
      (whole ?? target(at + bytes.length))().set(bytes, place);
    }
    at += bytes.length;
    release();
  }
  const all = whole ?? (kept ? fresh(at) : target(at));
  let from = 0;
  for (const one of kept ?? []) {
    all().set(one, from);
    from += one.length;
  }
  return all();
}
