import { i64 } from "../../src/algebra/types_64.ts";
import { testExactResults } from "../support/results.ts";

testExactResults(i64);
