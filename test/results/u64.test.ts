import { u64 } from "../../src/types64.ts";
import { testExactResults } from "../support/results.ts";

testExactResults(u64);
