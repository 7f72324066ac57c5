import type { Attribute, ModuleDeclaration } from "../../text/syntax.ts";
import type { Constant } from "../../text/typing.ts";
import type { Type } from "../../text/wgsl_types.ts";
import { textOfType } from "../../text/wgsl_types.ts";
import type { Scalar } from "../builtin_texts.ts";

// Values have one word for each scalar. Buffers have the layout of WGSL: https://www.w3.org/TR/WGSL/#memory-layouts

/** A scalar of a value, and the byte at which it lies in a buffer. */
export interface Leaf {
  readonly scalar: Scalar;
  readonly offset: number;
}

/** What a type takes in a buffer, in bytes. */
export interface Extent {
  readonly size: number;
  readonly align: number;
}

interface Member extends Extent {
  readonly offset: number;
}

export type StructType = Extract<Type, { kind: "struct" }>;
type StructDeclaration = Extract<ModuleDeclaration, { kind: "struct" }>;

const roundUp = (value: number, to: number): number => Math.ceil(value / to) * to;

/** The scalar that a word of this type is. @throws {Error} for a type that has several, or none. */
export function scalarOf(type: Type): Scalar {
  if (type.kind === "atomic") {
    return scalarOf(type.of);
  }
  if (type.kind === "scalar") {
    const { name } = type;
    if (name === "bool" || name === "i32" || name === "u32" || name === "f32" || name === "f16") {
      return name;
    }
    // An abstract number that nothing gave a type.
    return name === "abstract int" ? "i32" : "f32";
  }
  throw new Error(`${textOfType(type)} is no scalar`);
}

/** Sizes and places of values, for the structs of a module. */
export class Layout {
  readonly #structs = new Map<string, StructDeclaration>();
  readonly #constant: (attribute: Attribute) => Constant | undefined;
  readonly #words = new Map<Type, number>();
  readonly #leaves = new Map<Type, readonly Leaf[]>();
  readonly #members = new Map<string, ReadonlyMap<string, Member>>();

  /** `constant` is the value of an attribute's argument. */
  constructor(
    declarations: readonly ModuleDeclaration[],
    constant: (attribute: Attribute) => Constant | undefined,
  ) {
    this.#constant = constant;
    for (const declaration of declarations) {
      if (declaration.kind === "struct") {
        this.#structs.set(declaration.name.name, declaration);
      }
    }
  }

  /** The attributes of a struct's members, by their names. */
  attributesOf({ name }: StructType): ReadonlyMap<string, readonly Attribute[]> {
    const members = this.#structs.get(name)?.members ?? [];
    return new Map(members.map((member) => [member.name.name, member.attributes]));
  }

  /** The number of words of a value. */
  wordsOf(type: Type): number {
    let words = this.#words.get(type);
    if (words === undefined) {
      words = this.#countWords(type);
      this.#words.set(type, words);
    }
    return words;
  }

  #countWords(type: Type): number {
    switch (type.kind) {
      case "scalar":
      case "atomic":
      case "pointer":
        return 1;
      case "vector":
        return type.count;
      case "matrix":
        return type.columns * type.rows;
      case "array":
        return (type.count ?? 0) * this.wordsOf(type.of);
      case "struct":
        return [...type.members.values()].reduce((sum, member) => sum + this.wordsOf(member), 0);
      default:
        return 0;
    }
  }

  /** The index of a member's first word in its struct. */
  firstWordOf(type: StructType, member: string): number {
    let words = 0;
    for (const [name, of] of type.members) {
      if (name === member) {
        return words;
      }
      words += this.wordsOf(of);
    }
    throw new Error(`${type.name} has no member ${member}`);
  }

  /** A value's scalars, in the order of its words. */
  leavesOf(type: Type): readonly Leaf[] {
    let leaves = this.#leaves.get(type);
    if (leaves === undefined) {
      leaves = this.#findLeaves(type);
      this.#leaves.set(type, leaves);
    }
    return leaves;
  }

  #findLeaves(type: Type): readonly Leaf[] {
    const inside = (of: Type, offset: number): readonly Leaf[] =>
      this.leavesOf(of).map((leaf) => ({ scalar: leaf.scalar, offset: leaf.offset + offset }));
    switch (type.kind) {
      case "vector":
      case "matrix":
      case "array": {
        const [of, stride, count] = this.#partsOf(type);
        return Array.from({ length: count }, (_, at) => inside(of, at * stride)).flat();
      }
      case "struct":
        return [...type.members].flatMap(([name, of]) => inside(of, this.offsetOf(type, name)));
      case "scalar":
      case "atomic":
        return [{ scalar: scalarOf(type), offset: 0 }];
      default:
        return [];
    }
  }

  #partsOf(type: Extract<Type, { kind: "vector" | "matrix" | "array" }>): readonly [Type, number, number] {
    switch (type.kind) {
      case "vector":
        return [type.of, this.extentOf(type.of).size, type.count];
      case "matrix":
        return [columnOf(type), this.strideOf(type), type.columns];
      default:
        return [type.of, this.strideOf(type), type.count ?? 0];
    }
  }

  /** The bytes from one element of an array, or column of a matrix, to the next. */
  strideOf(type: Type): number {
    if (type.kind === "vector") {
      return this.extentOf(type.of).size;
    }
    const of = type.kind === "array" ? type.of : type.kind === "matrix" ? columnOf(type) : undefined;
    if (of === undefined) {
      throw new Error(`${textOfType(type)} has no elements`);
    }
    const { size, align } = this.extentOf(of);
    return roundUp(size, align);
  }

  /** The size of a type and its alignment in a buffer. An array without a length counts as one element. */
  extentOf(type: Type): Extent {
    switch (type.kind) {
      case "vector": {
        const { size } = this.extentOf(type.of);
        return { size: size * type.count, align: size * (type.count === 2 ? 2 : 4) };
      }
      case "matrix":
        return { size: this.strideOf(type) * type.columns, align: this.extentOf(columnOf(type)).align };
      case "array":
        return { size: this.strideOf(type) * (type.count ?? 1), align: this.extentOf(type.of).align };
      case "struct":
        return this.#structExtent(type);
      default: {
        const size = scalarOf(type) === "f16" ? 2 : 4;
        return { size, align: size };
      }
    }
  }

  #structExtent(type: StructType): Extent {
    const members = [...this.#membersOf(type).values()];
    const align = Math.max(1, ...members.map((member) => member.align));
    const end = members.reduce((most, { offset, size }) => Math.max(most, offset + size), 0);
    return { size: roundUp(end, align), align };
  }

  /** The byte of a struct at which a member starts. */
  offsetOf(type: StructType, member: string): number {
    const found = this.#membersOf(type).get(member);
    if (found === undefined) {
      throw new Error(`${type.name} has no member ${member}`);
    }
    return found.offset;
  }

  #membersOf(type: StructType): ReadonlyMap<string, Member> {
    let members = this.#members.get(type.name);
    if (members === undefined) {
      members = this.#placeMembers(type);
      this.#members.set(type.name, members);
    }
    return members;
  }

  #placeMembers(type: StructType): ReadonlyMap<string, Member> {
    const members = new Map<string, Member>();
    const attributes = this.attributesOf(type);
    let end = 0;
    for (const [name, of] of type.members) {
      const natural = this.extentOf(of);
      const given = (key: string): number | undefined => {
        const attribute = attributes.get(name)?.find((one) => one.name === key);
        return attribute && Number(this.#constant(attribute));
      };
      const align = given("align") ?? natural.align;
      const size = given("size") ?? natural.size;
      const offset = roundUp(end, align);
      members.set(name, { offset, size, align });
      end = offset + size;
    }
    return members;
  }
}

/** The type of a matrix's columns. */
export const columnOf = (type: Extract<Type, { kind: "matrix" }>): Type => ({
  kind: "vector",
  count: type.rows,
  of: type.of,
});

/** The type of the elements of an array, the components of a vector or the columns of a matrix; undefined for others. */
export const elementOf = (type: Type): Type | undefined =>
  type.kind === "matrix"
    ? columnOf(type)
    : type.kind === "array" || type.kind === "vector"
      ? type.of
      : undefined;

/**
 * Whether a value of the type has an array or a matrix in it. Such values lie in memory, since indices choose their elements. Those of
 * vectors are single words, which a comparison of the index chooses as fast.
 */
export const hasArray = (type: Type): boolean =>
  type.kind === "array" ||
  type.kind === "matrix" ||
  (type.kind === "struct" && [...type.members.values()].some(hasArray));
