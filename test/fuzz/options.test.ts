import { expect, test } from "vitest";
import { parseArguments } from "./options.ts";

test("what is left out has a default, and a seed of its own", () => {
  const { seed, ...rest } = parseArguments([]);
  expect(Number.isInteger(seed)).toBe(true);
  expect(rest).toMatchObject({
    seconds: 60,
    adapter: "simulated",
    cases: Number.POSITIVE_INFINITY,
    keepGoing: false,
  });
  expect(rest).not.toHaveProperty("repeat");
});

test("what is given is taken", () => {
  const text = '{"family":"junk","method":"scan","place":"data","value":"null"}';
  expect(
    parseArguments([
      ..."--seconds 1.5 --seed 42 --adapter gpu --only described,text --cases 9 --keep-going --memory 500".split(
        " ",
      ),
      "--repeat",
      text,
    ]),
  ).toMatchObject({
    seconds: 1.5,
    seed: 42,
    adapter: "gpu",
    only: ["described", "text"],
    cases: 9,
    keepGoing: true,
    limits: { bytes: 5e8, cases: 300 },
    repeat: { family: "junk", method: "scan", place: "data", value: "null" },
  });
});

test.each([
  ["--seconds 0", "It takes a number above 0."],
  ["--seconds soon", "It takes a number above 0."],
  ["--seed -1", "It takes a whole number from 0 up."],
  ["--adapter cpu", "Allowed choices are simulated, gpu, software."],
  ["--only hands", "It takes recorded, in-kernel,"],
  ["--cases 1.5", "It takes a whole number from 0 up."],
  ["--repeat {", "It takes a case as it was printed;"],
  ['--repeat {"family":"none"}', "it is no case of recorded,"],
  ["--second 3", "unknown option '--second'"],
  ["now", "too many arguments"],
])("%s is refused", (line, message) => {
  expect(() => parseArguments(line.split(" "))).toThrow(message);
});
