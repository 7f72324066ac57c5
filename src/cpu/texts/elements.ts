import type { FieldType, Leaf, NestedType } from "../../algebra/fields.ts";
import { declarationOf, leavesOf, scalarAt, structsIn } from "../../algebra/fields.ts";
import type { ElementType, Scalar as ScalarValue, TypeName, Value } from "../../algebra/types.ts";
import { isElementType } from "../../algebra/types.ts";
import { noCode } from "./no_code.ts";
import type { Words } from "./values.ts";

// How elements lie in arrays: an element of a scalar type is a number of its array, one of a struct is words of a `Uint32Array`.

const isStruct = (type: ElementType): type is NestedType => type.kind === "struct" && "layout" in type;

/** The scalars of an element, in order. */
export function leavesIn(type: ElementType): readonly Leaf[] {
  if (isStruct(type)) {
    return type.bytes % 4 === 0 ? leavesOf(type) : noCode("a struct of no whole number of words");
  }
  return type.kind === "struct"
    ? noCode("a type of kernels alone")
    : [{ type: type as Leaf["type"], offset: 0, access: "", keys: [] }];
}

/** The name of a type in the caller's text. */
export const textName = (type: FieldType): string =>
  type.kind === "array"
    ? `array<${textName(type.element)}, ${type.count}>`
    : type.kind === "vector"
      ? `vec${type.count}<${type.element.name}>`
      : type.name;

/** The declarations of the structs that an element has, as the caller's text sees them: numbers of 64 bits are numbers. */
export const structTexts = (type: ElementType): readonly string[] =>
  isStruct(type) ? structsIn(type).map((one) => declarationOf(one.name, one.layout.parts, textName)) : [];

/** Tells types apart whose texts differ. */
export const keyOf = (type: ElementType): string => [type.name, ...structTexts(type)].join("\n");

/** The scalars of an array's elements as JavaScript. `array` is the array's name, and `k` the index of an element. */
export interface Access {
  /** The views on the array, which stand before the loop. */
  readonly views: readonly string[];
  /** The statements at the start of a turn. */
  readonly start: readonly string[];
  /** The number of each scalar. */
  readonly reads: Words;
  /** The statements that store the scalars of an element. */
  write(words: Words): readonly string[];
}

/** What a word of an array of halves, words or 64 bits is as a number, and a number as that. */
function scalarAccess(name: string, array: string): Access {
  const element = `${array}[k]`;
  const read = name === "f16" ? `f16Number(${element})` : element;
  return {
    views: [],
    start: [],
    reads: [read],
    write: ([word = ""]) => [`${element} = ${name === "f16" ? `f16Word(${word})` : word};`],
  };
}

const VIEWS = {
  u32: ["Uint32Array", 2],
  i32: ["Int32Array", 2],
  f32: ["Float32Array", 2],
  f16: ["Uint16Array", 1],
} as const;

const METHODS = { u64: "BigUint64", i64: "BigInt64", f64: "Float64" } as const;
type Long = keyof typeof METHODS;
const isLong = (name: TypeName): name is Long => Object.hasOwn(METHODS, name);

/** Numbers of 64 bits may lie at any word, so they are read byte by byte. */
export function accessOf(type: ElementType, array: string): Access {
  if (!isStruct(type)) {
    return scalarAccess(type.name, array);
  }
  const leaves = leavesIn(type);
  const start = `${array}_at`;
  const names = new Set(leaves.map((leaf) => leaf.type.name));
  const viewOf = (name: TypeName): string => `${array}_${isLong(name) ? "bytes" : name}`;
  const placeOf = (name: keyof typeof VIEWS, offset: number): string => {
    const [, shift] = VIEWS[name];
    return `${viewOf(name)}[${shift === 2 ? start : `2 * ${start}`} + ${offset >> shift}]`;
  };
  const padding = paddingOf(type);
  const views = new Set([...names, ...padding.map(({ name }) => name)]);
  return {
    views: [...views].map((name) =>
      isLong(name)
        ? `var ${viewOf(name)} = new DataView(${array}.buffer, ${array}.byteOffset, ${array}.byteLength);`
        : `var ${viewOf(name)} = new ${VIEWS[name][0]}(${array}.buffer, ${array}.byteOffset, ${array}.byteLength >> ${VIEWS[name][1]});`,
    ),
    start: [`var ${start} = k * ${type.bytes / 4};`],
    reads: leaves.map(({ type: { name }, offset }) =>
      isLong(name)
        ? `${viewOf(name)}.get${METHODS[name]}(4 * ${start} + ${offset}, true)`
        : name === "f16"
          ? `f16Number(${placeOf(name, offset)})`
          : placeOf(name, offset),
    ),
    write: (words) => [
      ...leaves.map(({ type: { name }, offset }, at) => {
        const word = words[at] ?? noCode("a value of another size");
        return isLong(name)
          ? `${viewOf(name)}.set${METHODS[name]}(4 * ${start} + ${offset}, ${word}, true);`
          : `${placeOf(name, offset)} = ${name === "f16" ? `f16Word(${word})` : word};`;
      }),
      ...padding.map(({ name, offset }) => `${placeOf(name, offset)} = 0;`),
    ],
  };
}

/** The words and halves of a struct that hold nothing. They are zero. */
function paddingOf(type: NestedType): readonly { readonly name: "u32" | "f16"; readonly offset: number }[] {
  const isUsed = new Array<boolean>(type.bytes).fill(false);
  for (const leaf of leavesOf(type)) {
    isUsed.fill(true, leaf.offset, leaf.offset + leaf.type.bytes);
  }
  const halves = Array.from({ length: type.bytes / 2 }, (_, at) => 2 * at).filter((at) => !isUsed[at]);
  return halves.flatMap((offset): { readonly name: "u32" | "f16"; readonly offset: number }[] => {
    const isWhole = halves.includes(offset - (offset % 4)) && halves.includes(offset - (offset % 4) + 2);
    return !isWhole ? [{ name: "f16", offset }] : offset % 4 === 0 ? [{ name: "u32", offset }] : [];
  });
}

/** The scalars of a value. */
export const scalarsOfValue = (type: ElementType, value: Value): readonly ScalarValue[] =>
  leavesIn(type).map(({ keys }) => scalarAt(value, keys));

/** A value from its scalars. */
export function valueOfScalars(type: ElementType, scalars: readonly ScalarValue[]): Value {
  let next = 0;
  const partFrom = (of: FieldType | ElementType): unknown => {
    if (!("layout" in of)) {
      return scalars[next++];
    }
    const { parts } = (of as NestedType).layout;
    return isElementType(of)
      ? Object.fromEntries(parts.map(({ key, type: part }) => [key, partFrom(part)]))
      : parts.map(({ type: part }) => partFrom(part));
  };
  return partFrom(type) as Value;
}
