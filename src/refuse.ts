import { ArgumentError } from "./errors.ts";

/** Throws the error for an argument that does not mean anything: what is wrong with it, and what it takes. */
export function refuse(caller: string, problem: string, takes: string): never {
  throw new ArgumentError(`${caller}: ${problem}; it takes ${takes}`);
}

/** Refuses what is left of options when those that there are have been taken. One that is undefined is as one that is left out. */
export function refuseOthers(caller: string, others: object): void {
  for (const name in others) {
    if (others[name as never] !== undefined) {
      throw new ArgumentError(`${caller} takes no option ${name}`);
    }
  }
}
