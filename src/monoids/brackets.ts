import { u32 } from "../algebra/integers.ts";
import type { StructOperator } from "./scalar.ts";
import { structOperator } from "./scalar.ts";

/** What a run of brackets leaves unmatched: the number that close, then the number that open. */
export type BracketsValue = {
  /** Closing brackets without an opening one. */
  readonly close: number;
  /** Opening brackets without a closing one. */
  readonly open: number;
};

/** What {@link brackets} returns. */
export type Brackets = StructOperator<"Brackets", BracketsValue>;

let known: Brackets | undefined;

/**
 * Bracket matching, the bicyclic monoid: `(` is `{ close: 0, open: 1 }`, `)` is
 * `{ close: 1, open: 0 }`, all else is the identity, and a text whose total is the identity is
 * balanced. An inclusive prefix's `open` is the depth at its place; a `close` that is not 0 tells of
 * a bracket that nothing opened. It does not commute, and is exact up to 2³² − 1 brackets.
 *
 * @example
 * ```ts
 * const matching = brackets();
 * const items = matching.type.from(
 *   Array.from("(()())", (bracket) => (bracket === "(" ? { close: 0, open: 1 } : { close: 1, open: 0 })),
 * );
 * Array.from(await fold.scan(items, { op: matching }), (prefix) => prefix.open); // [1, 2, 1, 2, 1, 0]
 * await fold.reduce(items, { op: matching }); // { close: 0, open: 0 }
 * ```
 */
export function brackets(): Brackets {
  known ??= structOperator<"Brackets", BracketsValue>({
    name: "brackets",
    struct: "Brackets",
    fields: { close: u32, open: u32 },
    identity: { close: 0, open: 0 },
    combine: [
      "let matched = min(earlier.open, later.close);",
      "return Brackets(earlier.close + (later.close - matched), (earlier.open - matched) + later.open);",
    ].join("\n"),
    reference(earlier, later) {
      const matched = Math.min(earlier.open, later.close);
      return {
        close: (earlier.close + later.close - matched) >>> 0,
        open: (earlier.open - matched + later.open) >>> 0,
      };
    },
  });
  return known;
}
