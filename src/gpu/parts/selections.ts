import { nth as anNth } from "../../primitives/nth.ts";
import { topK as aTopK } from "../../primitives/top_k.ts";
import { formsOf } from "../forms/forms.ts";

// Selections of the first elements in an order, and of one element.

export const topK = formsOf(aTopK);
export const nth = formsOf(anNth);
