#!/usr/bin/env node
import process from "node:process";
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { describedAdapters } from "../adapters/described.ts";
import { primitives } from "../primitives/described.ts";
import { version } from "../version.ts";
import { compactFile, partitionFile, reduceFile, reduceRowsFile, scanFile } from "./arrays.ts";
import type { BenchOptions } from "./bench.ts";
import type { CheckCommandOptions } from "./check.ts";
import type { DoctorOptions } from "./doctor.ts";
import { dtypesOfCalls } from "./dtypes.ts";
import { emit } from "./emit.ts";
import { messageLines, oneLine, UsageError } from "./errors.ts";
import type { ExplainOptions } from "./explain.ts";
import { DASH, requireApart } from "./files.ts";
import { link } from "./link.ts";
import type { AdapterOption, RawOption } from "./options.ts";
import {
  adapterOption,
  algorithmOption,
  axisOption,
  collect,
  columnsOption,
  hasOtherSegments,
  headBitsOption,
  headsOption,
  initialOption,
  keyOption,
  keysOption,
  keyTypeOption,
  mapOption,
  mapTypeOption,
  measuredAdapterOption,
  offsetsOption,
  operatorOption,
  paramOption,
  parseCount,
  parseLength,
  parseList,
  parseNumberList,
  parseRows,
  parseSeconds,
  parseSizeList,
  rawOption,
  reverseOption,
  rowsOption,
  shapeOption,
  textOption,
  tuningOption,
  typeOption,
} from "./options.ts";
import type { FileCommand } from "./primitives.ts";
import { addFlags, fileCommandOf, nameOf, runAlgorithm } from "./primitives.ts";
import { ClosedPipeError, print } from "./print.ts";
import type { ScanAtOnceOptions, SegmentFileOptions } from "./segments.ts";
import type { TuneOptions } from "./tune.ts";

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

With --columns, --axis, --offsets, --heads, --head-bits, --keys or --key, all
elements are in memory at once.`;

const COMPACT_HELP = `

With --flags, all elements are in memory at once. A .npy file starts with the
number of its elements, which a compaction knows only at its end. So it writes
.npy to files alone; to -, it writes --raw or --text elements.`;

const MEMORY_HELP = `
Files are .npy, --raw or --text, as for scan. All elements are in memory at
once.`;

const PARTITION_HELP = `
Files are as for compact, but all elements are in memory and on the device at
once. The output has as many elements as the input, in one dimension. The rest
begins at the printed number.`;

const DOCTOR_HELP = `
A verdict is ok, note (it works, and the line says what to know) or FAILED. All
of it takes 20 seconds at most on a GPU, and 60 in software. What there was no
time for is said. --types chooses fewer checks.
Where stderr is no terminal, a line every few seconds says how far they are.`;

const BENCH_HELP = `
Ctrl-C ends the measuring, and what is there is printed, plotted and written, as
when the seconds are over; the exit status is then 130. A second Ctrl-C ends the
command at once. Programs on CUDA that --peers names take their own time.`;

const EMIT_HELP = `
Kernels of whole calls, such as a scan of any length, are not among these:
wavefold explain scan --files shows the files that they are made of.`;

const EXPLAIN_HELP = `
Each primitive is planned as prepareScan and so on do. A compaction or a
partition without --where takes flags. count, any, all, findFirst and findLast
take 'x > 0' unless --where is given. A histogram has 256 even bins, unless
--range, --edges or --bin is given. What expand writes has room for as many
elements as there are counts.

Bytes are those of all dispatches. Each counts what it reads once, since caches
hold what it reads again. Copies of the input are a measure for bytes alone:
short data takes longer, since each dispatch takes time to start.`;

const CHECK_HELP = `
Buffers are made for the kernel's bindings, unless --buffer gives them. Integers
in arrays are random below --items, floats from 0 to 1, atomics 0. Numbers
outside of arrays, such as those of uniform buffers, are chosen by their names:
counts are --items, widths and heights its root, offsets 0; others are in the
middle of what arrays hold, and below or above that in other runs. What was
assumed is printed first. --set gives other numbers. Lines that never ran were
not checked, and are named.

If the package webgpu is there, its compiler reads the kernel first, without a
GPU, and what it refuses does not compile.

Sums of floats are compared within 0.1 %. Words that depend on the order of
work-groups are not compared between sizes of subgroups. Textures are refused.

The exit status is 0 if nothing was found, 1 if something was, and 2 for bad
use, for a text that does not compile, and for what cannot be run.`;

const ROOT_HELP = `
wavefold COMMAND --help says what a command takes. For example:
  wavefold scan in.npy -o out.npy --exclusive
  seq 5 | wavefold scan - --text u32 -o -

The exit status is 0, or 1 after a failure; check has others. Then one line on
stderr says what failed. A signal ends the command with 128 and the signal's
number: 130 after Ctrl-C, 141 where nobody reads what it writes to -. An output
file is written whole or not at all, and no temporary file stays behind. Each
output of a command needs a file of its own.`;

/** An option as help has it: what it does, whether its command needs it, the values that it takes, and the one that it has if it is left out. */
function optionDescription(
  { description, argChoices, defaultValue, defaultValueDescription }: Option,
  isNeeded: boolean,
): string {
  const taken = argChoices?.join(", ");
  const own = defaultValueDescription ?? (defaultValue === undefined ? undefined : String(defaultValue));
  const notes = [isNeeded && "needed", taken, own === undefined ? undefined : `default: ${own}`]
    .filter(Boolean)
    .join("; ");
  return notes === "" ? description : `${description} (${notes})`;
}

const sizesOption = (): Option =>
  new Option(
    "--sizes <list>",
    "numbers of elements, divided by commas, such as 1000003, 64Ki, 16Mi or 2^20; 1Ki..256Mi is a range of powers of two; without it, what suits the adapter",
  ).argParser(parseSizeList);
const whereOption = (): Option =>
  new Option(
    "--where <expr>",
    "WGSL that is true for the elements to keep, such as 'x % 2u == 1u'; x is the element, i its index (u32)",
  );
function parseWorkGroupSize(given: string): number {
  if (!/^\d+$/.test(given)) {
    throw new InvalidArgumentError("It takes a whole number from 1 to 1024.");
  }
  return Number(given);
}

/** The options that the command line has. */
const givenTo = (command: Command): Option[] =>
  command.options.filter((option) => command.getOptionValueSource(option.attributeName()) === "cli");

/** @param printHelp - takes what commander would print. */
function program(printHelp: (text: string) => void): Command {
  const outputs = new Set<Option>();
  const needed = new Set<Option>();
  /** Marks an option that its command needs. Commander's own mark would hide that another option is unknown. */
  const need = (option: Option): Option => {
    needed.add(option);
    return option;
  };
  /** Makes an option that is the path of an output. It has a place of its own among those of its command. */
  const outputTo = (flags: string, description: string): Option => {
    const option = new Option(flags, description);
    outputs.add(option);
    return option;
  };
  const outputOption = (where = "where the result goes; - is stdout"): Option =>
    need(outputTo("-o, --output <out.npy>", where));
  const jsonOption = (what: string): Option =>
    outputTo(
      "--json [file]",
      `${what}; without a file name, or with -, to stdout in place of the text`,
    ).preset(DASH);
  const root = new Command("wavefold")
    .description(
      "Scan (prefix sum), reduce, stream compaction and sort of .npy files, on the GPU or in software.",
    )
    // Errors are told in one place, in one line.
    .configureOutput({ writeOut: printHelp, writeErr: () => {} })
    .exitOverride()
    .allowExcessArguments(false)
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand("help [command]", "print the help of a command")
    .configureHelp({
      subcommandTerm: (command) => command.name(),
      optionDescription: (option) => optionDescription(option, needed.has(option)),
    })
    .addHelpText("after", ROOT_HELP)
    .hook("preAction", async (_, command) => {
      const missing = command.options.find(
        (option) => needed.has(option) && command.getOptionValue(option.attributeName()) === undefined,
      );
      if (missing !== undefined) {
        throw new UsageError(`${command.name()}: ${missing.flags} is missing: ${missing.description}`);
      }
      const given = command.options.filter((option) => outputs.has(option));
      const paths = given.flatMap((option): string[] => command.getOptionValue(option.attributeName()) ?? []);
      await requireApart(paths);
    });
  const onFiles = (
    {
      name,
      summary,
      description,
      files = [["<in.npy>", "the elements; - reads stdin"]],
      options,
    }: FileCommand,
    help = MEMORY_HELP,
  ): Command => {
    const command = root.command(name).summary(summary).description(description);
    for (const [file, says] of files) {
      command.argument(file, says);
    }
    for (const option of [rawOption(), textOption(), ...options, adapterOption(), tuningOption()]) {
      command.addOption(option);
    }
    return command.addHelpText("after", help);
  };
  const segmentOptions = (): Option[] => [
    rowsOption(),
    columnsOption(),
    axisOption(),
    shapeOption(),
    offsetsOption(),
    headsOption(),
    headBitsOption(),
    keysOption(),
    keyOption("an element of --keys, or of the input if there are none"),
    keyTypeOption(),
  ];
  onFiles(
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
      : scanFile(path, options),
  );
  onFiles(
    {
      name: "reduce",
      summary: "combine all elements into one: a sum, a maximum",
      description:
        "Combines all elements into one, and prints that alone on stdout; without elements, the operator's identity. With --rows, --columns, --axis, --offsets, --heads, --head-bits, --keys or --key, it writes one for each segment to a file.",
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
    const { rows } = options;
    return hasOtherSegments(options)
      ? (await import("./segments.ts")).reduceSegments(path, options)
      : rows === undefined
        ? reduceFile(path, options)
        : reduceRowsFile(path, { ...options, rows });
  });
  onFiles(
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
  ).action(compactFile);
  onFiles(
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
  ).action(partitionFile);
  for (const described of primitives) {
    const command = onFiles(fileCommandOf(described, { need, outputTo, outputOption }));
    command.action(async () =>
      (await import("./primitive.ts")).runPrimitive(described, command.args, command.opts()),
    );
  }
  for (const [name, call, which] of [
    ["argmin", "argMin", "least"],
    ["argmax", "argMax", "greatest"],
  ] as const) {
    onFiles({
      name,
      summary: `find the index of the ${which} element, and its value`,
      description: `Prints the index of the ${which} element and its value, divided by a space, alone on stdout. Of equal elements it takes the first one.`,
      options: [],
    }).action(async (path: string, options: RawOption & AdapterOption) =>
      (await import("./arg_min_max.ts")).argOfFile(call, path, options),
    );
  }
  root
    .command("emit")
    .summary("print WGSL functions for a kernel of your own")
    .description(
      "Prints WGSL functions for a kernel of your own: those that a work-group calls to scan or reduce its elements, or segments of them; or any function, by the words of a // wavefold: comment.",
    )
    .addArgument(
      new Argument(
        "<what...>",
        "scan, reduce, segmented-scan or segmented-reduce; or functions and their settings, such as work_group_split 256, work_group_sort_u32 items=4, thread_tile_32_shuffle_u32 or coalesced_reduce_add_u32",
      ),
    )
    .addOption(typeOption("--type <name>", "element type", dtypesOfCalls).default("u32"))
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
    .addHelpText("after", EMIT_HELP)
    .action((words: string[], options: Parameters<typeof emit>[1], command: Command) =>
      emit(
        words,
        options,
        givenTo(command).map(({ long }) => String(long)),
      ),
    );
  const explained = root
    .command("explain")
    .summary("show a primitive's way, dispatches and files")
    .description(
      "Shows which way a primitive takes for data of a length, and why; its dispatches, with the bytes that they read and write; and the files of shaders/ that its kernels are made of. Nothing is run.",
    )
    .argument("<primitive>", `scan, reduce, compact, partition, ${primitives.map(nameOf).join(", ")}`)
    .addOption(typeOption("--type <name>", "element type", dtypesOfCalls).default("u32"))
    .addOption(
      new Option("--length <n>", "number of elements, such as 1000003, 64Ki, 16Mi or 2^20")
        .argParser(parseLength)
        .default(2 ** 20, "2^20"),
    )
    .addOption(operatorOption())
    .option("--exclusive", "leave each element out of the result at its own place")
    .option("--reverse", "a scan from the last element to the first")
    .option(
      "--where <expr>",
      "WGSL that is true for the elements to keep, count or find, such as 'x % 2u == 1u'",
    )
    .addOption(
      new Option("--rows <count>", "take each row of this many elements on its own").argParser(parseRows),
    )
    .addOption(runAlgorithm())
    .addOption(
      new Option(
        "--passes <name>",
        "how often the data is read: once by a single pass, or twice; without it, the best for the adapter",
      ).choices(["single", "reduce-then-scan"]),
    )
    .option("--length-on-gpu", "a buffer on the GPU has the length, and --length is the most that it may be")
    .addOption(
      new Option(
        "--adapter <kind>",
        "an adapter that is only described, so that no GPU is needed; without it, the best of this machine",
      ).choices(Object.keys(describedAdapters)),
    )
    .option("--no-subgroups", "as if the adapter had no subgroups")
    .option("--files", "list the files of each kernel, and what each declares in it")
    .addOption(jsonOption("write all of it as JSON"))
    .addHelpText("after", EXPLAIN_HELP)
    .action(async (primitive: string, options: ExplainOptions, command: Command) =>
      (await import("./explain.ts")).explain(primitive, options, command.options, givenTo(command)),
    );
  addFlags(explained);
  root
    .command("link")
    .summary("add the functions that a kernel's // wavefold: lines name")
    .description(
      "Adds to a kernel the functions that it asks for in lines such as '// wavefold: work_group_scan_exclusive_add_u32 256'.",
    )
    .argument("<in.wgsl>", "the kernel; - reads stdin")
    .addOption(outputTo("-o, --output <out.wgsl>", "where the result goes; without it, to stdout"))
    .action(link);
  root
    .command("check")
    .summary("find races, reads past the end and missing barriers in a kernel")
    .description(
      "Checks a compute shader without a GPU: runs it in a simulator under many schedules, sizes of subgroups and orders of lanes, and reports races, indices out of bounds, divergence, loops without an end, and results that depend on subgroups, at the kernel's lines.",
    )
    .argument("<kernel.wgsl>", "the kernel; - reads stdin")
    .option("--entry <name>", "the entry point, if there are several")
    .addOption(
      new Option(
        "--dispatch <x,y,z>",
        "work-groups; one to three numbers; without it, as many as cover the items, and eight at least",
      ).argParser(parseNumberList),
    )
    .addOption(
      new Option(
        "--items <n>",
        "elements of each array without a length, such as 1000 or 4Ki; without it, as many as the shortest that is given, or 1000",
      ).argParser(parseLength),
    )
    .addOption(
      new Option(
        "--buffer <name=file.npy>",
        "what a buffer holds; its name is the variable's, its number in group 0, or group:binding; may come several times",
      ).argParser(collect),
    )
    .addOption(
      new Option(
        "--set <name=number>",
        "a number in a buffer that is made, such as params.count=500; an array's name stands for all its elements; may come several times",
      ).argParser(collect),
    )
    .addOption(
      new Option(
        "--override <name=value>",
        "the value of an override, by its name or its number; may come several times",
      ).argParser(collect),
    )
    .addOption(
      new Option(
        "--fill <kind>",
        "integers in arrays that are made: indices are below --items, words are any",
      )
        .choices(["indices", "words"])
        .default("indices"),
    )
    .addOption(new Option("--seed <n>", "all that is random comes from it").argParser(parseCount).default(1))
    .addOption(
      new Option(
        "--subgroup-sizes <list>",
        "sizes of subgroups, if the kernel uses them; without it, 32,64,16,8,128,4",
      ).argParser(parseNumberList),
    )
    .addOption(
      new Option(
        "--lanes <list>",
        "which threads are which lanes of subgroups: natural, as on GPUs, reversed, permuted; without it, all three",
      ).argParser(parseList),
    )
    .addOption(
      new Option("--runs <n>", "how many runs; without it, 8, and 25 of a kernel with subgroups").argParser(
        parseCount,
      ),
    )
    .addOption(
      new Option("--seconds <number>", "no run starts after that").argParser(parseSeconds).default(20),
    )
    .option("--uninitialized", "also report reads of work-group memory that nothing has written")
    .option(
      "--no-unordered",
      "do not report loads and stores of atomics of work-group memory that no barrier orders with other threads' changes",
    )
    .option(
      "--no-compiler",
      "do not have Dawn, the compiler of the package webgpu, read the kernel first; what it refuses is not run",
    )
    .addOption(
      new Option(
        "--show <name[=out.npy]>",
        "print what a buffer holds after the first run, or write it to a file; may come several times",
      ).argParser(collect),
    )
    .addOption(jsonOption("write what was assumed and found as JSON"))
    .addHelpText("after", CHECK_HELP)
    .action(async (path: string, options: CheckCommandOptions) =>
      (await import("./check.ts")).check(path, options),
    );
  root
    .command("doctor")
    .summary("find out why there is no GPU, and what works")
    .description(
      "Finds out what is wrong: why no GPU was found, what the adapter can do, whether a single pass works on it, and whether each primitive gives the CPU's results (the self-test). Litmus tests, which are loads and stores by many threads at once, show how the adapter orders memory. It ends with one verdict a line. It fails if a check fails or there is no adapter.",
    )
    .option("--types <list>", "element types of the self-test, divided by commas; without it, all", parseList)
    .addOption(jsonOption("write the report as JSON"))
    .addOption(measuredAdapterOption())
    .addHelpText("after", DOCTOR_HELP)
    .action(async (options: DoctorOptions) => (await import("./doctor.ts")).doctor(options));
  root
    .command("bench")
    .summary("time each primitive beside a copy, and verify every element")
    .description(
      "Times scan, reduce, compact and sort beside a copy of as many elements, by GPU timestamps. It prints medians, verifies every element, and fails if a result is wrong. Rows are printed as they come, and tables at the end.",
    )
    .addOption(sizesOption())
    .option("--types <list>", "u32, i32, f32, f16, u64, i64, f64, struct16 (four u32)", parseList)
    .option("--ops <list>", "operators: add, max and so on", parseList)
    .option(
      "--algorithms <list>",
      "names of algorithms; the name default is the best for the adapter",
      parseList,
    )
    .option(
      "--primitives <list>",
      "scan, reduce, compact, sort, pairs (keys with u32 values); without it, all, but no sorts on a software adapter",
      parseList,
    )
    .option("--in-place", "scan and compact in place, too")
    .option("--quick", "few sizes, a third of the runs")
    .option(
      "--seconds <number>",
      "seconds in all; what people look at first comes first, the longest arrays included (default: 60, and no limit with --at-hand)",
      parseSeconds,
    )
    .addOption(
      new Option(
        "--at-hand",
        "time the calls from array to array instead, beside a loop on the CPU and a copy to the GPU and back; not with --ops, --algorithms, --in-place, --plot or --peers",
      ).conflicts(["ops", "algorithms", "inPlace", "plot", "peers"]),
    )
    .addOption(jsonOption("write the record of the run"))
    .option("--plot <folder>", "write plots of throughput and of the ratio to copy, as SVG")
    .option("--peers [folder]", "time other libraries, too; without a folder, those that a checkout builds")
    .addOption(measuredAdapterOption())
    .addOption(tuningOption())
    .addHelpText("after", BENCH_HELP)
    // Loaded when it is asked for: the other commands start without it.
    .action(async (options: BenchOptions) => (await import("./bench.ts")).bench(options));
  root
    .command("tune")
    .summary("find the best sizes for the adapter")
    .description(
      "Times the algorithms, work-group sizes and items a thread that suit the adapter. It prints the best as rows for the tables of src/plan/. --output writes them to a file for openFold and for --tuning of the other commands.",
    )
    .addOption(sizesOption())
    .option("--types <list>", "u32, i32, f32, f16, u64, i64, f64, struct16 (four u32)", parseList, ["u32"])
    .option(
      "--primitives <list>",
      "scan, reduce, compact, sort, pairs (sorts with values), histogram",
      parseList,
      [...["scan", "reduce", "compact", "sort", "pairs", "histogram"]],
    )
    .option("--algorithms <list>", "names of algorithms; without it, all that the adapter can run", parseList)
    .option("--work-group-sizes <list>", "threads in a work-group", parseNumberList)
    .option("--items <list>", "items a thread", parseNumberList)
    .option(
      "--seconds <number>",
      "seconds in all; more only if one way of each algorithm takes longer",
      parseSeconds,
      30,
    )
    .addOption(
      outputTo(
        "-o, --output <tuning.json>",
        "write the best sizes, and whether the single pass passed its test; - is stdout, in place of the text",
      ),
    )
    .addOption(jsonOption("write all that was timed"))
    .addOption(measuredAdapterOption())
    .action(async (options: TuneOptions) => (await import("./tune.ts")).tune(options));
  return root;
}

/** What would be right, after what commander says is wrong. */
function cureOf({ code, message }: CommanderError, root: Command, args: readonly string[]): string {
  const command = root.commands.find((one) => one.name() === args[0]);
  const options = command?.options.flatMap(({ long }) => long ?? []) ?? [];
  const long = args
    .filter((arg) => /^-[a-z]{2}/i.test(arg))
    .flatMap((arg) => options.find((option) => option.startsWith(`-${arg}`)) ?? []);
  if (long.length > 0 && (code === "commander.unknownOption" || code === "commander.excessArguments")) {
    return `; ${long[0]} takes two dashes`;
  }
  if (message.includes("Did you mean")) {
    return "";
  }
  const name = command === undefined ? "wavefold" : `wavefold ${command.name()}`;
  switch (code) {
    case "commander.unknownCommand":
      return "; wavefold --help lists the commands";
    case "commander.unknownOption":
      return `; ${name} --help lists its options`;
    case "commander.missingArgument":
    case "commander.excessArguments":
      return `; it is ${name} ${command?.usage() ?? ""}`;
    default:
      return "";
  }
}

/** The message of an error, in one line, for the terminal. */
function messageOf(cause: unknown, root?: Command, args: readonly string[] = []): string {
  if (!(cause instanceof CommanderError)) {
    return messageLines(cause);
  }
  if (cause.code === "commander.help") {
    const [first, name] = args;
    return first === "help" && name !== undefined
      ? `unknown command '${name}'; wavefold --help lists the commands`
      : "a command is missing; wavefold --help lists them";
  }
  const cure = root === undefined ? "" : cureOf(cause, root, args);
  return oneLine(cause)
    .replace(/^error: /, "")
    .replace(/\.?$/, cure === "" ? "$&" : cure);
}

async function main(): Promise<void> {
  // Without these, Node.js ends the program itself. What cannot be printed is told by `print`.
  process.stdout.on("error", () => {});
  process.stderr.on("error", () => {});
  // Where a file would be larger than the system lets it be, the write fails and says so. signal-exit would have the
  // signal end the program, at times before the temporary file is gone.
  process.on("SIGXFSZ", () => {});
  const failed = process.argv[2] === "check" ? 2 : 1;
  process.on("uncaughtException", (cause) => {
    process.stderr.write(`wavefold: ${messageOf(cause)}\n`);
    process.exit(failed);
  });
  let help = "";
  const root = program((text) => {
    help += text;
  });
  try {
    await root.parseAsync().catch((cause: unknown) => {
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
    process.stderr.write(`wavefold: ${messageOf(cause, root, process.argv.slice(2))}\n`);
    process.exitCode = failed;
  }
}

await main();
