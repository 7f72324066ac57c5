import { argSort, sort } from "../../primitives/sort.ts";
import { formsOf } from "../forms/forms.ts";

// Sorts.

export const forms = formsOf([sort, argSort]);
