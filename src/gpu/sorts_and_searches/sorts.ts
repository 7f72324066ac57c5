import { nth as anNth } from "../../primitives/nth.ts";
import { argSort as anArgSort, sort as aSort } from "../../primitives/sort.ts";
import { topK as aTopK } from "../../primitives/top_k.ts";
import { formsOf } from "../forms/forms.ts";

// Sorts, and selections of the first elements in an order.

export const sort = formsOf(aSort);
export const argSort = formsOf(anArgSort);
export const topK = formsOf(aTopK);
export const nth = formsOf(anNth);
