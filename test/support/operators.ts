import { operator } from "../../src/algebra/custom_operator.ts";
import { i32, u32 } from "../../src/algebra/integers.ts";
import { struct } from "../../src/algebra/struct.ts";
import { i64, u64 } from "../../src/algebra/types_64.ts";

/** x -> a·x + b modulo 2^16, as a << 16 | b: the earlier map is applied first. It does not commute. */
export const affine = operator({
  name: "affine",
  type: u32,
  identity: 0x10000,
  declarations: [
    "// Applies the earlier map, then the later one.",
    "fn affine_then(earlier: u32, later: u32) -> u32 {",
    "  let a = (earlier >> 16u) * (later >> 16u);",
    "  let b = (later >> 16u) * (earlier & 0xffffu) + later;",
    "  return (a << 16u) | (b & 0xffffu);",
    "}",
  ].join("\n"),
  combine: "affine_then(earlier, later)",
  reference: (earlier, later) => {
    const a = Math.imul(earlier >>> 16, later >>> 16) & 0xffff;
    const b = (Math.imul(later >>> 16, earlier & 0xffff) + (later & 0xffff)) & 0xffff;
    return ((a << 16) | b) >>> 0;
  },
});

/** The first item that is not the sentinel, in statements. */
export const first = operator({
  name: "first",
  type: u32,
  identity: 0xffffffff,
  combine: "if (earlier == 0xffffffffu) {\n  return later;\n}\nreturn earlier;",
  reference: (earlier, later) => (earlier === 0xffffffff ? later : earlier),
});

/** The last item that is not the sentinel. */
export const last = operator({
  name: "last",
  type: u32,
  identity: 0xffffffff,
  combine: "select(later, earlier, later == 0xffffffffu)",
  reference: (earlier, later) => (later === 0xffffffff ? earlier : later),
});

/** A run: its first and its last item, how many there are, and their sum. */
export const span = struct({ name: "Span", fields: { sum: i64, first: i32, last: i32, count: u32 } });

/** Runs joined end to end. It does not commute, and 24 bytes of it are 20 and padding. */
export const chain = operator({
  name: "chain",
  type: span,
  identity: { sum: 0n, first: 0, last: 0, count: 0 },
  combine: [
    "if (earlier.count == 0u) { return later; }",
    "if (later.count == 0u) { return earlier; }",
    "return Span(add_u64(earlier.sum, later.sum), earlier.first, later.last, earlier.count + later.count);",
  ].join("\n"),
  reference: (earlier, later) =>
    earlier.count === 0
      ? later
      : later.count === 0
        ? earlier
        : {
            sum: BigInt.asIntN(64, earlier.sum + later.sum),
            first: earlier.first,
            last: later.last,
            count: (earlier.count + later.count) >>> 0,
          },
});

/** A struct whose fields are of two sizes. */
export const pair = struct({ name: "Pair", fields: { key: u32, value: u64 } });

/** The pair of the greatest key; of equal ones the last. */
export const greatest = operator({
  name: "greatest",
  type: pair,
  identity: { key: 0, value: 0n },
  combine: "if (later.key >= earlier.key) { return later; } return earlier;",
  reference: (earlier, later) => (later.key >= earlier.key ? later : earlier),
});
