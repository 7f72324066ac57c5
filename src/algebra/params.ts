import { ArgumentError, FeatureError, LimitError, refuse } from "../errors.ts";
import { MARK } from "../text/mark.ts";
import { declared } from "../text/module.ts";
import type { SourceText } from "../text/source.ts";
import type { ScalarArray } from "./arrays.ts";
import { describe, problemOfNearest } from "./check_value.ts";
import type { FieldType, FixedArrayType, Leaf, Part, VectorType } from "./fields.ts";
import {
  alignOf,
  leavesOf,
  problemAt,
  readValue,
  requireFieldType,
  roundUp,
  structsIn,
  wgslOf,
  writeValue,
} from "./fields.ts";
import { f32 } from "./floats.ts";
import { requireName, requireOneMeaning, requireUnreserved } from "./require_name.ts";
import type { DeclaredParams } from "./seen_params.ts";
import type { ElementType, FieldValue, Scalar, StructValue, TypeName } from "./types.ts";
import { isElementType } from "./types.ts";

// The params of a call: values that a caller's texts name. Programs that give none load none of this.

/** The type of a param: one that a field may have, or that of an array, such as `array.type`. */
export type ParamType = FieldType | ElementType<TypeName, Scalar> | ElementType<string, StructValue>;

/** The types of values that the texts of a plan name, by their names. */
export type ParamTypes = Readonly<Record<string, ParamType>>;

/** A value of any of these types: a number or a `bigint`, an array of a vector's or an array's values, or an object of a struct's. */
export type ParamValue = FieldValue | ScalarArray;

/** A value for each of the params of a plan, by their names. */
export type ParamValues = Readonly<Record<string, ParamValue>>;

/** Values that the texts of a call name: a number is an f32, and `[type, value]` has another type. */
export type ParamsOfCall = Readonly<
  Record<
    string,
    | number
    | readonly [type: ElementType<"u64" | "i64", bigint>, value: bigint]
    | readonly [type: ElementType<Exclude<TypeName, "u64" | "i64">, number>, value: number]
    | readonly [type: VectorType | FixedArrayType, value: readonly FieldValue[] | ScalarArray]
    | readonly [type: ElementType<string, StructValue>, value: StructValue]
  >
>;

/** The bytes at whose multiples WGSL puts structs and arrays in a uniform. */
const UNIFORM_ALIGN = 16;

/** The parameters that texts have of their own. */
const OWN_NAMES: readonly string[] = ["x", "i", "earlier", "later"];

/** Whether WGSL lays a type out as a struct or an array. */
const isComposite = ({ kind }: FieldType): boolean => kind === "struct" || kind === "array";

/** The options whose texts see params. */
const texts = ["where", "map", "key", "class", "bin"] as const;

/** Checks that a call has a text that sees its params. @throws {ArgumentError} */
function requireText(options: object, caller: string): void {
  const given = options as Readonly<Record<string, unknown>>;
  if (texts.every((name) => given[name] === undefined) && Object(given.segments).key === undefined) {
    throw new ArgumentError(
      `${caller}: params are values for the WGSL of other options, and it was given none; give such an option, or leave them out`,
      "params",
    );
  }
}

/** @throws {ArgumentError} for a name that no text could use. */
function requireParamName(name: string, caller: string): void {
  requireName(name, `${caller}: params`, "params");
  requireUnreserved(name, `${caller}: params`, "params");
  if (OWN_NAMES.includes(name)) {
    throw new ArgumentError(
      `${caller}: params: ${name} is the name of a parameter that texts have; choose another, such as ${name}_`,
      "params",
    );
  }
}

/** What keeps WGSL from having a type in a uniform; undefined if nothing does. */
function uniformProblem(type: FieldType): string | undefined {
  if (type.kind === "array") {
    return type.stride % UNIFORM_ALIGN === 0
      ? uniformProblem(type.element)
      : `the entries of ${type.name} are ${type.stride} bytes apart, and those of a uniform ${UNIFORM_ALIGN} or a multiple of it; take ${UNIFORM_ALIGN} bytes for each, as fixedArray(vec4(f32), …) does`;
  }
  const { parts } = type.kind === "struct" ? type.layout : { parts: [] };
  for (const [at, { type: part, offset, key }] of parts.entries()) {
    const problem = isComposite(part) ? uniformProblem(part) : undefined;
    if (problem !== undefined) {
      return problem;
    }
    const next = parts[at + 1]?.offset ?? Infinity;
    const end = offset + roundUp(part.bytes, UNIFORM_ALIGN);
    if (isComposite(part) && (offset % UNIFORM_ALIGN !== 0 || (part.kind === "struct" && next < end))) {
      return `${type.name}.${key} lies at byte ${offset}, and in a uniform a field of several parts has ${UNIFORM_ALIGN} bytes, or a multiple, for itself; make its fields params of their own`;
    }
  }
  return undefined;
}

/** Where a uniform has each value: as WGSL lays it out, with structs and arrays at multiples of 16 bytes. */
function layOut(
  types: Readonly<Record<string, FieldType>>,
): readonly (Part & { readonly isAligned: boolean })[] {
  let end = 0;
  let isAfterStruct = false;
  return Object.entries(types).map(([key, type]) => {
    const isAligned = isComposite(type) || isAfterStruct;
    const offset = roundUp(end, isAligned ? UNIFORM_ALIGN : alignOf(type));
    end = offset + type.bytes;
    isAfterStruct = type.kind === "struct";
    return { key, type, offset, isAligned };
  });
}

/** The element types that a type is made of. */
const elementsIn = (type: FieldType): readonly ElementType[] =>
  isElementType(type) ? [type] : elementsIn((type as { readonly element: FieldType }).element);

const typeKey = (type: FieldType): string =>
  [wgslOf(type), type.name, ...structsIn(type).flatMap(({ files }) => files.map(({ text }) => text))].join();

/** The uniform that holds the values, in WGSL. The names have the mark, as they have in texts. */
function uniformText(parts: ReturnType<typeof layOut>): SourceText {
  const members = parts.map(
    ({ key, type, isAligned }) =>
      `  ${isAligned ? `@align(${UNIFORM_ALIGN}) ` : ""}${MARK}${key}: ${wgslOf(type)},`,
  );
  return {
    name: "generated params",
    text: `struct Params {\n${members.join("\n")}\n}\n\n@group(0) @binding(20) var<uniform> params: Params;`,
  };
}

/** What params depend on of a device: its features, and the most bytes of a uniform. */
export interface DeviceOfParams {
  readonly features: ReadonlySet<string>;
  readonly mostBytes: number;
}

/** @throws {ArgumentError} for types that are none, and for names that no text could use. */
function declaredAs(given: unknown, caller: string, { features, mostBytes }: DeviceOfParams): DeclaredParams {
  const isObject = typeof given === "object" && given !== null && !Array.isArray(given);
  const types = (isObject ? given : {}) as Readonly<Record<string, FieldType>>;
  const names = Object.keys(types);
  if (names.length === 0) {
    refuse(caller, "params", isObject ? "empty" : describe(given), "an object, such as { limit: f32 }");
  }
  for (const name of names) {
    requireParamName(name, caller);
    requireFieldType(types[name], `${caller}: params: ${name}`, "params");
  }
  const all = Object.values(types);
  for (const [name, type] of Object.entries(types)) {
    const problem = uniformProblem(type);
    if (problem !== undefined) {
      throw new ArgumentError(`${caller}: params: ${name}: ${problem}`, "params");
    }
  }
  const elements = all.flatMap(elementsIn);
  const lacking = elements.find(({ feature }) => feature !== undefined && !features.has(feature));
  if (lacking !== undefined) {
    throw new FeatureError(
      `${caller}: params of ${lacking.name} need the adapter feature "${lacking.feature}"`,
      lacking.feature as string,
    );
  }
  const parts = layOut(types);
  const align = Math.max(...parts.map(({ type, isAligned }) => (isAligned ? UNIFORM_ALIGN : alignOf(type))));
  const last = parts.at(-1) as Part;
  const bytes = roundUp(roundUp(last.offset + last.type.bytes, align), 4);
  if (bytes > mostBytes) {
    throw new LimitError(
      `${caller}: the params have ${bytes} bytes, and the device's limit for a uniform is ${mostBytes}`,
      bytes,
      mostBytes,
      "params",
    );
  }
  return {
    key: names.map((name) => `${name}: ${typeKey(types[name] as FieldType)}`).join("; "),
    names,
    types,
    elements,
    bytes,
    uniform: uniformText(parts),
    lets: names.map((name) => `let ${MARK}${name} = params.${MARK}${name};`).join(" "),
    parameters: names.map((name) => `, ${MARK}${name}: ${wgslOf(types[name] as FieldType)}`).join(""),
    pack: (values, title) => packed(parts, bytes, values, title),
    scalarsOf: (packed) => scalarsIn(parts, packed),
    requireFree: (files, seen) => requireFree(names, files, seen),
  };
}

/** @throws {ArgumentError} if the files of a text's types declare one of its params, or two different structs of one name. */
function requireFree(
  names: readonly string[],
  files: readonly SourceText[],
  types: readonly Pick<ElementType, "files">[],
): void {
  const taken = new Set(
    declared(files).declarations.map(({ name }) => (name.startsWith(MARK) ? name.slice(MARK.length) : name)),
  );
  const name = names.find((one) => taken.has(one));
  if (name !== undefined) {
    throw new ArgumentError(
      `params: the name ${name} is that of a type or a function; choose another`,
      "params",
    );
  }
  requireOneMeaning(
    "params",
    types.flatMap(({ files }) => files),
    "params",
  );
}

/** The scalars of a value, in order, each with its place in the uniform. */
const leavesOfParts = (parts: readonly Part[]): readonly Leaf[] =>
  parts.flatMap(({ type, offset }) =>
    leavesOf(type).map((leaf) => ({ ...leaf, offset: offset + leaf.offset })),
  );

function scalarsIn(parts: readonly Part[], packed: Uint8Array): readonly Scalar[] {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  return leavesOfParts(parts).map(({ type, offset }) => readValue(type, view, offset) as Scalar);
}

/** The values as bytes of the uniform. @throws {ArgumentError} for values that are missing, unknown, or not of their types. */
function packed(parts: readonly Part[], bytes: number, values: unknown, title: string): Uint8Array {
  const names = (): string => parts.map(({ key }) => key).join(", ");
  if (typeof values !== "object" || values === null || Array.isArray(values)) {
    refuse(title, "params", values === undefined ? "undefined" : describe(values), `{ ${names()} }`);
  }
  const given = values as Readonly<Record<string, unknown>>;
  const stranger = Object.keys(given).find((name) => !parts.some(({ key }) => key === name));
  if (stranger !== undefined) {
    throw new ArgumentError(`${title}: params has ${stranger}; it takes { ${names()} }`, "params");
  }
  const result = new Uint8Array(bytes);
  const view = new DataView(result.buffer);
  for (const { key, type, offset } of parts) {
    const value = given[key];
    if (value === undefined) {
      throw new ArgumentError(
        `${title}: params has no ${key}; it takes a value of ${type.name} for it`,
        "params",
      );
    }
    const list = ArrayBuffer.isView(value) ? Array.from(value as Float32Array) : value;
    const problem = problemAt(type, list, "", problemOfNearest);
    if (problem !== undefined) {
      throw new ArgumentError(`${title}: params: ${key}: ${problem}`, "params");
    }
    writeValue(type, view, offset, list);
  }
  return result;
}

/** Options that may have params. */
interface Options {
  readonly params?: unknown;
}

/**
 * The params of a plan: the types of values that each recording gives.
 *
 * @throws {ArgumentError} for types that are none, for names that no text could use, and if there is no text. {@link FeatureError}
 */
export function paramsOfPlan(options: Options, caller: string, device: DeviceOfParams): DeclaredParams {
  const params = declaredAs(options.params, caller, device);
  requireText(options, caller);
  return params;
}

/** The type and the value of one of a call's params. */
function typeAndValue(given: unknown, name: string, caller: string): readonly [FieldType, unknown] {
  if (typeof given === "number") {
    return [f32, given];
  }
  if (!Array.isArray(given) || given.length !== 2 || typeof given[0] !== "object") {
    throw new ArgumentError(
      `${caller}: params: ${name} is ${describe(given)}; it takes a number, which is an f32, or [type, value], such as ${typeof given === "bigint" ? "[i64, 5n]" : "[u32, 5]"}`,
      "params",
    );
  }
  return given as unknown as readonly [FieldType, unknown];
}

/** What {@link paramsOfCall} has made. */
const ofCalls = new WeakSet<object>();

/**
 * The params of a call: their types, and the values as bytes.
 *
 * @throws {ArgumentError} as {@link paramsOfPlan}, and for values that are not of their types. {@link FeatureError}
 */
export function paramsOfCall(options: Options, caller: string, device: DeviceOfParams): DeclaredParams {
  const given: unknown = options.params;
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    refuse(caller, "params", describe(given), "an object, such as { limit: 0.5 }");
  }
  if (ofCalls.has(given)) {
    // One call of ours calls another.
    return given as DeclaredParams;
  }
  const pairs = Object.entries(given).map(
    ([name, one]) => [name, ...typeAndValue(one, name, caller)] as const,
  );
  const types = Object.fromEntries(pairs.map(([name, type]) => [name, type]));
  const params = paramsOfPlan({ ...options, params: types }, caller, device);
  const values = params.pack(Object.fromEntries(pairs.map(([name, , value]) => [name, value])), caller);
  const made = { ...params, values };
  ofCalls.add(made);
  return made;
}
