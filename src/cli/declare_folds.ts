import type { Command } from "commander";
import { Option } from "commander";
import type { compactFile, partitionFile, reduceFile, scanFile } from "./arrays.ts";
import { addFileCommand } from "./file_command.ts";
import { outputOption, outputTo } from "./marked_options.ts";
import type { AdapterOption, RawOption } from "./options.ts";
import {
  axisOption,
  beginsOption,
  columnsOption,
  endsOption,
  hasOtherSegments,
  headBitsOption,
  headsOption,
  initialOption,
  keyOption,
  keysOption,
  keyTypeOption,
  mapOption,
  mapTypeOption,
  offsetsOption,
  operatorOption,
  paramOption,
  parseCount,
  reverseOption,
  rowsOption,
  runAlgorithm,
  shapeOption,
} from "./options.ts";
import type { ScanAtOnceOptions, SegmentFileOptions } from "./segments.ts";

// The commands that combine, choose or part the elements of one file.

const NPY_HELP = `
Files are NumPy's .npy: |b1 |u1 |i1 <u2 <i2 <f2 <u4 <i4 <f4 <u8 <i8 <f8, of any
shape, in either byte order, in C or Fortran order. data.npz:name is an array of
an archive, and data.npz its only one. - stands for stdin or stdout. --raw takes
elements without a header, and --text numbers as text. The output may be the
input's own path.

|b1 |u1 <u2 are read as u32, |i1 <i2 as i32. What is computed of them has 32
bits; what is chosen or moved, as by compact and sort, is written as it was.
Output is one .npy file, never an archive, little-endian and in C order.

Files may be larger than memory: they are read, computed and written in pieces
of 16 MiB. All pieces together take at most 4 × 16 MiB each way, and 32 MiB and
the kernels' scratch on the device. The index i counts over the whole input,
modulo 2^32. A sum of f64 is rounded piece by piece, each on top of the total
before it. A file in Fortran order is read whole.`;

const SEGMENTS_HELP = `

With --columns, --axis, --offsets, --begins, --heads, --head-bits, --keys or --key, all
elements are in memory at once.`;

const COMPACT_HELP = `

With --flags, all elements are in memory at once. A .npy file starts with the
number of its elements, which a compaction knows only at its end. So it writes
.npy to files alone; to -, it writes --raw or --text elements.`;

const PARTITION_HELP = `
Files are as for compact, but all elements are in memory and on the device at
once. The output has as many elements as the input, in one dimension. The rest
begins at the printed number.`;

const whereOption = (): Option =>
  new Option(
    "--where <expr>",
    "WGSL that is true for the elements to keep, such as 'x % 2u == 1u'; x is the element, i its index (u32)",
  );

const segmentOptions = (): Option[] => [
  rowsOption(),
  columnsOption(),
  axisOption(),
  shapeOption(),
  offsetsOption(),
  beginsOption(),
  endsOption(),
  headsOption(),
  headBitsOption(),
  keysOption(),
  keyOption("an element of --keys, or of the input if there are none"),
  keyTypeOption(),
];

export function declareScan(root: Command): void {
  addFileCommand(
    root,
    {
      name: "scan",
      summary: "combine each element with all elements before it: prefix sums",
      description:
        "Combines each element with all elements before it: prefix sums, if --op is add. An array of several dimensions is scanned in its flattened (C) order and keeps its shape.",
      options: [
        outputOption(),
        operatorOption(),
        mapOption(),
        mapTypeOption(),
        paramOption(),
        new Option(
          "--exclusive",
          "leave each element out of the result at its own place: the first result is --initial, or the operator's identity",
        ),
        reverseOption(),
        initialOption(),
        ...segmentOptions(),
        new Option(
          "--total",
          "print the combination of --initial and all elements, alone on stdout; it is exactly what --initial takes for the next part. With --op exactAdd it is rounded, and what the next part makes of it is not exact",
        ),
        runAlgorithm(),
      ],
    },
    NPY_HELP + SEGMENTS_HELP,
  ).action(async (path: string, options: ScanAtOnceOptions & Parameters<typeof scanFile>[1]) =>
    hasOtherSegments(options) || options.reverse
      ? (await import("./segments.ts")).scanAtOnce(path, options)
      : (await import("./arrays.ts")).scanFile(path, options),
  );
}

export function declareReduce(root: Command): void {
  addFileCommand(
    root,
    {
      name: "reduce",
      summary: "combine all elements into one: a sum, a maximum",
      description:
        "Combines all elements into one, and prints that alone on stdout; without elements, the operator's identity. With --rows, --columns, --axis, --offsets, --begins, --heads, --head-bits, --keys or --key, it writes one for each segment to a file.",
      options: [
        operatorOption(),
        mapOption(),
        mapTypeOption(),
        paramOption(),
        initialOption(),
        ...segmentOptions(),
        outputTo("-o, --output <out.npy>", "where the results of segments go; - is stdout"),
        outputTo("--unique <unique.npy>", "where the key of each run goes"),
        runAlgorithm(),
      ],
    },
    NPY_HELP + SEGMENTS_HELP,
  ).action(async (path: string, options: SegmentFileOptions & Parameters<typeof reduceFile>[1]) => {
    if (hasOtherSegments(options)) {
      return (await import("./segments.ts")).reduceSegments(path, options);
    }
    const { reduceFile, reduceRowsFile } = await import("./arrays.ts");
    const { rows } = options;
    return rows === undefined ? reduceFile(path, options) : reduceRowsFile(path, { ...options, rows });
  });
}

export function declareCompact(root: Command): void {
  addFileCommand(
    root,
    {
      name: "compact",
      summary: "keep the elements that a condition holds for",
      description:
        "Keeps the elements that a condition holds for (--where) or that have a flag (--flags), with both those that have a flag and meet the condition, in order, in one dimension.",
      options: [
        outputOption(),
        whereOption(),
        new Option(
          "--flags <flags.npy>",
          "a flag for each element, which is kept if its flag is not zero: a .npy file of any of these dtypes",
        ),
        mapOption(),
        mapTypeOption(),
        paramOption(),
        new Option("--indices", "write the kept elements' positions (<u4) instead of the elements"),
        runAlgorithm(),
      ],
    },
    NPY_HELP + COMPACT_HELP,
  ).action(async (...given: Parameters<typeof compactFile>) =>
    (await import("./arrays.ts")).compactFile(...given),
  );
}

export function declarePartition(root: Command): void {
  addFileCommand(
    root,
    {
      name: "partition",
      summary: "put the elements that a condition holds for before the rest",
      description:
        "Puts the elements that a condition holds for (--where) or that have a flag (--flags) first, then the rest; both parts stay in order. It prints how many these are, alone on stdout. With --classes, it writes one class after another, and prints where each class begins and where the last one ends.",
      options: [
        outputOption("the file where the elements go; not -, since stdout has the printed numbers"),
        whereOption(),
        new Option("--flags <flags.npy>", "a flag for each element, as compact takes them"),
        new Option(
          "--class <expr>",
          "WGSL that gives an element's class, from 0, such as 'x % 3u'; a fraction is cut off, and a class then below 0 or past the last counts as the last; it takes the place of --where",
        ),
        new Option("--classes <n>", "how many classes there are, 1 to 16").argParser(parseCount),
        paramOption(),
        new Option("--indices", "write the elements' positions (<u4) instead of the elements"),
        runAlgorithm(),
      ],
    },
    PARTITION_HELP,
  ).action(async (...given: Parameters<typeof partitionFile>) =>
    (await import("./arrays.ts")).partitionFile(...given),
  );
}

const declareArg =
  (name: string, call: "argMin" | "argMax", which: string) =>
  (root: Command): void => {
    addFileCommand(root, {
      name,
      summary: `find the index of the ${which} element, and its value`,
      description: `Prints the index of the ${which} element and its value, divided by a space, alone on stdout. Of equal elements it takes the first one.`,
      options: [],
    }).action(async (path: string, options: RawOption & AdapterOption) =>
      (await import("./arg_min_max.ts")).argOfFile(call, path, options),
    );
  };

export const declareArgMin = declareArg("argmin", "argMin", "least");

export const declareArgMax = declareArg("argmax", "argMax", "greatest");
