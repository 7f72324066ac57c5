import { u32 } from "../../src/types.ts";
import { testExactResults } from "../support/results.ts";

testExactResults(u32);
