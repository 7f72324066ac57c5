import { map as aMap } from "../../primitives/map.ts";
import { formsOf } from "../forms/forms.ts";

// Maps of elements.

export const map = formsOf(aMap);
