import { existsSync } from "node:fs";
import { describedAdapters } from "../adapters/described.ts";
import { valuesOf } from "../algebra/array_values.ts";
import type { ScalarArray } from "../algebra/arrays.ts";
import { elementTypes } from "../algebra/element_types.ts";
import type { Scalar, ScalarType, TypeName } from "../algebra/types.ts";
import { ArgumentError } from "../errors.ts";
import type { Fold } from "../gpu/fold.ts";
import type { Described } from "../primitives/described.ts";
import { argumentsOf, kindsOf } from "../primitives/described.ts";
import type { Operand, Result } from "../primitives/primitive.ts";
import type { Elements, OutputOption, Written } from "./arrays.ts";
import { elementsIn, inSteps, openOutput, writeArrays } from "./arrays.ts";
import { quoted, UsageError } from "./errors.ts";
import { DASH, openTarget } from "./files.ts";
import { formatValue } from "./format.ts";
import type { AdapterOption, RawOption, SegmentsOption } from "./options.ts";
import { parseEdges } from "./options.ts";
import { commandOf, flagOf } from "./primitives.ts";
import { print } from "./print.ts";
import { segmentsOf } from "./segments.ts";

// The command of a primitive that is described. All elements are in memory at once.

/** What the flags were given, by the names of the options. */
type Flags = Readonly<Record<string, unknown>>;
type Options = Flags & RawOption & AdapterOption & Partial<OutputOption> & SegmentsOption;

/** The files of operands, by the names of these. */
type Paths = Readonly<Record<string, string | undefined>>;

/** Numbers divided by commas, or those of a file. */
async function numbersOf(name: string, given: string): Promise<readonly Scalar[]> {
  try {
    return parseEdges(given);
  } catch {
    if (!existsSync(given)) {
      throw new UsageError(
        `${flagOf(name)} is ${quoted(given)}, which is no file; it takes numbers divided by commas, or the path of a .npy file`,
      );
    }
    const { type, data } = await elementsIn(given);
    const read = valuesOf(data, type) as (index: number) => Scalar;
    return Array.from({ length: data.length }, (_, at) => read(at));
  }
}

/** The options and numbers of a call, as it takes them. */
export async function optionsOf({ primitive, help }: Described, flags: Flags): Promise<Flags> {
  const kinds = kindsOf(primitive);
  const options: Record<string, unknown> = {};
  for (const name of Object.keys(help.options).filter((one) => flags[one] !== undefined)) {
    const given = flags[name];
    const typed = kinds[name] === "type" ? elementTypes[given as TypeName] : given;
    options[name] = kinds[name] === "numbers" ? await numbersOf(name, given as string) : typed;
  }
  return options;
}

/** Does something whose errors name options and operands. They then name flags and files. */
export async function inFlags<T>({ help }: Described, paths: Paths, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof ArgumentError)) {
      throw cause;
    }
    // Where a message names them: as what is wrong, and as what would be right.
    const names = new RegExp(
      `(?<=: |takes |given |beside |and |or |as )(?:${Object.keys({ ...help.options, ...help.operands }).join("|")})(?= is | holds|\\[|[,;]| and |$)`,
      "g",
    );
    const message = cause.message.replace(names, (name) => paths[name] ?? flagOf(name));
    const path = paths[cause.option ?? ""] ?? "";
    throw new UsageError(message.includes(path) ? message : `${path}: ${message}`);
  }
}

/** A call on what files hold. */
interface FileCall {
  /** By the names of the operands. */
  readonly elements: Readonly<Record<string, Elements>>;
  /** Those that decide the length. */
  readonly input: Elements;
  readonly options: Flags;
  readonly results: readonly Result[];
}

/** The form of an argument's file. The flags name the type of some operands; all others hold u32. */
const formOf = ({ isNamed }: Operand, flags: RawOption): RawOption =>
  isNamed ? flags : { ...(flags.raw && { raw: "u32" }), ...(flags.text && { text: "u32" }) };

/** Reads what a call takes, and checks it before there is an adapter. */
async function readCall(described: Described, paths: Paths, flags: Options): Promise<FileCall> {
  const { primitive, help } = described;
  const elements: Record<string, Elements> = {};
  for (const operand of primitive.operands) {
    const { name, isOption } = operand;
    const path = paths[name];
    if (path !== undefined) {
      elements[name] = await elementsIn(path, isOption ? {} : formOf(operand, flags));
    }
  }
  const elementsOf = (is: (operand: Operand) => boolean | undefined): Elements =>
    elements[primitive.operands.find(is)?.name ?? ""] as Elements;
  const input = elementsOf(({ range }) => range === "input");
  const kind = help.segments?.find((one) => flags[one] !== undefined);
  const from = { ...input, length: input.data.length, caller: commandOf(primitive) };
  const options = {
    type: elementsOf(({ isNamed }) => isNamed).type,
    ...(await optionsOf(described, flags)),
    ...(kind && { segments: (await segmentsOf({ [kind]: flags[kind] }, from)).segments }),
  };
  const each = <T>(of: (one: Elements) => T): Record<string, T> =>
    Object.fromEntries(Object.entries(elements).map(([name, one]) => [name, of(one)]));
  const { results } = primitive.request({
    types: each(({ type }) => type),
    lengths: each(({ data }) => data.length),
    arrays: each(({ data }) => data),
    isCounted: false,
    options: options as never,
    // The call itself says what the adapter lacks.
    facts: describedAdapters.nvidia,
  });
  return { elements, input, options, results };
}

/** Calls the method of `Fold`. It gives each result by its name. */
async function called(
  { primitive }: Described,
  { elements, options, results }: FileCall,
  fold: Fold,
): Promise<Flags> {
  const arrays = Object.entries(elements).map(([name, { data }]) => [name, data] as const);
  const method = fold[primitive.name as keyof Fold] as (...given: readonly unknown[]) => Promise<unknown>;
  const given = argumentsOf(primitive, { ...options, ...Object.fromEntries(arrays) });
  const made = await method.apply(fold, given);
  return results.length === 1 ? { [results[0]?.name ?? ""]: made } : (made as Flags);
}

/** Where a result goes, and in which form. */
type Place = Pick<Written, "target" | "options"> & { readonly name: string };

/** The files of results. That of `--output` comes last. @throws {UsageError} */
async function placesOf({ primitive, help }: Described, flags: Options): Promise<readonly Place[]> {
  const [first, ...others] = Object.keys(help.results ?? {});
  const places: Place[] = [];
  for (const name of others) {
    const path = flags[`${name}Out`] as string | undefined;
    if (path === DASH) {
      throw new UsageError(`${commandOf(primitive)}: ${flagOf(name)}-out takes a file`);
    }
    if (path !== undefined) {
      places.push({ name, target: await openTarget(path) });
    }
  }
  return first === undefined
    ? places
    : [...places, { name: first, target: await openOutput(String(flags.output), flags), options: flags }];
}

/** The command of a primitive. `files` are its arguments, in the order of its operands. */
export async function runPrimitive(
  described: Described,
  files: readonly string[],
  flags: Options,
): Promise<void> {
  const left = [...files];
  const paths: Paths = Object.fromEntries(
    described.primitive.operands.map(({ name, isOption }) => [
      name,
      isOption ? (flags[name] as string | undefined) : left.shift(),
    ]),
  );
  const places = await placesOf(described, flags);
  await inFlags(described, paths, () =>
    inSteps(
      flags,
      () => readCall(described, paths, flags),
      (fold, call) => called(described, call, fold),
      async (made, { input, results }) => {
        const resultOf = (name: string) => results.find((one) => one.name === name) as Result;
        const typeOf = (name: string) => resultOf(name).type as ScalarType;
        const arrays = places.map(({ name, ...place }) => {
          const { shape } = resultOf(name);
          const data = made[name] as ScalarArray;
          return { ...place, type: typeOf(name), data, shape: shape === "input" ? input.shape : shape };
        });
        await writeArrays(arrays);
        const printed = described.help.prints?.map((name) => formatValue(made[name] as Scalar, typeOf(name)));
        await (printed && print(`${printed.join(" ")}\n`));
      },
    ),
  );
}
