import type { Machine } from "../machine/machine.ts";
import { nameOfThread } from "../machine/machine.ts";
import { f16Number, f32Number } from "../numbers/words.ts";
import type { Bound, WordKind } from "./bindings.ts";
import { wordKindsOf } from "./bindings.ts";

/** What a run has left in the buffers that it may write. */
export type Results = readonly Bound[];

/** How far sums of floats may be from each other if they are made in another order: of the greater one, or of 1. */
const TOLERANCES = { f32: 2 ** -10, f16: 2 ** -4 } as const;

function areClose(a: number, b: number, tolerance: number): boolean {
  if (a === b || Number.isNaN(a) || Number.isNaN(b)) {
    return a === b || (Number.isNaN(a) && Number.isNaN(b));
  }
  return Math.abs(a - b) <= tolerance * Math.max(1, Math.abs(a), Math.abs(b));
}

/** Whether two words are the same, but for how floats are rounded. */
function isSame(a: number, b: number, kind: WordKind): boolean {
  switch (kind) {
    case "f32":
      return a === b || areClose(f32Number(a), f32Number(b), TOLERANCES.f32);
    case "f16":
      return (
        a === b ||
        (areClose(f16Number(a & 0xffff), f16Number(b & 0xffff), TOLERANCES.f16) &&
          areClose(f16Number(a >>> 16), f16Number(b >>> 16), TOLERANCES.f16))
      );
    default:
      return a === b;
  }
}

/** The words of two runs that differ: for each binding, in the order of the bindings. */
export type Differing = readonly ReadonlySet<number>[];

export const differing = (results: Results, others: Results): Differing =>
  results.map(({ binding, memory }, at) => {
    const found = new Set<number>();
    const other = others[at]?.memory.words;
    if (binding.isWritten && other !== undefined) {
      const kindOf = wordKindsOf(binding);
      memory.words.forEach((word, index) => {
        if (word !== other[index] && !isSame(word, other[index] as number, kindOf(index))) {
          found.add(index);
        }
      });
    }
    return found;
  });

export const isNone = (words: Differing): boolean => words.every(({ size }) => size === 0);

/** The words of the first that are not among the second. */
export const except = (words: Differing, others: Differing): Differing =>
  words.map((set, at) => new Set([...set].filter((word) => !others[at]?.has(word))));

/** The words of both. */
export const both = (words: Differing, others: Differing): Differing =>
  words.map((set, at) => new Set([...set, ...(others[at] ?? [])]));

function valueText(word: number, kind: WordKind): string {
  switch (kind) {
    case "f32":
      return String(f32Number(word));
    case "f16":
      return `${f16Number(word & 0xffff)} and ${f16Number(word >>> 16)}`;
    default:
      return `0x${(word >>> 0).toString(16).padStart(8, "0")}`;
  }
}

/** A run that is compared. */
export interface Compared {
  readonly results: Results;
  /** It has run nothing since. */
  readonly machine: Machine;
  /** What is told of the run. */
  readonly way: string;
}

/** What a finding says of words that differ in two runs. */
export function differenceFound(
  words: Differing,
  ran: Compared,
  other: Compared,
): { readonly site: number; readonly message: string } {
  const at = words.findIndex(({ size }) => size > 0);
  const { binding, memory } = ran.results[at] as Bound;
  const otherMemory = (other.results[at] as Bound).memory;
  const [first = 0] = words[at] ?? [];
  const kind = wordKindsOf(binding)(first);
  const write = memory.lastWrite(first, ran.machine) ?? otherMemory.lastWrite(first, other.machine);
  const writer = write
    ? `; ${nameOfThread(write.thread)} wrote it at ${ran.machine.nameOfSite(write.site)}`
    : "";
  const value = valueText(memory.words[first] as number, kind);
  const otherValue = valueText(otherMemory.words[first] as number, kind);
  return {
    site: write?.site ?? -1,
    message: `word ${first} of ${binding.name} is ${otherValue} with ${other.way}, and ${value} with ${ran.way}${writer}; ${words[at]?.size} of its ${memory.words.length} words differ`,
  };
}
