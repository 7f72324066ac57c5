import { expect } from "vitest";
import { ArgumentError } from "../../src/errors.ts";

/** What a promise is rejected with. */
export const errorOf = (promise: Promise<unknown>): Promise<Error & { readonly option?: string }> =>
  promise.then(
    (value) => new Error(`it gave ${String(value)}`),
    (cause: Error) => cause,
  );

/** Expects that a call refuses what is no object of options. It rejects, and does not throw. */
export async function expectNoOptions(
  title: string,
  run: (options: unknown) => Promise<unknown>,
): Promise<void> {
  for (const [options, given] of [
    [null, "null"],
    [5, "5"],
    ["x > 2", '"x > 2"'],
    [(x: number) => x > 2, "a function"],
    [true, "true"],
    ...(title.startsWith("prepare") ? [[undefined, "undefined"]] : []),
  ]) {
    const error = await errorOf(run(options));
    expect(error, String(given)).toBeInstanceOf(ArgumentError);
    const [told, example] = error.message.split(", such as ");
    expect(told).toBe(`${title}: options is ${given}; it takes an object`);
    // An option that there is.
    const [, option = ""] = /^\{ (\w+): /.exec(example ?? "") ?? [];
    if (option !== "") {
      expect((await errorOf(run({ [option]: Symbol() }))).message).not.toContain("takes no option");
    }
  }
}

/** Expects that a call refuses options beside those of these names, and says which ones it takes, or which one is nearly the same. */
export async function expectNoOthers(
  title: string,
  names: readonly string[],
  run: (others: Readonly<Record<string, unknown>>) => Promise<unknown>,
): Promise<void> {
  const error = await errorOf(run({ nonsense: 1 }));
  expect(error).toBeInstanceOf(ArgumentError);
  expect(error.option).toBe("nonsense");
  expect(error.message).toContain(`${title} takes no option nonsense; it takes `);
  for (const name of names) {
    expect(error.message).toContain(name);
  }
  expect((await errorOf(run({ toString: 1 }))).message).toContain("takes no option toString");
  for (const name of names.filter((one) => one.length > 3)) {
    const middle = Math.floor(name.length / 2);
    const words = [
      name.slice(0, middle) + name.slice(middle + 1),
      `${name}s`,
      name.toUpperCase(),
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    ];
    for (const word of words.filter((one) => !names.includes(one))) {
      const { message } = await errorOf(run({ [word]: 1 }));
      // A word may be nearly two: class, and classes.
      const meant = names.filter((one) => name.startsWith(one));
      expect(meant.map((one) => `${title} takes no option ${word}; did you mean ${one}?`)).toContain(message);
    }
  }
}
