import { f32 } from "../../src/algebra/floats.ts";
import { edgeLengths } from "../support/lengths.ts";
import { testExactResults, testFloatResults } from "../support/results.ts";

testExactResults(f32);
testFloatResults(f32, 2 ** -23, 2 ** -126, edgeLengths(4, 2));
