import {
  difference as aDifference,
  merge as aMerge,
  intersection as anIntersection,
  union as aUnion,
} from "../../primitives/merge.ts";
import { formsOf } from "../forms/forms.ts";

// Merges of sorted arrays, and sets.

export const merge = formsOf(aMerge);
export const union = formsOf(aUnion);
export const intersection = formsOf(anIntersection);
export const difference = formsOf(aDifference);
