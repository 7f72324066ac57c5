import type { Type } from "../../text/wgsl_types.ts";
import { textOfType } from "../../text/wgsl_types.ts";
import type { Scalar } from "../builtin_texts.ts";
import type { Layout } from "../compile/layout.ts";
import type { GlobalVariable } from "../compile/module.ts";
import { Memory, StorageRange } from "../machine/memory.ts";
import type { BufferScalar, BufferShape } from "./scalars.ts";
import { shapeOf } from "./scalars.ts";

/** A binding that a kernel declares. */
export interface DeclaredBinding {
  readonly name: string;
  readonly group: number;
  readonly binding: number;
  readonly type: Type;
  readonly isWritten: boolean;
  readonly shape: BufferShape;
}

/** A binding of a kernel, and what is in its buffer before a run. */
export interface Binding extends DeclaredBinding {
  readonly bytes: Uint8Array;
  /** What that is, in words. */
  readonly contents: string;
}

/** Its type, as WGSL writes it. */
export const typeTextOf = ({ type }: DeclaredBinding): string => textOfType(type);

/** The elements of a binding's array without a length. */
export const elementsOf = ({
  bytes,
  shape: { fixedBytes, stride },
}: Pick<Binding, "bytes" | "shape">): number =>
  stride === 0 ? 0 : Math.floor((bytes.length - fixedBytes) / stride);

/** The type of all scalars of a binding; undefined if they differ. */
export function onlyScalarOf({ shape: { fixed, element } }: DeclaredBinding): Scalar | undefined {
  const [first, ...others] = new Set([...fixed, ...element].map(({ scalar }) => scalar));
  return others.length === 0 ? first : undefined;
}

const roundUp = (bytes: number, to: number): number => Math.ceil(bytes / to) * to;

/** The bytes of a buffer of a shape, with so many elements. */
export const bytesOf = ({ fixedBytes, stride }: BufferShape, elements: number): number =>
  roundUp(fixedBytes + stride * elements, 4);

/** The bindings among the variables that an entry point reaches, by group and binding. */
export const declaredBindings = (
  globals: ReadonlyMap<string, GlobalVariable>,
  layout: Layout,
): readonly DeclaredBinding[] =>
  [...globals]
    .filter(([, { space }]) => space === "storage" || space === "uniform")
    .map(([name, { group, binding, type, isWritten }]) => {
      const shape = shapeOf(layout, name, type);
      return { name, group, binding, type, isWritten, shape };
    })
    .sort((a, b) => a.group - b.group || a.binding - b.binding);

/** A binding's buffer in a run. */
export interface Bound {
  readonly binding: Binding;
  readonly memory: Memory;
}

/** New buffers for a run, and their ranges by "group,binding". */
export function bind(bindings: readonly Binding[]): {
  readonly bound: readonly Bound[];
  readonly ranges: ReadonlyMap<string, StorageRange>;
} {
  const bound = bindings.map((binding) => {
    const memory = new Memory(roundUp(binding.bytes.length, 4), "", false);
    memory.bytes.set(binding.bytes);
    return { binding, memory };
  });
  const ranges = bound.map(({ binding: { group, binding, isWritten }, memory }) => {
    const range = new StorageRange(memory, 0, memory.bytes.length, isWritten);
    return [`${group},${binding}`, range] as const;
  });
  return { bound, ranges: new Map(ranges) };
}

/** What each word of a buffer is: a whole number, a float, or two f16. */
export type WordKind = "integer" | "f32" | "f16";

/** The kind of a buffer's word: that of the scalar which begins in it. */
export function wordKindsOf({ shape, bytes }: Binding): (word: number) => WordKind {
  const kindsOf = (scalars: readonly BufferScalar[]): ReadonlyMap<number, WordKind> =>
    new Map(
      scalars.map(({ offset, scalar }) => [
        offset >> 2,
        scalar === "f32" || scalar === "f16" ? scalar : "integer",
      ]),
    );
  const fixed = kindsOf(shape.fixed);
  const { fixedBytes, stride, element } = shape;
  // Of elements of two bytes, a word has two.
  const step = Math.max(stride, 4);
  const elements = kindsOf(element);
  return (word) => {
    const at = word * 4 - fixedBytes;
    return (
      (stride > 0 && at >= 0 && word * 4 < bytes.length ? elements.get((at % step) >> 2) : fixed.get(word)) ??
      "integer"
    );
  };
}
