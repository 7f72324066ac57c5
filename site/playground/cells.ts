import type { Scalar } from "../../src/simulator/builtin_texts.ts";
import type { Layout } from "../../src/simulator/compile/layout.ts";
import { scalarOf } from "../../src/simulator/compile/layout.ts";
import type { Type } from "../../src/text/wgsl_types.ts";

/** A scalar of a variable. */
export interface Cell {
  /** Its place in the variable, such as `3` or `[3].x`. */
  readonly label: string;
  readonly scalar: Scalar;
  /** The byte at which it starts. In work-group memory, each scalar has four. */
  readonly offset: number;
}

/** Lists the scalars of a variable. `count` is the number of elements of an array without a length. */
type Add = (label: string, type: Type, offset: number) => void;

/** The scalars of a variable in a buffer, in the order of memory. */
export function cellsOf(layout: Layout, type: Type, count: number): readonly Cell[] {
  const cells: Cell[] = [];
  const add: Add = (label, of, offset) => {
    switch (of.kind) {
      case "struct":
        for (const [name, member] of of.members) {
          add(`${label}.${name}`, member, offset + layout.offsetOf(of, name));
        }
        break;
      case "array":
      case "vector":
      case "matrix": {
        const elements =
          of.kind === "array" ? (of.count ?? count) : of.kind === "vector" ? of.count : of.columns;
        const element: Type = of.kind === "matrix" ? { kind: "vector", count: of.rows, of: of.of } : of.of;
        for (let at = 0; at < elements; at++) {
          const name = of.kind === "vector" ? `.${"xyzw"[at]}` : `[${at}]`;
          add(label + name, element, offset + at * layout.strideOf(of));
        }
        break;
      }
      case "scalar":
      case "atomic":
        cells.push({ label: shortened(label), scalar: scalarOf(of), offset });
        break;
      default:
        break;
    }
  };
  add("", type, 0);
  return cells;
}

/** The scalars of a variable in work-group memory, where each has a word. */
export const wordCellsOf = (layout: Layout, type: Type): readonly Cell[] =>
  cellsOf(layout, type, 0).map((cell, at) => ({ ...cell, offset: 4 * at }));

/** The index alone of an element of an array, and no dot in front of a member. */
const shortened = (label: string): string => label.replace(/^\[(\d+)\]$/, "$1").replace(/^\./, "");

/** How many numbers an element of an array without a length has, and how many stand before it; undefined if a type has no such array. */
export function openArrayOf(
  layout: Layout,
  type: Type,
): { readonly before: number; readonly each: number } | undefined {
  const before = cellsOf(layout, type, 0).length;
  const each = cellsOf(layout, type, 1).length - before;
  return each > 0 ? { before, each } : undefined;
}
