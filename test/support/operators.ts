import { operator } from "../../src/operators.ts";
import { u32 } from "../../src/types.ts";

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
