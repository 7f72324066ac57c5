import type { ScalarType } from "../algebra/types.ts";
import { requireType } from "../algebra/types.ts";
import { refuse, shown } from "../errors.ts";
import type { Side } from "../kernels/search.ts";

// Checks that the CPU reference makes, too. It loads no kernels.

/** @throws {ArgumentError} for a struct, or for what is no element type. */
export function requireScalar(type: unknown, caller: string, option = "type"): ScalarType {
  const known = requireType(type, caller, option);
  if (known.kind === "struct") {
    refuse(caller, option, `the struct ${known.name}`, "u32, i32, f32, f16, u64, i64 or f64");
  }
  return known as ScalarType;
}

/** @throws {ArgumentError} for what is no side. */
export function requireSide(side: unknown, title: string): Side {
  if (side !== undefined && side !== "left" && side !== "right") {
    refuse(title, "side", shown(side), "left or right");
  }
  return side ?? "left";
}
