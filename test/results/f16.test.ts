import { f16 } from "../../src/algebra/floats.ts";
import { edgeLengths } from "../support/lengths.ts";
import { testExactResults, testFloatResults } from "../support/results.ts";

testExactResults(f16);
testFloatResults(
  f16,
  2 ** -10,
  2 ** -14,
  edgeLengths(4, 2).filter((length) => length < 70),
);
