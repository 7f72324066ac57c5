import process from "node:process";
import type { Option } from "commander";
import { Command, CommanderError } from "commander";
import { version } from "../version.ts";
import { messageLines, oneLine, UsageError } from "./errors.ts";
import { requireApart } from "./files.ts";
import { isNeeded, isOutput } from "./marked_options.ts";
import { ClosedPipeError, print } from "./print.ts";

const ROOT_HELP = `
wavefold COMMAND --help says what a command takes. For example:
  wavefold scan in.npy -o out.npy --exclusive
  seq 5 | wavefold scan - --text u32 -o -

The exit status is 0, or 1 after a failure; check has others. Then one line on
stderr says what failed, above the line of your WGSL that it is about. A signal
ends the command with 128 and the signal's number: 130 after Ctrl-C, 141 where
nobody reads what it writes to -. An output file is written whole or not at all,
and no temporary file stays behind. Each output of a command needs a file of its
own.`;

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

const VERSION_FLAGS: readonly string[] = ["-V", "--version"];

type Declare = (root: Command) => void;

const folds = () => import("./declare_folds.ts");
const kernels = () => import("./declare_kernels.ts");
const measures = () => import("./declare_measures.ts");
const described = () => import("./declare_primitives.ts");

/** What adds each command to those of the root, by the commands' names, in the order of help. */
const beforePrimitives: Readonly<Record<string, () => Promise<Declare>>> = {
  scan: async () => (await folds()).declareScan,
  reduce: async () => (await folds()).declareReduce,
  compact: async () => (await folds()).declareCompact,
  partition: async () => (await folds()).declarePartition,
};
const afterPrimitives: Readonly<Record<string, () => Promise<Declare>>> = {
  argmin: async () => (await folds()).declareArgMin,
  argmax: async () => (await folds()).declareArgMax,
  emit: async () => (await kernels()).declareEmit,
  explain: async () => (await described()).declareExplain,
  link: async () => (await kernels()).declareLink,
  check: async () => (await kernels()).declareCheck,
  doctor: async () => (await measures()).declareDoctor,
  bench: async () => (await measures()).declareBench,
  tune: async () => (await measures()).declareTune,
};

/** The commands that a command line takes: the one that it names. Help takes all of them, and so does what tells a wrong name. */
async function declarationsFor(name: string): Promise<readonly Declare[]> {
  const commands = new Map(Object.entries({ ...beforePrimitives, ...afterPrimitives }));
  const declare = await commands.get(name)?.();
  if (declare !== undefined) {
    return [declare];
  }
  if (VERSION_FLAGS.includes(name)) {
    return [];
  }
  const { declarePrimitives, declarationOf } = await described();
  const declarePrimitive = declarationOf(name);
  if (declarePrimitive !== undefined) {
    return [declarePrimitive];
  }
  const all = (some: typeof beforePrimitives) => Promise.all(Object.values(some).map((load) => load()));
  return [...(await all(beforePrimitives)), declarePrimitives, ...(await all(afterPrimitives))];
}

/** @param printHelp - takes what commander would print. */
function program(printHelp: (text: string) => void): Command {
  return (
    new Command("wavefold")
      .description(
        "Scan (prefix sum), reduce, stream compaction and sort of .npy files, on the GPU or in software.",
      )
      // Errors are told in one place.
      .configureOutput({ writeOut: printHelp, writeErr: () => {} })
      .exitOverride()
      .allowExcessArguments(false)
      .version(version, VERSION_FLAGS.join(", "), "print the version")
      .helpOption("-h, --help", "print this help")
      .helpCommand("help [command]", "print the help of a command")
      .configureHelp({
        subcommandTerm: (command) => command.name(),
        optionDescription: (option) => optionDescription(option, isNeeded(option)),
      })
      .addHelpText("after", ROOT_HELP)
      .hook("preAction", async (_, command) => {
        const missing = command.options.find(
          (option) => isNeeded(option) && command.getOptionValue(option.attributeName()) === undefined,
        );
        if (missing !== undefined) {
          throw new UsageError(`${command.name()}: ${missing.flags} is missing: ${missing.description}`);
        }
        const given = command.options.filter(isOutput);
        const paths = given.flatMap(
          (option): string[] => command.getOptionValue(option.attributeName()) ?? [],
        );
        await requireApart(paths);
      })
  );
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

/** The message of an error, for the terminal. */
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

/** Runs the command that the program's arguments name, to its end. */
export async function run(): Promise<void> {
  // Without these, Node.js ends the program itself. What cannot be printed is told by `print`.
  process.stdout.on("error", () => {});
  process.stderr.on("error", () => {});
  // Where a file would be larger than the system lets it be, the write fails and says so. signal-exit would have the
  // signal end the program, at times before the temporary file is gone.
  process.on("SIGXFSZ", () => {});
  const args = process.argv.slice(2);
  const failed = args[0] === "check" ? 2 : 1;
  process.on("uncaughtException", (cause) => {
    process.stderr.write(`wavefold: ${messageOf(cause)}\n`);
    process.exit(failed);
  });
  let help = "";
  const root = program((text) => {
    help += text;
  });
  try {
    for (const declare of await declarationsFor(args[0] ?? "")) {
      declare(root);
    }
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
    process.stderr.write(`wavefold: ${messageOf(cause, root, args)}\n`);
    process.exitCode = failed;
  }
}
