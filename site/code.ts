import type { ScalarArray } from "../src/algebra/arrays.ts";
import type { Scalar } from "../src/algebra/types.ts";
import type { TypeName } from "../src/index.ts";
import { elementTypes } from "../src/index.ts";
import { argumentsOf } from "../src/primitives/described.ts";
import type { Choice, ChosenSegments, ComputedKey, OwnOperatorText } from "./choices.ts";
import { isByKeys, isOfRuns, primitives } from "./choices.ts";
import { arrayTypes, isWide, parseValue, readerOf } from "./data.ts";
import type { Beside, DescribedChoice } from "./described.ts";
import { firstOf, requestOf, takesSorted } from "./described.ts";

// The TypeScript that does on the visitor's own page what this page does.

/** Where the numbers come from. */
export type Numbers =
  | { readonly source: "random" | "counting" | "ones" | "runs"; readonly length: number }
  | { readonly source: "typed"; readonly data: ScalarArray }
  | { readonly source: "npy"; readonly name: string; readonly firstByte: number; readonly length: number };

const literal = (value: Scalar): string =>
  typeof value === "bigint" ? `${value}n` : Object.is(value, -0) ? "-0" : String(value);

/** A function that is a value of the type at each index; it may be named in what it uses. */
function elementwise(type: TypeName, body: string): string {
  return isWide(type) ? `BigInt(${body})` : type === "f16" ? `encodeFloat16(${body})` : body;
}

/** Random numbers such as the page's own. */
const randomBody = (type: TypeName, op: string): string =>
  elementTypes[type].kind === "float"
    ? op === "mul"
      ? "1 + (Math.random() - 0.5) / 64"
      : "Math.random() * 2 - 1"
    : op === "mul"
      ? "2 * Math.floor(Math.random() * 50) + 1"
      : type === "u32" || type === "u64"
        ? "Math.floor(Math.random() * 100)"
        : "Math.floor(Math.random() * 200) - 100";

/** An array of these values. */
function arrayText(type: TypeName, data: ScalarArray): string {
  const array = arrayTypes[type].name;
  const read = readerOf(data, type);
  const values = Array.from({ length: data.length }, (_, at) => literal(read(at))).join(", ");
  return type === "f16" ? `${array}.from([${values}], encodeFloat16)` : `${array}.of(${values})`;
}

/** The statements that make `data`. */
function dataLines(type: TypeName, op: string, numbers: Numbers): string[] {
  const array = arrayTypes[type].name;
  switch (numbers.source) {
    case "typed":
      return [`const data = ${arrayText(type, numbers.data)};`];
    case "npy":
      return [
        `const file = await (await fetch(${JSON.stringify(numbers.name)})).arrayBuffer();`,
        `const data = new ${array}(file.slice(${numbers.firstByte})); // behind the header`,
      ];
    case "random":
      return [
        `const data = ${array}.from({ length: ${numbers.length} }, () => ${elementwise(type, randomBody(type, op))});`,
      ];
    case "counting":
      return [
        `const data = ${array}.from({ length: ${numbers.length} }, (_, i) => ${elementwise(type, "i + 1")});`,
      ];
    case "ones":
      return [`const data = new ${array}(${numbers.length}).fill(${elementwise(type, "1")});`];
    case "runs":
      return [
        `const data = ${array}.from({ length: ${numbers.length} }, (_, i) => ${elementwise(type, "Math.floor(Math.sqrt(i)) % 10")});`,
      ];
    default:
      return numbers satisfies never;
  }
}

/** The options that say how a key is computed of elements of a type. */
const keyOptions = ({ key, keyType }: ComputedKey, from: TypeName): object => ({
  key,
  ...(keyType !== from && { keyType: elementTypes[keyType] }),
});

/** The option that says where segments of data of a type start. */
function segmentsOption(chosen: ChosenSegments, from: TypeName): object {
  switch (chosen.kind) {
    case "rows":
      return { rows: chosen.rows };
    case "columns":
      return { columns: chosen.columns };
    case "key":
      return keyOptions(chosen, from);
    default:
      return { [chosen.kind]: { variable: chosen.kind } satisfies Variable };
  }
}

/** The statements that make where segments start. */
function segmentLines(chosen: ChosenSegments): string[] {
  if (!("typed" in chosen)) {
    return [];
  }
  const { kind, typed } = chosen;
  const arrayFor = (name: string, otherwise: string): string =>
    `const ${name} = Uint32Array.${typed === undefined ? otherwise : `of(${typed.join(", ")})`};`;
  switch (kind) {
    case "keys":
      return [arrayFor("keys", "from(data, (_, i) => Math.floor(Math.sqrt(i)))")];
    case "offsets":
      return [
        ...(typed === undefined ? ["const segments = Math.ceil(Math.sqrt(data.length));"] : []),
        arrayFor("offsets", "from({ length: segments + 1 }, (_, i) => Math.min(i * i, data.length))"),
      ];
    default:
      return [
        arrayFor("heads", "from(data, (_, i) => Number(Number.isInteger(Math.sqrt(i))))"),
        ...(kind === "heads"
          ? []
          : [
              "const headBits = new Uint32Array(Math.ceil(heads.length / 32));",
              "heads.forEach((head, i) => { if (head !== 0) headBits[i >>> 5]! |= 1 << (i & 31); });",
            ]),
      ];
  }
}

function operatorLines({ name, type, identity, combine, script }: OwnOperatorText): string[] {
  const twin = /\breturn\b/.test(script) ? `{\n    ${script}\n  }` : script.trim();
  return [
    `const ${nameIn(name)} = operator({`,
    `  name: ${JSON.stringify(name.trim())},`,
    `  type: ${type},`,
    `  identity: ${literal(parseValue(identity.trim(), type, "The identity"))},`,
    `  combine: ${JSON.stringify(combine)},`,
    `  reference: (earlier, later) => ${twin},`,
    "});",
  ];
}

/** Names that the program has itself. */
const taken =
  /^(data|fold|keys|heads|headBits|offsets|segments|file|runs|totals?|prefixes|operator|openFold|encodeFloat16|[uif]\d+)$/;
/** Words that no const may be called, and classes that it would hide. */
const reserved =
  /^(await|break|case|catch|class|const|continue|debugger|default|delete|do|else|enum|eval|export|extends|false|finally|for|function|if|implements|import|in|instanceof|interface|let|new|null|package|private|protected|public|return|static|super|switch|this|throw|true|try|typeof|undefined|var|void|while|with|yield|arguments|console|Math|\w*Array)$/;
const nameIn = (name: string): string => {
  const own = name.trim();
  return taken.test(own) || reserved.test(own) ? `${own}Operator` : own;
};

/** What the results are called, as they are declared. */
function resultOf({ primitive, segments, classes, indices }: Choice): {
  readonly pattern: string;
  readonly names: string;
} {
  const bound = {
    ...primitives,
    runLengths: "{ values, counts }",
    unique: indices ? "positions" : primitives.unique,
    partition: classes === undefined ? "{ values, count }" : "{ values, offsets }",
    argMin: "{ value, index }",
    argMax: "{ value, index }",
    reduce: segments === undefined ? "total" : isByKeys(segments) ? "runs" : "totals",
  };
  const pattern = bound[primitive];
  return {
    pattern,
    names: pattern === "runs" ? "runs.keys, runs.values" : pattern.replace(/^\{ | \}$/g, ""),
  };
}

/** A variable of the program, among values. */
interface Variable {
  readonly variable: string;
}

/** A value of an option, as the program has it. Types that it names are added to the imports. */
function valueText(value: unknown, imports: Set<string>): string {
  if (typeof value !== "object" || value === null) {
    return typeof value === "string" ? JSON.stringify(value) : literal(value as Scalar);
  }
  if (Array.isArray(value)) {
    return `[${value.map((one) => valueText(one, imports)).join(", ")}]`;
  }
  const { variable, name } = value as Partial<Variable> & { readonly name?: string };
  if (name !== undefined) {
    imports.add(name);
  }
  return variable ?? name ?? objectText(value, imports);
}

/** An object of options. */
function objectText(options: object, imports: Set<string>): string {
  const texts = Object.entries(options).map(([name, value]) => {
    const text = valueText(value, imports);
    return text === name ? name : `${name}: ${text}`;
  });
  return `{ ${texts.join(", ")} }`;
}

/** The array beside the page's numbers, as the program makes it. */
const besideText = ({ type, data, isRepeated = false }: Beside): string =>
  isRepeated
    ? `${arrayTypes[type].name}.from(data, (_, i) => ${elementwise(type, "i % 4")})`
    : arrayText(type, data);

/** A call of the library. What its arguments name is added to the imports. */
const callText = (name: string, given: readonly unknown[], imports: Set<string>): string =>
  `await fold.${name}(${given.map((value) => valueText(value, imports)).join(", ")})`;

/** The program of a primitive that is described. */
function codeOfDescribed(choice: DescribedChoice, numbers: Numbers): string {
  const { described, type, arrays, options } = choice;
  const imports = new Set(["openFold"]);
  const data = takesSorted(described) ? "sorted" : "data";
  const beside = Object.keys(arrays).map((name): [string, Variable] => [name, { variable: name }]);
  const given = argumentsOf(described.primitive, {
    [firstOf(described).name]: { variable: data },
    ...options,
    ...Object.fromEntries(beside),
  });
  const length = "data" in numbers ? numbers.data.length : numbers.length;
  const declared = ["data", "fold", data, ...Object.keys(arrays)];
  const results = requestOf(choice, length).results.map(({ name }): [string, Variable] => [
    name,
    { variable: declared.includes(name) ? `${name}Result` : name },
  ]);
  const made = results.map(([, { variable }]) => variable).join(", ");
  const pattern = results.length === 1 ? made : objectText(Object.fromEntries(results), imports);
  const sorted = ["data", ...(type === "f16" ? ["{ type: f16 }"] : [])].join(", ");
  return programOf(
    imports,
    [],
    [
      ...dataLines(type, "", numbers),
      ...(data === "sorted" ? [`const sorted = await fold.sort(${sorted});`] : []),
      ...Object.entries(arrays).map(([name, array]) => `const ${name} = ${besideText(array)};`),
      `const ${pattern} = ${callText(described.primitive.name, given, imports)};`,
      `console.log(${made});`,
    ],
  );
}

/** A program that imports what its lines use. */
function programOf(
  imports: ReadonlySet<string>,
  before: readonly string[],
  lines: readonly string[],
): string {
  return [
    `import { ${[...imports].sort().join(", ")} } from "wavefold";`,
    ...(lines.some((line) => line.includes("encodeFloat16"))
      ? ['import { encodeFloat16 } from "wavefold/reference";']
      : []),
    "",
    ...before,
    "const fold = await openFold();",
    ...lines,
    "fold.destroy();",
    "",
  ].join("\n");
}

/** The options of a call, as its program has them. */
function optionsIn(choice: Choice): object {
  const { primitive, type, op, own, segments, predicate, algorithm, passes, classes, key } = choice;
  const combines = primitive === "scan" || primitive === "reduce";
  const tuned = segments === undefined && (combines || primitive === "compact");
  const parts = primitive === "partition" && classes !== undefined;
  return {
    ...(type === "f16" && { type: elementTypes.f16 }),
    ...(combines && (own ? { op: { variable: nameIn(own.name) } } : op.name !== "add" && { op })),
    ...(primitive === "scan" && choice.exclusive && { exclusive: true }),
    ...(parts
      ? { classes, class: choice.number?.text ?? "" }
      : (primitive === "compact" || primitive === "partition") && { where: predicate?.where ?? "" }),
    ...(primitive === "unique" && choice.indices && { indices: true }),
    ...((primitive === "sort" || primitive === "argSort") && choice.descending && { descending: true }),
    ...(isOfRuns(primitive) && key && keyOptions(key, type)),
    ...(combines && segments && { segments: segmentsOption(segments, type) }),
    ...(tuned && algorithm && { algorithm }),
    ...(tuned && passes && primitive !== "reduce" && { passes }),
  };
}

/** A program of TypeScript, for a browser, that does what is chosen. */
export function codeOf(choice: Choice, numbers: Numbers): string {
  if (choice.described !== undefined) {
    return codeOfDescribed(choice.described, numbers);
  }
  const { primitive, type, op, segments } = choice;
  const combines = primitive === "scan" || primitive === "reduce";
  const own = combines ? choice.own : undefined;
  const imports = new Set(["openFold", ...(own ? ["operator", own.type] : [])]);
  const options = optionsIn(choice);
  const given = [{ variable: "data" }, ...(Object.keys(options).length === 0 ? [] : [options])];
  const { pattern, names } = resultOf(choice);
  return programOf(imports, own ? [...operatorLines(own), ""] : [], [
    ...dataLines(type, combines ? op.name : "", numbers),
    ...(combines && segments ? segmentLines(segments) : []),
    `const ${pattern} = ${callText(primitive, given, imports)};`,
    `console.log(${names});`,
  ]);
}
