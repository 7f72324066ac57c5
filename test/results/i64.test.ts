import { i64 } from "../../src/types64.ts";
import { testExactResults } from "../support/results.ts";

testExactResults(i64);
