import type { ScalarArray } from "../src/algebra/arrays.ts";
import type { Scalar } from "../src/algebra/types.ts";
import type { TypeName } from "../src/index.ts";
import { elementTypes } from "../src/index.ts";
import type { Choice, ChosenSegments, ComputedKey, OwnOperatorText } from "./choices.ts";
import { isByKeys, isOfRuns, primitives } from "./choices.ts";
import { parseValue, readerOf } from "./data.ts";

// The TypeScript that does on the visitor's own page what this page does.

/** Where the numbers come from. */
export type Numbers =
  | { readonly source: "random" | "counting" | "ones" | "runs"; readonly length: number }
  | { readonly source: "typed"; readonly data: ScalarArray }
  | { readonly source: "npy"; readonly name: string; readonly firstByte: number };

const arrayNames = {
  u32: "Uint32Array",
  i32: "Int32Array",
  f32: "Float32Array",
  f16: "Uint16Array",
  u64: "BigUint64Array",
  i64: "BigInt64Array",
  f64: "Float64Array",
} as const satisfies Record<TypeName, string>;

const isWide = (type: TypeName): boolean => type === "u64" || type === "i64";
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
  const array = arrayNames[type];
  const read = readerOf(data, type);
  const values = Array.from({ length: data.length }, (_, at) => literal(read(at))).join(", ");
  return type === "f16" ? `${array}.from([${values}], encodeFloat16)` : `${array}.of(${values})`;
}

/** The statements that make `data`. */
function dataLines(type: TypeName, op: string, numbers: Numbers): string[] {
  const array = arrayNames[type];
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

interface SegmentParts {
  readonly lines: string[];
  readonly option: string;
  /** The type that the option names. */
  readonly type?: TypeName;
}

/** The options that say how a key is computed of elements of a type, and the type that they name. */
function keyParts(
  { key, keyType }: ComputedKey,
  from: TypeName,
): { readonly options: string[]; readonly type?: TypeName } {
  const options = [`key: ${JSON.stringify(key)}`];
  return keyType === from ? { options } : { options: [...options, `keyType: ${keyType}`], type: keyType };
}

/** The statements that make where segments of data of a type start, and the option. */
function segmentParts(chosen: ChosenSegments, from: TypeName): SegmentParts {
  if (chosen.kind === "rows" || chosen.kind === "columns") {
    const items = chosen.kind === "rows" ? chosen.rows : chosen.columns;
    return { lines: [], option: `segments: { ${chosen.kind}: ${items} }` };
  }
  if (chosen.kind === "key") {
    const { options, type } = keyParts(chosen, from);
    return { lines: [], option: `segments: { ${options.join(", ")} }`, ...(type && { type }) };
  }
  const { kind, typed } = chosen;
  const option = `segments: { ${kind} }`;
  if (kind === "heads" || kind === "headBits") {
    const heads =
      typed === undefined
        ? "from(data, (_, i) => Number(Number.isInteger(Math.sqrt(i))))"
        : `of(${typed.join(", ")})`;
    const lines = [`const heads = Uint32Array.${heads};`];
    return {
      lines:
        kind === "heads"
          ? lines
          : [
              ...lines,
              "const headBits = new Uint32Array(Math.ceil(heads.length / 32));",
              "heads.forEach((head, i) => { if (head !== 0) headBits[i >>> 5]! |= 1 << (i & 31); });",
            ],
      option,
    };
  }
  if (typed !== undefined) {
    return { lines: [`const ${kind} = Uint32Array.of(${typed.join(", ")});`], option };
  }
  return kind === "keys"
    ? { lines: ["const keys = Uint32Array.from(data, (_, i) => Math.floor(Math.sqrt(i)));"], option }
    : {
        lines: [
          "const segments = Math.ceil(Math.sqrt(data.length));",
          "const offsets = Uint32Array.from({ length: segments + 1 }, (_, i) => Math.min(i * i, data.length));",
        ],
        option,
      };
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
  /^(data|fold|keys|heads|headBits|weights|offsets|segments|file|runs|totals?|prefixes|operator|openFold|encodeFloat16|[uif]\d+)$/;
/** Words that no const may be called, and classes that it would hide. */
const reserved =
  /^(await|break|case|catch|class|const|continue|debugger|default|delete|do|else|enum|eval|export|extends|false|finally|for|function|if|implements|import|in|instanceof|interface|let|new|null|package|private|protected|public|return|static|super|switch|this|throw|true|try|typeof|undefined|var|void|while|with|yield|arguments|console|Math|\w*Array)$/;
const nameIn = (name: string): string => {
  const own = name.trim();
  return taken.test(own) || reserved.test(own) ? `${own}Operator` : own;
};

/** The statement that makes how many items each run has. */
const countsLine = ({ counts }: Choice): string =>
  `const counts = Uint32Array.${counts === undefined ? "from(data, (_, i) => i % 4)" : `of(${counts.join(", ")})`};`;

/** What the results are called, as they are declared. */
function resultOf({ primitive, segments, classes, indices, weights }: Choice): {
  readonly pattern: string;
  readonly names: string;
} {
  const bound = {
    ...primitives,
    runLengths: "{ values, counts }",
    expandRuns: "items",
    unique: indices ? "positions" : primitives.unique,
    partition: classes === undefined ? "{ values, count }" : "{ values, offsets }",
    histogram: weights === undefined ? primitives.histogram : "sums",
    topK: "{ values, indices }",
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

/** A program of TypeScript, for a browser, that does what is chosen. */
export function codeOf(choice: Choice, numbers: Numbers): string {
  const { primitive, type, op, own, segments, predicate, algorithm, passes } = choice;
  const combines = primitive === "scan" || primitive === "reduce";
  const [imports, helpers] = [new Set(["openFold"]), new Set<string>()];
  const data = dataLines(type, combines ? op.name : "", numbers);
  if (data.some((line) => line.includes("encodeFloat16"))) {
    helpers.add("encodeFloat16");
  }
  const parts = combines && segments !== undefined ? segmentParts(segments, type) : undefined;
  const options: string[] = [];
  if (type === "f16") {
    imports.add("f16");
    options.push("type: f16");
  }
  if (combines && own !== undefined) {
    imports.add("operator").add(own.type);
    options.push(`op: ${nameIn(own.name)}`);
  } else if (combines && op.name !== "add") {
    imports.add(op.name);
    options.push(`op: ${op.name}`);
  }
  if (primitive === "scan" && choice.exclusive) {
    options.push("exclusive: true");
  }
  const number = JSON.stringify(choice.number?.text ?? "");
  if (primitive === "partition" && choice.classes !== undefined) {
    options.push(`classes: ${choice.classes}`, `class: ${number}`);
  } else if (primitive === "compact" || primitive === "partition") {
    options.push(`where: ${JSON.stringify(predicate?.where ?? "")}`);
  }
  if (primitive === "histogram") {
    const { edges, bins, range, weights } = choice;
    options.push(
      ...(edges === undefined
        ? [`bins: ${bins}`, choice.number ? `bin: ${number}` : `range: [${range.map(literal).join(", ")}]`]
        : [`edges: [${edges.map(literal).join(", ")}]`]),
      ...(weights === undefined ? [] : ["weights"]),
    );
  }
  if (primitive === "unique" && choice.indices) {
    options.push("indices: true");
  }
  if ((primitive === "sort" || primitive === "argSort") && choice.descending) {
    options.push("descending: true");
  }
  if (isOfRuns(primitive) && choice.key !== undefined) {
    const { options: own, type: named } = keyParts(choice.key, type);
    options.push(...own);
    if (named !== undefined) {
      imports.add(named);
    }
  }
  const { wanted } = choice;
  if (primitive === "searchSorted" && choice.behind) {
    options.push('side: "right"');
  }
  if (primitive === "searchSorted" && type === "f16") {
    helpers.add("encodeFloat16");
  }
  if (parts !== undefined) {
    options.push(parts.option);
    if (parts.type !== undefined) {
      imports.add(parts.type);
    }
  } else if (combines || primitive === "compact") {
    options.push(...(algorithm === undefined ? [] : [`algorithm: ${JSON.stringify(algorithm)}`]));
    options.push(
      ...(passes === undefined || primitive === "reduce" ? [] : [`passes: ${JSON.stringify(passes)}`]),
    );
  }
  const given = [
    ...(primitive === "searchSorted" ? ["sorted", "wanted"] : ["data"]),
    ...(primitive === "topK" ? [String(choice.k)] : []),
    ...(primitive === "expandRuns" ? ["counts"] : []),
    ...(options.length === 0 ? [] : [`{ ${options.join(", ")} }`]),
  ];
  const { pattern, names } = resultOf(choice);
  return [
    `import { ${[...imports].sort().join(", ")} } from "wavefold";`,
    ...(helpers.size === 0 ? [] : [`import { ${[...helpers].join(", ")} } from "wavefold/reference";`]),
    "",
    ...(combines && own !== undefined ? [...operatorLines(own), ""] : []),
    "const fold = await openFold();",
    ...data,
    ...(parts?.lines ?? []),
    ...(primitive === "expandRuns" ? [countsLine(choice)] : []),
    ...(primitive === "histogram" && choice.weights
      ? [`const weights = ${arrayText(choice.weights.type, choice.weights.data)};`]
      : []),
    ...(primitive === "searchSorted" && wanted
      ? [
          `const sorted = await fold.sort(data${type === "f16" ? ", { type: f16 }" : ""});`,
          `const wanted = ${arrayText(type, wanted)};`,
        ]
      : []),
    `const ${pattern} = await fold.${primitive}(${given.join(", ")});`,
    `console.log(${names});`,
    "fold.destroy();",
    "",
  ].join("\n");
}
