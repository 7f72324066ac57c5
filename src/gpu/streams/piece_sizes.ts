import type { Arrangement } from "../../kernels/kernel.ts";
import type { Plan } from "../../plan/plan.ts";
import { itemBytesOf, paddedBytes, rangeBytes } from "../../plan/plan.ts";
import { bufferBytesFor } from "../device/call_memory.ts";
import type { Context } from "../device/context.ts";
import { PIECES } from "../device/transfer.ts";
import type { Planned } from "../executor/planned.ts";
import { arrangementFor } from "../executor/plans_of_calls.ts";
import type { RowCut } from "./row_pieces.ts";

// What a stream computes, how its data is cut into pieces, and how many bytes a piece takes.

/** Bytes of an item of the input, and of a result: an item of the output, or the total of a row that went in parts. */
export interface PieceItemBytes {
  readonly input: number;
  readonly output: number;
}

/** Writes the flags of consecutive items, from the item `first` on. */
export type WriteFlags = (words: Uint32Array, first: number) => void;

/** What a stream computes. */
export interface PieceCall {
  /** The plan is for as many items as a piece has. */
  readonly planned: Planned;
  readonly itemBytes: PieceItemBytes;
  /** The bytes of the value before the first item, if the plan takes one. */
  readonly initial?: Uint8Array | undefined;
  /** Whether to read the total at the end. */
  readonly readsTotal?: boolean;
  /** Writes the flags of a piece as it goes to the GPU, if the plan takes flags. */
  readonly writeFlags?: WriteFlags | undefined;
  /** How rows are cut, if each row is combined on its own. */
  readonly rows?: RowCut | undefined;
  /** The items of all pieces, if the last of these come first. */
  readonly fromEnd?: number | undefined;
  /** Whether a call under way has the stream's bytes. */
  readonly isOfCall?: boolean;
}

/** How the data of a stream is cut into pieces. */
export interface PieceCut {
  /** The most items of a piece. */
  readonly mostItems: number;
  /** The most results of a piece, and at least one. */
  readonly mostResults: number;
  /** Whether each piece has a result. A reduction without rows has only a total of all. */
  readonly hasResults: boolean;
  /** Whether results are carries: the total of a part of a row is one, and is the row's result if the row ends with the part. */
  readonly givesCarries: boolean;
  /** The items of a piece that is full. */
  itemsOf(piece: number): number;
  /** The index of a piece's first item. */
  firstOf(piece: number): number;
  /** How many results a piece of `items` items has. */
  resultsOf(piece: number, items: number): number;
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
  { input, output }: PieceItemBytes,
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

/** Cuts the data of a stream. */
export function cutFor({ planned, rows, fromEnd }: PieceCall): PieceCut {
  const mostItems = rows?.most ?? planned.all.maxLength;
  const isReduction = planned.primitive === "reduce";
  const resultsOf = (piece: number, items: number): number =>
    resultsOfPiece(isReduction ? rows : undefined, piece, items);
  const itemsOf = (piece: number): number => rows?.itemsOf(piece) ?? mostItems;
  const firstOf = (piece: number): number => rows?.firstOf(piece) ?? piece * mostItems;
  return {
    mostItems,
    mostResults: Math.max(1, resultsOf(0, mostItems)),
    hasResults: !isReduction || rows !== undefined,
    givesCarries: isReduction && !rows?.isWhole,
    itemsOf,
    firstOf: (piece) =>
      fromEnd === undefined ? firstOf(piece) : Math.max(0, fromEnd - firstOf(piece) - itemsOf(piece)),
    resultsOf,
  };
}

/** The ranges of a piece that have items. */
type ItemRange = "input" | "output" | "flags";

/** How the items of a piece lie in buffers of the device. */
export interface PieceLayout {
  readonly arrangement: Arrangement;
  /** Bytes of a buffer for so many items. */
  roomOf(name: ItemRange, items: number): number;
  /** Bytes of a range of so many items. A range without bytes is not bound. */
  bytesOf(name: ItemRange, items: number): number;
}

/** How the items of pieces lie in buffers, for a plan. */
export function layoutFor(plan: Plan, { planned, rows }: PieceCall): PieceLayout {
  const arrangement = rows?.isWhole && !planned.all.reverse ? "vectors" : arrangementFor(planned.all);
  const vector = arrangement === "padded" ? plan.vector : 1;
  return {
    arrangement,
    roomOf: (name, items) => paddedBytes(items, itemBytesOf(plan, name), vector),
    bytesOf: (name, items) => items && rangeBytes(items, itemBytesOf(plan, name), vector),
  };
}
