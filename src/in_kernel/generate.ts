import { expressionFiles } from "../algebra/expression_files.ts";
import type { Operator } from "../algebra/monoid.ts";
import { operatorOn } from "../algebra/monoid.ts";
import { add } from "../algebra/operators.ts";
import type { ElementType } from "../algebra/types.ts";
import { refuse, refuseOthers, shown } from "../errors.ts";
import { piecesOf, textOf } from "../text/pieces.ts";
import type { AlgorithmBody, WorkGroupAlgorithm } from "./algorithms.ts";
import type { InKernelFunctions } from "./link.ts";
import { codeOf } from "./link.ts";

/** The options of all in-kernel functions. */
export interface InKernelOptions {
  /** Threads in the work-group: the product of `@workgroup_size`. Any number from 1 to 1024. */
  readonly workGroupSize: number;
  /** How the threads combine their elements. The default is `hillisSteele`. `subgroup` needs the feature "subgroups". */
  readonly algorithm?: WorkGroupAlgorithm;
  /**
   * An ending for the functions' names. It tells apart functions that would have the same name, such as those for two
   * work-group sizes or two algorithms.
   */
  readonly suffix?: string;
}

/** The type of the elements that functions combine, and the operator. */
export interface OperatorOptions {
  readonly type: ElementType;
  readonly op?: Operator;
}

/** The parts that a family of functions needs beside the contract and the algorithm. */
export interface Family extends Pick<AlgorithmBody, "tile"> {
  readonly texts?: readonly string[];
  /** The words of the texts to replace. */
  readonly words?: Readonly<Record<string, string>>;
  /** Bytes of work-group memory. */
  readonly memory?: number;
}

/** An algorithm's parts, and those of a family. There are none if the algorithm has none. */
export const withFamily = (
  body: AlgorithmBody,
  { texts = [], words, memory = 0, tile }: Family,
): AlgorithmBody =>
  body && {
    ...body,
    ...(tile !== undefined && { tile }),
    words: (workGroupSize) => ({ ...body.words?.(workGroupSize), ...words }),
    memory: (workGroupSize, elementBytes) => body.memory(workGroupSize, elementBytes) + memory,
    texts: (monoid) => [...body.texts(monoid), ...texts],
  };

/**
 * The functions of a family, under names of this instance's own. `functions` is the text of those that callers may call, and
 * `takes` lists the options of the caller.
 */
export function generate(
  caller: string,
  options: InKernelOptions & OperatorOptions,
  functions: string,
  body: AlgorithmBody,
  takes = "type, op, workGroupSize, algorithm, suffix",
): InKernelFunctions {
  const {
    type,
    op = add as Operator,
    workGroupSize,
    algorithm,
    suffix = "",
    ...others
  }: InKernelOptions & OperatorOptions = Object(options);
  refuseOthers(caller, others, takes);
  const monoid = operatorOn(op, type, caller);
  const { domain, key, callers, start } = monoid;
  if (!(workGroupSize > 0 && workGroupSize <= 1024 && Number.isInteger(workGroupSize))) {
    refuse(caller, "workGroupSize", shown(workGroupSize), "1 to 1024");
  }
  if (/\W/.test(suffix)) {
    refuse(caller, "suffix", shown(suffix), "letters, digits and _");
  }
  if (!body?.texts) {
    refuse(caller, "algorithm", shown(algorithm), "an import, such as blelloch");
  }
  const ending = suffix && `_${suffix}`;
  const { tile = "" } = body;
  // The words to replace: types and sizes, so that signatures read as the caller would write them; and the names of all
  // declarations.
  const written: Record<string, string> = {
    Element: domain.element,
    Value: type.value,
    WORK_GROUP_SIZE: `${workGroupSize}u`,
    // If the domain declares no such functions, calls of them become their argument in parentheses.
    element_from_value: "",
    value_from_element: "",
    ...body.words?.(workGroupSize),
    // Without a prototype, a caller's word may be the name of a method that every object has.
    __proto__: null as never,
  };
  const rename = (word: string): string => written[word] ?? word;
  let all = "";
  const take = (
    text: string,
    nameOf = (name: string): string => `_${name}_${key}_${tile}${workGroupSize}${ending}`,
  ): void => {
    all += `${text}\n`;
    for (const { name } of piecesOf(text)) {
      written[name] = nameOf(name);
    }
  };
  for (const { text, as } of callers ? expressionFiles(monoid.type) : monoid.type.files) {
    take(text, as);
  }
  const [expression, setup = ""] = domain.literal(monoid.identity, "value");
  take(
    [
      `fn identity() -> Element {
  ${setup}return ${expression};
}`,
      domain.conversions,
      ...body.texts(monoid),
      start?.inKernel,
    ].join("\n"),
  );
  // A caller's struct keeps its own name.
  written.Element = piecesOf(domain.element, rename).map(textOf).join("");
  written.value_from_exclusive ??= written.value_from_element as string;
  take(functions, (name) => name.replace(/_?value/i, `_${key}`).replace("tile_", `tile_${tile}`) + ending);
  // The head names the type itself, so that linking sees which names it takes from WGSL.
  const { element } = domain;
  const head = `fn combine(earlier: ${element}, later: ${element}) -> ${element} {`;
  take(callers?.text(head, Object.keys(written)) ?? `${head}\n  return ${monoid.combine};\n}`);
  const pieces = piecesOf(all, rename);
  // Structs start with an upper-case letter, and helpers with an underscore.
  const names = pieces.map(({ name }) => name).filter((name) => /^[a-z]/.test(name));
  return {
    names,
    workGroupMemory: body.memory(workGroupSize, domain.elementBytes),
    workGroupSize,
    pieces,
    get code(): string {
      return codeOf(this.pieces, names);
    },
  };
}

/**
 * The functions for values of a type of WGSL that is several words, such as `array<Own, 2>`: their text is split once more, so that
 * linking sees the names in it.
 */
export const splitAgain = (
  functions: InKernelFunctions,
  type: Pick<ElementType, "value"> | undefined,
): InKernelFunctions =>
  /\W/.test(type?.value ?? "")
    ? Object.assign(functions, { pieces: piecesOf(functions.pieces.map(textOf).join("")) })
    : functions;
