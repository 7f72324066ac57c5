import type { Command, Option } from "commander";
import { adapterOption, rawOption, textOption, tuningOption } from "./options.ts";

const MEMORY_HELP = `
Files are .npy, --raw or --text, as for scan. All elements are in memory at
once.`;

/** A command on the elements of files. */
export interface FileCommand {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  /** Its arguments, and what each is. Without them, it is one file of elements. */
  readonly files?: readonly (readonly [file: string, says: string])[];
  /** The options beside those of all such commands. */
  readonly options: readonly Option[];
}

/** Adds a command to those of the root. */
export function addFileCommand(
  root: Command,
  { name, summary, description, files = [["<in.npy>", "the elements; - reads stdin"]], options }: FileCommand,
  help = MEMORY_HELP,
): Command {
  const command = root.command(name).summary(summary).description(description);
  for (const [file, says] of files) {
    command.argument(file, says);
  }
  for (const option of [rawOption(), textOption(), ...options, adapterOption(), tuningOption()]) {
    command.addOption(option);
  }
  return command.addHelpText("after", help);
}
