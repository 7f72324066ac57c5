import { f16 } from "../../src/algebra/floats.ts";
import { testExactResults, testFloatResults } from "../support/results.ts";

testExactResults(f16);
testFloatResults(f16, 2 ** -10, 2 ** -14, [0, 1, 7, 8, 9, 29, 65]);
