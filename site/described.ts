import { describedAdapters } from "../src/adapters/described.ts";
import type { ScalarArray } from "../src/algebra/arrays.ts";
import type { Scalar } from "../src/algebra/types.ts";
import { planPrimitive } from "../src/gpu/forms/prepare.ts";
import type { Fold, TypeName } from "../src/index.ts";
import { ArgumentError, elementTypes } from "../src/index.ts";
import type { DeviceFacts } from "../src/plan/device_facts.ts";
import type { Plan } from "../src/plan/plan.ts";
import { argumentsOf } from "../src/primitives/described.ts";
import type { Described } from "../src/primitives/help.ts";
import type { Operand, Request } from "../src/primitives/primitive.ts";
import * as reference from "../src/reference/index.ts";
import { arrayOf, isWide } from "./data.ts";

// What the page does of a primitive's description: its call, the same on the CPU, and its plan.

/** A function in JavaScript that computes as an option of WGSL does. */
export type Twin = (value: Scalar, index: number) => unknown;

/** An array beside the page's numbers. */
export interface Beside {
  readonly type: TypeName;
  readonly data: ScalarArray;
  /** Whether it is not typed: it has 0 1 2 3 0 1 … for the elements. */
  readonly isRepeated?: boolean;
}

/** What is given to a primitive, but for the page's numbers. */
export interface Given {
  /** Options and numbers, as calls take them. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly twins: Readonly<Record<string, Twin>>;
  readonly arrays: Readonly<Record<string, Beside>>;
}

/** What is chosen for a primitive that is described, but for the numbers. */
export interface DescribedChoice extends Given {
  readonly described: Described;
  readonly type: TypeName;
}

/** One of the arrays that a call gives. */
export interface Output {
  readonly name: string;
  readonly type: TypeName;
  readonly data: ScalarArray;
}

/** WebGPU's default limits and every feature: what a page without a GPU shows WGSL for. */
export const noDevice: DeviceFacts = {
  ...describedAdapters.gpu,
  limits: {
    ...describedAdapters.gpu.limits,
    maxStorageBufferBindingSize: 2 ** 27,
    maxBufferSize: 2 ** 28,
  },
};

/** The most items of a result that the page shows. */
const MOST_ITEMS = 2 ** 22;

/** A record with each value changed. */
const each = <From, To>(
  record: Readonly<Record<string, From>>,
  of: (value: From) => To,
): Record<string, To> => Object.fromEntries(Object.entries(record).map(([name, value]) => [name, of(value)]));

/** The operand that is the page's numbers. */
export const firstOf = ({ primitive }: Described): Operand => primitive.operands[0] as Operand;

/** Whether the page's numbers are put in order first. */
export const takesSorted = (described: Described): boolean => firstOf(described).range === "sorted";

/** How many elements each operand has. */
const lengthsOf = ({ described, arrays }: DescribedChoice, length: number): Record<string, number> => ({
  [firstOf(described).name]: length,
  ...each(arrays, ({ data }) => data.length),
});

/** What follows from a choice, for `length` elements. @throws {ArgumentError} */
export function requestOf(choice: DescribedChoice, length: number, facts: DeviceFacts = noDevice): Request {
  const { described, type, options, arrays } = choice;
  const request = described.primitive.request({
    types: {
      [firstOf(described).name]: elementTypes[type],
      ...each(arrays, (one) => elementTypes[one.type]),
    },
    lengths: lengthsOf(choice, length),
    arrays: each(arrays, ({ data }) => data),
    isCounted: false,
    options: options as never,
    facts,
  });
  const most = Math.max(...request.results.map((result) => result.most));
  if (most > MOST_ITEMS) {
    throw new ArgumentError(`The result has ${most} items; the page shows ${MOST_ITEMS} at most`);
  }
  return request;
}

/** The plan of a call at hand, for `length` elements. */
export function planOn(choice: DescribedChoice, length: number, facts: DeviceFacts): Promise<Plan> {
  const { primitive } = choice.described;
  const input = primitive.operands.find(({ range }) => range === "input") as Operand;
  const maxLength = lengthsOf(choice, length)[input.name];
  const planned: object = { ...requestOf(choice, length, facts).options, maxLength };
  return planPrimitive(primitive, facts, planned);
}

/** A function that a reference takes where a call takes WGSL. It gives numbers, or whole numbers of the key's type. */
function functionOf({ described, type, options, twins }: DescribedChoice, name: string): Twin {
  const ofType = `${name}Type`;
  const { name: typeName = type } = (options[ofType] ?? {}) as { readonly name?: TypeName };
  const isWhole = ofType in described.primitive.options && isWide(typeName);
  return (value, index) => {
    const found = twins[name]?.(value, index);
    if (!["number", "bigint", "boolean"].includes(typeof found)) {
      throw new ArgumentError(
        `The JavaScript of ${name} gives ${String(found)} for ${value}; it takes a number`,
      );
    }
    return isWhole ? BigInt(found as Scalar) : Number(found);
  };
}

export type Call = (...given: readonly unknown[]) => unknown;

/** What a primitive means, on the CPU. */
export function referenceOf(name: string): Call {
  const references: Readonly<Record<string, unknown>> = { ...reference };
  return references[`${name}Reference`] as Call;
}

/** The arguments of a call on the page's numbers. */
const argumentsOn = (choice: DescribedChoice, data: ScalarArray, functions: Given["options"]): unknown[] =>
  argumentsOf(choice.described.primitive, {
    [firstOf(choice.described).name]: data,
    ...choice.options,
    ...functions,
    ...each(choice.arrays, (one) => one.data),
  });

/** What a call or its reference gives, as arrays with names. */
const outputsOf = ({ results }: Request, made: unknown): Output[] =>
  results.map(({ name, type: { name: typeName }, isElement }) => {
    const type = typeName as TypeName;
    const value = results.length === 1 ? made : (made as Record<string, unknown>)[name];
    return { name, type, data: (isElement ? arrayOf(type, 1, () => value as Scalar) : value) as ScalarArray };
  });

/** Calls the primitive on the GPU, from arrays to arrays. */
export async function onGpu(fold: Fold, choice: DescribedChoice, data: ScalarArray): Promise<Output[]> {
  const request = requestOf(choice, data.length);
  const call = fold[choice.described.primitive.name as keyof Fold] as Call;
  return outputsOf(request, await call.apply(fold, argumentsOn(choice, data, {})));
}

/** The same on the CPU, by `wavefold/reference`. */
export function onCpu(choice: DescribedChoice, data: ScalarArray): Output[] {
  const request = requestOf(choice, data.length);
  const call = referenceOf(choice.described.primitive.name);
  const functions = Object.keys(choice.twins).map((name) => [name, functionOf(choice, name)] as const);
  return outputsOf(request, call(...argumentsOn(choice, data, Object.fromEntries(functions))));
}
