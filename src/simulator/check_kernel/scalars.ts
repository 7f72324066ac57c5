import type { Type } from "../../text/wgsl_types.ts";
import type { Scalar } from "../builtin_texts.ts";
import type { Layout } from "../compile/layout.ts";
import { columnOf, scalarOf } from "../compile/layout.ts";

/** A scalar of a buffer's type. */
export interface BufferScalar {
  /** Such as `params.size.x`. All elements of an array have one path. */
  readonly path: string;
  readonly scalar: Scalar;
  /** Bytes from the start of the type. */
  readonly offset: number;
  readonly isAtomic: boolean;
  readonly isInArray: boolean;
  /** Of a component of a vector: how many there are; 1 for others. */
  readonly components: number;
}

/** A type of a buffer as the scalars that it has once, and those that it has for each element of an array without a length. */
export interface BufferShape {
  readonly fixed: readonly BufferScalar[];
  /** The bytes before the elements; of a type that has none, all. */
  readonly fixedBytes: number;
  /** Of one element, whose offsets count from its start. */
  readonly element: readonly BufferScalar[];
  /** Bytes from one element to the next; 0 if there are none. */
  readonly stride: number;
}

type Place = Pick<BufferScalar, "path" | "offset" | "isInArray">;

/** The scalars of a type, in the order of their places. */
function scalarsOf(layout: Layout, type: Type, place: Place): readonly BufferScalar[] {
  const { path, offset } = place;
  switch (type.kind) {
    case "vector": {
      const { size } = layout.extentOf(type.of);
      return Array.from({ length: type.count }, (_, at) => ({
        ...place,
        path: `${path}.${"xyzw"[at]}`,
        scalar: scalarOf(type.of),
        offset: offset + at * size,
        isAtomic: false,
        components: type.count,
      }));
    }
    case "matrix": {
      const stride = layout.strideOf(type);
      return Array.from({ length: type.columns }, (_, at) =>
        scalarsOf(layout, columnOf(type), { path, offset: offset + at * stride, isInArray: true }),
      ).flat();
    }
    case "array": {
      const stride = layout.strideOf(type);
      return Array.from({ length: type.count ?? 0 }, (_, at) =>
        scalarsOf(layout, type.of, { path, offset: offset + at * stride, isInArray: true }),
      ).flat();
    }
    case "struct":
      return [...type.members].flatMap(([name, member]) =>
        scalarsOf(layout, member, {
          ...place,
          path: `${path}.${name}`,
          offset: offset + layout.offsetOf(type, name),
        }),
      );
    default:
      return [{ ...place, scalar: scalarOf(type), isAtomic: type.kind === "atomic", components: 1 }];
  }
}

/** The shape of a buffer for a variable of this name and type. */
export function shapeOf(layout: Layout, name: string, type: Type): BufferShape {
  const place = { path: name, offset: 0, isInArray: false };
  const fixed = scalarsOf(layout, type, place);
  const [member, last] = type.kind === "struct" ? ([...type.members].at(-1) ?? []) : ["", type];
  if (last?.kind !== "array" || last.count !== undefined) {
    return { fixed, fixedBytes: layout.extentOf(type).size, element: [], stride: 0 };
  }
  const path = type.kind === "struct" ? `${name}.${member}` : name;
  return {
    fixed,
    fixedBytes: type.kind === "struct" ? layout.offsetOf(type, member ?? "") : 0,
    element: scalarsOf(layout, last.of, { path, offset: 0, isInArray: true }),
    stride: layout.strideOf(last),
  };
}
