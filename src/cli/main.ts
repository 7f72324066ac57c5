#!/usr/bin/env node
import process from "node:process";
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { elementTypes } from "../algebra/element_types.ts";
import { version } from "../version.ts";
import { compactFile, partitionFile, reduceFile, reduceRowsFile, scanFile } from "./arrays.ts";
import type { BenchOptions } from "./bench.ts";
import type { DoctorOptions } from "./doctor.ts";
import { emit, emitted } from "./emit.ts";
import { oneLine } from "./errors.ts";
import { DASH } from "./files.ts";
import type { HistogramFileOptions } from "./histogram.ts";
import { link } from "./link.ts";
import type { AdapterOption, RawOption, SegmentsOption } from "./options.ts";
import {
  adapterOption,
  algorithmOption,
  collect,
  columnsOption,
  headsOption,
  initialOption,
  keyOption,
  keysOption,
  keyTypeOption,
  mapOption,
  mapTypeOption,
  offsetsOption,
  operatorOption,
  parseBits,
  parseCount,
  parseEdges,
  parseList,
  parseNumberList,
  parseSeconds,
  parseSizeList,
  rawOption,
  rowsOption,
  textOption,
  tuningOption,
} from "./options.ts";
import { ClosedPipeError, print } from "./print.ts";
import type { SearchFileOptions } from "./search.ts";
import type { SegmentFileOptions } from "./segments.ts";
import type { NthFileOptions, TopKFileOptions } from "./select.ts";
import type { SortFileOptions } from "./sort.ts";
import type { TuneOptions } from "./tune.ts";

const NPY_HELP = `
Files are NumPy's .npy: little-endian <u4 <i4 <f4 <f2 <u8 <i8 <f8, of any shape, in C order. The output may be
the input's own path: a file is there whole, or as it was. - is standard input or output, --raw is for elements
without a header, and --text for numbers as text.

Files may be larger than memory: they are read, computed and written in pieces of 16 MiB. All pieces together take
at most 4 × 16 MiB each way, and 32 MiB and the kernels' scratch on the device. The index i counts over the whole
input, modulo 2^32. A sum of f64 is rounded piece by piece, each on top of the total before it.`;

const SEGMENTS_HELP = `

With --columns, --offsets, --heads, --keys or --key, everything is in memory at once.`;

const COMPACT_HELP = `

With --flags, everything is in memory at once. A .npy file says in front how many elements follow, so a compaction
writes one to a file; to -, it writes --raw or --text elements.`;

const MEMORY_HELP = `
Files are as those of scan, but everything is in memory at once.`;

const PARTITION_HELP = `
Files are as those of compact, but the elements are all in memory at once, on the device, too. The output has as many
as the input, in one dimension; the rest begins behind as many as the printed number says.`;

const DOCTOR_HELP = `
A verdict is ok, note (it works, with what the line says) or FAILED. Where stderr is no terminal, a line every few
seconds says how far the checks are. In software they take a minute or two; --types takes fewer of them.`;

const STATUS_HELP = `
It exits with 0; with 1 after any failure, which one line on stderr tells; and with 128 and the signal's number where
a signal ends it (130 after Ctrl-C), also where nobody reads the elements that it writes to - (141). An output is there whole, or as it was, and nothing else is left behind.`;

const runAlgorithm = (): Option =>
  algorithmOption(
    "how the threads of a work-group combine their elements; left out: the best for the adapter",
  );
const sizesOption = (): Option =>
  new Option(
    "--sizes <list>",
    "numbers of elements: 1000003, 64Ki, 16Mi, ranges of powers of two as 1Ki..256Mi, divided by commas",
  ).argParser(parseSizeList);
const jsonOption = (what: string): Option =>
  new Option("--json [file]", `${what}; without a file, or to -: on stdout, in place of the text`).preset(
    DASH,
  );
const whereOption = (): Option =>
  new Option(
    "--where <expr>",
    "WGSL over the element x and its index i (u32), such as 'x % 2u == 1u'",
  ).conflicts("flags");
const outputOption = (): Option =>
  new Option("-o, --output <out.npy>", "where the result goes; - is stdout").makeOptionMandatory();

function parseWorkGroupSize(given: string): number {
  if (!/^\d+$/.test(given)) {
    throw new InvalidArgumentError("It takes a whole number from 1 to 1024.");
  }
  return Number(given);
}

/** Whether options name segments that are no rows. Commands on these are loaded only then. Rows go in pieces. */
const hasOtherSegments = ({ columns, offsets, heads, keys, key, keyType }: SegmentsOption): boolean =>
  [columns, offsets, heads, keys, key, keyType].some((one) => one !== undefined);

/** @param printHelp - takes what commander would print. */
function program(printHelp: (text: string) => void): Command {
  const root = new Command("wavefold")
    .description(
      "Scan (prefix sum), reduce, stream compaction and sort of .npy files, on the GPU or in software.",
    )
    // Errors are told in one place, in one line.
    .configureOutput({ writeOut: printHelp, writeErr: () => {} })
    .exitOverride()
    .allowExcessArguments(false)
    .version(version, "-V, --version", "prints the version")
    .addHelpText("after", STATUS_HELP);
  root
    .command("scan")
    .description(
      "For each place, the combination of all elements up to it. An array of several dimensions is scanned in its flattened (C) order and keeps its shape.",
    )
    .argument("<in.npy>", "the elements; - reads stdin")
    .addOption(rawOption())
    .addOption(textOption())
    .addOption(outputOption())
    .addOption(operatorOption())
    .addOption(mapOption())
    .addOption(mapTypeOption())
    .option(
      "--exclusive",
      "leave each place's own element out: the first is --initial, or the operator's identity",
    )
    .addOption(initialOption())
    .addOption(rowsOption())
    .addOption(columnsOption())
    .addOption(offsetsOption())
    .addOption(headsOption())
    .addOption(keysOption())
    .addOption(keyOption("each element x of --keys, or else of the input,"))
    .addOption(keyTypeOption())
    .option(
      "--total",
      "print the combination of all elements, --initial included, alone on stdout; --initial takes it back exactly, for the next part",
    )
    .addOption(runAlgorithm())
    .addOption(adapterOption())
    .addOption(tuningOption())
    .addHelpText("after", NPY_HELP + SEGMENTS_HELP)
    .action(async (path: string, options: SegmentFileOptions & Parameters<typeof scanFile>[1]) =>
      hasOtherSegments(options)
        ? (await import("./segments.ts")).scanSegments(path, options)
        : scanFile(path, options),
    );
  root
    .command("reduce")
    .description(
      "The combination of all elements, alone on stdout; the operator's identity where there are none. With --rows, --columns, --offsets, --heads, --keys or --key, that of each segment, in a file.",
    )
    .argument("<in.npy>", "the elements; - reads stdin")
    .addOption(rawOption())
    .addOption(textOption())
    .addOption(operatorOption())
    .addOption(mapOption())
    .addOption(mapTypeOption())
    .addOption(initialOption())
    .addOption(rowsOption())
    .addOption(columnsOption())
    .addOption(offsetsOption())
    .addOption(headsOption())
    .addOption(keysOption())
    .addOption(keyOption("each element x of --keys, or else of the input,"))
    .addOption(keyTypeOption())
    .option("-o, --output <out.npy>", "where the totals of segments go; - is stdout")
    .option("--unique <unique.npy>", "where the key of each run goes")
    .addOption(runAlgorithm())
    .addOption(adapterOption())
    .addOption(tuningOption())
    .addHelpText("after", NPY_HELP + SEGMENTS_HELP)
    .action(async (path: string, options: SegmentFileOptions & Parameters<typeof reduceFile>[1]) => {
      const { rows } = options;
      return hasOtherSegments(options)
        ? (await import("./segments.ts")).reduceSegments(path, options)
        : rows === undefined
          ? reduceFile(path, options)
          : reduceRowsFile(path, { ...options, rows });
    });
  root
    .command("unique")
    .description(
      "The first element of each run of equal elements. In a sorted array, each element is there once. Elements are equal if they have the same bits, or are both NaN; with --key, if their keys are.",
    )
    .argument("<in.npy>", "the elements; - reads stdin")
    .addOption(rawOption())
    .addOption(textOption())
    .addOption(outputOption())
    .addOption(keyOption("each element x"))
    .addOption(keyTypeOption())
    .option("--indices", "write the positions of these elements (<u4) instead of the elements")
    .option("--counts <counts.npy>", "write how many elements each run has (<u4), too: run-length coding")
    .addOption(runAlgorithm())
    .addOption(adapterOption())
    .addOption(tuningOption())
    .addHelpText("after", MEMORY_HELP)
    .action(async (path, options) => (await import("./segments.ts")).uniqueFile(path, options));
  root
    .command("runs")
    .description(
      "Run-length coding: the element of each run of equal elements, and how many elements it has. Elements are equal if they have the same bits, or are both NaN; with --key, if their keys are.",
    )
    .argument("<in.npy>", "the elements; - reads stdin")
    .addOption(rawOption())
    .addOption(textOption())
    .addOption(outputOption())
    .addOption(keyOption("each element x"))
    .addOption(keyTypeOption())
    .requiredOption("--counts <counts.npy>", "where the counts go (<u4)")
    .addOption(runAlgorithm())
    .addOption(adapterOption())
    .addOption(tuningOption())
    .addHelpText("after", MEMORY_HELP)
    .action(async (path, options) => (await import("./segments.ts")).uniqueFile(path, options, "runs"));
  root
    .command("expand")
    .description("The inverse of runs: each value as often as its count says.")
    .argument("<values.npy>", "the value of each run; - reads stdin")
    .addOption(rawOption())
    .addOption(textOption())
    .addOption(outputOption())
    .requiredOption("--counts <counts.npy>", "how often each value is there, whole numbers")
    .addOption(adapterOption())
    .addHelpText("after", MEMORY_HELP)
    .action(async (path, options) => (await import("./segments.ts")).expandFile(path, options));
  root
    .command("compact")
    .description("The elements that a predicate or flags keep, in order, in one dimension.")
    .argument("<in.npy>", "the elements; - reads stdin")
    .addOption(rawOption())
    .addOption(textOption())
    .addOption(outputOption())
    .addOption(whereOption())
    .option(
      "--flags <flags.npy>",
      "one for each element, which is kept where it is not zero: |b1 |u1 |i1 <u2 <i2 <f2 <u4 <i4 <f4 <u8 <i8 <f8",
    )
    .addOption(mapOption())
    .addOption(mapTypeOption())
    .option("--indices", "write the kept elements' positions (<u4) instead of the elements")
    .addOption(runAlgorithm())
    .addOption(adapterOption())
    .addOption(tuningOption())
    .addHelpText("after", NPY_HELP + COMPACT_HELP)
    .action(compactFile);
  root
    .command("partition")
    .description(
      "All elements: first those that a predicate or flags keep, then the rest, both in order. How many are kept is printed, alone on stdout. Or, with --classes, one class after another; where each begins and the last one ends is printed.",
    )
    .argument("<in.npy>", "the elements; - reads stdin")
    .addOption(rawOption())
    .addOption(textOption())
    .addOption(outputOption())
    .addOption(whereOption())
    .option(
      "--flags <flags.npy>",
      "one for each element, which is kept where it is not zero, as compact takes them",
    )
    .option(
      "--class <expr>",
      "in place of --where: WGSL that gives an element's class, 0 and up, such as 'x % 3u'",
    )
    .option("--classes <n>", "how many classes there are, 1 to 16", Number)
    .option("--indices", "write the elements' positions (<u4) instead of the elements")
    .addOption(runAlgorithm())
    .addOption(adapterOption())
    .addOption(tuningOption())
    .addHelpText("after", PARTITION_HELP)
    .action(partitionFile);
  root
    .command("histogram")
    .description(
      "How many elements fall in each bin, as <u4. A bin has its lower edge and not its upper one, but the last bin has both; elements outside all bins are not counted, and neither is nan.",
    )
    .argument("<in.npy>", "the elements; - reads stdin")
    .addOption(rawOption())
    .addOption(textOption())
    .addOption(outputOption())
    .addOption(new Option("--bins <count>", "how many bins; it takes --range or --bin").argParser(parseCount))
    .addOption(
      new Option("--range <low,high>", "the lowest and the highest edge of even bins").argParser(parseEdges),
    )
    .addOption(
      new Option(
        "--edges <list>",
        "the edges, one more than bins: numbers divided by commas, or a .npy file",
      ).conflicts(["bins", "range", "bin"]),
    )
    .option(
      "--bin <expr>",
      "WGSL over the element x and its index i (u32) that gives the bin's number, a u32",
    )
    .option("--weights <weights.npy>", "one for each element, <u4 <i4 <f4: the result has their sums")
    .addOption(adapterOption())
    .addOption(tuningOption())
    .addHelpText("after", MEMORY_HELP)
    .action(async (path: string, options: HistogramFileOptions) =>
      (await import("./histogram.ts")).histogramFile(path, options),
    );
  for (const [name, call, which] of [
    ["argmin", "argMin", "least"],
    ["argmax", "argMax", "greatest"],
  ] as const) {
    root
      .command(name)
      .description(
        `The index of the ${which} element and its value, divided by a space, alone on stdout. Of equal elements it is the first one.`,
      )
      .argument("<in.npy>", "the elements; - reads stdin")
      .addOption(rawOption())
      .addOption(textOption())
      .addOption(adapterOption())
      .addOption(tuningOption())
      .addHelpText("after", MEMORY_HELP)
      .action(async (path: string, options: RawOption & AdapterOption) =>
        (await import("./arg.ts")).argOfFile(call, path, options),
      );
  }
  root
    .command("searchsorted")
    .description(
      "The place of each value among sorted elements, as <u4: how many of them come before it. The result has the values' shape.",
    )
    .argument("<sorted.npy>", "the elements, in ascending order")
    .argument("<values.npy>", "the values to look for, of the same type; - reads stdin")
    .addOption(rawOption())
    .addOption(textOption())
    .addOption(outputOption())
    .addOption(
      new Option("--side <side>", "whether equal elements come behind the value (left) or before it (right)")
        .choices(["left", "right"])
        .default("left"),
    )
    .addOption(adapterOption())
    .addOption(tuningOption())
    .addHelpText("after", MEMORY_HELP)
    .action(async (sorted: string, values: string, options: SearchFileOptions) =>
      (await import("./search.ts")).searchFile(sorted, values, options),
    );
  /** Adds the options that say how elements are ordered. */
  const ordered = (command: Command): Command =>
    command
      .option("--key <expr>", "WGSL over the element x that gives its key, such as 'x % 10u'")
      .addOption(
        new Option("--key-type <name>", "element type of the keys; left out: the input's").choices(
          Object.keys(elementTypes),
        ),
      )
      .addOption(
        new Option(
          "--bits <from,to>",
          "the bits of the keys to sort by, from the first up to the second, which is left out; 0 is the lowest",
        ).argParser(parseBits),
      );
  ordered(
    root
      .command("topk")
      .description(
        "The greatest elements, the greatest first, in one dimension; with --rows those of each row, in two. Of equal elements the first ones are taken. Floats have nan as the greatest.",
      )
      .argument("<in.npy>", "the elements; - reads stdin")
      .addOption(rawOption())
      .addOption(textOption())
      .addOption(outputOption())
      .addOption(
        new Option("-k <count>", "how many elements; if there are fewer, all")
          .argParser(parseCount)
          .makeOptionMandatory(),
      )
      .option("--smallest", "the least elements, the least first")
      .option("--indices-out <positions.npy>", "where the positions of the elements go, as <u4"),
  )
    .addOption(rowsOption())
    .addOption(adapterOption())
    .addOption(tuningOption())
    .addHelpText("after", MEMORY_HELP)
    .action(async (path: string, options: TopKFileOptions) =>
      (await import("./select.ts")).topKFile(path, options),
    );
  ordered(
    root
      .command("nth")
      .description(
        "The index and the value, divided by a space, of the element that has N others before it in the order of sort, alone on stdout.",
      )
      .argument("<in.npy>", "the elements; - reads stdin")
      .addOption(rawOption())
      .addOption(textOption())
      .addOption(
        new Option(
          "-n <count>",
          "how many elements come before it: 0 for the least, half of them for the median",
        )
          .argParser(parseCount)
          .makeOptionMandatory(),
      )
      .option("--descending", "count from the greatest"),
  )
    .addOption(adapterOption())
    .addOption(tuningOption())
    .addHelpText("after", MEMORY_HELP)
    .action(async (path: string, options: NthFileOptions) =>
      (await import("./select.ts")).nthOfFile(path, options),
    );
  for (const [name, description] of [
    [
      "sort",
      "The elements in order, in one dimension; with --rows or --offsets each segment on its own, in the input's shape. Elements with equal keys keep their order. Floats have -0 before 0, and nan at the end.",
    ],
    [
      "argsort",
      "The positions (<u4) of the elements in order, in one dimension: first that of the least element. As sort. With --rows or --offsets, positions are those in all of the input.",
    ],
  ] as const) {
    const command = ordered(
      root
        .command(name)
        .description(description)
        .argument("<in.npy>", "the elements; - reads stdin")
        .addOption(rawOption())
        .addOption(textOption())
        .addOption(outputOption())
        .option("--descending", "the greatest first; elements with equal keys keep their order"),
    );
    if (name === "sort") {
      command
        .addOption(
          new Option(
            "--values <values.npy>",
            "one for each element, which moves with it; may be there several times",
          ).argParser(collect),
        )
        .addOption(
          new Option(
            "--values-out <values.npy>",
            "where the values go, in the order of the elements; once for each --values",
          ).argParser(collect),
        );
    }
    command
      .addOption(rowsOption())
      .addOption(offsetsOption())
      .addOption(runAlgorithm())
      .addOption(adapterOption())
      .addOption(tuningOption())
      .addHelpText("after", MEMORY_HELP)
      .action(async (path: string, options: SortFileOptions) => {
        const { argSortFile, sortFile } = await import("./sort.ts");
        return name === "sort" ? sortFile(path, options) : argSortFile(path, options);
      });
  }
  root
    .command("emit")
    .description(
      "WGSL functions for a kernel of your own, on stdout: what a work-group calls to scan or reduce, or to do so in segments.",
    )
    .addArgument(new Argument("<primitive>", "what to emit").choices(emitted))
    .addOption(new Option("--type <name>", "element type").choices(Object.keys(elementTypes)).default("u32"))
    .addOption(operatorOption())
    .addOption(
      algorithmOption("how the threads combine their elements; subgroup needs the feature subgroups").default(
        "hillis-steele",
      ),
    )
    .addOption(
      new Option("--work-group-size <threads>", "threads in the kernel's work-group: 1 to 1024")
        .argParser(parseWorkGroupSize)
        .default(256),
    )
    .action(emit);
  root
    .command("link")
    .description(
      "Link a kernel with the functions that it asks for in lines such as '// wavefold: work_group_scan_exclusive_add_u32 256'.",
    )
    .argument("<in.wgsl>", "the kernel; - reads stdin")
    .option("-o, --output <out.wgsl>", "where the result goes; left out: to stdout")
    .action(link);
  root
    .command("doctor")
    .description(
      "Finds out what is wrong: why no GPU was found, what the adapter can do, whether a single pass works on it, and a self-test of every operator, type and algorithm against the CPU. It ends with a verdict a line, and fails where a check does or there is no adapter.",
    )
    .option("--types <list>", "element types of the self-test, divided by commas; left out: all", parseList)
    .addOption(jsonOption("write the report as JSON"))
    .addOption(adapterOption())
    .addHelpText("after", DOCTOR_HELP)
    .action(async (options: DoctorOptions) => (await import("./doctor.ts")).doctor(options));
  root
    .command("bench")
    .description(
      "Times scan, reduce, compact and sort beside a copy of as many elements: GPU timestamps, medians, and every element verified. It fails where a result is wrong.",
    )
    .addOption(sizesOption())
    .option("--types <list>", "u32, i32, f32, f16, u64, i64, f64, struct16 (four u32)", parseList)
    .option("--ops <list>", "operators: add, max and so on", parseList)
    .option("--algorithms <list>", "default (the best for the adapter), or names of algorithms", parseList)
    .option(
      "--primitives <list>",
      "scan, reduce, compact, sort, pairs (keys with u32 values); left out: all, but no sorts on a software adapter",
      parseList,
    )
    .option("--in-place", "scan and compact in place, too")
    .option("--quick", "few sizes, a third of the runs")
    .addOption(
      new Option(
        "--at-hand",
        "time the calls from array to array instead, beside a loop on the CPU and a copy to the GPU and back; not with --ops, --algorithms, --in-place, --plot or --peers",
      ).conflicts(["ops", "algorithms", "inPlace", "plot", "peers"]),
    )
    .addOption(jsonOption("write the record of the run"))
    .option("--plot <folder>", "write plots of throughput and of the ratio to copy, as SVG")
    .option("--peers [folder]", "other libraries beside ours; left out: those that a checkout builds")
    .addOption(adapterOption())
    .addOption(tuningOption())
    // Loaded when it is asked for: the other commands start without it.
    .action(async (options: BenchOptions) => (await import("./bench.ts")).bench(options));
  root
    .command("tune")
    .description(
      "Times the algorithms, work-group sizes and items a thread that suit the adapter. It prints the best as rows for the tables of src/plan/; --output writes them as a file that --tuning of the other commands and openFold take.",
    )
    .addOption(sizesOption())
    .option("--types <list>", "u32, i32, f32, f16, u64, i64, f64, struct16 (four u32)", parseList, ["u32"])
    .option(
      "--primitives <list>",
      "scan, reduce, compact, sort, pairs (sorts with values), histogram",
      parseList,
      [...["scan", "reduce", "compact", "sort", "pairs", "histogram"]],
    )
    .option("--algorithms <list>", "names of algorithms; left out: all that the adapter can run", parseList)
    .option("--work-group-sizes <list>", "threads in a work-group", parseNumberList)
    .option("--items <list>", "items a thread", parseNumberList)
    .option("--seconds <number>", "how long to look for better ways, in all", parseSeconds, 30)
    .option(
      "-o, --output <tuning.json>",
      "write a tuning of the adapter, with the verdict of the single pass's test; - is stdout, in place of the text",
    )
    .addOption(jsonOption("write all that was timed"))
    .addOption(adapterOption())
    .action(async (options: TuneOptions) => (await import("./tune.ts")).tune(options));
  return root;
}

/** The message of an error, in one line, for the terminal. */
function messageOf(cause: unknown): string {
  return cause instanceof CommanderError && cause.code === "commander.help"
    ? "a command is missing; wavefold --help lists them"
    : oneLine(cause).replace(/^error: /, "");
}

async function main(): Promise<void> {
  // Without these, Node.js ends the program itself. What cannot be printed is told by `print`.
  process.stdout.on("error", () => {});
  process.stderr.on("error", () => {});
  process.on("uncaughtException", (cause) => {
    process.stderr.write(`wavefold: ${messageOf(cause)}\n`);
    process.exit(1);
  });
  let help = "";
  const printHelp = (text: string): void => {
    help += text;
  };
  try {
    await program(printHelp)
      .parseAsync()
      .catch((cause: unknown) => {
        if (!(cause instanceof CommanderError && cause.exitCode === 0)) {
          throw cause;
        }
      });
    await print(help);
  } catch (cause) {
    if (cause instanceof ClosedPipeError) {
      process.exitCode = cause.status;
      return;
    }
    process.stderr.write(`wavefold: ${messageOf(cause)}\n`);
    process.exitCode = 1;
  }
}

await main();
