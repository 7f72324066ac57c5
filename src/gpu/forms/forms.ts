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

/** A primitive whose calls on arrays on the GPU are carried out in a way of its own. */
export const callFormsOf = (primitive: Primitive<never>, runner: Runner): CallForms => ({
  call: (context, arrays, given) => call(primitive, context, arrays, given, runner),
});

/** The forms of a primitive. */
export const formsOf = (primitive: Primitive<never>): Forms => ({
  call: (context, arrays, given) => call(primitive, context, arrays, given),
  prepare: (context, options) => preparePrimitive(primitive, context, options),
});
