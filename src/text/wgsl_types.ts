// The types of WGSL's expressions: https://www.w3.org/TR/WGSL/#types. There are three scalars more than WGSL has: u64, i64 and f64.
// What only a compiler needs to know is left to it: a type that is not known here is `unknown`, and no fault.

export type ScalarName =
  | "bool"
  | "u32"
  | "i32"
  | "f32"
  | "f16"
  | LongName
  | "abstract int"
  | "abstract float";

/** The scalars that WGSL lacks. */
export type LongName = "u64" | "i64" | "f64";

export interface ScalarOf<Name extends ScalarName = ScalarName> {
  readonly kind: "scalar";
  readonly name: Name;
}

export type Type =
  | ScalarOf
  | { readonly kind: "vector"; readonly count: number; readonly of: Type }
  | { readonly kind: "matrix"; readonly columns: number; readonly rows: number; readonly of: Type }
  | { readonly kind: "array"; readonly of: Type; readonly count?: number | undefined }
  | { readonly kind: "struct"; readonly name: string; readonly members: ReadonlyMap<string, Type> }
  | { readonly kind: "pointer"; readonly to: Type }
  | { readonly kind: "atomic"; readonly of: Type }
  | { readonly kind: "nothing" | "unknown" };

export const scalar = <Name extends ScalarName>(name: Name): ScalarOf<Name> => ({ kind: "scalar", name });
export const unknown: Type = { kind: "unknown" };
export const nothing: Type = { kind: "nothing" };

/** The type as WGSL writes it. */
export function textOfType(type: Type): string {
  switch (type.kind) {
    case "scalar":
      return type.name;
    case "vector":
      return `vec${type.count}<${textOfType(type.of)}>`;
    case "matrix":
      return `mat${type.columns}x${type.rows}<${textOfType(type.of)}>`;
    case "array":
      return `array<${textOfType(type.of)}${type.count === undefined ? "" : `, ${type.count}`}>`;
    case "struct":
      return type.name;
    case "pointer":
      return `a pointer to ${textOfType(type.to)}`;
    case "atomic":
      return `atomic<${textOfType(type.of)}>`;
    default:
      return type.kind;
  }
}

export const isLong = (type: Type): type is ScalarOf<LongName> =>
  type.kind === "scalar" && (type.name === "u64" || type.name === "i64" || type.name === "f64");

export const isAbstract = (type: Type): type is ScalarOf<"abstract int" | "abstract float"> =>
  type.kind === "scalar" && type.name.startsWith("abstract");

export const isSame = (a: Type, b: Type): boolean => textOfType(a) === textOfType(b);

/** The 32-bit type that an abstract number becomes where nothing says otherwise, and so the type of a vector or an array of them. */
export const concrete = (type: Type): Type =>
  type.kind === "vector" || type.kind === "matrix" || type.kind === "array"
    ? { ...type, of: concrete(type.of) }
    : isAbstract(type)
      ? scalar(type.name === "abstract int" ? "i32" : "f32")
      : type;

/** The types of 32 and 16 bits that a longer type holds exactly. They become it beside it. */
const widened: Readonly<Record<LongName, readonly ScalarName[]>> = {
  u64: ["u32"],
  i64: ["u32", "i32"],
  f64: ["u32", "i32", "f32", "f16"],
};

/** Whether values of the type become values of a longer one without a conversion in the text. */
export const widensTo = (type: Type, to: Type): boolean =>
  isLong(to) &&
  type.kind === "scalar" &&
  (widened[to.name].includes(type.name) ||
    type.name === "abstract int" ||
    (type.name === "abstract float" && to.name === "f64"));

/** The type that two operands have in common; undefined if there is none. */
export function commonType(a: Type, b: Type): Type | undefined {
  if (isSame(a, b) || widensTo(b, a)) {
    return a;
  }
  if (widensTo(a, b)) {
    return b;
  }
  if (a.kind === "vector" && b.kind === "vector" && a.count === b.count) {
    const of = commonType(a.of, b.of);
    return of && { ...a, of };
  }
  if (isAbstract(a) && b.kind === "scalar") {
    return becomes(a, b) ? b : becomes(b, a) ? a : undefined;
  }
  return isAbstract(b) && a.kind === "scalar" ? commonType(b, a) : undefined;
}

/** Whether an abstract number becomes a number of the other type. */
const becomes = (type: ScalarOf, to: ScalarOf): boolean =>
  type.name === "abstract int"
    ? to.name !== "bool"
    : /^(f|abstract float)/.test(to.name) && type.name === "abstract float";
