import type { Command } from "commander";
import { InvalidArgumentError, Option } from "commander";
import { kindsOf, primitives } from "../primitives/described.ts";
import type { Described } from "../primitives/help.ts";
import type { Operand } from "../primitives/primitive.ts";
import type { FileCommand } from "./file_command.ts";
import { need, outputOption, outputTo } from "./marked_options.ts";
import {
  beginsOption,
  collect,
  endsOption,
  offsetsOption,
  operatorFlag,
  paramOption,
  parseCount,
  parseCounts,
  parseDistances,
  parseEdge,
  rowsOption,
  runAlgorithm,
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
export const isFlag = ({ help }: Described, { name, isOption, behind }: Operand): boolean =>
  isOption || behind !== undefined || name in (help.flags ?? {});

/** The flag of a result's file, as an option: `valuesOut` is `--values-out`. */
export const outputOf = ({ help }: Described, name: string): string =>
  name in (help.flags ?? {}) ? name : `${name}Out`;

/** The results that a call gives only if an option of their name asks for them. */
export const askedResults = ({ primitive, help }: Described): readonly string[] =>
  Object.keys(help.results ?? {}).filter((name) => kindsOf(primitive)[name] === "boolean");

/** The file of an array, or of an array that has a name in the call's text. */
const fileOf = (name: string, isByName = false): string =>
  isByName ? "<name=in.npy>" : `<${name === "data" ? "in" : name}.npy>`;

/** Flags by the kinds of their options. */
const flagsByKind = {
  boolean: (flag: string, says: string) => new Option(flag, says),
  count: (flag: string, says: string) => new Option(`${flag} <count>`, says).argParser(parseCount),
  counts: (flag: string, says: string) =>
    new Option(
      `${flag} <count>`,
      `${says}; for each segment, numbers divided by commas, or a .npy file`,
    ).argParser(parseCounts),
  expression: (flag: string, says: string) => new Option(`${flag} <expr>`, says),
  numbers: (flag: string, says: string) =>
    new Option(`${flag} <list>`, `${says}; numbers divided by commas, or a .npy file`),
  booleans: (flag: string, says: string) => new Option(flag, says),
  operator: (_flag: string, says: string) => operatorFlag(says),
  type: (flag: string, says: string) => typeOption(`${flag} <name>`, says),
  distances: (flag: string, says: string) =>
    new Option(`${flag} <name=distance>`, says).argParser(parseDistances),
  edge: (flag: string, says: string) => new Option(`${flag} <edge>`, says).argParser(parseEdge),
} as const;

/** The order of each key of a sort by several. */
const ordersOption = (): Option =>
  new Option(
    "--orders <list>",
    "ascending or descending for each key, divided by commas: first for the elements, and then for each --then-by",
  )
    .conflicts("descending")
    .argParser((given) =>
      given.split(",").map((order) => {
        if (order !== "ascending" && order !== "descending") {
          throw new InvalidArgumentError(
            `It has ${JSON.stringify(order)}, and takes ascending or descending.`,
          );
        }
        return order === "descending";
      }),
    );

const segmentFlags = { rows: [rowsOption], offsets: [offsetsOption], begins: [beginsOption, endsOption] };

/** The flags of a primitive's options and numbers. */
const flagsOf = ({ primitive, help }: Described): readonly Option[] => [
  ...Object.entries<string>(help.options).map(([name, says]) => {
    const kind = kindsOf(primitive)[name] as keyof typeof flagsByKind | readonly string[];
    return typeof kind === "string"
      ? flagsByKind[kind](flagOf(name), says)
      : new Option(`${flagOf(name)} <${name}>`, says).choices(kind);
  }),
  ...(Object.values(primitive.options).includes("booleans") ? [ordersOption()] : []),
  ...(help.segments ?? []).flatMap((kind) => segmentFlags[kind].map((flag) => flag())),
  ...("algorithm" in primitive.options ? [runAlgorithm()] : []),
];

/** The command of a primitive. */
export function fileCommandOf(described: Described): FileCommand {
  const { primitive, help } = described;
  const operands = primitive.operands.flatMap((operand) => {
    const { name, range, inside, isByName } = operand;
    const says = (help.operands as Readonly<Record<string, string>>)[name] ?? "";
    const all = { name, isByName, isFlag: isFlag(described, operand), says };
    return inside ? [] : [range === "input" ? { ...all, says: `${says}; - reads stdin` } : all];
  });
  /** Marks the flag of a file. */
  const marked = (name: string, flag: Option, isByName = false): Option => {
    const option = help.lists?.includes(name) || isByName ? flag.argParser(collect) : flag;
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
      ...operands.flatMap(({ name, isByName, isFlag, says }) =>
        isFlag ? marked(name, new Option(`${flagOf(name)} ${fileOf(name, isByName)}`, says), isByName) : [],
      ),
    ],
  };
}

/** What `wavefold explain` has itself, for all primitives, or does not take. */
const NOT_EXPLAINED: readonly string[] = ["offsets", "begins", "ends", "length", "type"];

/** The flags of a primitive in `wavefold explain`, which takes no files, and has a length and a type for all arrays. */
export const explainFlagsOf = (described: Described): readonly Option[] => [
  ...flagsOf(described).filter((flag) => !NOT_EXPLAINED.includes(flag.attributeName())),
  ...described.primitive.operands.flatMap(({ name, isOption, isByName, behind }) =>
    isByName
      ? new Option(`${flagOf(name)} <name>`, "another array of u32, by its name in --map").argParser(collect)
      : isOption || behind
        ? new Option(flagOf(name), `with ${name} of u32`)
        : [],
  ),
  ...askedResults(described).map((name) => new Option(flagOf(name), `with ${name}`)),
];

/** Adds the flags of all these primitives to `wavefold explain`, each once. If one primitive alone takes it, help names that. */
export function addFlags(command: Command): void {
  const added = new Set(command.options.map((option) => option.attributeName()));
  const flags = primitives.flatMap((described) =>
    explainFlagsOf(described).map((flag) => ({ flag, name: flag.attributeName(), taker: nameOf(described) })),
  );
  for (const { flag, name, taker } of flags) {
    if (!added.has(name)) {
      added.add(name);
      const isShared = flags.some((other) => other.name === name && other.taker !== taker);
      command.addOption(
        Object.assign(flag, { description: `${isShared ? "" : `${taker}: `}${flag.description}` }),
      );
    }
  }
}
