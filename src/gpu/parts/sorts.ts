import { argSort as anArgSort, sort as aSort } from "../../primitives/sort.ts";
import { formsOf } from "../forms/forms.ts";

// Sorts.

export const sort = formsOf(aSort);
export const argSort = formsOf(anArgSort);
