import { i32 } from "../../src/algebra/integers.ts";
import { testExactResults } from "../support/results.ts";

testExactResults(i32);
