import { i32 } from "../../src/types_i32.ts";
import { testExactResults } from "../support/results.ts";

testExactResults(i32);
