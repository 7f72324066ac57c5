import { testFunctions } from "./functions.ts";
import { f32 } from "./rationals.ts";

testFunctions(f32);
