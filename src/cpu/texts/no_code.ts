/** A text that the CPU has no code for. Another machine carries it out, or says what is wrong with it. */
export class NoCode extends Error {}

export function noCode(why: string): never {
  throw new NoCode(why);
}
