import type { AnyArray } from "./arrays.ts";
import type { StructType } from "./struct.ts";
import type { ElementType, Float16ArrayLike, TypeName } from "./types.ts";

/** The type that options name for an array's elements. Where there is a map, `type` does so only where nothing else can. */
export function namedType(
  data: unknown,
  { from, type, map }: { readonly from?: ElementType; readonly type?: ElementType; readonly map?: unknown },
): ElementType | undefined {
  const isOwn = map === undefined || (type?.name === "f16" && data instanceof Uint16Array);
  return from ?? (isOwn ? type : undefined);
}

/** An array of a type over bytes: f16 as its bits, where the runtime has no `Float16Array`. */
export function arrayOver(type: ElementType, bytes: ArrayBuffer): AnyArray {
  if (type.kind === "struct") {
    return (type as StructType).over(bytes);
  }
  const name = type.name as TypeName;
  switch (name) {
    case "u32":
      return new Uint32Array(bytes);
    case "i32":
      return new Int32Array(bytes);
    case "f32":
      return new Float32Array(bytes);
    case "f16": {
      const { Float16Array = Uint16Array } = globalThis as {
        readonly Float16Array?: new (bytes: ArrayBuffer) => Float16ArrayLike | Uint16Array;
      };
      return new Float16Array(bytes);
    }
    case "u64":
      return new BigUint64Array(bytes);
    case "i64":
      return new BigInt64Array(bytes);
    case "f64":
      return new Float64Array(bytes);
    default:
      return name satisfies never;
  }
}
