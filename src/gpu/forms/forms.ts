import type { Primitive } from "../../primitives/primitive.ts";
import type { Context } from "../device/context.ts";
import type { Arrays } from "../gpu_arrays/gpu_array.ts";
import type { Prepared } from "../recordings/recording.ts";
import type { Arguments, OnGpu } from "./call.ts";
import { call } from "./call.ts";
import { preparePrimitive } from "./prepare.ts";

/** What `Fold` calls of a primitive. */
export interface Forms {
  /** A call on arrays, at hand or on the GPU. */
  call(context: Context, arrays: Arrays, given: Arguments): Promise<unknown>;
  /** Prepares it for recordings. */
  prepare(context: Context, options: object): Promise<Prepared>;
}

/** The forms of a primitive. */
export const formsOf = (primitive: Primitive<never>, ways?: OnGpu): Forms => ({
  call: (context, arrays, given) => call(primitive, context, arrays, given, ways),
  prepare: (context, options) => preparePrimitive(primitive, context, options),
});
