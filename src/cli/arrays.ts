import process from "node:process";
import type { ScalarArray } from "../algebra/arrays.ts";
import { elementTypes } from "../algebra/element_types.ts";
import { u32 } from "../algebra/integers.ts";
import { monoid } from "../algebra/monoid.ts";
import { add } from "../algebra/operators.ts";
import { requireRows } from "../algebra/segments.ts";
import type { ElementType, Scalar, ScalarType, TypeName } from "../algebra/types.ts";
import { widens } from "../algebra/widening.ts";
import type { Context } from "../gpu/device/context.ts";
import { withDevice } from "../gpu/device/cpu_context.ts";
import { loadParamsOf } from "../gpu/executor/with_params.ts";
import { Fold } from "../gpu/fold.ts";
import type { Streamed } from "../gpu/streams/streams.ts";
import { endRows, endWithTotal, startCompact, startReduce, startScan } from "../gpu/streams/streams.ts";
import type { TuningOptions } from "../plan/options.ts";
import type { CallParamsOption } from "../primitives/call_options.ts";
import type { ClassPartition, Partition } from "../primitives/partition.ts";
import type { Dtype } from "./dtypes.ts";
import { dtypes, typesRead } from "./dtypes.ts";
import { counted, UsageError } from "./errors.ts";
import type { Input, Target } from "./files.ts";
import { DASH, openTarget, withInput } from "./files.ts";
import { formatValue, parseValue } from "./format.ts";
import type { ElementSource } from "./npy.ts";
import { npyHeader, openElements, readAll, readFlags } from "./npy.ts";
import { withNpy } from "./npy_inputs.ts";
import type {
  AdapterOption,
  InitialOption,
  MapOption,
  OperatorOption,
  RawOption,
  SegmentsOption,
  TuningOption,
} from "./options.ts";
import { print, stdoutTarget } from "./print.ts";
import { startByteProgress, startProgress } from "./progress.ts";
import { storedBytes, storingTo } from "./stored.ts";
import { moveThrough } from "./stream.ts";
import { openText, textTarget } from "./text.ts";
import { withFold } from "./with_fold.ts";

export interface OutputOption {
  readonly output: string;
}

/** How a call is carried out, and its params. */
export const tuningOf = ({ algorithm, param }: TuningOption): TuningOptions & CallParamsOption => ({
  ...(algorithm !== undefined && { algorithm }),
  ...(param !== undefined && { params: param }),
});

/** The types of what goes in and comes out, and the map from one to the other, where there is one. */
export interface Mapped {
  readonly from: ElementType<TypeName>;
  readonly type: ScalarType;
  readonly map: string;
}

export function mappedOf(from: ScalarType, { map, type }: MapOption, caller: string): Mapped {
  const result = type === undefined ? from : elementTypes[type];
  if (map === undefined && result !== from && !widens(from, result)) {
    throw new UsageError(
      `${caller}: ${result.name} does not have every value of ${from.name}, the input's type; --type ${type} takes --map, such as --map '${type}(x)'`,
    );
  }
  // Without a map, elements stay as they are, or become elements of a type that has all their values.
  return { from, type: result, ...(map !== undefined && { map }) } as Mapped;
}

/** The value of `--initial`, of the result's type. */
export const initialOf = ({ initial }: InitialOption, type: ScalarType): { readonly initial?: Scalar } =>
  initial === undefined ? {} : { initial: parseValue(initial, type, "--initial") };

/** The bits of a result, which are what a file takes, whatever the runtime has for f16. */
export const bytesOf = (result: ScalarArray): Uint8Array =>
  new Uint8Array(result.buffer as ArrayBuffer, result.byteOffset, result.byteLength);

/** Where an array goes. @throws {UsageError} for the path of an archive, since a .npy file is written. */
export function openOutput(path: string, { raw, text }: RawOption, flag = "-o"): Promise<Target> | Target {
  if ((raw ?? text) === undefined && /\.npz(:.+)?$/i.test(path)) {
    throw new UsageError(
      `${flag} is ${path}: outputs are .npy files, and no archives; it takes a path such as out.npy`,
    );
  }
  return path === DASH ? stdoutTarget(text !== undefined) : openTarget(path);
}

/** Where elements of a type go in the form of the input's. */
const formedTarget = (target: Target, { text }: RawOption, type: ScalarType): Target =>
  text === undefined ? target : textTarget(target, type);

/** Elements that come in, before an adapter is opened. */
export async function withElements<Result>(
  path: string,
  { raw, text }: RawOption,
  work: (source: ElementSource, input: Input) => Promise<Result>,
): Promise<Result> {
  const open = (raw ?? text) === undefined ? withNpy : withInput;
  return open(path, async (input) => {
    const source = text === undefined ? await openElements(input, raw) : openText(input, elementTypes[text]);
    return work(source, input);
  });
}

/** All elements of a file, their type, and the shape of the array. */
export interface Elements {
  readonly type: ScalarType;
  /** How the file holds them, but for the order of their bytes. */
  readonly dtype: Dtype;
  readonly data: ScalarArray;
  /** Nothing for elements without a header. */
  readonly shape: readonly number[] | undefined;
  /** What messages call the file. */
  readonly path: string;
}

export const elementsIn = (path: string, options: RawOption = {}): Promise<Elements> =>
  withElements(path, options, async (source, { path: named }) => ({
    type: source.type,
    dtype: source.dtype,
    data: await readAll(source, named),
    shape: source.shape,
    path: named,
  }));

/** The whole numbers of a file, of any type, as u32. */
export async function wholeNumbersIn(path: string, what: string, options?: RawOption): Promise<Elements> {
  const { type, data, ...others } = await elementsIn(path, options);
  if (type.kind === "float") {
    throw new UsageError(`${path}: it holds ${type.name}; ${what} are whole numbers`);
  }
  const words = Uint32Array.from(data as ArrayLike<number | bigint>, (given, at) => {
    if (given < 0 || given > 0xffffffff) {
      throw new UsageError(`${path}: ${what}[${at}] is ${given}; it takes 0 to 2^32 - 1`);
    }
    return Number(given);
  });
  return { ...others, type: u32, dtype: dtypes.u32, data: words };
}

/** An array, and where it goes. */
export interface Written {
  readonly target: Target;
  /** They give the array the form of the input. Without them, it goes to a .npy file. */
  readonly options?: RawOption;
  readonly type: ScalarType;
  /** How a file holds them, if it is like another one. */
  readonly dtype?: Dtype | undefined;
  readonly data: ScalarArray;
  /** Without it, the array has one dimension. */
  readonly shape?: readonly number[] | undefined;
}

/** Writes arrays. All data is written before the first file gets its name. What may go to standard output comes last. */
export async function writeArrays([array, ...later]: readonly Written[]): Promise<void> {
  if (array === undefined) {
    return;
  }
  const { target, options = {}, type, dtype = dtypes[type.name], data, shape = [data.length] } = array;
  await formedTarget(target, options, type).writeBy(async (output) => {
    if ((options.raw ?? options.text) === undefined) {
      await output.write(npyHeader(dtype, shape));
    }
    const bytes = bytesOf(data);
    await output.write(options.text === undefined ? storedBytes(bytes, dtype) : bytes);
    await writeArrays(later);
  });
}

/** Reads, computes on an adapter, and writes. It shows how far this is. */
export async function inSteps<Call, Result, Done>(
  options: AdapterOption,
  read: () => Promise<Call>,
  run: (fold: Fold, call: Call) => Promise<Result>,
  write: (result: Result, call: Call) => Promise<Done>,
): Promise<Done> {
  const progress = startProgress(4);
  try {
    progress.step("reading");
    const call = await read();
    progress.step("opening the adapter");
    const result = await withFold(options, (fold) => {
      progress.step("running");
      return run(fold, call);
    });
    progress.step("writing");
    return await write(result, call);
  } finally {
    progress.stop();
  }
}

/** Opens an adapter, starts a stream on it, and shows how far it is. */
async function withStream<Result>(
  options: AdapterOption & TuningOption,
  { size, type }: ElementSource,
  start: (context: Context, known: number | undefined) => Streamed,
  work: (streamed: Streamed, read: (bytes: number) => void) => Promise<Result>,
): Promise<Result> {
  const progress = startByteProgress(size);
  try {
    return await withFold(options, async (fold) => {
      const known = size === undefined ? undefined : size / type.bytes;
      await loadParamsOf(tuningOf(options));
      return work(start(await withDevice(Fold.contextOf(fold)), known), progress.add);
    });
  } finally {
    progress.stop();
  }
}

/**
 * Adds up u32 as they are read. If the sum does not fit a u32, it says on stderr that the result has wrapped around. With a map or another
 * type it does nothing. With `exclusive`, the last element is left out, since no result contains it.
 */
function sumWatch(
  { op, map, type: result = "u32", initial }: OperatorOption & MapOption & InitialOption,
  { type }: ElementSource,
  exclusive = false,
): { look(bytes: Uint8Array): void; tell(): void } {
  if (op !== add || map !== undefined || type !== u32 || result !== "u32") {
    return { look: () => {}, tell: () => {} };
  }
  let all = Number(initial ?? 0);
  let last = 0;
  return {
    look(bytes: Uint8Array): void {
      // Pieces start at a multiple of their elements, in memory and in the input.
      for (const value of new Uint32Array(bytes.buffer, bytes.byteOffset, Math.floor(bytes.length / 4))) {
        all += value;
        last = value;
      }
    },
    tell(): void {
      const sum = exclusive ? all - last : all;
      if (sum >= 2 ** 32) {
        const exact = Number.isSafeInteger(sum) ? `${sum}` : `about ${sum.toPrecision(3)}`;
        process.stderr.write(
          `wavefold: hint: the whole sum is ${exact}, which is more than a u32 holds, so the result wrapped around 2^32; --type u64 gives all of it\n`,
        );
      }
    },
  };
}

/** The items of a row, or the columns: a number, or the last dimension of the input. */
export function sizeOf(
  kind: "rows" | "columns",
  given: number | true,
  shape: readonly number[] | undefined,
  caller: string,
): number {
  if (given !== true) {
    return given;
  }
  const what = kind === "rows" ? "rows of the last dimension" : "the last dimension's columns";
  if (shape === undefined || shape.length < 2) {
    throw new UsageError(
      `${caller}: --${kind} without a number takes ${what}, and the input has ${shape === undefined ? "no header" : "one dimension"}; it takes --${kind} COUNT`,
    );
  }
  const last = shape.at(-1) as number;
  if (last === 0) {
    throw new UsageError(`${caller}: --${kind} without a number takes ${what}, which is 0`);
  }
  return last;
}

/** @throws {UsageError} if a scan is asked for a total of segments, or for two things on standard output. */
export function requireTotal(
  { total = false, output }: OutputOption & { readonly total?: boolean },
  hasSegments: boolean,
): void {
  if (total && hasSegments) {
    throw new UsageError(
      "scan: with segments there is no total of all; reduce gives the total of each segment",
    );
  }
  if (total && output === DASH) {
    throw new UsageError("scan: --total and -o - both write to standard output; it takes one of them");
  }
}

/** `wavefold scan`, also of rows */
export async function scanFile(
  path: string,
  options: OutputOption &
    OperatorOption &
    MapOption &
    TuningOption &
    InitialOption &
    RawOption &
    AdapterOption &
    Pick<SegmentsOption, "rows"> & { readonly exclusive?: boolean; readonly total?: boolean },
): Promise<void> {
  const { op, exclusive = false, total = false, rows } = options;
  requireTotal(options, rows !== undefined);
  const target = await openOutput(options.output, options);
  const printed = await withElements(path, options, async (source, input) => {
    const mapped = mappedOf(source.type, options, "scan");
    const { type } = mapped;
    monoid(op, type, "scan");
    const columns = rows === undefined ? undefined : sizeOf("rows", rows, source.shape, "scan");
    if (columns !== undefined && source.size !== undefined) {
      requireRows("rows", columns, source.size / source.type.bytes, `scan<${type.name}>`);
    }
    const all = {
      ...tuningOf(options),
      ...mapped,
      ...initialOf(options, type),
      op,
      exclusive,
      ...(columns !== undefined && { segments: { rows: columns } }),
    };
    const start = (context: Context, known: number | undefined): Streamed =>
      startScan(context, "scan", all, { known, total });
    return withStream(options, source, start, async (streamed, read) => {
      let sum = "";
      const watch = sumWatch(options, source, exclusive && !total);
      await formedTarget(target, options, type).writeBy(async (output) => {
        if (source.shape !== undefined) {
          await output.write(npyHeader(dtypes[type.name], source.shape));
        }
        const end = async (): Promise<void> => {
          if (total) {
            sum = `${formatValue((await endWithTotal(streamed)) as Scalar, type)}\n`;
          } else {
            endRows(streamed, "scan");
          }
        };
        const { look } = columns === undefined ? watch : {};
        await moveThrough(streamed, { source, input, output, end, read, ...(look && { look }) });
      });
      if (columns === undefined) {
        watch.tell();
      }
      return sum;
    });
  });
  await print(printed);
}

/** `wavefold reduce` */
export async function reduceFile(
  path: string,
  options: OperatorOption &
    InitialOption &
    MapOption &
    TuningOption &
    RawOption &
    AdapterOption & { readonly output?: string; readonly unique?: string },
): Promise<void> {
  if ((options.output ?? options.unique) !== undefined) {
    throw new UsageError(
      "reduce prints its one value; -o and --unique are for the totals of --rows, --offsets or --keys",
    );
  }
  const { op } = options;
  const printed = await withElements(path, options, async (source, input) => {
    const mapped = mappedOf(source.type, options, "reduce");
    const { type } = mapped;
    monoid(op, type, "reduce");
    const all = { ...tuningOf(options), ...mapped, ...initialOf(options, type), op };
    const start = (context: Context, known: number | undefined): Streamed =>
      startReduce(context, "reduce", all, { known });
    return withStream(options, source, start, async (streamed, read) => {
      let value = "";
      const end = async (): Promise<void> => {
        value = formatValue((await endWithTotal(streamed)) as Scalar, type);
      };
      const { look, tell } = sumWatch(options, source);
      await moveThrough(streamed, { source, input, end, read, look });
      tell();
      return value;
    });
  });
  await print(`${printed}\n`);
}

/** `wavefold reduce` of rows */
export async function reduceRowsFile(
  path: string,
  options: Partial<OutputOption> &
    OperatorOption &
    InitialOption &
    MapOption &
    TuningOption &
    RawOption &
    AdapterOption & { readonly rows: number | true; readonly unique?: string },
): Promise<void> {
  const { op, output: to, rows, unique } = options;
  if (to === undefined) {
    throw new UsageError(MANY_TOTALS);
  }
  if (unique !== undefined) {
    throw new UsageError(NO_KEYS);
  }
  const target = await openOutput(to, options);
  await withElements(path, options, async (source, input) => {
    const mapped = mappedOf(source.type, options, "reduce");
    const { type } = mapped;
    monoid(op, type, "reduce");
    const { shape, size } = source;
    const columns = sizeOf("rows", rows, shape, "reduce");
    const items = size === undefined ? undefined : size / source.type.bytes;
    if (items !== undefined) {
      requireRows("rows", columns, items, `reduce<${type.name}>`);
    }
    const segments = { rows: columns };
    const all = { ...tuningOf(options), ...mapped, ...initialOf(options, type), op, segments };
    const start = (context: Context, known: number | undefined): Streamed =>
      startReduce(context, "reduce", all, { known });
    await withStream(options, source, start, (streamed, read) =>
      formedTarget(target, options, type).writeBy(async (output) => {
        if (shape !== undefined && items !== undefined) {
          const lengths = rows === true ? shape.slice(0, -1) : [items / columns];
          await output.write(npyHeader(dtypes[type.name], lengths));
        }
        const end = async (): Promise<void> => endRows(streamed, "reduce");
        await moveThrough(streamed, { source, input, output, end, read });
      }),
    );
  });
}

/** What a reduction of segments says if it has no place for what it gives, or no keys. */
export const MANY_TOTALS = "reduce: with segments there are many totals; it takes -o OUT.npy";
export const NO_KEYS =
  "reduce: --unique takes the key of each run; it takes --keys KEYS.npy, too, or --key EXPR";

/** Bytes of a header whose number of elements is written at the end: any number fits. */
const OPEN_HEADER_BYTES = 128;

/** `wavefold compact` */
export async function compactFile(
  path: string,
  options: OutputOption &
    TuningOption &
    MapOption &
    RawOption &
    AdapterOption & { readonly where?: string; readonly flags?: string; readonly indices?: boolean },
): Promise<void> {
  const { where, indices = false, flags, raw, text } = options;
  if (where === undefined && flags === undefined) {
    throw new UsageError("compact takes --where EXPR or --flags FLAGS.npy; it was given neither");
  }
  if (options.map !== undefined && indices) {
    throw new UsageError("compact takes --map EXPR or --indices, which are not mapped, and not both");
  }
  if (options.output === DASH && (raw ?? text) === undefined && flags === undefined) {
    throw new UsageError(
      "compact: a .npy file starts with the number of its elements, which is known only at the end; -o - takes --raw TYPE or --text TYPE; without them, -o takes a file",
    );
  }
  const target = await openOutput(options.output, options);
  await withElements(path, options, async (source, input) => {
    const mapped = mappedOf(source.type, options, "compact");
    const type = indices ? u32 : mapped.type;
    const dtype = likeOf(source, options);
    if (flags !== undefined) {
      return compactFlagged(source, input, mapped, target, { ...options, flags });
    }
    const all = { ...tuningOf(options), ...mapped, where, indices };
    const start = (context: Context, known: number | undefined): Streamed =>
      startCompact(context, "compact", all, { known });
    await withStream(options, source, start, (streamed, read) =>
      formedTarget(target, options, type).writeBy(async (output) => {
        const isNpy = source.shape !== undefined;
        if (isNpy) {
          await output.write(npyHeader(dtype, [0], OPEN_HEADER_BYTES));
        }
        const end = async (): Promise<void> => streamed.pieces.end();
        const { written } = await moveThrough(streamed, {
          source,
          input,
          output: storingTo(output, dtype),
          end,
          read,
        });
        if (isNpy) {
          await output.writeStart(npyHeader(dtype, [written / type.bytes], OPEN_HEADER_BYTES));
        }
      }),
    );
  });
}

/** How elements are written that come from a source: as it holds them, unless they are mapped, widened or written as their positions. */
const likeOf = (
  { dtype }: ElementSource,
  { indices, map, type }: MapOption & { readonly indices?: boolean },
): Dtype => (indices ? dtypes.u32 : (map ?? type) === undefined ? dtype : dtypes[type ?? typesRead[dtype]]);

/** A compaction by flags, with all elements and flags in memory. */
async function compactFlagged(
  source: ElementSource,
  { path }: Input,
  mapped: Mapped,
  target: Target,
  options: TuningOption &
    MapOption &
    RawOption &
    AdapterOption & { readonly flags: string; readonly where?: string; readonly indices?: boolean },
): Promise<void> {
  const { indices = false } = options;
  await inSteps(
    options,
    async () => {
      const data = await readAll(source, path);
      return { data, flags: await readFlagsFor(options.flags, data.length, path) };
    },
    (fold, { data, flags }) => {
      const { where } = options;
      const all = { ...tuningOf(options), ...mapped, flags, where };
      return indices ? fold.compact(data, { ...all, indices }) : fold.compact(data, all);
    },
    (data) => {
      const type = indices ? u32 : mapped.type;
      return writeArrays([{ target, options, type, dtype: likeOf(source, options), data }]);
    },
  );
}

/** `wavefold partition` */
export async function partitionFile(
  path: string,
  options: OutputOption &
    TuningOption &
    RawOption &
    AdapterOption & {
      readonly where?: string;
      readonly flags?: string;
      readonly class?: string;
      readonly classes?: number;
      readonly indices?: boolean;
    },
): Promise<void> {
  const { where, class: expression, classes, indices = false } = options;
  const keeps = (where ?? options.flags) !== undefined;
  if (keeps === (expression !== undefined)) {
    const problem = keeps ? ", and not both" : "; it was given none";
    throw new UsageError(
      `partition takes --where EXPR and --flags FLAGS.npy, or one of them, or --class EXPR with --classes N${problem}`,
    );
  }
  if ((expression === undefined) !== (classes === undefined)) {
    throw new UsageError(
      "partition: --class EXPR gives a class, and --classes N is how many there are; it takes both",
    );
  }
  if (options.output === DASH) {
    throw new UsageError(
      "partition: it prints the count, or the offsets of the classes, on stdout; -o takes a file",
    );
  }
  const target = await openOutput(options.output, options);
  const printed = await withElements(path, options, async (source, input) => {
    const { type } = source;
    return inSteps(
      options,
      async () => {
        const data = await readAll(source, input.path);
        const flags = options.flags && (await readFlagsFor(options.flags, data.length, input.path));
        return { data, flags };
      },
      (fold, { data, flags }) => {
        // The options decide which overload of `partition` this calls.
        const all: object = {
          ...tuningOf(options),
          flags,
          where,
          class: expression,
          classes,
          type,
          indices,
        };
        return fold.partition(data, all as { readonly where: string });
      },
      async (parted) => {
        const { values, count, offsets } = parted as Partial<ClassPartition<ScalarArray, Uint32Array>> &
          Partition<ScalarArray, number>;
        const dtype = likeOf(source, { indices });
        await writeArrays([{ target, options, type: indices ? u32 : type, dtype, data: values }]);
        return offsets?.join(" ") ?? count;
      },
    );
  });
  await print(`${printed}\n`);
}

export async function readFlagsFor(path: string, length: number, input: string): Promise<Uint8Array> {
  const { flags } = await withNpy(path, readFlags);
  if (flags.length !== length) {
    throw new UsageError(
      `${path}: it holds ${counted(flags.length, "flag")}, and ${input} holds ${counted(length, "element")}; it takes one flag for each`,
    );
  }
  return flags;
}
