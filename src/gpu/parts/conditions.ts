import {
  count as aCount,
  findFirst as aFirst,
  findLast as aLast,
  all as anAll,
  any as anAny,
} from "../../primitives/find.ts";
import { formsOf } from "../forms/forms.ts";

// Questions about a condition: how many elements it holds for, whether it holds for any or for all, and which is the first or the last one.

export const all = formsOf(anAll);
export const any = formsOf(anAny);
export const count = formsOf(aCount);
export const findFirst = formsOf(aFirst);
export const findLast = formsOf(aLast);
