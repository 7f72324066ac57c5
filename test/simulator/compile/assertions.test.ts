import { describe, expect, test } from "vitest";
import { TextFault } from "../../../src/text/syntax.ts";
import { runProgram } from "../run_program.ts";

const conditions = {
  true: [
    "true",
    "WIDTH == 6u",
    "WIDTH * 2u >= 12",
    "!(WIDTH < 6u)",
    "WIDTH > 100u || countOneBits(WIDTH) == 2u",
    "array(WIDTH,2,1)[0]*array(WIDTH,2,1)[1]*array(WIDTH,2,1)[2] == 12",
    "WIDTH <= 6 && true",
  ],
  false: [
    "false",
    "WIDTH != 6u",
    "WIDTH * 2u > 12",
    "!(WIDTH <= 6u)",
    "WIDTH > 100u || countOneBits(WIDTH) == 1u",
    "array(WIDTH,2,1)[0]*array(WIDTH,2,1)[1]*array(WIDTH,2,1)[2] == 6",
    "WIDTH <= 6 && false",
  ],
};

const atModule = (condition: string): string =>
  `const WIDTH = 6u;\nconst_assert ${condition};\n@compute @workgroup_size(1) fn main() {}`;
const inFunction = (condition: string): string =>
  `const WIDTH = 6u;\n@compute @workgroup_size(1) fn main() { const_assert ${condition}; }`;

describe.each([
  ["at module scope", atModule],
  ["in a function", inFunction],
])("const_assert %s", (_, text) => {
  test.each(conditions.true)("%s compiles", (condition) => {
    expect(runProgram(text(condition), []).findings).toEqual([]);
  });
  test.each(conditions.false)("%s is refused", (condition) => {
    expect(() => runProgram(text(condition), [])).toThrow(TextFault);
  });
});
