import type { Helper, Variable } from "./random_expressions.ts";
import { FunctionMaker } from "./random_statements.ts";
import type { StructType, Type } from "./random_types.ts";
import { Choices, randomStruct, randomType, textOf, u32 } from "./random_types.ts";

// Random WGSL modules. Each has many programs, since a compiler of shaders takes long to start. A program is a function of a thread that
// gives a hash of its variables. It calls a few others, and shares with them variables of the thread's.

/** The threads of a work-group. */
export const THREADS = 8;

/** The words of the input. */
export const INPUTS = 64;

const common = (programs: number): string => `enable subgroups;
diagnostic(off, subgroup_uniformity);
const THREADS = ${THREADS}u;
@group(0) @binding(0) var<storage, read_write> results: array<u32>;
@group(0) @binding(1) var<storage, read_write> input: array<u32, ${INPUTS}>;
@group(0) @binding(2) var<storage, read_write> cells: array<atomic<u32>>;
var<workgroup> words: array<u32, THREADS>;
var<workgroup> chosen: u32;
var<workgroup> tallies: array<atomic<i32>, THREADS>;
fn small(x: f32) -> f32 { return select(1.0, x, abs(x) < 4096.0); }
fn small2(x: vec2<f32>) -> vec2<f32> { return vec2(small(x.x), small(x.y)); }
fn small3(x: vec3<f32>) -> vec3<f32> { return vec3(small(x.x), small(x.y), small(x.z)); }
fn small4(x: vec4<f32>) -> vec4<f32> { return vec4(small2(x.xy), small2(x.zw)); }
const PROGRAMS = ${programs}u;
`;

class ModuleMaker {
  readonly #choices: Choices;
  readonly #structs: StructType[] = [];
  readonly #texts: string[] = [];

  constructor(next: () => number) {
    this.#choices = new Choices(next);
  }

  make(programs: number): string {
    for (let at = 0; at < 4; at++) {
      const struct = randomStruct(this.#choices, `S${at}`, this.#structs);
      this.#structs.push(struct);
      const members = struct.members.map(([name, type]) => `${name}: ${textOf(type)}`);
      this.#texts.push(`struct ${struct.name} { ${members.join(", ")} }`);
    }
    const lines = Array.from({ length: programs }, (_, at) => {
      this.#program(at);
      return `results[thread * PROGRAMS + ${at}u] = program${at}(t, id.x, thread, input[(thread + ${at}u) % ${INPUTS}u]);`;
    });
    return `${common(programs)}${this.#texts.join("\n")}
@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) id: vec3<u32>) {
let thread = id.x * THREADS + t;
atomicOr(&cells[thread], 1u);
${lines.join("\n")}
}
`;
  }

  /** A program, and the functions that it calls. */
  #program(at: number): void {
    const choices = this.#choices;
    const globals = [
      this.#global(`state${at}`, u32),
      this.#global(`kept${at}`, randomType(choices, this.#structs)),
    ];
    const helpers: Helper[] = [];
    for (let index = 0; index < 2; index++) {
      helpers.push(this.#helper(`help${at}_${index}`, helpers, globals));
    }
    const barrierHelpers = [this.#barrierHelper(`meet${at}`, globals)];
    const hasBarriers = choices.percent(40);
    const value = { text: "value", type: u32, isMutable: false };
    this.#function(
      `program${at}`,
      {
        helpers,
        globals,
        parameters: [threadName, value],
        hasBarriers,
        barrierHelpers,
        meeting: choices.of([0, 5, 15]),
      },
      { declared: "value: u32", result: u32, hash: true },
    );
  }

  #global(name: string, type: Type): Variable {
    this.#texts.push(`var<private> ${name}: ${textOf(type)};`);
    return { text: name, type, isMutable: true };
  }

  #helper(name: string, helpers: readonly Helper[], globals: readonly Variable[]): Helper {
    const choices = this.#choices;
    const pointer = choices.percent(40) ? randomType(choices, this.#structs) : undefined;
    const types = Array.from({ length: choices.below(3) }, () => randomType(choices, this.#structs, 1));
    const result = choices.percent(50) ? u32 : randomType(choices, this.#structs);
    const declared = [
      ...(pointer ? [`p: ptr<function, ${textOf(pointer)}>`] : []),
      ...types.map((type, index) => `a${index}: ${textOf(type)}`),
    ];
    const parameters: readonly Variable[] = [
      threadName,
      ...(pointer ? [{ text: "(*p)", type: pointer, isMutable: true }] : []),
      ...types.map((type, index) => ({ text: `a${index}`, type, isMutable: false })),
    ];
    const meeting = choices.of([0, 0, 8]);
    // Calls of calls would take long.
    const called = helpers.slice(0, 1);
    this.#function(
      name,
      { helpers: called, globals, parameters, hasBarriers: false, barrierHelpers: [], meeting },
      { declared: declared.join(", "), result, hash: false },
    );
    return { name, parameters: types, result, ...(pointer && { pointer }) };
  }

  #barrierHelper(name: string, globals: readonly Variable[]): Helper {
    const value = { text: "value", type: u32, isMutable: false };
    this.#function(
      name,
      {
        helpers: [],
        globals,
        parameters: [threadName, value],
        hasBarriers: true,
        barrierHelpers: [],
        meeting: 2,
      },
      { declared: "value: u32", result: u32, hash: true },
    );
    return { name, parameters: [u32], result: u32 };
  }

  #function(
    name: string,
    plan: Omit<ConstructorParameters<typeof FunctionMaker>[0], "choices" | "structs" | "result">,
    { declared, result, hash }: { readonly declared: string; readonly result: Type; readonly hash: boolean },
  ): void {
    const maker = new FunctionMaker({ ...plan, choices: this.#choices, structs: this.#structs, result });
    const head = `fn ${name}(t: u32, id: u32, thread: u32, ${declared}) -> ${textOf(result)}`;
    this.#texts.push(`${head} ${maker.body(hash)}`);
  }
}

const threadName: Variable = { text: "t", type: u32, isMutable: false };

/** A module of so many programs, from a source of random bits. */
export const randomModule = (next: () => number, programs: number): string =>
  new ModuleMaker(next).make(programs);
