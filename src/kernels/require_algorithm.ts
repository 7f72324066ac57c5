import { ArgumentError } from "../errors.ts";
import type { Algorithm } from "./algorithms.ts";
import { algorithms } from "./algorithms.ts";

/** The algorithm of that name. */
export function requireAlgorithm(name: unknown, caller: string): Algorithm {
  if (typeof name !== "string" || !Object.hasOwn(algorithms, name)) {
    throw new ArgumentError(
      `${caller}: ${String(name)} is not an algorithm; it takes ${Object.keys(algorithms).join(", ")}`,
    );
  }
  return name as Algorithm;
}
