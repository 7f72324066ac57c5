import { f32 } from "../../src/algebra/floats.ts";
import { testExactResults, testFloatResults } from "../support/results.ts";

testExactResults(f32);
testFloatResults(f32, 2 ** -23, 2 ** -126, [0, 1, 7, 8, 9, 65, 513]);
