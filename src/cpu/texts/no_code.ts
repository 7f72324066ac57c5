import { MARK } from "../../text/mark.ts";

/** A text that the CPU has no code for. Another machine carries it out, or says what is wrong with it. */
export class NoCode extends Error {}

export function noCode(why: string): never {
  throw new NoCode(why);
}

/** For a variable that all calls share. Its name may have the mark. */
export const noVariable = (name: string): never =>
  noCode(`the variable ${name.startsWith(MARK) ? name.slice(MARK.length) : name} at module scope`);
