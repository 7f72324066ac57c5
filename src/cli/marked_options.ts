import { Option } from "commander";
import { DASH } from "./files.ts";

// Options that a command needs, and those that are the paths of its outputs. `run.ts` asks for both before a command runs.

const needed = /* @__PURE__ */ new WeakSet<Option>();
const outputs = /* @__PURE__ */ new WeakSet<Option>();

/** Marks an option that its command needs. Commander's own mark would hide that another option is unknown. */
export function need(option: Option): Option {
  needed.add(option);
  return option;
}

/** Makes an option that is the path of an output. It has a place of its own among those of its command. */
export function outputTo(flags: string, description: string): Option {
  const option = new Option(flags, description);
  outputs.add(option);
  return option;
}

export const isNeeded = (option: Option): boolean => needed.has(option);

export const isOutput = (option: Option): boolean => outputs.has(option);

export const outputOption = (where = "where the result goes; - is stdout"): Option =>
  need(outputTo("-o, --output <out.npy>", where));

export const jsonOption = (what: string): Option =>
  outputTo("--json [file]", `${what}; without a file name, or with -, to stdout in place of the text`).preset(
    DASH,
  );
