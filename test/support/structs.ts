import type { FieldType } from "../../src/algebra/fields.ts";
import { fixedArray, leavesOf, vec2, vec3, vec4 } from "../../src/algebra/fields.ts";
import { f16, f32 } from "../../src/algebra/floats.ts";
import { i32, u32 } from "../../src/algebra/integers.ts";
import type { StructFields, StructType } from "../../src/algebra/struct.ts";
import { struct } from "../../src/algebra/struct.ts";
import { f64, i64, u64 } from "../../src/algebra/types_64.ts";
import { ArgumentError } from "../../src/errors.ts";

const narrow = [u32, i32, f32, f16] as const;
const scalars: readonly FieldType[] = [...narrow, u64, i64, f64];
const vectors = [vec2, vec3, vec4] as const;

/** A struct of up to 64 bytes whose fields are scalars, vectors, arrays and structs, nested up to three levels deep. */
export function randomStruct(name: string, next: () => number): StructType {
  const one = <T>(from: readonly T[]): T => from[next() % from.length] as T;
  let made = 0;
  const fieldType = (depth: number): FieldType => {
    switch (depth === 0 ? next() % 3 : next() % 5) {
      case 0:
        return one(scalars);
      case 1:
      case 2:
        return one(vectors)(one(narrow));
      case 3:
        return fixedArray(fieldType(depth - 1), 1 + (next() % 4));
      default:
        made += 1;
        return structAs(`${name}${"abcdefghijklmnopqrstuvwxyz"[made % 26]}${made}`, depth - 1);
    }
  };
  const structAs = (own: string, depth: number): StructType => {
    const fields: Record<string, FieldType> = {};
    const count = 1 + (next() % 5);
    for (let at = 0; at < count; at++) {
      fields[`field_${at}`] = fieldType(depth);
    }
    return struct({ name: own, fields: fields as StructFields }) as unknown as StructType;
  };
  for (;;) {
    try {
      return structAs(name, 2);
    } catch (cause) {
      // Most types that come by chance are too long.
      if (!(cause instanceof ArgumentError && cause.message.includes(" bytes; a struct takes "))) {
        throw cause;
      }
    }
  }
}

/** A kernel that copies each scalar of the second struct of an array to two words of its own, or back. */
export function scalarsKernel(type: StructType, direction: "read" | "write"): string {
  const moves = leavesOf(type).map(({ access, type: { value } }, at) => {
    const item = `items[1]${access}`;
    const word = `words[${2 * at}]`;
    const both = `vec2<u32>(${word}, words[${2 * at + 1}])`;
    if (value === "vec2<u32>") {
      return direction === "read"
        ? `${word} = ${item}.x; words[${2 * at + 1}] = ${item}.y;`
        : `${item} = ${both};`;
    }
    if (value === "f16") {
      return direction === "read"
        ? `${word} = bitcast<u32>(vec2<f16>(${item}, 0.0h));`
        : `${item} = bitcast<vec2<f16>>(${word}).x;`;
    }
    return direction === "read"
      ? `${word} = bitcast<u32>(${item});`
      : `${item} = bitcast<${value}>(${word});`;
  });
  return [
    type.feature === undefined ? "" : "enable f16;",
    type.declaration,
    `@group(0) @binding(0) var<storage, read_write> items: array<${type.name}>;`,
    "@group(0) @binding(1) var<storage, read_write> words: array<u32>;",
    `@compute @workgroup_size(1) fn main() { ${moves.join(" ")} }`,
  ].join("\n");
}
