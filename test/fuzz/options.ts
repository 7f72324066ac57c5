import { Command, InvalidArgumentError, Option } from "commander";
import type { Case, FamilyName } from "./families.ts";
import { decodeCase, familyNames } from "./families.ts";
import type { Limits } from "./parent.ts";
import type { AdapterKind } from "./plans.ts";
import { adapterKinds } from "./plans.ts";
import type { SessionOptions } from "./session.ts";

/** What the command line asks for. */
export interface FuzzOptions extends SessionOptions {
  readonly adapter: AdapterKind;
  readonly limits: Limits;
  /** The one case to run. */
  readonly repeat?: Case;
  /** Whether the software adapter's subgroups are numbered as if they started in any order. */
  readonly shufflesSubgroups: boolean;
  /** What else a case depends on, as it was given. */
  readonly settings: string;
  /** ` --only …`, as it was given. */
  readonly onlyText: string;
}

const positive = (given: string): number => {
  const value = Number(given);
  if (given.trim() === "" || !(value > 0) || !Number.isFinite(value)) {
    throw new InvalidArgumentError("It takes a number above 0.");
  }
  return value;
};

const whole = (given: string): number => {
  if (!/^\d{1,10}$/.test(given)) {
    throw new InvalidArgumentError("It takes a whole number from 0 up.");
  }
  return Number(given);
};

const families = (given: string): readonly FamilyName[] =>
  given.split(",").map((name) => {
    const known = familyNames.find((one) => one === name.trim());
    if (known === undefined) {
      throw new InvalidArgumentError(`It takes ${familyNames.join(", ")}.`);
    }
    return known;
  });

const encoded = (given: string): Case => {
  try {
    return decodeCase(given);
  } catch (cause) {
    throw new InvalidArgumentError(
      `It takes a case as it was printed; ${cause instanceof Error ? cause.message : String(cause)}.`,
    );
  }
};

/** @throws {CommanderError} that says what is wrong. */
export function parseArguments(args: readonly string[]): FuzzOptions {
  const command = new Command("fuzz")
    .description("Draws random calls and recordings, and compares all that they leave with the CPU's.")
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .allowExcessArguments(false)
    .addOption(new Option("--seconds <n>", "how long").argParser(positive).default(60))
    .addOption(
      new Option("--seed <n>", "repeats the cases of a run; left out: another one each time").argParser(
        whole,
      ),
    )
    .addOption(
      new Option("--adapter <kind>", "what to compute on").choices(adapterKinds).default("simulated"),
    )
    .addOption(
      new Option("--only <families>", `only these, divided by commas: ${familyNames.join(", ")}`).argParser(
        families,
      ),
    )
    .addOption(new Option("--cases <n>", "stop after n cases").argParser(whole))
    .addOption(new Option("--repeat <case>", "run one case, as it was printed").argParser(encoded))
    .option("--no-shuffle-subgroups", "let the software adapter start subgroups in its own order")
    .option("--keep-going", "go on after a failure, up to 20 that differ")
    .addOption(
      new Option("--shrink-seconds <n>", "how long a failure is shortened").argParser(positive).default(60),
    )
    .addOption(
      new Option(
        "--case-seconds <n>",
        "a case that takes more CPU time hangs (default: 60, and 180 on a GPU, whose compiler takes a minute for the longest kernels)",
      ).argParser(positive),
    )
    .addOption(
      new Option("--memory <mb>", "a process that takes more is ended").argParser(positive).default(2000),
    )
    .addOption(
      new Option(
        "--restart <n>",
        "cases that one process runs (default: 300, and 1000 on the simulator)",
      ).argParser(positive),
    );
  command.parse(args, { from: "user" });
  const given = command.opts<{
    seconds: number;
    seed?: number;
    adapter: AdapterKind;
    only?: readonly FamilyName[];
    cases?: number;
    repeat?: Case;
    keepGoing?: boolean;
    shuffleSubgroups: boolean;
    shrinkSeconds: number;
    caseSeconds?: number;
    memory: number;
    restart?: number;
  }>();
  return {
    seed: given.seed ?? Math.floor(Math.random() * 2 ** 31),
    seconds: given.seconds,
    cases: given.cases ?? Number.POSITIVE_INFINITY,
    only: given.only ?? familyNames,
    onlyText: given.only === undefined ? "" : ` --only ${given.only.join(",")}`,
    keepGoing: given.keepGoing === true,
    shrinkSeconds: given.shrinkSeconds,
    shufflesSubgroups: given.shuffleSubgroups,
    settings: given.shuffleSubgroups ? "" : " --no-shuffle-subgroups",
    adapter: given.adapter,
    ...(given.repeat !== undefined && { repeat: given.repeat }),
    limits: {
      caseMs: (given.caseSeconds ?? (given.adapter === "gpu" ? 180 : 60)) * 1000,
      bytes: given.memory * 1e6,
      cases: given.restart ?? (given.adapter === "simulated" ? 1000 : 300),
    },
  };
}
