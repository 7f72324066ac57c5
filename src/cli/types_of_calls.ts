import { elementTypes } from "../algebra/element_types.ts";
import { narrowTypes } from "../algebra/narrow_types.ts";
import type { ElementType, NarrowName, TypeName } from "../algebra/types.ts";

/** The types that calls take. */
export const typesOfCalls: Readonly<Record<TypeName | NarrowName, ElementType>> = {
  ...elementTypes,
  ...narrowTypes,
};

/** The type that operators combine: of items of 8 and 16 bits, it has 32. */
export const combinedType = (name: TypeName | NarrowName): (typeof elementTypes)[TypeName] =>
  elementTypes[narrowTypes[name as NarrowName]?.wide.name ?? (name as TypeName)];
