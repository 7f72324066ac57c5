import { isSameKind, kindOfArray } from "../../algebra/array_kinds.ts";
import { valuesOf } from "../../algebra/array_values.ts";
import type { AnyArray, ArrayOf, Bytes } from "../../algebra/arrays.ts";
import { arrayOver, requireMemory } from "../../algebra/arrays.ts";
import { bytesOfInitial } from "../../algebra/initial.ts";
import { u32 } from "../../algebra/integers.ts";
import type { Carried, Operator } from "../../algebra/monoid.ts";
import { monoid } from "../../algebra/monoid.ts";
import { add } from "../../algebra/operators.ts";
import type { ElementType, Value } from "../../algebra/types.ts";
import { requireType } from "../../algebra/types.ts";
import type { NarrowerThan } from "../../algebra/widening.ts";
import { ArgumentError, refuse } from "../../errors.ts";
import type { InitialOption, OptionNames, OptionTable } from "../../options.ts";
import { requireOptions } from "../../options.ts";
import type { CompactOptions } from "../../plan/compact.ts";
import { planCompact } from "../../plan/compact.ts";
import type { AnyOperator, TuningOptions } from "../../plan/options.ts";
import { commonNames } from "../../plan/options.ts";
import type { Plan } from "../../plan/plan.ts";
import { planFactsFor } from "../../plan/plan_facts_for.ts";
import type { ScanOptions } from "../../plan/scan.ts";
import type { CallParamsOption } from "../../primitives/call_options.ts";
import { checkEnds } from "../device/check_ends.ts";
import type { Context } from "../device/context.ts";
import { bytesOf, givenOf } from "../device/given.ts";
import { arrangementFor } from "../executor/plans_of_calls.ts";
import { loadedParams } from "../executor/with_params.ts";
import { planFoldPieces } from "./fold_pieces.ts";
import { itemsOfPiece } from "./piece_sizes.ts";
import type { Pieces } from "./pieces.ts";
import { openPieces } from "./pieces.ts";
import { cutRows, rowsOfStream } from "./row_pieces.ts";

export { rowsGoInPieces, rowsInPieces, runInPieces } from "./pieces_at_hand.ts";

// Streams of arrays. Calls at hand on long arrays go in the same way. A stream cuts its input into pieces of a fixed number of items,
// so results do not depend on the lengths of the arrays that come in.

/** The types of a stream. Without `from`, elements come in as `type`. */
export interface StreamTypes<
  Name extends string,
  V extends Value,
  From extends string,
  FromValue extends Value,
> extends TuningOptions,
    CallParamsOption {
  /** The type of the results. */
  readonly type: ElementType<Name, V>;
  /** The type of the elements that come in. Needed if the results have another type. */
  readonly from?: ElementType<From, FromValue>;
}

/** The option `map` of a stream. A stream that names two types needs it, unless `type` has every value of `from`. */
export type StreamMapOption<Name extends string, From extends string> = [From] extends [
  Name | NarrowerThan<Name>,
]
  ? {
      /** WGSL over each element's value `x` and its index `i` in the stream: see {@link ScanOptions.map}. */
      readonly map?: string;
    }
  : {
      /** WGSL over each element's value `x` and its index `i` in the stream: see {@link ScanOptions.map}. */
      readonly map: string;
    };

/** The options of `scanStream` and `reduceStream`. */
export type StreamOptions<
  Name extends string,
  V extends Value,
  From extends string,
  FromValue extends Value,
> = StreamTypes<Name, V, From, FromValue> &
  StreamMapOption<Name, From> &
  InitialOption<V | ArrayOf<Name, V>> & {
    /** The operator, on `type`. The default is `add`. */
    readonly op?: Operator<NoInfer<Name>>;
  };

/** The rows of a stream. */
export interface StreamRows {
  /** The items of a row. A row may be of any length. */
  readonly rows: number;
}

/** What a scan of a stream takes beside the options of a reduction. */
export interface StreamScanOption<Total = AnyArray> {
  /**
   * An array of one element, of the results' type. The scan fills it with the combination of all elements, the initial value included,
   * before the results end. It can be the `initial` of the next stream.
   */
  readonly total?: NoInfer<Total>;
  /** Leaves each place's own element out. */
  readonly exclusive?: boolean;
  /** Scans each row on its own. The stream ends with a row. An initial value comes before the first item of each. */
  readonly segments?: StreamRows;
}

/** What a reduction of the rows of a stream takes beside the options of a reduction. */
export interface StreamRowsOption {
  /** Reduces each row on its own. The stream ends with a row. An initial value comes before the first item of each. */
  readonly segments: StreamRows;
}

/** The options of `compactStream`. */
export type StreamCompactOptions<
  Name extends string,
  V extends Value,
  From extends string,
  FromValue extends Value,
  Indices,
> = StreamTypes<Name, V, From, FromValue> &
  StreamMapOption<Name, From> & {
    /**
     * WGSL over the element `x` and its index `i` in the stream (u32, modulo 2^32): an expression that is true, or a number that is not
     * zero, for each element to keep; or statements that end in `return` of a bool.
     */
    readonly where: string;
    /** `true` gives the positions of the elements in the stream, as u32, and not the elements. The default is false. */
    readonly indices?: Indices;
  };

/** The two ends of a stream, as `pipeThrough` takes them. */
export interface ArrayStream<In, Out> {
  /** Where results come out. */
  readonly readable: ReadableStream<Out>;
  /** Where data goes in. */
  readonly writable: WritableStream<In>;
}

/** What `reduceStream` reads from. */
export type ArraySource<A> = ReadableStream<A> | AsyncIterable<A>;

/** A stream of arrays for options with types. */
export type StreamOf<
  Name extends string,
  V extends Value,
  From extends string = Name,
  FromValue extends Value = V,
> = ArrayStream<ArrayOf<From, FromValue>, ArrayOf<Name, V>>;

const reduceNames = {
  op: true,
  initial: true,
  segments: true,
  ...commonNames,
} as const satisfies OptionTable<StreamOptions<string, Value, string, Value> & StreamRowsOption>;
const scanNames = { exclusive: "boolean", total: true, ...reduceNames } as const satisfies OptionTable<
  StreamScanOption & StreamOptions<string, Value, string, Value> & StreamRowsOption
>;
const compactNames = { where: true, indices: "boolean", ...commonNames } as const satisfies OptionTable<
  StreamCompactOptions<string, Value, string, Value, boolean>
>;

/** The options of any stream. Nobody has checked them yet. */
export interface AnyStreamOptions extends TuningOptions {
  readonly type?: unknown;
  readonly from?: unknown;
  readonly op?: unknown;
  readonly map?: unknown;
  readonly params?: unknown;
  readonly where?: unknown;
  readonly indices?: unknown;
  readonly exclusive?: unknown;
  readonly initial?: unknown;
  readonly total?: unknown;
  readonly segments?: unknown;
}

/** A stream that was started, and the types of what comes in and goes out. */
export interface Streamed {
  readonly pieces: Pieces;
  readonly from: ElementType;
  readonly type: ElementType;
  /** How the total is read, if it is no value of the type. */
  readonly carried?: Carried | undefined;
  /** Turns a result into the bytes of a value, if results are no values of the type. */
  readonly shown?: ((result: Uint8Array) => Uint8Array) | undefined;
  /** The total of a stream of no items, if there is no initial value. */
  readonly ofNothing: Value | undefined;
  /** The items of a row, if the stream ends with one. */
  readonly columns?: number | undefined;
  /** Where the total goes, if the caller gave a place. */
  readonly place?: (() => Uint8Array) | undefined;
}

/** How a stream is started. */
interface StartOptions {
  /** How many items come at most, if that is known: less than a piece takes less memory. */
  readonly known?: number | undefined;
  /** Whether the total is read at the end. */
  readonly total?: boolean | undefined;
}

const typesOf = (
  caller: string,
  options: AnyStreamOptions,
  names: OptionNames,
): { readonly from: ElementType; readonly type: ElementType } => {
  requireOptions(caller, options, names);
  const type = requireType(options.type, caller);
  return { from: options.from === undefined ? type : requireType(options.from, caller, "from"), type };
};

/** The items of a row, if the stream has rows. @throws {ArgumentError} for segments that are no rows, and for a total of rows. */
function columnsOf(segments: unknown, total: unknown, caller: string): number | undefined {
  if (segments === undefined) {
    return undefined;
  }
  const columns = rowsOfStream(segments, caller);
  if (total !== undefined) {
    throw new ArgumentError(`${caller}: with segments there is no total of all`, "total");
  }
  return columns;
}

/** @throws {ArgumentError} for a scan from the last element to the first. */
function requireForward(caller: string, options: object): void {
  if ((options as { readonly reverse?: unknown } | undefined)?.reverse) {
    throw new ArgumentError(
      `${caller}: reverse is true, but a stream gives its first results before its last elements come in; scan an array, or write the last elements first`,
      "reverse",
    );
  }
}

/** Starts the scan or the reduction of a stream. */
function startFold(
  context: Context,
  caller: string,
  primitive: "scan" | "reduce",
  options: AnyStreamOptions,
  { known = Number.POSITIVE_INFINITY, total: isRead = false }: StartOptions,
): Streamed {
  if (primitive === "scan") {
    requireForward(caller, options);
  }
  const types = typesOf(caller, options, primitive === "scan" ? scanNames : reduceNames);
  const { type, from } = types;
  const { identity, start, carried } = monoid((options.op ?? add) as Operator, type, caller);
  const { initial, total, segments, ...others } = {
    ...options,
    ...loadedParams(options, caller, context),
  };
  const columns = columnsOf(segments, total, caller);
  const arrayOf = (...range: Bytes): AnyArray => arrayOver(type, ...range);
  const room = givenOf(total as AnyArray);
  const place = checkEnds(caller, { type, arrayOf }, undefined, total, room).total;
  const first = initial === undefined ? undefined : bytesOfInitial(initial, type, caller);
  const most = Math.min(itemsOfPiece(context, from.bytes, type.bytes), Math.max(columns ?? 1, known));
  const rows = columns === undefined ? undefined : cutRows(columns, most);
  const call = planFoldPieces(
    {
      primitive,
      options: { ...(others as Partial<AnyOperator<ScanOptions>>), ...types, maxLength: most },
      rows,
      initial: first,
    },
    context.facts,
  );
  // A row that goes in parts has the total of its last part.
  const shown =
    carried && primitive === "reduce" && rows?.isWhole === false
      ? (result: Uint8Array): Uint8Array => bytesOfInitial(carried.value(result), type, caller)
      : undefined;
  const pieces = openPieces(context, {
    planned: call.planned,
    initial: call.initial,
    itemBytes: { input: from.bytes, output: (shown && call.initial?.length) ?? type.bytes },
    readsTotal: isRead || place !== undefined,
    rows,
  });
  const ofNothing = carried ? carried.value(carried.bytes()) : (start?.value ?? identity);
  return {
    pieces,
    ...types,
    carried,
    shown,
    ofNothing: first ? undefined : ofNothing,
    columns,
    place,
  };
}

/** Ends a stream. @throws {ArgumentError} if a row has begun, and has not ended. */
export function endRows({ pieces, from, columns = 1 }: Streamed, caller: string): void {
  const items = pieces.bytesFilled() / from.bytes;
  if (items % columns !== 0) {
    throw new ArgumentError(
      `${caller}: the stream ends after ${items} items, and its rows of ${columns} do not divide them`,
      "segments",
    );
  }
  pieces.end();
}

/** Starts the scan of a stream. */
export const startScan = (
  context: Context,
  caller: string,
  options: AnyStreamOptions,
  start: StartOptions = {},
): Streamed => startFold(context, caller, "scan", options, start);

/** Starts the reduction of a stream. That of rows has no total. */
export const startReduce = (
  context: Context,
  caller: string,
  options: AnyStreamOptions,
  start: StartOptions = {},
): Streamed =>
  startFold(context, caller, "reduce", options, { ...start, total: options?.segments === undefined });

/** Starts the compaction of a stream. */
export function startCompact(
  context: Context,
  caller: string,
  options: AnyStreamOptions,
  { known = Number.POSITIVE_INFINITY }: StartOptions = {},
): Streamed {
  const types = typesOf(caller, options, compactNames);
  const { type, from } = types;
  if (options.where === undefined) {
    refuse(
      caller,
      "where",
      "undefined",
      'a WGSL expression over the element x and its index i, such as "x > 3"',
    );
  }
  const indices = options.indices === true;
  const result = indices ? u32 : type;
  const all = {
    ...(options as Partial<CompactOptions>),
    ...loadedParams(options, caller, context),
    ...types,
    indices,
    maxLength: Math.min(itemsOfPiece(context, from.bytes, result.bytes), Math.max(1, known)),
  };
  const plan = async (own: typeof all): Promise<Plan> =>
    planCompact(own, await planFactsFor(own, context.facts), [arrangementFor(own)]);
  const itemBytes = { input: from.bytes, output: result.bytes };
  const pieces = openPieces(context, { planned: { primitive: "compact", all, plan }, itemBytes });
  return { pieces, from, type: result, ofNothing: undefined };
}

/** Ends a stream that reads its total, and returns that. */
export async function endWithTotal(streamed: Streamed): Promise<Value> {
  await makeTotal(streamed);
  streamed.pieces.end();
  return totalOf(streamed);
}

/** Before a stream ends that reads its total: if it has no items, its initial value becomes that. */
async function makeTotal({ pieces, ofNothing }: Streamed): Promise<void> {
  if (pieces.bytesFilled() === 0 && ofNothing === undefined) {
    await pieces.room();
  }
}

/** The total of a stream, once it is over. */
async function totalOf({ pieces, type, carried, ofNothing }: Streamed): Promise<Value> {
  // Its map or operator may not compile, even if there are no items.
  const bytes = (await pieces.total()) as Uint8Array<ArrayBuffer>;
  // A piece of no items may have run: its total is what comes before the first item, and a sum of no floats is not that.
  if (pieces.bytesFilled() === 0 && ofNothing !== undefined) {
    return ofNothing;
  }
  return carried ? carried.value(bytes) : valuesOf(arrayOver(type, bytes.buffer), type)(0);
}

/** Writes an array into a stream. @throws {ArgumentError} if it holds no items of the type. */
async function writeChunk({ pieces, from }: Streamed, chunk: unknown, caller: string): Promise<void> {
  const wanted = arrayOver(from, new ArrayBuffer(0));
  const holdsBits = from.name === "f16" && kindOfArray(chunk) === "Uint16Array";
  if (!isSameKind(chunk, wanted) && !holdsBits) {
    throw new ArgumentError(
      `${caller}: a chunk is ${kindOfArray(chunk)}; it takes ${kindOfArray(wanted)}, as the items are ${from.name}`,
      "chunk",
    );
  }
  requireMemory(caller, "chunk", chunk, "a chunk");
  const given = givenOf(chunk as AnyArray);
  for (let at = 0; at < given.byteLength; ) {
    const room = await pieces.room();
    const bytes = bytesOf(given, caller, "a chunk", "chunk").subarray(at, at + room.length);
    room.set(bytes);
    pieces.filled(bytes.length);
    at += bytes.length;
  }
}

/** A copy of bytes. In Node.js, its memory is not filled with zeros first. */
function copyOf(bytes: Uint8Array): Uint8Array {
  const { Buffer: node } = globalThis as { Buffer?: { allocUnsafeSlow(size: number): Uint8Array } };
  const own = new Uint8Array((node?.allocUnsafeSlow(bytes.length) ?? new Uint8Array(bytes.length)).buffer);
  own.set(bytes);
  return own;
}

/** What streams call at one end. */
type StreamEnd = Readonly<Record<string, ((given: never) => void | Promise<void>) | undefined>>;

/** The two ends of a stream, for the constructors of streams. */
export interface StreamEnds {
  readonly readable: StreamEnd;
  readonly writable: StreamEnd;
}

const starts = { scanStream: startScan, compactStream: startCompact, reduceStream: startReduce } as const;

/** The calls that give a stream. A reduction does so if it is of rows. */
export type StreamCaller = keyof typeof starts;

/** `Fold.scanStream`, `Fold.compactStream`, and `Fold.reduceStream` of rows. */
export function streamEnds(context: Context, caller: StreamCaller, options: AnyStreamOptions): StreamEnds {
  const streamed = starts[caller](context, caller, options);
  const { pieces, type, shown = copyOf, place } = streamed;
  let reader: ReadableStreamDefaultController<AnyArray> | undefined;
  let writer: WritableStreamDefaultController | undefined;
  // An error at one end ends the other one, too, unless that is closed or has failed already.
  const fail = async (cause: unknown): Promise<void> => {
    reader?.error(cause);
    writer?.error(cause);
    await pieces.stop(cause);
  };
  pieces.onFailure(fail);
  /** Does some work. If that fails, the stream ends with the error. */
  const failing = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (cause) {
      await fail(cause);
      throw cause;
    }
  };
  const readable = {
    start(controller: ReadableStreamDefaultController<AnyArray>) {
      reader = controller;
    },
    pull: () =>
      failing(async () => {
        for (;;) {
          const result = await pieces.next();
          if (result === undefined) {
            place?.().set(bytesOfInitial(await totalOf(streamed), type, caller));
            reader?.close();
            return;
          }
          const { bytes, release } = result;
          const own = bytes.length > 0 ? shown(bytes) : bytes;
          release();
          if (own.length > 0) {
            reader?.enqueue(arrayOver(type, own.buffer as ArrayBuffer));
            return;
          }
        }
      }),
    cancel: fail,
  };
  const writable = {
    start(controller: WritableStreamDefaultController) {
      writer = controller;
      // `abort` is called only when the write that waits for room has ended.
      const { signal } = controller as { readonly signal?: AbortSignal };
      signal?.addEventListener("abort", () => void pieces.stop(signal.reason));
    },
    write: (chunk: unknown) => failing(() => writeChunk(streamed, chunk, caller)),
    close: () =>
      failing(async () => {
        if (place) {
          await makeTotal(streamed);
        }
        endRows(streamed, caller);
      }),
    abort: fail,
  };
  return { readable, writable };
}

/** `Fold.reduceStream` of a source. */
export async function reduceStream(
  context: Context,
  source: unknown,
  options: AnyStreamOptions,
): Promise<Value> {
  const caller = "reduceStream";
  const chunks = iteratorOf(source, caller);
  try {
    if (options?.segments !== undefined) {
      throw new ArgumentError(
        `${caller}: with segments there are many totals, which come as a stream: source.pipeThrough(fold.reduceStream({ …, segments: { rows } }))`,
        "segments",
      );
    }
    const streamed = startReduce(context, caller, options);
    const { pieces } = streamed;
    // An error of the device is reported even if the source gives nothing for a long time. This takes no Promise.race, since each race
    // would stay in memory until the failure.
    let fail = (_: unknown): void => {};
    let failure: { readonly cause: unknown } | undefined;
    pieces.onFailure((cause) => {
      failure = { cause };
      fail(cause);
    });
    const next = (): Promise<IteratorResult<unknown>> =>
      new Promise((resolve, reject) => {
        fail = reject;
        if (failure !== undefined) {
          reject(failure.cause);
        } else {
          chunks.next().then(resolve, reject);
        }
      });
    try {
      for (let one = await next(); one.done !== true; one = await next()) {
        await writeChunk(streamed, one.value, caller);
      }
      return await endWithTotal(streamed);
    } catch (cause) {
      await pieces.stop(cause);
      throw cause;
    }
  } catch (cause) {
    // The source may take long to stop, so this does not wait for it.
    chunks.stop(cause);
    throw cause;
  }
}

interface Chunks {
  next(): Promise<IteratorResult<unknown>>;
  stop(cause: unknown): void;
}

/** Reads a stream, or what can be iterated. @throws {ArgumentError} for what cannot. */
function iteratorOf(source: unknown, caller: string): Chunks {
  const given = Object(source) as Partial<ReadableStream & AsyncIterable<unknown> & Iterable<unknown>>;
  if (typeof given.getReader === "function") {
    if (given.locked) {
      refuse(caller, "source", "locked by another reader", "a stream that nobody reads");
    }
    const reader = given.getReader();
    return {
      next: () => reader.read() as Promise<IteratorResult<unknown>>,
      stop: (cause) => {
        reader.cancel(cause).catch(() => {});
      },
    };
  }
  const made = given[Symbol.asyncIterator]?.() ?? given[Symbol.iterator]?.();
  if (made === undefined || ArrayBuffer.isView(source) || typeof source === "string") {
    refuse(caller, "source", kindOfArray(source), "a ReadableStream or an async iterable of arrays");
  }
  return {
    next: async () => made.next(),
    stop: () => {
      void (async () => made.return?.())().catch(() => {});
    },
  };
}
