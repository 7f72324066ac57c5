import type { Helper, Variable } from "../simulator/compile/random_expressions.ts";
import { FunctionMaker } from "../simulator/compile/random_statements.ts";
import type { StructType, Type } from "../simulator/compile/random_types.ts";
import { Choices, randomStruct, randomType, textOf, u32 } from "../simulator/compile/random_types.ts";

// Random texts of an operator on u32: statements, and declarations of functions and structs. None has a pointer, or anything at which threads
// meet.

export interface RandomText {
  readonly combine: string;
  readonly declarations: string;
}

const small = [
  "fn small(x: f32) -> f32 { return select(1.0, x, abs(x) < 4096.0); }",
  "fn small2(x: vec2<f32>) -> vec2<f32> { return vec2(small(x.x), small(x.y)); }",
  "fn small3(x: vec3<f32>) -> vec3<f32> { return vec3(small(x.x), small(x.y), small(x.z)); }",
  "fn small4(x: vec4<f32>) -> vec4<f32> { return vec4(small2(x.xy), small2(x.zw)); }",
];

/** Matches what the CPU has no code for. */
const UNKNOWN = /= &|\(\*|atomic/;

const variable = (text: string, type: Type): Variable => ({ text, type, isMutable: false });

/** A function's body with its braces, which the CPU has code for. */
function body(
  choices: Choices,
  structs: readonly StructType[],
  helpers: readonly Helper[],
  parameters: readonly Variable[],
  result: Type,
  hash: boolean,
): string {
  for (;;) {
    const text = new FunctionMaker({
      choices,
      structs,
      helpers,
      // There is always something to assign to.
      globals: [{ text: "kept", type: u32, isMutable: true }],
      parameters,
      result,
      meeting: 0,
      hasBarriers: false,
      barrierHelpers: [],
    }).body(hash);
    if (!UNKNOWN.test(text)) {
      return text;
    }
  }
}

export function randomText(next: () => number): RandomText {
  const choices = new Choices(next);
  const structs: StructType[] = [];
  for (let at = 0; at < 2; at++) {
    structs.push(randomStruct(choices, `S${at}`, structs));
  }
  const types = [randomType(choices, structs, 1), u32];
  const helper: Helper = { name: "help", parameters: types, result: randomType(choices, structs) };
  const parameters = types.map((type, at) => variable(`a${at}`, type));
  const declared = types.map((type, at) => `a${at}: ${textOf(type)}`).join(", ");
  const help = body(choices, structs, [], [variable("t", u32), ...parameters], helper.result, false);
  const own = [variable("t", u32), variable("earlier", u32), variable("later", u32)];
  return {
    declarations: [
      ...small,
      ...structs.map(
        ({ name, members }) =>
          `struct ${name} { ${members.map(([member, type]) => `${member}: ${textOf(type)}`).join(", ")} }`,
      ),
      `fn help(t: u32, id: u32, thread: u32, ${declared}) -> ${textOf(helper.result)} {\nvar kept = a1;\n${help.slice(2)}`,
    ].join("\n"),
    combine: `let t = earlier % 8u;\nlet id = later;\nlet thread = t;\nvar kept = later;\n${body(choices, structs, [helper], own, u32, true).slice(2, -2)}`,
  };
}
