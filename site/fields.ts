import { operators } from "../src/algebra/operator_table.ts";
import { ArgumentError, elementTypes, type TypeName } from "../src/index.ts";
import { kindsOf } from "../src/primitives/described.ts";
import type { Described } from "../src/primitives/help.ts";
import type { Operand } from "../src/primitives/primitive.ts";
import { functionOf, typeNames } from "./choices.ts";
import { arrayOf, countingArray, isWide, parseList, parseNumbers } from "./data.ts";
import type { DescribedChoice, Given } from "./described.ts";
import { firstOf, noDevice } from "./described.ts";
import { html } from "./dom.ts";

// The fields of a primitive that is described. Each follows from an operand, or from the kind of an option.

/** What is typed or chosen for an operand or an option. */
interface Field {
  readonly name: string;
  readonly element: HTMLElement;
  /** Whether it is folded away at first. */
  readonly isMore?: boolean;
  /** What is given beside numbers of a type and a length. @throws {ArgumentError} */
  read(type: TypeName, length: number): Partial<Given>;
}

const upper = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
/** A label has what a sentence of help begins with. The whole sentence is its title. */
const label = (says: string, control: HTMLElement): HTMLElement =>
  html("label", { title: upper(says) }, upper(says.replace(/[,;:(].*/, "")), control);
const group = (...fields: readonly HTMLElement[]): HTMLElement => html("div", { class: "fields" }, ...fields);
const line = (value: unknown = "", placeholder = "empty: left out", type = "text"): HTMLInputElement => {
  const attributes = { type, placeholder, spellcheck: "false", autocomplete: "off" };
  return html("input", { ...attributes, value: String(value), class: type === "text" && "code" });
};
const choices = (words: readonly string[], ...first: readonly HTMLElement[]): HTMLSelectElement =>
  html("select", {}, ...first, ...words.map((word) => html("option", { value: word }, word)));
const byDefault = (): HTMLElement => html("option", { value: "" }, "default");

/** An option that one control gives. It is left out if that is empty. */
const optionIn = (
  name: string,
  says: string,
  control: HTMLInputElement | HTMLSelectElement,
  parse: (text: string) => unknown,
): Field => ({
  name,
  element: label(says, control),
  read: () => (control.value.trim() === "" ? {} : { options: { [name]: parse(control.value) } }),
});

function checkbox(name: string, says: string): Field {
  const box = html("input", { type: "checkbox" });
  const element = html("label", { class: "check", title: upper(says) }, box, `${upper(name)}: ${says}`);
  return { name, element, read: () => (box.checked ? { options: { [name]: true } } : {}) };
}

/** WGSL, and a function in JavaScript for the CPU. */
function expression(name: string, says: string, start = ""): Field {
  // Literals of JavaScript have no suffixes.
  const script = line(start.replaceAll(/\b(\d+)[uih]\b/g, "$1"), "");
  const { element, read } = optionIn(name, says, line(start), String);
  return {
    name,
    element: group(element, label(`the same in JavaScript: ${says}`, script)),
    read(...given) {
      const { options } = read(...given);
      const what = `The JavaScript of ${name}`;
      return options ? { options, twins: { [name]: functionOf(["x", "i"], script.value, what) } } : {};
    },
  };
}

/** The field of an option or a number, which `start` is put into. */
function optionField({ primitive }: Described, name: string, says: string, start: unknown): Field {
  const kind = kindsOf(primitive)[name];
  const isNeeded = primitive.numbers?.includes(name) ?? false;
  const isMore = start === undefined && !isNeeded;
  switch (kind) {
    case "boolean":
      return checkbox(name, says);
    case "count":
      return { ...optionIn(name, says, line(start, isNeeded ? "" : undefined, "number"), Number), isMore };
    // A number, or one for each segment.
    case "counts": {
      const counts = line(start, isNeeded ? "" : undefined);
      const parse = (text: string): unknown => (/^\d+$/.test(text.trim()) ? Number(text) : parseList(text));
      return { ...optionIn(name, says, counts, parse), isMore };
    }
    case "numbers": {
      const list = line((start as undefined | readonly unknown[])?.join(" "));
      return { ...optionIn(name, says, list, parseList), isMore };
    }
    case "type": {
      const types = choices(typeNames, byDefault());
      return { ...optionIn(name, says, types, (type) => elementTypes[type as TypeName]), isMore };
    }
    case "operator": {
      const names = choices(Object.keys(operators), byDefault());
      return optionIn(name, says, names, (given) => operators[given as keyof typeof operators]);
    }
    case "expression":
      return { ...expression(name, says, start as string | undefined), isMore };
    default:
      return optionIn(name, says, choices(kind as readonly string[], byDefault()), String);
  }
}

const segmentsFields = {
  rows: () =>
    optionIn(
      "segments",
      "elements of a row; without them, all are one row",
      line("", undefined, "number"),
      (rows) => ({
        rows: Number(rows),
      }),
    ),
  offsets: () =>
    optionIn("segments", "offsets from 0 to the length, between which segments lie", line(), (offsets) => ({
      offsets: parseList(offsets),
    })),
} as const;

/** The types that an operand takes beside numbers of u32. */
function typesFor({ primitive, help }: Described, first: Operand, { name }: Operand): TypeName[] {
  const [options = {}] = Object.values(help.tries ?? {});
  return typeNames.filter((type) => {
    try {
      const types = { [first.name]: elementTypes.u32, [name]: elementTypes[type] };
      const lengths = { [first.name]: 8, [name]: 8 };
      primitive.request({ types, lengths, isCounted: false, options: options as never, facts: noDevice });
      return true;
    } catch (cause) {
      return !(cause instanceof ArgumentError && cause.option === name);
    }
  });
}

/** The field of an operand beside the page's numbers. */
function operandField(described: Described, operand: Operand): Field {
  const { name, isOption = false, isNamed = false, isOneEach = false } = operand;
  const says = (described.help.operands as Readonly<Record<string, string>>)[name] ?? name;
  const box = line("", `empty: ${isOption ? "left out" : isOneEach ? "0 1 2 3 0 1 …" : "1 2 3 4 5 6 7 8"}`);
  const types = choices(isNamed ? [] : typesFor(described, firstOf(described), operand));
  return {
    name,
    element: group(label(says, box), ...(types.length > 1 ? [label(`type of the ${name}`, types)] : [])),
    read(ofFirst, length) {
      const type = isNamed ? ofFirst : (types.value as TypeName);
      const repeated = (): ReturnType<typeof arrayOf> =>
        arrayOf(type, length, (at) => (isWide(type) ? BigInt(at % 4) : at % 4));
      if (box.value.trim() !== "") {
        return { arrays: { [name]: { type, data: parseNumbers(box.value, type) } } };
      }
      const array = isOneEach
        ? { type, data: repeated(), isRepeated: true }
        : { type, data: countingArray(type, 8, false) };
      return isOption ? {} : { arrays: { [name]: array } };
    },
  };
}

/** All fields of a primitive, in their order. */
function allFields(described: Described): readonly Field[] {
  const { primitive, help } = described;
  const starts = Object.assign({}, ...Object.values(help.tries ?? {})) as Readonly<Record<string, unknown>>;
  const beside = primitive.operands.filter((operand) => operand !== firstOf(described) && !operand.inside);
  return [
    ...beside.filter(({ isOption }) => !isOption).map((operand) => operandField(described, operand)),
    ...Object.entries<string>(help.options).map(([name, says]) =>
      optionField(described, name, says, starts[name]),
    ),
    ...beside.filter(({ isOption }) => isOption).map((operand) => operandField(described, operand)),
    // Begins and ends would take two lines, and the page shows offsets.
    ...(help.segments ?? []).flatMap((kind) =>
      kind === "begins" ? [] : { ...segmentsFields[kind](), name: kind, isMore: true },
    ),
  ];
}

/** The fields of a primitive. */
export interface Fields {
  readonly element: HTMLElement;
  /** Shows those of the example that is chosen. */
  arrange(): void;
  /** @throws {ArgumentError} */
  chosen(type: TypeName, length: number): DescribedChoice;
}

/** The fields of a primitive that is described. */
export function fieldsOf(described: Described): Fields {
  const examples: Readonly<Record<string, object>> = described.help.tries ?? {};
  const fields = allFields(described);
  const example = choices(Object.keys(examples));
  const elements = (isMore: boolean): HTMLElement[] =>
    fields.filter((field) => (field.isMore ?? false) === isMore).map(({ element }) => element);
  const more = html("details", {}, html("summary", {}, "More options"), group(...elements(true)));
  /** Those of the chosen example, and of none. */
  const isShown = ({ name }: Field): boolean =>
    name in (examples[example.value] ?? {}) || Object.values(examples).every((one) => !(name in one));
  return {
    element: group(
      ...(example.length > 1 ? [label("by", example)] : []),
      ...elements(false),
      ...(elements(true).length > 0 ? [more] : []),
    ),
    arrange() {
      for (const field of fields) {
        field.element.hidden = !isShown(field);
      }
    },
    chosen(type, length) {
      const given = fields.filter(isShown).map((field) => field.read(type, length));
      const all = (name: keyof Given): object => Object.assign({}, ...given.map((one) => one[name]));
      const named = type === "f16" && { type: elementTypes.f16 };
      return {
        described,
        type,
        options: { ...named, ...all("options") },
        twins: all("twins") as Given["twins"],
        arrays: all("arrays") as Given["arrays"],
      };
    },
  };
}
