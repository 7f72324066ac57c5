import { f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import type { DeclaredParams } from "../../src/algebra/seen_params.ts";
import type { ElementType } from "../../src/algebra/types.ts";

// Calls whose texts have params in the place of numbers.

type Options = Readonly<Record<string, unknown>>;

/** The params of a call, as it gives them. */
export type Params = Readonly<Record<string, readonly [type: ElementType, value: number]>>;

/** The options that are texts. */
export const texts = ["where", "map", "key", "class", "bin"];

/** Numbers of a text whose types it tells: u32 by their suffix or as the bits of a shift, and f32 beside an f32. */
const NUMBER = /\b(\d+)u\b|(?<=>> )(\d+)\b|(?<=f32\(.*\) [*+-] |[\w.]+ > )(\d+\.\d+)\b/g;

/** The same options, with params in the place of numbers; the options themselves if their texts have no such numbers. */
export function withParams(options: Options): Options {
  const params: Record<string, readonly [ElementType, number]> = {};
  const changed = Object.entries(options).map(([name, text]) => [
    name,
    typeof text === "string" && texts.includes(name)
      ? text.replace(NUMBER, (_, word?: string, bits?: string, float?: string) => {
          const param = `${name}_${Object.keys(params).length}`;
          params[param] = float === undefined ? [u32, Number(word ?? bits)] : [f32, Number(float)];
          return param;
        })
      : text,
  ]);
  return Object.keys(params).length === 0 ? options : { ...Object.fromEntries(changed), params };
}

const each = (params: unknown, at: 0 | 1): Options =>
  Object.fromEntries(Object.entries(params as Params).map(([name, one]) => [name, one[at]]));

/** A call's options, as its plan takes them: with the types of params. */
export const plannedParams = ({ params, ...options }: Options): Options => ({
  ...options,
  ...(params !== undefined && { params: each(params, 0) }),
});

/** What a call's recordings give of its params: their values. */
export const recordedParams = ({ params }: Options): Options =>
  params === undefined ? {} : { params: each(params, 1) };

/** The options of a plan, with the types of params that were checked. */
export const typesOnly = ({ params, ...options }: Options): Options => ({
  ...options,
  ...(params !== undefined && { params: (params as DeclaredParams).types }),
});
