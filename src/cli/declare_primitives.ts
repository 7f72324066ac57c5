import type { Command } from "commander";
import { Option } from "commander";
import { describedAdapters } from "../adapters/described.ts";
import { primitives } from "../primitives/described.ts";
import type { Described } from "../primitives/help.ts";
import { dtypesOfCalls } from "./dtypes.ts";
import type { ExplainOptions } from "./explain.ts";
import { addFileCommand } from "./file_command.ts";
import { jsonOption } from "./marked_options.ts";
import { givenTo, operatorOption, parseLength, parseRows, runAlgorithm, typeOption } from "./options.ts";
import { addFlags, commandOf, fileCommandOf, nameOf } from "./primitives.ts";

// The commands of the primitives that are described, and the one that explains how each is planned.

const EXPLAIN_HELP = `
Each primitive is planned as prepareScan and so on do. A compaction or a
partition without --where takes flags. count, any, all, findFirst and findLast
take 'x > 0' unless --where is given. A histogram has 256 even bins, unless
--range, --edges or --bin is given. What expand writes has room for as many
elements as there are counts.

Bytes are those of all dispatches. Each counts what it reads once, since caches
hold what it reads again. Copies of the input are a measure for bytes alone:
short data takes longer, since each dispatch takes time to start.`;

function declare(root: Command, described: Described): void {
  const command = addFileCommand(root, fileCommandOf(described));
  command.action(async () =>
    (await import("./primitive.ts")).runPrimitive(described, command.args, command.opts()),
  );
}

export function declarePrimitives(root: Command): void {
  for (const described of primitives) {
    declare(root, described);
  }
}

/** What adds the command of a primitive, by the command's name. */
export function declarationOf(name: string): ((root: Command) => void) | undefined {
  const described = primitives.find((one) => commandOf(one) === name);
  return described && ((root) => declare(root, described));
}

export function declareExplain(root: Command): void {
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
    .option("--files", "list the files of each kernel: what each does there, and what it declares")
    .addOption(jsonOption("write all of it as JSON"))
    .addHelpText("after", EXPLAIN_HELP)
    .action(async (primitive: string, options: ExplainOptions, command: Command) =>
      (await import("./explain.ts")).explain(primitive, options, command.options, givenTo(command)),
    );
  addFlags(explained);
}
