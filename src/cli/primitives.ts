import type { Command } from "commander";
import { Option } from "commander";
import { gather, gatherHelp } from "../primitives/gather.ts";
import type { HelpOf } from "../primitives/help.ts";
import { histogram, histogramHelp } from "../primitives/histogram.ts";
import { nth, nthHelp } from "../primitives/nth.ts";
import type { Primitive } from "../primitives/primitive.ts";
import { searchSorted, searchSortedHelp } from "../primitives/search_sorted.ts";
import { topK, topKHelp } from "../primitives/top_k.ts";
import { offsetsOption, parseCount, rowsOption, typeOption } from "./options.ts";

// The primitives whose commands, and whose plans in `wavefold explain`, follow from their descriptions.

/** A primitive, and what help says of it. */
export interface Described {
  readonly primitive: Primitive<never>;
  readonly help: HelpOf<Primitive<never>>;
}

export const primitives: readonly Described[] = [
  { primitive: histogram, help: histogramHelp },
  { primitive: searchSorted, help: searchSortedHelp },
  { primitive: gather, help: gatherHelp },
  { primitive: topK, help: topKHelp },
  { primitive: nth, help: nthHelp },
];

/** The command of a primitive. */
export const commandOf = ({ name }: Primitive<never>): string => name.toLowerCase();

/** What each option of a call takes, the numbers included. */
export const kindsOf = ({ options, planOptions }: Primitive<never>): Readonly<Record<string, unknown>> => ({
  ...planOptions,
  ...options,
});

/** `keyType` is `--key-type`, and `k` is `-k`. */
export const flagOf = (name: string): string =>
  name.length === 1 ? `-${name}` : `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

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

/** The flags of a primitive's options and numbers. */
const flagsOf = ({ primitive, help }: Described): readonly Option[] => [
  ...Object.entries<string>(help.options).map(([name, says]) => {
    const kind = kindsOf(primitive)[name] as keyof typeof flagsByKind | readonly string[];
    return typeof kind === "string"
      ? flagsByKind[kind](flagOf(name), says)
      : new Option(`${flagOf(name)} <${name}>`, says).choices(kind);
  }),
  ...(help.segments ?? []).map((kind) => ({ rows: rowsOption, offsets: offsetsOption })[kind]()),
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
  const operands = primitive.operands.map(({ name, range, isOption }) => {
    const says = (help.operands as Readonly<Record<string, string>>)[name] ?? "";
    return { name, isOption, says: range === "input" ? `${says}; - reads stdin` : says };
  });
  return {
    name: commandOf(primitive),
    summary: help.summary,
    description: help.says,
    files: operands.flatMap(({ name, isOption, says }) => (isOption ? [] : [[fileOf(name), says] as const])),
    options: [
      ...Object.entries(help.results ?? {}).map(([name, says], at) =>
        at === 0
          ? outputOption(`${says}; - is stdout`)
          : outputTo(`${flagOf(name)}-out ${fileOf(name)}`, says),
      ),
      ...flagsOf(described).map((flag) =>
        primitive.numbers?.includes(flag.attributeName()) ? need(flag) : flag,
      ),
      ...operands.flatMap(({ name, isOption, says }) =>
        isOption ? new Option(`${flagOf(name)} ${fileOf(name)}`, says) : [],
      ),
    ],
  };
}

/** Adds the flags of all these primitives to a command, each once. If one primitive alone takes it, help names that. */
export function addFlags(command: Command): void {
  for (const described of primitives) {
    for (const flag of flagsOf(described)) {
      const name = flag.attributeName();
      if (!command.options.some((other) => other.attributeName() === name)) {
        const takers = primitives.filter(({ help }) => name in help.options);
        const taker = takers.length === 1 ? `${described.primitive.name}: ` : "";
        command.addOption(Object.assign(flag, { description: taker + flag.description }));
      }
    }
  }
}
