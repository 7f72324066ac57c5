import type { Command } from "commander";
import { Option } from "commander";
import { kindsOf, primitives } from "../primitives/described.ts";
import type { Described } from "../primitives/help.ts";
import type { Operand } from "../primitives/primitive.ts";
import {
  algorithmOption,
  collect,
  offsetsOption,
  paramOption,
  parseCount,
  rowsOption,
  typeOption,
} from "./options.ts";

// The commands of the primitives that are described.

/** The name of a primitive in `wavefold explain`. */
export const nameOf = ({ primitive, help }: Described): string => help.command ?? primitive.name;

/** The command of a primitive. */
export const commandOf = (described: Described): string => nameOf(described).toLowerCase();

/** `keyType` is `--key-type`, and `k` is `-k`. */
export const flagOf = (name: string): string =>
  name.length === 1 ? `-${name}` : `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** Whether a flag gives an operand's file. That of others is an argument. */
export const isFlag = ({ help }: Described, { name, isOption }: Operand): boolean =>
  isOption || name in (help.flags ?? {});

/** The flag of a result's file, as an option: `valuesOut` is `--values-out`. */
export const outputOf = ({ help }: Described, name: string): string =>
  name in (help.flags ?? {}) ? name : `${name}Out`;

/** The file of an array. */
const fileOf = (name: string): string => `<${name === "data" ? "in" : name}.npy>`;

/** Flags by the kinds of their options. */
const flagsByKind = {
  boolean: (flag: string, says: string) => new Option(flag, says),
  count: (flag: string, says: string) => new Option(`${flag} <count>`, says).argParser(parseCount),
  expression: (flag: string, says: string) => new Option(`${flag} <expr>`, says),
  numbers: (flag: string, says: string) =>
    new Option(`${flag} <list>`, `${says}; numbers divided by commas, or a .npy file`),
  type: (flag: string, says: string) => typeOption(`${flag} <name>`, says),
} as const;

export const runAlgorithm = (): Option =>
  algorithmOption(
    "how the threads of a work-group combine their elements; without it, the best for the adapter",
  );

/** The flags of a primitive's options and numbers. */
const flagsOf = ({ primitive, help }: Described): readonly Option[] => [
  ...Object.entries<string>(help.options).map(([name, says]) => {
    const kind = kindsOf(primitive)[name] as keyof typeof flagsByKind | readonly string[];
    return typeof kind === "string"
      ? flagsByKind[kind](flagOf(name), says)
      : new Option(`${flagOf(name)} <${name}>`, says).choices(kind);
  }),
  ...(help.segments ?? []).map((kind) => ({ rows: rowsOption, offsets: offsetsOption })[kind]()),
  ...("algorithm" in primitive.options ? [runAlgorithm()] : []),
];

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

/** How options are made that a command needs, and those that are the paths of outputs. */
interface Marks {
  need(option: Option): Option;
  outputTo(flags: string, says: string): Option;
  outputOption(says: string): Option;
}

/** The command of a primitive. */
export function fileCommandOf(described: Described, { need, outputTo, outputOption }: Marks): FileCommand {
  const { primitive, help } = described;
  const operands = primitive.operands.flatMap((operand) => {
    const { name, range, inside } = operand;
    const says = (help.operands as Readonly<Record<string, string>>)[name] ?? "";
    const all = { name, isFlag: isFlag(described, operand), says };
    return inside ? [] : [range === "input" ? { ...all, says: `${says}; - reads stdin` } : all];
  });
  /** Marks the flag of a file. */
  const marked = (name: string, flag: Option): Option => {
    const option = help.lists?.includes(name) ? flag.argParser(collect) : flag;
    return help.flags?.[name] === "needed" ? need(option) : option;
  };
  return {
    name: commandOf(described),
    summary: help.summary,
    description: help.says,
    files: operands.flatMap(({ name, isFlag, says }) => (isFlag ? [] : [[fileOf(name), says] as const])),
    options: [
      ...Object.entries(help.results ?? {}).map(([name, says], at) =>
        at === 0
          ? outputOption(`${says}; - is stdout`)
          : marked(name, outputTo(`${flagOf(outputOf(described, name))} ${fileOf(name)}`, says)),
      ),
      ...flagsOf(described).map((flag) =>
        [...(primitive.numbers ?? []), ...(help.needs ?? [])].includes(flag.attributeName())
          ? need(flag)
          : flag,
      ),
      ...("params" in primitive.options ? [paramOption()] : []),
      ...operands.flatMap(({ name, isFlag, says }) =>
        isFlag ? marked(name, new Option(`${flagOf(name)} ${fileOf(name)}`, says)) : [],
      ),
    ],
  };
}

/** The flags of a primitive in `wavefold explain`, which takes no files. */
export const explainFlagsOf = (described: Described): readonly Option[] => [
  ...flagsOf(described).filter((flag) => flag.attributeName() !== "offsets"),
  ...described.primitive.operands.flatMap(({ name, isOption }) =>
    isOption ? new Option(flagOf(name), `with ${name} of u32`) : [],
  ),
];

/** Adds the flags of all these primitives to `wavefold explain`, each once. If one primitive alone takes it, help names that. */
export function addFlags(command: Command): void {
  const namesOf = (described: Described): string[] =>
    explainFlagsOf(described).map((flag) => flag.attributeName());
  for (const described of primitives) {
    for (const flag of explainFlagsOf(described)) {
      const name = flag.attributeName();
      if (!command.options.some((other) => other.attributeName() === name)) {
        const takers = primitives.filter((other) => namesOf(other).includes(name));
        const taker = takers.length === 1 ? `${nameOf(described)}: ` : "";
        command.addOption(Object.assign(flag, { description: taker + flag.description }));
      }
    }
  }
}
