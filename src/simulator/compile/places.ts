import type { Type } from "../../text/wgsl_types.ts";

// Where a value lies that a text reads or writes: in variables of JavaScript, or in memory.

/** A variable of a function. It has one variable of JavaScript for each word, or lies in memory of the function. */
export interface Local {
  readonly id: number;
  readonly type: Type;
  /** Whether it lies in memory: its elements are chosen by indices, or a pointer leads to it. */
  readonly inMemory: boolean;
  /** Of a pointer: what it points to. Its own word is added to the place's index. */
  readonly target?: MemoryPlace;
}

/** Words of local variables. Of a vector, `component` may choose one by an index: the text of a word. */
export interface RegisterPlace {
  readonly kind: "register";
  readonly local: Local;
  readonly first: number;
  readonly type: Type;
  readonly component?: string;
}

/** An index into memory, as a sum: `scale` times a text, and a number. Its unit is a word; in buffers it is a byte. */
export interface Index {
  readonly terms: readonly { readonly text: string; readonly scale: number }[];
  readonly constant: number;
}

export interface MemoryPlace {
  readonly kind: "memory";
  readonly space: "function" | "private" | "workgroup" | "buffer";
  /** The name of the memory in the program's text. */
  readonly memory: string;
  readonly index: Index;
  readonly type: Type;
  /** In watched programs, the text of whether all indices that lead there lie inside. Undefined if they do for sure. */
  readonly isInside?: string | undefined;
}

export type Place = RegisterPlace | MemoryPlace;

export const at = (constant: number): Index => ({ terms: [], constant });

export const plus = (index: Index, constant: number): Index => ({
  ...index,
  constant: index.constant + constant,
});

export const plusTerm = (index: Index, text: string, scale: number): Index =>
  /^\d+$/.test(text)
    ? plus(index, Number(text) * scale)
    : { ...index, terms: [...index.terms, { text, scale }] };

/** The text of an index in units of so many of its own. */
export function textOfIndex({ terms, constant }: Index, unit = 1): string {
  const texts = terms.map(({ text, scale }) =>
    scale % unit === 0
      ? scale === unit
        ? text
        : `${text} * ${scale / unit}`
      : `(${text} * ${scale}) / ${unit}`,
  );
  return (constant === 0 && texts.length > 0 ? texts : [...texts, String(constant / unit)]).join(" + ");
}
