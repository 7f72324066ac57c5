import { i32 } from "../../src/algebra/i32.ts";
import { testExactResults } from "../support/results.ts";

testExactResults(i32);
