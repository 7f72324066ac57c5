import type { Command } from "commander";
import { InvalidArgumentError, Option } from "commander";
import { parseSizes } from "../../bench/sizes.ts";
import { elementTypes } from "../algebra/element_types.ts";
import type { Operator } from "../algebra/monoid.ts";
import { operators } from "../algebra/operator_table.ts";
import type { ParamsOfCall } from "../algebra/params.ts";
import type { Scalar, TypeName } from "../algebra/types.ts";
import type { Algorithm } from "../kernels/algorithms.ts";
import { algorithms } from "../kernels/algorithms.ts";
import type { Dtype } from "./dtypes.ts";
import { dtypes, named, rawDtypes } from "./dtypes.ts";
import { UsageError } from "./errors.ts";
import { parseValue } from "./format.ts";

/** Options that several commands share, as commander hands them over. */
export interface AdapterOption {
  readonly adapter: (typeof adapterNames)[number];
  /** The path of a tuning; or `auto`, for the one that is kept. */
  readonly tuning?: string;
}
/** The adapter of commands that measure it, or say what is wrong with it. */
export interface MeasuredAdapterOption extends AdapterOption {
  readonly adapter: (typeof measuredAdapterNames)[number];
}
export interface TuningOption {
  readonly algorithm?: Algorithm;
  /** The values that WGSL names. */
  readonly param?: ParamsOfCall;
}
export interface OperatorOption {
  readonly op: Operator<TypeName>;
}

export interface InitialOption {
  /** A value as the command line has it. Its type is known once the input's is. */
  readonly initial?: string;
}

export interface RawOption {
  /** The dtype of elements without a header. */
  readonly raw?: Dtype;
  /** The type of elements as text. */
  readonly text?: TypeName;
}

export interface SegmentsOption {
  /** The items of a row; true for the last dimension of the input. */
  readonly rows?: number | true;
  /** The columns of a matrix; true for the last dimension of the input. */
  readonly columns?: number | true;
  /** The number of an axis of the input, and the dimensions of an input without a header. */
  readonly axis?: number;
  readonly shape?: readonly number[];
  /** The path of the offsets. */
  readonly offsets?: string;
  /** The paths of where segments begin and end. */
  readonly begins?: string;
  readonly ends?: string;
  /** The path of the flags. */
  readonly heads?: string;
  /** The path of the flags, one bit each. */
  readonly headBits?: string;
  /** The path of the keys, or of what they are computed from. */
  readonly keys?: string;
  /** WGSL that gives the key of each element, and the type of the keys. */
  readonly key?: string;
  readonly keyType?: TypeName;
}

export interface MapOption {
  readonly map?: string;
  readonly type?: TypeName;
}

/** The options that the command line has. */
export const givenTo = (command: Command): Option[] =>
  command.options.filter((option) => command.getOptionValueSource(option.attributeName()) === "cli");

const measuredAdapterNames = ["auto", "gpu", "software"] as const;
const adapterNames = [...measuredAdapterNames, "simulated", "cpu"] as const;

/** `logical-and`, as well as `logicalAnd`. */
function parseOperator(given: string): Operator<TypeName> {
  const name = given.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
  if (!Object.hasOwn(operators, name)) {
    throw new InvalidArgumentError(`It takes ${Object.keys(operators).join(", ")}.`);
  }
  // Whether the operator takes the type is known once the file is read.
  return operators[name as keyof typeof operators] as Operator as Operator<TypeName>;
}

/** Names divided by commas. */
export function parseList(given: string): string[] {
  const names = given.split(",").map((name) => name.trim());
  if (names.includes("")) {
    throw new InvalidArgumentError("It takes names divided by commas.");
  }
  return names;
}

/** Whole numbers divided by commas. */
export function parseNumberList(given: string): number[] {
  if (!/^\s*\d+(\s*,\s*\d+)*\s*$/.test(given)) {
    throw new InvalidArgumentError("It takes whole numbers divided by commas.");
  }
  return given.split(",").map(Number);
}

/** How many there are. */
export function parseCount(given: string): number {
  if (!/^\d+$/.test(given)) {
    throw new InvalidArgumentError("It takes a whole number.");
  }
  return Number(given);
}

/** A whole number; or a list of numbers or the path of a file, which are read later. */
export const parseCounts = (given: string): number | string =>
  given.includes(",") || given.endsWith(".npy") ? given : parseCount(given);

/** A time in seconds. */
export function parseSeconds(given: string): number {
  const seconds = Number(given);
  if (!(seconds > 0 && seconds < Number.POSITIVE_INFINITY)) {
    throw new InvalidArgumentError("It takes a number above 0.");
  }
  return seconds;
}

/** What an option that may be there several times was given. */
export const collect = (given: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  given,
];

const EDGE = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Numbers divided by commas; whole numbers of any size. */
export function parseEdges(given: string): Scalar[] {
  return given.split(",").map((part) => {
    const text = part.trim();
    const [, sign, isInfinite] = /^([+-]?)(inf)?/i.exec(text) ?? [];
    if (isInfinite !== undefined && /^[+-]?inf(inity)?$/i.test(text)) {
      return sign === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
    }
    if (!EDGE.test(text)) {
      throw new InvalidArgumentError("It takes numbers divided by commas.");
    }
    const value = Number(text);
    // Shorter ones are numbers: messages show a bigint with an n.
    return /^[+-]?\d+$/.test(text) && !Number.isSafeInteger(value) ? BigInt(text.replace("+", "")) : value;
  });
}

/** Distances of neighbours by their names, such as `before=-1,after=1`. */
export const parseDistances = (given: string): Readonly<Record<string, number>> =>
  Object.fromEntries(
    given.split(",").map((part) => {
      const [, name, distance] = /^\s*(\w+)=([+-]?\d+)\s*$/.exec(part) ?? [];
      if (name === undefined) {
        throw new InvalidArgumentError("It takes names and distances, such as before=-1,after=1.");
      }
      return [name, Number(distance)];
    }),
  );

/** What stands past the ends of data: a word, or a number. */
export function parseEdge(given: string): string | Scalar {
  if (given === "nearest" || given === "wrap") {
    return given;
  }
  try {
    const [value = 0, ...others] = given.toLowerCase() === "nan" ? [Number.NaN] : parseEdges(given);
    if (others.length === 0) {
      return value;
    }
  } catch {}
  throw new InvalidArgumentError("It takes nearest, wrap, or a number.");
}

/** Lengths. See {@link parseSizes}. */
export function parseSizeList(given: string): number[] {
  try {
    return parseSizes(given);
  } catch (cause) {
    throw new InvalidArgumentError(cause instanceof Error ? cause.message : String(cause));
  }
}

/** One length. See {@link parseSizes}. */
export function parseLength(given: string): number {
  const [length = 0, ...others] = parseSizeList(given);
  if (others.length > 0) {
    throw new InvalidArgumentError("It takes one number of elements.");
  }
  return length;
}

/** An option that takes the name of an element type. */
export const typeOption = (
  flags: string,
  description: string,
  taken: Readonly<Record<string, Dtype>> = dtypes,
): Option =>
  new Option(flags, description).choices(Object.keys(taken)).argParser((given) => parseName(given, taken));

function parseName<Name extends string>(given: string, taken: Readonly<Record<Name, Dtype>>): Name {
  const found = named(given, taken);
  if ("problem" in found) {
    throw new InvalidArgumentError(found.problem);
  }
  return found.name;
}

/** An operator of the table. */
export const operatorFlag = (description: string): Option =>
  new Option("--op <name>", `${description}: ${Object.keys(operators).join(", ")}`).argParser(parseOperator);

export const operatorOption = (): Option => operatorFlag("operator").default(operators.add, "add");

export const mapOption = (): Option =>
  new Option(
    "--map <expr>",
    "WGSL that gives what to take in place of an element, such as 'x * x'; x is the element, i its index (u32)",
  );

/** The value of one of the params, beside those before: `limit=0.5`, or `limit=u32:5`. */
function parseParam(given: string, before: ParamsOfCall = {}): ParamsOfCall {
  const [, name, type = "f32", text = ""] = /^(\w+)=(?:(\w+):)?(.+)$/.exec(given) ?? [];
  if (name === undefined) {
    throw new InvalidArgumentError(
      "It takes a name and a value, such as limit=0.5, which is an f32, or limit=u32:5.",
    );
  }
  const own = elementTypes[parseName(type, dtypes)];
  try {
    const value = parseValue(text, own, "--param", `${name} is`);
    return { ...before, [name]: [own, value] } as ParamsOfCall;
  } catch (cause) {
    throw new InvalidArgumentError(`${cause instanceof Error ? cause.message : String(cause)}.`);
  }
}

export const paramOption = (): Option =>
  new Option(
    "--param <name=value>",
    "a value that WGSL of the other options names, such as limit=0.5, which is an f32, or limit=u32:5; another value needs no new kernel; this option may be given several times",
  ).argParser(parseParam);

export const mapTypeOption = (): Option =>
  typeOption(
    "--type <name>",
    "element type of what --map gives, or one that has every value of the input's; without it, the input's",
  );

export const initialOption = (): Option =>
  new Option(
    "--initial <value>",
    "what comes before the first element: a value of the result's type, such as 7, -0.5, nan or -inf. A total of --op exactAdd is rounded: results on top of it are not exact sums of the whole",
  );

/** The order of a scan. */
export const reverseOption = (): Option =>
  new Option(
    "--reverse",
    "go from the last element to the first: combine each element with all that follow it, in their order. --initial then comes after the last element, and all elements are read before the first result is written",
  );

/** Whether options name segments that are no rows. Commands on these are loaded only then. Rows go in pieces. */
export const hasOtherSegments = ({
  columns,
  axis,
  shape,
  offsets,
  begins,
  ends,
  heads,
  headBits,
  keys,
  key,
  keyType,
}: SegmentsOption): boolean =>
  [columns, axis, shape, offsets, begins, ends, heads, headBits, keys, key, keyType].some(
    (one) => one !== undefined,
  );

/** The items of a row. */
export function parseRows(given: string): number {
  if (!/^[1-9]\d*$/.test(given)) {
    throw new InvalidArgumentError("It takes a whole number from 1 up.");
  }
  return Number(given);
}

export const rowsOption = (): Option =>
  new Option(
    "--rows [count]",
    "take each row of this many elements on its own; without a number, each row of the last dimension",
  )
    .argParser(parseRows)
    .conflicts(["columns", "axis", "offsets", "begins", "ends", "heads", "headBits", "keys"]);

export const columnsOption = (): Option =>
  new Option(
    "--columns [count]",
    "take each column of a matrix with this many columns on its own; without a number, as many as the last dimension has",
  )
    .argParser(parseRows)
    .conflicts(["axis", "offsets", "begins", "ends", "heads", "headBits", "keys"]);

export const axisOption = (): Option =>
  new Option(
    "--axis <number>",
    "take each line along this axis on its own, as NumPy counts axes: 0 is the first, -1 the last. The output has the input's shape, and that of a reduction lacks the axis",
  )
    .argParser((given) => {
      if (!/^-?\d+$/.test(given)) {
        throw new InvalidArgumentError("It takes a whole number.");
      }
      return Number(given);
    })
    .conflicts(["offsets", "begins", "ends", "heads", "headBits", "keys"]);

export const shapeOption = (): Option =>
  new Option(
    "--shape <lengths>",
    "the dimensions that --axis counts, such as 8,128,64; without it, those of the .npy file",
  ).argParser((given) => given.split(",").map(parseRows));

export const offsetsOption = (): Option =>
  new Option(
    "--offsets <offsets.npy>",
    "take each segment on its own: the file has the positions where segments start, and where the last one ends",
  ).conflicts(["begins", "ends", "heads", "headBits", "keys"]);

export const beginsOption = (): Option =>
  new Option(
    "--begins <begins.npy>",
    "take each segment on its own, where some elements may be in none: the file has the positions where segments begin, and that of --ends where they end",
  ).conflicts(["heads", "headBits", "keys"]);

export const endsOption = (): Option =>
  new Option(
    "--ends <ends.npy>",
    "with --begins, where each segment ends: the position behind its last element",
  ).conflicts(["heads", "headBits", "keys"]);

export const headsOption = (): Option =>
  new Option(
    "--heads <heads.npy>",
    "take each segment on its own: the file has a flag for each element, and a segment starts where it is not zero",
  ).conflicts(["headBits", "keys"]);

export const headBitsOption = (): Option =>
  new Option(
    "--head-bits <bits.npy>",
    "the same with a bit for each element: the file has words of 32 of them, the lowest first",
  ).conflicts("keys");

export const keysOption = (): Option =>
  new Option(
    "--keys <keys.npy>",
    "take each run of equal keys on its own: the file has a key for each element. Equal keys that are apart are runs of their own: sort first, with --values",
  );

export const keyOption = (x: string): Option =>
  new Option("--key <expr>", `WGSL that gives the key of x, such as 'x / 10u'; x is ${x}`).conflicts([
    "rows",
    "columns",
    "axis",
    "offsets",
    "begins",
    "ends",
    "heads",
    "headBits",
  ]);

export const keyTypeOption = (): Option =>
  typeOption("--key-type <name>", "element type of what --key gives; without it, that of x");

/** @throws {UsageError} for a type of keys without keys that are computed. */
export function requireKeyType(
  { key, keyType }: { readonly key?: string; readonly keyType?: TypeName },
  caller: string,
): void {
  if (keyType !== undefined && key === undefined) {
    throw new UsageError(`${caller}: --key-type says what --key EXPR gives; it takes both`);
  }
}

export const rawOption = (): Option =>
  new Option(
    "--raw <type>",
    "the input is little-endian elements of this type without a header, and so is the output; NumPy's names of these types, such as <u4, u4 and uint32, are taken too",
  )
    .choices(Object.keys(rawDtypes))
    .argParser((given) => rawDtypes[parseName(given, rawDtypes)]);

export const textOption = (): Option =>
  typeOption(
    "--text <type>",
    "the input is numbers of this type as text, divided by white space; the output is text, too, one number a line",
  ).conflicts("raw");

export const algorithmOption = (description: string): Option =>
  new Option("--algorithm <name>", description).choices(Object.keys(algorithms));

export const runAlgorithm = (): Option =>
  algorithmOption(
    "how the threads of a work-group combine their elements; without it, the best for the adapter",
  );

const ADAPTER = "what to compute on; auto is a GPU, or the software adapter if there is none";
const ALSO =
  "short arrays go to the CPU, and all do if there is no adapter; simulated is a GPU in plain JavaScript, which needs no package";

export const adapterOption = (): Option =>
  new Option("--adapter <kind>", `${ADAPTER}; ${ALSO}`).choices(adapterNames).default("auto");

/** The simulated GPU has no speed to measure, and nothing that could be wrong with it. */
export const measuredAdapterOption = (): Option =>
  new Option("--adapter <kind>", ADAPTER).choices(measuredAdapterNames).default("auto");

export const tuningOption = (): Option =>
  new Option(
    "--tuning <file>",
    "a file of sizes for this adapter, which tune --output writes; auto measures them once, and keeps them",
  );
