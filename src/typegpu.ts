/**
 * Schemas of TypeGPU's as element types, and its functions as operators. It needs nothing of the package `typegpu`.
 *
 * @module wavefold/typegpu
 */
import type { CustomOperator } from "./algebra/custom_operator.ts";
import { operator } from "./algebra/custom_operator.ts";
import type { FieldType, VectorScalarName } from "./algebra/fields.ts";
import { fixedArray, vec2, vec3, vec4 } from "./algebra/fields.ts";
import { f16, f32 } from "./algebra/floats.ts";
import { i32, u32 } from "./algebra/integers.ts";
import type { StructFields, StructType } from "./algebra/struct.ts";
import { struct } from "./algebra/struct.ts";
import type { ElementType, ScalarType, StructValue, Value } from "./algebra/types.ts";
import { ArgumentError, refuse, refuseOthers, shown } from "./errors.ts";
import { piecesOf } from "./text/pieces.ts";

/** A schema of TypeGPU's, as far as it is read here. */
export interface Schema {
  /** What kind of schema it is, such as `f32`, `vec3f`, `array` or `struct`. */
  readonly type: string;
}

/** A schema that `d.struct` made. */
export interface StructSchema extends Schema {
  /** It tells structs from other schemas. */
  readonly type: "struct";
  /** The schema of each field, in order. */
  readonly propTypes: { readonly [field: string]: Schema };
}

/** What {@link fromSchema} takes beside the schema. */
export interface SchemaOptions<Name extends string> {
  /** The struct's name in WGSL, if it is not the one that TypeGPU knows. It starts with an upper-case letter. */
  readonly name?: Name;
}

/** The scalar types that have schemas, and the letters that vectors of them end with. */
const scalars = { f32, f16, i32, u32 } as const;
const letters = { f: f32, h: f16, i: i32, u: u32 } as const;
const vectors = { 2: vec2, 3: vec3, 4: vec4 } as const;

/** A value of such a schema, as Wavefold has it: vectors and arrays are plain arrays, and structs are objects. */
export type SchemaValue<S> = S extends { readonly type: VectorScalarName }
  ? number
  : S extends { readonly type: `vec2${"f" | "h" | "i" | "u"}` }
    ? readonly [x: number, y: number]
    : S extends { readonly type: `vec3${"f" | "h" | "i" | "u"}` }
      ? readonly [x: number, y: number, z: number]
      : S extends { readonly type: `vec4${"f" | "h" | "i" | "u"}` }
        ? readonly [x: number, y: number, z: number, w: number]
        : S extends { readonly type: "array"; readonly elementType: infer Element }
          ? readonly SchemaValue<Element>[]
          : S extends { readonly type: "struct"; readonly propTypes: infer Fields }
            ? { readonly [Field in keyof Fields]: SchemaValue<Fields[Field]> }
            : never;

/** The element type of a schema. */
export type SchemaType<S, Name extends string = Capitalize<string>> = S extends { readonly type: "struct" }
  ? StructType<Name, Extract<SchemaValue<S>, StructValue>>
  : S extends { readonly type: infer Scalar extends VectorScalarName }
    ? ScalarType<Scalar, number>
    : never;

/** The types that schemas gave: the same schema gives the same type. */
const known = new WeakMap<object, Map<string, StructType>>();

/**
 * The element type of a schema of TypeGPU's: of `d.struct`, or of `d.u32`, `d.i32`, `d.f32` and `d.f16`. So Wavefold scans,
 * reduces, sorts and compacts what lies in a buffer of TypeGPU's. Both lay structs out as WGSL does. A field may be a scalar, a
 * vector of scalars, `d.arrayOf` with a count, or a struct. The same schema gives the same type.
 *
 * The struct has the name that the schema has by `$name`, with an upper-case letter first. A struct in it that has no name gets
 * one of the struct and the field.
 *
 * @param schema - such as `d.struct({ position: d.vec3f, mass: d.f32 }).$name("Particle")`.
 *
 * @throws {ArgumentError} for a schema that is none of these, such as atomics, matrices, `d.bool`, and what `d.align` and
 * `d.size` change; for a struct without a name; and as {@link struct}.
 *
 * @example
 * ```ts
 * import { d } from "typegpu";
 *
 * const Particle = fromSchema(d.struct({ position: d.vec3f, mass: d.f32 }).$name("Particle"));
 * Particle.bytes; // 16
 * Particle.from([{ position: [1, 2, 3], mass: 0.5 }]).get(0).position; // 1 2 3
 * ```
 */
export function fromSchema<const S extends Schema, const Name extends string = Capitalize<string>>(
  schema: S,
  options: SchemaOptions<Name> = {},
): SchemaType<S, Name> {
  if (typeof options !== "object" || options === null) {
    refuse("fromSchema", "options", options === null ? "null" : typeof options, "an object");
  }
  const { name: given, ...others } = options;
  refuseOthers("fromSchema", others, "name");
  const { type } = isSchema(schema) ? schema : { type: "" };
  const scalar = scalarOf(type);
  if (scalar !== undefined) {
    return scalar as SchemaType<S, Name>;
  }
  if (!isStruct(schema)) {
    throw new ArgumentError(
      `fromSchema: the schema is ${named(schema)}; it takes d.struct(…), d.u32, d.i32, d.f32 or d.f16${type === "array" ? ", such as the elementType of this array" : ""}`,
      "schema",
    );
  }
  const name = given ?? nameOf(schema);
  if (name === undefined) {
    throw new ArgumentError(
      'fromSchema: the struct has no name; give it one by $name("Particle"), or by the option name',
      "name",
    );
  }
  return structOf(schema, name, new Map()) as SchemaType<S, Name>;
}

/** A function that `tgpu.fn` made, as far as it is read here. */
export interface SchemaFunction<S extends Schema> {
  /** What it takes and gives. */
  readonly shell: {
    /** The schemas of its arguments. */
    readonly argTypes: readonly Schema[];
    /** The schema of its result. */
    readonly returnType: S;
  };
}

/** What writes a function of TypeGPU's as WGSL, with all that it uses: `tgpu`. */
export interface Resolver {
  /** The WGSL of such functions. */
  resolve(items: never[]): string;
}

/** What {@link fromFunction} takes beside the function. */
export interface FunctionOptions<V> {
  /** The operator's name, if it is not the function's. It becomes part of names in WGSL. */
  readonly name?: string;
  /** The value that changes nothing on either side. */
  readonly identity: NoInfer<V>;
}

/**
 * A function of TypeGPU's as an operator: `tgpu.fn([schema, schema], schema)`, of the earlier and the later value. It must be associative, and need
 * not commute. What it uses comes with it. Its structs have the names that TypeGPU gives them, so give each a name by `$name`, with an
 * upper-case letter first.
 *
 * @throws {ArgumentError} for what is no such function, and as {@link fromSchema} and {@link operator}.
 *
 * @example
 * ```ts
 * import { d, tgpu } from "typegpu";
 *
 * const wider = tgpu.fn([d.f32, d.f32], d.f32)`(a, b) { return max(abs(a), abs(b)); }`.$name("wider");
 * const op = fromFunction(tgpu, wider, { identity: 0 });
 * await fold.reduce(Float32Array.of(3, -7, 5), { op }); // 7
 * ```
 */
export function fromFunction<const S extends Schema>(
  tgpu: Resolver,
  fn: SchemaFunction<S>,
  options: FunctionOptions<SchemaValue<S>>,
): CustomOperator<
  SchemaType<S> extends { readonly name: infer Name extends string } ? Name : string,
  Extract<SchemaValue<S>, Value>
> {
  const caller = "fromFunction";
  if (typeof tgpu?.resolve !== "function") {
    refuse(caller, "tgpu", shown(tgpu), 'TypeGPU itself: import { tgpu } from "typegpu"');
  }
  const { argTypes = [], returnType } = (fn?.shell ?? {}) as Partial<SchemaFunction<S>["shell"]>;
  if (returnType === undefined || argTypes.length !== 2 || argTypes.some((one) => one !== returnType)) {
    throw new ArgumentError(
      `${caller}: the function ${returnType === undefined ? `is ${shown(fn)}` : `takes ${argTypes.map(named).join(", ") || "nothing"}, and returns ${named(returnType)}`}; it takes tgpu.fn([schema, schema], schema), of one schema`,
      "fn",
    );
  }
  if (typeof options !== "object" || options === null) {
    refuse(caller, "options", options === null ? "null" : typeof options, "an object with an identity");
  }
  const { identity, name, ...others } = options;
  refuseOthers(caller, others, "identity, name");
  if (identity === undefined) {
    refuse(caller, "identity", "undefined", "the value that changes nothing on either side");
  }
  const type = fromSchema(returnType) as unknown as ElementType<string, Value>;
  const pieces = piecesOf(tgpu.resolve([fn] as never[]));
  const own = pieces.filter(({ keyword }) => keyword === "fn").at(-1)?.name ?? "";
  const structs = structNames(returnType, new Set());
  return operator({
    name: name ?? own,
    type,
    identity: identity as Value,
    combine: `${own}(earlier, later)`,
    // The type has its structs.
    declarations: pieces
      .filter((piece) => piece.keyword !== "struct" || !structs.has(piece.name))
      .map(({ text }) => text)
      .join("\n"),
  }) as unknown as ReturnType<typeof fromFunction<S>>;
}

/** The names of a schema's structs, its own among them. */
function structNames(schema: Schema, names: Set<string>): ReadonlySet<string> {
  if (isStruct(schema)) {
    names.add(nameOf(schema) ?? "");
    for (const one of Object.values(schema.propTypes)) {
      structNames(one, names);
    }
  }
  const { elementType } = schema as { readonly elementType?: unknown };
  if (isSchema(elementType)) {
    structNames(elementType, names);
  }
  return names;
}

const isSchema = (schema: unknown): schema is Schema =>
  (typeof schema === "object" || typeof schema === "function") &&
  schema !== null &&
  typeof (schema as Partial<Schema>).type === "string";

const isStruct = (schema: unknown): schema is StructSchema =>
  isSchema(schema) &&
  schema.type === "struct" &&
  typeof (schema as Partial<StructSchema>).propTypes === "object";

/** A schema, as messages show it. */
const named = (schema: unknown): string =>
  !isSchema(schema) ? `${shown(schema)}, which is none of TypeGPU's` : `d.${schema.type}`;

const scalarOf = (type: string): ScalarType | undefined =>
  Object.hasOwn(scalars, type) ? scalars[type as keyof typeof scalars] : undefined;

/** The name that TypeGPU shows of a struct, with an upper-case letter first; undefined if it has none. */
const nameOf = (schema: StructSchema): string | undefined =>
  /^struct:([^<].*)$/.exec(String(schema))?.[1]?.replace(/^[a-z]/, (letter) => letter.toUpperCase());

/** The names of structs that have none of their own, within one call: a schema that is there twice is one type. */
type Given = Map<StructSchema, string>;

/** The struct of a schema, by a name. */
function structOf(schema: StructSchema, name: string, given: Given): StructType {
  const types = known.get(schema) ?? new Map<string, StructType>();
  const type =
    types.get(name) ??
    (struct({
      name,
      fields: Object.fromEntries(
        Object.entries(schema.propTypes).map(([field, one]) => [
          field,
          fieldOf(one, `${name}_${field}`, `fromSchema: field ${field} of ${name}`, given),
        ]),
      ) as StructFields,
    }) as StructType);
  known.set(schema, types.set(name, type));
  return type;
}

/** The type of a field. If it is a struct that has no name, it gets this one. */
function fieldOf(schema: unknown, name: string, caller: string, given: Given): FieldType {
  const { type } = isSchema(schema) ? schema : { type: "" };
  const scalar = scalarOf(type);
  if (scalar !== undefined) {
    return scalar;
  }
  const [, count, letter] = /^vec([234])([fhiu])$/.exec(type) ?? [];
  if (count !== undefined) {
    const element: ScalarType<VectorScalarName, number> = letters[letter as keyof typeof letters];
    return vectors[Number(count) as keyof typeof vectors](element);
  }
  if (isStruct(schema)) {
    const own = nameOf(schema) ?? given.get(schema) ?? name;
    given.set(schema, own);
    return structOf(schema, own, given);
  }
  const { elementType, elementCount } = schema as {
    readonly elementType?: unknown;
    readonly elementCount?: unknown;
  };
  if (type === "array" && typeof elementCount === "number" && elementCount > 0) {
    return fixedArray(fieldOf(elementType, name, caller, given), elementCount);
  }
  throw new ArgumentError(
    `${caller}: the schema is ${named(schema)}${type === "array" ? " without a count" : ""}; it takes d.u32, d.i32, d.f32, d.f16, vectors of these, d.arrayOf(schema, count) and d.struct(…)`,
    "schema",
  );
}
