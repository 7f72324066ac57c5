import { u32 } from "../../src/algebra/integers.ts";
import { testExactResults } from "../support/results.ts";

testExactResults(u32);
