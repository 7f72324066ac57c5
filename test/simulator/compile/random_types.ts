// The types of random programs, and what their values are made of.

export type ScalarName = "bool" | "i32" | "u32" | "f32";

export interface ScalarType {
  readonly kind: "scalar";
  readonly name: ScalarName;
}

export interface VectorType {
  readonly kind: "vector";
  readonly count: number;
  readonly of: ScalarType;
}

export interface ArrayType {
  readonly kind: "array";
  readonly count: number;
  readonly of: Type;
}

export interface StructType {
  readonly kind: "struct";
  readonly name: string;
  readonly members: readonly (readonly [name: string, type: Type])[];
}

export type Type = ScalarType | VectorType | ArrayType | StructType;

/** Random choices, all from one source of bits. */
export class Choices {
  readonly #next: () => number;

  constructor(next: () => number) {
    this.#next = next;
  }

  /** A whole number from 0 on, less than `count`. */
  below(count: number): number {
    return this.#next() % count;
  }

  /** Whether something happens that happens so many times in a hundred. */
  percent(chance: number): boolean {
    return this.below(100) < chance;
  }

  of<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }
}

export const scalar = (name: ScalarName): ScalarType => ({ kind: "scalar", name });
export const vector = (count: number, name: ScalarName): VectorType => ({
  kind: "vector",
  count,
  of: scalar(name),
});

export const u32 = scalar("u32");
export const bool = scalar("bool");

/** A type as WGSL writes it. */
export function textOf(type: Type): string {
  switch (type.kind) {
    case "scalar":
    case "struct":
      return type.name;
    case "vector":
      return `vec${type.count}<${type.of.name}>`;
    default:
      return `array<${textOf(type.of)}, ${type.count}>`;
  }
}

export const isSame = (a: Type, b: Type): boolean => textOf(a) === textOf(b);

/** A random type, of so many levels at most. */
export function randomType(choices: Choices, structs: readonly StructType[], levels = 2): Type {
  const kind = choices.below(levels > 0 ? 10 : 6);
  const name = choices.of(["u32", "i32", "f32", "bool", "u32", "i32"] as const);
  if (kind < 4) {
    return scalar(name);
  }
  if (kind < 6) {
    return vector(2 + choices.below(3), name);
  }
  return kind < 8 && structs.length > 0
    ? choices.of(structs)
    : { kind: "array", count: 1 + choices.below(4), of: randomType(choices, structs, levels - 1) };
}

export function randomStruct(choices: Choices, name: string, before: readonly StructType[]): StructType {
  const members = Array.from({ length: 1 + choices.below(4) }, (_, index) => {
    return [`m${index}`, randomType(choices, before, 1)] as const;
  });
  return { kind: "struct", name, members };
}

/** The texts of a value's scalars. */
export function scalarsOf(text: string, type: Type): readonly (readonly [text: string, name: ScalarName])[] {
  switch (type.kind) {
    case "scalar":
      return [[text, type.name]];
    case "vector":
      return Array.from({ length: type.count }, (_, at) => [`${text}.${"xyzw"[at]}`, type.of.name]);
    case "array":
      return Array.from({ length: type.count }, (_, at) => scalarsOf(`${text}[${at}]`, type.of)).flat();
    default:
      return type.members.flatMap(([name, of]) => scalarsOf(`${text}.${name}`, of));
  }
}
