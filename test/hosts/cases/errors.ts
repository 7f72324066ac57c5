import { operator } from "../../../src/algebra/custom_operator.ts";
import { f16, f32 } from "../../../src/algebra/floats.ts";
import { u32 } from "../../../src/algebra/integers.ts";
import { add, and } from "../../../src/algebra/operators.ts";
import {
  ArgumentError,
  FeatureError,
  LimitError,
  SourceError,
  type WavefoldError,
} from "../../../src/errors.ts";
import type { Case } from "../case.ts";

type ErrorClass<E extends WavefoldError> = new (...parts: never[]) => E;

/** The error that the promise is rejected with, which must be of this class and say this. */
export async function expectError<E extends WavefoldError>(
  promise: Promise<unknown>,
  kind: ErrorClass<E>,
  part: string,
): Promise<E> {
  let value: unknown;
  try {
    value = await promise;
  } catch (cause) {
    if (!(cause instanceof kind)) {
      throw new Error(`${String(cause)} instead of a ${kind.name} that says "${part}"`);
    }
    if (!cause.message.includes(part)) {
      throw new Error(`the ${kind.name} says "${cause.message}", and not "${part}"`);
    }
    return cause;
  }
  throw new Error(`no error, but ${String(value)}, instead of a ${kind.name} that says "${part}"`);
}

const data = Uint32Array.of(1, 2, 3);

function expectLine(error: SourceError, line: number): void {
  if (error.line !== line) {
    throw new Error(`the error is at line ${error.line} instead of ${line}: ${error.message}`);
  }
}

const wrong = { name: "wrong", type: u32, identity: 0, reference: (a: number) => a } as const;

export const errorCases: readonly Case[] = [
  {
    name: "an operator that does not compile: SourceError at its line",
    quick: "everywhere",
    async run({ fold }) {
      const op = operator({ ...wrong, combine: "let a = earlier;\nlet b = nowhere;\nreturn a;" });
      const error = await expectError(
        fold.scan(data, { op }),
        SourceError,
        "combine of the operator wrong, line 2",
      );
      expectLine(error, 2);
    },
  },
  {
    name: "declarations that do not type-check: SourceError at their line",
    async run({ fold }) {
      const declarations = "fn fine() -> u32 { return 1u; }\n\nfn broken() -> u32 {\n  return 1.5f;\n}";
      const op = operator({ ...wrong, declarations, combine: "earlier + broken() + fine()" });
      const error = await expectError(
        fold.reduce(data, { op }),
        SourceError,
        "declarations of the operator wrong",
      );
      // Tint names the statement, naga the function that it is in.
      if (![3, 4].includes(error.line)) {
        throw new Error(`the error is at line ${error.line}: ${error.message}`);
      }
    },
  },
  {
    name: "a predicate that does not compile: SourceError at its line",
    async run({ fold }) {
      const where = "x > 1u\n  && y < 2u";
      const error = await expectError(fold.compact(data, { where }), SourceError, "the predicate, line 2");
      expectLine(error, 2);
      if (error.source !== where) {
        throw new Error(`the error's source is ${JSON.stringify(error.source)}`);
      }
    },
  },
  {
    name: "a predicate of the wrong type: SourceError",
    async run({ fold }) {
      expectLine(
        await expectError(fold.compact(data, { where: "vec2(x, x)" }), SourceError, "the predicate"),
        1,
      );
    },
  },
  {
    name: "a map that does not compile, or gives another type: SourceError at its line",
    async run({ fold }) {
      const map = "let a = x;\nlet b = nowhere;\nreturn a;";
      expectLine(await expectError(fold.scan(data, { map }), SourceError, "the map, line 2"), 2);
      await expectError(fold.reduce(data, { map: "f32(x)" }), SourceError, "the map, line 1");
    },
  },
  {
    name: "what is right works after what does not compile",
    async run({ fold }) {
      await expectError(fold.compact(data, { where: "nonsense" }), SourceError, "nonsense");
      const total = await fold.reduce(data);
      if (total !== 6) {
        throw new Error(`the sum is ${total}`);
      }
    },
  },
  {
    name: "arguments that mean nothing: ArgumentError",
    quick: "everywhere",
    async run({ fold }) {
      await expectError(fold.scan([1, 2] as unknown as Uint32Array), ArgumentError, "scan");
      await expectError(fold.scan(Float32Array.of(1), { op: and as never }), ArgumentError, "and");
      await expectError(fold.scan(data, { itemsPerThread: 0 }), ArgumentError, "itemsPerThread is 0");
      await expectError(fold.compact(data, { flags: [1] }), ArgumentError, "1 flags for 3 elements");
      await expectError(
        fold.compact(data, ...([] as unknown as [{ where: string }])),
        ArgumentError,
        "takes where",
      );
      await expectError(
        fold.prepareScan({ type: f32, op: add, maxLength: -1 }),
        ArgumentError,
        "maxLength is -1",
      );
    },
  },
  {
    name: "more than the device can do: LimitError and FeatureError",
    async run({ host, fold }) {
      const { limits } = fold.device;
      const tooMany = limits.maxComputeInvocationsPerWorkgroup * 2;
      await expectError(
        fold.scan(data, { workGroupSize: tooMany }),
        LimitError,
        `workGroupSize is ${tooMany}`,
      );
      await expectError(
        fold.prepareScan({ type: u32, maxLength: 2 ** 45 }),
        LimitError,
        "more than a buffer of the device holds",
      );
      const device = await (await host.requestAdapter())?.requestDevice();
      if (device === undefined) {
        throw new Error("the host gave no second adapter");
      }
      const bare = await host.open({ device });
      await expectError(bare.scan(data, { algorithm: "subgroup" }), FeatureError, '"subgroups"');
      await expectError(bare.scan(Uint16Array.of(1), { type: f16 }), FeatureError, '"shader-f16"');
      device.destroy();
    },
  },
];
