import { existsSync } from "node:fs";
import { describedAdapters } from "../adapters/described.ts";
import { valuesOf } from "../algebra/array_values.ts";
import type { ScalarArray } from "../algebra/arrays.ts";
import { elementTypes } from "../algebra/element_types.ts";
import { u32 } from "../algebra/integers.ts";
import type { ElementType, Scalar, ScalarType, TypeName } from "../algebra/types.ts";
import { ArgumentError } from "../errors.ts";
import type { Fold } from "../gpu/fold.ts";
import type { GpuArray } from "../gpu/gpu_arrays/gpu_array.ts";
import { givenAs, inLists } from "../plan/ranges.ts";
import { argumentsOf, kindsOf } from "../primitives/described.ts";
import type { Described } from "../primitives/help.ts";
import type { Operand, Primitive, Request, Result } from "../primitives/primitive.ts";
import { pairedWith } from "../primitives/primitive.ts";
import type { Elements, OutputOption, Written } from "./arrays.ts";
import { elementsIn, inSteps, openOutput, wholeNumbersIn, writeArrays } from "./arrays.ts";
import { dtypes } from "./dtypes.ts";
import { counted, quoted, UsageError } from "./errors.ts";
import { DASH } from "./files.ts";
import { formatValue } from "./format.ts";
import { placeOfInput } from "./npy_inputs.ts";
import type { AdapterOption, RawOption, SegmentsOption } from "./options.ts";
import { parseEdges } from "./options.ts";
import { askedResults, commandOf, flagOf, isFlag, outputOf } from "./primitives.ts";
import { print } from "./print.ts";
import { segmentsOf } from "./segments.ts";

// The command of a primitive that is described. All elements are in memory at once.

/** What the flags were given, by the names of the options. */
type Flags = Readonly<Record<string, unknown>>;
type Options = Flags & RawOption & AdapterOption & Partial<OutputOption> & SegmentsOption;

/** The files of operands, by the names of these. */
type Paths = Readonly<Record<string, string>>;

/** Numbers divided by commas, or those of a file. */
async function numbersOf(name: string, given: string): Promise<readonly Scalar[]> {
  try {
    return parseEdges(given);
  } catch {
    if (!existsSync(placeOfInput(given).file)) {
      throw new UsageError(
        `${flagOf(name)} is ${quoted(given)}, which is no file; it takes numbers divided by commas, or the path of a .npy file`,
      );
    }
    const { type, data } = await elementsIn(given);
    const read = valuesOf(data, type) as (index: number) => Scalar;
    return Array.from({ length: data.length }, (_, at) => read(at));
  }
}

/** The order of each key. @throws {UsageError} unless there is one for each. */
function ordersOf(flags: Flags): readonly boolean[] | boolean {
  const orders = flags.orders as readonly boolean[];
  const keys = 1 + [flags.thenBy ?? []].flat().length;
  if (orders.length !== keys) {
    throw new UsageError(
      `--orders has ${counted(orders.length, "order")}; it takes ${keys}: one for the elements, and one for each --then-by`,
    );
  }
  return keys === 1 ? orders[0] === true : orders;
}

/** The options and numbers of a call, as it takes them. */
export async function optionsOf(described: Described, flags: Flags): Promise<Flags> {
  const { primitive, help } = described;
  const kinds = kindsOf(primitive);
  const options: Record<string, unknown> = flags.param === undefined ? {} : { params: flags.param };
  const tuning = ["algorithm", "passes"].filter((name) => name in primitive.options);
  if (flags.orders !== undefined) {
    options.descending = ordersOf(flags);
  }
  for (const name of [...Object.keys(help.options), ...tuning].filter((one) => flags[one] !== undefined)) {
    const given = flags[name];
    const typed = kinds[name] === "type" ? elementTypes[given as TypeName] : given;
    const isList = kinds[name] === "numbers" || (kinds[name] === "counts" && typeof given === "string");
    const list = isList ? await numbersOf(name, given as string) : undefined;
    options[name] = (kinds[name] === "counts" ? list?.map(Number) : list) ?? typed;
  }
  for (const name of askedResults(described).filter((one) => flags[one] !== undefined)) {
    options[name] = true;
  }
  return options;
}

/** Does something whose errors name options and operands. They then name flags and files. */
export async function inFlags<T>(described: Described, paths: Paths, work: () => Promise<T>): Promise<T> {
  const { help } = described;
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof ArgumentError)) {
      throw cause;
    }
    // Where a message names them: as what is wrong, and as what would be right.
    const known = [...Object.keys({ ...help.options, ...help.operands }), ...askedResults(described)];
    const names = new RegExp(
      `(?<=: |takes |given |beside |and |or |as )(?:${known.join("|")})(?= is | holds|\\[|[,;]| and | or |$)`,
      "g",
    );
    const named = cause.message.replace(names, (name, ...rest) => {
      const [at, text] = rest.filter((one) => one !== undefined) as [number, string];
      // An alternative, as in "takes channels or y, and not both", is a flag. What holds something is a file.
      const isFile = /^(?: is | holds|\[)/.test(text.slice(at + name.length));
      return isFile ? (paths[name] ?? flagOf(name)) : flagOf(name);
    });
    const message = named.replace(/(?<=: -\S+ is )undefined(?=; )/, "missing");
    const path = paths[cause.option ?? ""] ?? "";
    throw new UsageError(message.includes(path) ? message : `${path}: ${message}`);
  }
}

/** The operands that move with the elements, each to a file of its own. */
const movedOf = (described: Described): readonly string[] =>
  Object.keys(described.help.results ?? {}).filter((name) =>
    described.primitive.operands.some((operand) => operand.name === name && isFlag(described, operand)),
  );

/** @throws {UsageError} unless there is an output for each file of an operand that moves. */
function requireOutputs(described: Described, moved: string, flags: Flags): void {
  const names = [moved, outputOf(described, moved)];
  const [from, to] = names.map(flagOf);
  const [files = [], outputs = []] = names.map((name) => filesOf(name, flags[name]).map(([, path]) => path));
  if (files.length !== outputs.length) {
    throw new UsageError(
      `${commandOf(described)}: it was given ${counted(files.length, `${from} file`)} and ${counted(outputs.length, `${to} file`)}; it takes one ${to} for each ${from}`,
    );
  }
  if ([...files, ...outputs].includes(DASH)) {
    throw new UsageError(`${commandOf(described)}: ${from} and ${to} take files`);
  }
}

/** The files of a flag, with the names of their arrays. Each of a list has its place: `values[0]`, and those of an object have their names: `with.y`. */
function filesOf(
  name: string,
  given: unknown,
  isByName = false,
): readonly (readonly [name: string, path: string])[] {
  if (isByName) {
    const named = new Set<string>();
    return ((given ?? []) as readonly string[]).map((one) => {
      const [, key, path] = /^(\w+)=(.+)$/s.exec(one) ?? [];
      if (key === undefined || path === undefined) {
        throw new UsageError(`${flagOf(name)} is ${quoted(one)}; it takes a name and a file, as y=other.npy`);
      }
      if (named.has(key)) {
        throw new UsageError(`${flagOf(name)} has ${key} twice; it takes each name once`);
      }
      named.add(key);
      return [`${name}.${key}`, path];
    });
  }
  return Array.isArray(given)
    ? given.map((path: string, at) => [`${name}[${at}]`, path])
    : given === undefined
      ? []
      : [[name, given as string]];
}

/** Whether an array is one of a list. */
const isListed = ([name]: readonly [name: string, array: unknown]): boolean => name !== givenAs(name);

/** The files of the operands. `files` are the arguments. */
function pathsOf(described: Described, files: readonly string[], flags: Flags): Paths {
  const left = [...files];
  return Object.fromEntries(
    described.primitive.operands
      .filter(({ inside }) => !inside)
      .flatMap((operand) =>
        filesOf(
          operand.name,
          isFlag(described, operand) ? flags[operand.name] : left.shift(),
          operand.isByName,
        ),
      ),
  );
}

/** A call on what files hold. */
interface FileCall {
  /** By the names of the operands. */
  readonly elements: Readonly<Record<string, Elements>>;
  /** Those that decide the length. */
  readonly input: Elements;
  readonly options: Flags;
  readonly request: Request;
  /** The results that the call gives. */
  readonly results: readonly Result[];
}

/** The form of an argument's file. The flags name the type of some operands; all others hold u32. */
const formOf = ({ isNamed }: Operand, flags: RawOption): RawOption =>
  isNamed ? flags : { ...(flags.raw && { raw: dtypes.u32 }), ...(flags.text && { text: "u32" }) };

/** @throws {UsageError} for operands that have not one element for each of another one. */
function requireEach({ operands }: Primitive<never>, elements: FileCall["elements"]): void {
  const nounOf = (name: string): string =>
    /values$/i.test(name) ? "value" : name.endsWith("s") ? name.slice(0, -1) : "element";
  for (const [name, { path, data }] of Object.entries(elements)) {
    const operand = operands.find((one) => one.name === givenAs(name)) as Operand;
    const paired = pairedWith(operand, operands);
    const of = paired && (elements[paired.name] as Elements);
    if (of && data.length !== of.data.length) {
      const noun = nounOf(givenAs(name));
      throw new UsageError(
        `${path}: it holds ${counted(data.length, noun)}, and ${of.path} holds ${counted(of.data.length, nounOf(paired.name))}; it takes one ${noun} for each`,
      );
    }
  }
}

/** The arrays of a call, by the names of the operands. */
async function readElements(
  described: Described,
  paths: Paths,
  flags: Options,
): Promise<FileCall["elements"]> {
  const elements: Record<string, Elements> = {};
  for (const [name, path] of Object.entries(paths)) {
    const operand = described.primitive.operands.find((one) => one.name === givenAs(name)) as Operand;
    const form = isFlag(described, operand) ? {} : formOf(operand, flags);
    elements[name] = described.help.wholeNumbers?.includes(name)
      ? await wholeNumbersIn(path, name, form)
      : await elementsIn(path, form);
  }
  return elements;
}

/** Reads what a call takes, and checks it before there is an adapter. */
async function readCall(described: Described, paths: Paths, flags: Options): Promise<FileCall> {
  const { primitive, help } = described;
  const elements = await readElements(described, paths, flags);
  const elementsOf = (is: (operand: Operand) => boolean | undefined): Elements =>
    elements[primitive.operands.find(is)?.name ?? ""] as Elements;
  const input = elementsOf(({ range }) => range === "input");
  requireEach(primitive, elements);
  const kind = help.segments?.find((one) => flags[one] !== undefined);
  const from = { ...input, length: input.data.length, caller: commandOf(described) };
  const named = primitive.operands.find(({ isNamed }) => isNamed);
  const options = {
    [named?.isMapped ? "from" : "type"]: elementsOf((one) => one === named).type,
    ...(await optionsOf(described, flags)),
    ...(kind && {
      segments: (await segmentsOf({ [kind]: flags[kind], ends: flags.ends as string }, from)).segments,
    }),
  };
  const each = <T>(of: (one: Elements) => T): Record<string, T> =>
    Object.fromEntries(Object.entries(elements).map(([name, one]) => [name, of(one)]));
  const lists = inLists(Object.entries(each(({ type }) => type)).filter(isListed));
  const request = primitive.request({
    types: each(({ type }) => type),
    lists: lists as Record<string, ElementType[]>,
    lengths: each(({ data }) => data.length),
    arrays: each(({ data }) => data),
    isCounted: false,
    options: options as never,
    // The call itself says what the adapter lacks.
    facts: describedAdapters.nvidia,
  });
  request.requireContents?.();
  return {
    elements,
    input,
    options,
    request,
    results: request.results,
  };
}

/** The arrays and options of a call, by their names. */
async function givenTo(
  { operands }: Primitive<never>,
  { elements, options, request }: FileCall,
  arrayOf: (one: Pick<Elements, "data" | "type">) => Promise<unknown>,
): Promise<Flags> {
  const arrays: [name: string, array: unknown][] = [];
  for (const [name, one] of Object.entries(elements)) {
    arrays.push([name, await arrayOf(one)]);
  }
  const given: Record<string, unknown> = { ...options, ...inLists(arrays) };
  for (const { name, inside } of operands) {
    const data = request.words?.[name];
    if (inside === name && data) {
      given[name] = await arrayOf({ data, type: u32 });
    } else if (inside && data) {
      const others = options[inside] === given[inside] ? {} : (given[inside] as object);
      given[inside] = { ...others, [name]: await arrayOf({ data, type: u32 }) };
      // Calls on the GPU do not see which segment is the longest.
      given.maxSegmentLength = Object(request.options).maxSegmentLength;
    }
  }
  return given;
}

/** Calls the method of `Fold`. It gives the results in their order. */
async function called({ primitive }: Described, call: FileCall, fold: Fold): Promise<readonly unknown[]> {
  // Only an upload takes the types of arrays in a list, which those of f16 need.
  const isOnGpu = Object.entries(call.elements).some(isListed);
  const given = await givenTo(primitive, call, async ({ data, type }) =>
    isOnGpu ? fold.upload(data, { type }) : data,
  );
  const method = fold[primitive.name as keyof Fold] as (...all: readonly unknown[]) => Promise<unknown>;
  const made = await method.apply(fold, argumentsOf(primitive, given));
  const results: unknown[] = call.results.length === 1 ? [made] : Object.values(made as Flags).flat();
  for (const [at, result] of isOnGpu ? results.entries() : []) {
    results[at] = await (result as GpuArray).read();
  }
  return results;
}

/** Where a result goes, and in which form. */
type Place = Pick<Written, "target" | "options"> & { readonly name: string };

/** The files of results. That of `--output` comes last. @throws {UsageError} */
async function placesOf(described: Described, flags: Options): Promise<readonly Place[]> {
  const [first, ...others] = Object.keys(described.help.results ?? {});
  const places: Place[] = [];
  for (const result of others) {
    const flag = outputOf(described, result);
    for (const [name, path] of filesOf(result, flags[flag])) {
      if (path === DASH) {
        throw new UsageError(`${commandOf(described)}: ${flagOf(flag)} takes a file`);
      }
      places.push({ name, target: await openOutput(path, {}, flagOf(flag)) });
    }
  }
  return first === undefined
    ? places
    : [...places, { name: first, target: await openOutput(String(flags.output), flags), options: flags }];
}

/** @throws {UsageError} for a file of a result that the call does not give. */
function requireGiven(described: Described, places: readonly Place[], { results }: FileCall): void {
  // That of `--output` comes last, and has whatever comes first.
  const absent = places.slice(0, -1).find(({ name }) => results.every((one) => one.name !== name));
  if (absent) {
    throw new UsageError(
      `${commandOf(described)}: with these options there are no ${absent.name}; leave ${flagOf(outputOf(described, absent.name))} out`,
    );
  }
}

/** The command of a primitive. `files` are its arguments, in the order of its operands. */
export async function runPrimitive(
  described: Described,
  files: readonly string[],
  flags: Options,
): Promise<void> {
  const { prints } = described.help;
  for (const moved of movedOf(described)) {
    requireOutputs(described, moved, flags);
  }
  const paths = pathsOf(described, files, flags);
  const places = await placesOf(described, flags);
  await inFlags(described, paths, () =>
    inSteps(
      flags,
      async () => {
        const call = await readCall(described, paths, flags);
        requireGiven(described, places, call);
        return call;
      },
      (fold, call) => called(described, call, fold),
      async (made, { elements, input, results }) => {
        // The first result may have the name of what it takes the place of, such as positions that of elements.
        const named = results.map(({ name }) => name);
        const placeOf = (name: string) => Math.max(0, named.indexOf(name));
        const typeOf = (name: string) => results[placeOf(name)]?.type as ScalarType;
        const arrays = places.map(({ name, ...place }) => {
          const { shape, like = "" } = results[placeOf(name)] ?? {};
          const data = made[placeOf(name)] as ScalarArray;
          return {
            ...place,
            type: typeOf(name),
            dtype: elements[like]?.dtype,
            data,
            shape: shape === "input" ? input.shape : shape,
          };
        });
        await writeArrays(arrays);
        const printed = prints?.map((name) => formatValue(made[placeOf(name)] as Scalar, typeOf(name)));
        await (printed && print(`${printed.join(" ")}\n`));
      },
    ),
  );
}
