import type { Command } from "commander";
import { Argument, InvalidArgumentError, Option } from "commander";
import type { CheckCommandOptions } from "./check.ts";
import { dtypesOfCalls } from "./dtypes.ts";
import type { emit } from "./emit.ts";
import type { link } from "./link.ts";
import { jsonOption, outputTo } from "./marked_options.ts";
import {
  algorithmOption,
  collect,
  givenTo,
  operatorOption,
  parseCount,
  parseLength,
  parseList,
  parseNumberList,
  parseSeconds,
  typeOption,
} from "./options.ts";

// The commands on the text of a kernel of the caller's.

const EMIT_HELP = `
Kernels of whole calls, such as a scan of any length, are not among these:
wavefold explain scan --files shows the files that they are made of.`;

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

function parseWorkGroupSize(given: string): number {
  if (!/^\d+$/.test(given)) {
    throw new InvalidArgumentError("It takes a whole number from 1 to 1024.");
  }
  return Number(given);
}

export function declareEmit(root: Command): void {
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
    .action(async (words: string[], options: Parameters<typeof emit>[1], command: Command) =>
      (await import("./emit.ts")).emit(
        words,
        options,
        givenTo(command).map(({ long }) => String(long)),
      ),
    );
}

export function declareLink(root: Command): void {
  root
    .command("link")
    .summary("add the functions that a kernel's // wavefold: lines name")
    .description(
      "Adds to a kernel the functions that it asks for in lines such as '// wavefold: work_group_scan_exclusive_add_u32 256'.",
    )
    .argument("<in.wgsl>", "the kernel; - reads stdin")
    .addOption(outputTo("-o, --output <out.wgsl>", "where the result goes; without it, to stdout"))
    .action(async (...given: Parameters<typeof link>) => (await import("./link.ts")).link(...given));
}

export function declareCheck(root: Command): void {
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
}
