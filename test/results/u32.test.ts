import { u32 } from "../../src/algebra/types.ts";
import { testExactResults } from "../support/results.ts";

testExactResults(u32);
