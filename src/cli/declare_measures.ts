import type { Command } from "commander";
import { Option } from "commander";
import type { BenchOptions } from "./bench.ts";
import type { DoctorOptions } from "./doctor.ts";
import { jsonOption, outputTo } from "./marked_options.ts";
import {
  measuredAdapterOption,
  parseList,
  parseNumberList,
  parseSeconds,
  parseSizeList,
  tuningOption,
} from "./options.ts";
import type { TuneOptions } from "./tune.ts";

// The commands that test an adapter, or time it.

const DOCTOR_HELP = `
A verdict is ok, note (it works, and the line says what to know) or FAILED. All
of it takes 20 seconds at most on a GPU, and 60 in software. What there was no
time for is said. --types chooses fewer checks.
Where stderr is no terminal, a line every few seconds says how far they are.`;

const BENCH_HELP = `
Ctrl-C ends the measuring, and what is there is printed, plotted and written, as
when the seconds are over; the exit status is then 130. A second Ctrl-C ends the
command at once. Programs on CUDA that --peers names take their own time.`;

const sizesOption = (): Option =>
  new Option(
    "--sizes <list>",
    "numbers of elements, divided by commas, such as 1000003, 64Ki, 16Mi or 2^20; 1Ki..256Mi is a range of powers of two; without it, what suits the adapter",
  ).argParser(parseSizeList);

export function declareDoctor(root: Command): void {
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
}

export function declareBench(root: Command): void {
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
    .action(async (options: BenchOptions) => (await import("./bench.ts")).bench(options));
}

export function declareTune(root: Command): void {
  root
    .command("tune")
    .summary("find the best sizes for the adapter")
    .description(
      "Times the algorithms, work-group sizes and items a thread that suit the adapter. It prints the best as rows for the tables of src/adapters/. --output writes them to a file for openFold and for --tuning of the other commands.",
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
}
