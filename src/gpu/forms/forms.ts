import type { Primitive } from "../../primitives/primitive.ts";
import type { Context } from "../device/context.ts";
import type { Arrays } from "../gpu_arrays/gpu_array.ts";
import type { Prepared } from "../recordings/recording.ts";
import type { Arguments, Runner } from "./call.ts";
import { call } from "./call.ts";
import { preparePrimitive } from "./prepare.ts";

/** What `Fold` calls of any primitive. */
export interface CallForms {
  /** A call on arrays, at hand or on the GPU. */
  call(context: Context, arrays: Arrays, given: Arguments): Promise<unknown>;
}

/** What it calls of most. */
export interface Forms extends CallForms {
  /** Prepares it for recordings. */
  prepare(context: Context, options: object): Promise<Prepared>;
}

/** The forms of primitives by their names, which are those of the methods. */
const byNames = <Made>(
  primitives: readonly Primitive<never>[],
  formsFor: (primitive: Primitive<never>) => Made,
): Readonly<Record<string, Made>> =>
  Object.fromEntries(primitives.map((primitive) => [primitive.name, formsFor(primitive)]));

/** The forms of primitives whose calls on arrays on the GPU are carried out in a way of their own. */
export const callFormsOf = (
  primitives: readonly Primitive<never>[],
  runner: Runner,
): Readonly<Record<string, CallForms>> =>
  byNames(primitives, (primitive) => ({
    call: (context, arrays, given) => call(primitive, context, arrays, given, runner),
  }));

/** The forms of all other primitives. */
export const formsOf = (primitives: readonly Primitive<never>[]): Readonly<Record<string, Forms>> =>
  byNames(primitives, (primitive) => ({
    call: (context, arrays, given) => call(primitive, context, arrays, given),
    prepare: (context, options) => preparePrimitive(primitive, context, options),
  }));
