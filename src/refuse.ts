import { ArgumentError } from "./errors.ts";

/** Throws the error for an argument that does not mean anything: what is wrong with it, and what it takes. */
export function refuse(caller: string, problem: string, takes: string): never {
  throw new ArgumentError(`${caller}: ${problem}; it takes ${takes}`);
}
