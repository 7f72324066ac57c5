import { readWords, submit } from "./buffers.ts";

// Kernels that watch their own indices. Each index into an array in a buffer is compared with the length of what is bound there. Where a
// function reads an item of the data, its index is compared with the length of the data, too: what lies behind may be another range of the
// same binding, or what a shorter call leaves out.

/** A place in a kernel whose index lay past the end. */
export interface PastEnd {
  readonly kernel: string;
  readonly place: string;
  /** The greatest index there. */
  readonly index: number;
}

/** The binding that is added to each kernel. No kernel of ours has it. */
const WATCHED = 40;
const MOST_PLACES = 2 ** 14;
const COPY_SRC = 0x4;
const COPY_DST = 0x8;
const STORAGE = 0x80;
const COMPUTE = 0x4;

/** The functions that read an item or a vector at an index of the data. */
const READS_ITEM =
  /^fn (?:read_item|read_vector|read_end_item|keyed_at|key_at|keys_of_vector|flags_of_vector)\((\w+): u32\) -> (.*) \{$/m;

/** Where the bracket closes that opens at an index of a text. */
function closing(code: string, open: number): number {
  let depth = 0;
  for (let at = open; at < code.length; at++) {
    depth += Number(code[at] === "[") - Number(code[at] === "]");
    if (depth === 0) {
      return at;
    }
  }
  throw new Error(`a bracket does not close: ${code.slice(open)}`);
}

/** A text in which each index into one of these arrays is checked. `number` gives a place in the text its number. */
function checked(code: string, arrays: readonly string[], number: (place: string) => number): string {
  const found = new RegExp(`(?<![.\\w])(${arrays.join("|")})\\[`).exec(code);
  if (!found) {
    return code;
  }
  const [start, name] = found as unknown as [string, string];
  const open = found.index + start.length;
  const close = closing(code, open - 1);
  const index = code.slice(open, close);
  const inner = checked(index, arrays, number);
  const rest = checked(code.slice(close), arrays, number);
  return `${code.slice(0, open)}watched(u32(${inner}), arrayLength(&${name}), ${number(`${name}[${index}]`)}u)${rest}`;
}

/** A kernel that notes the greatest index past the end at each of its places. */
function watching(code: string, number: (place: string) => number): string {
  const arrays = [...code.matchAll(/var<storage[^>]*> (\w+): array</g)].map(([, name]) => name as string);
  const hasLength = code.includes("fn data_length()");
  const vector = /const VECTOR = \d+u?;/.test(code) ? "VECTOR" : "1u";
  const functions = code.split(/^(?=fn |@compute)/m).map((text) => {
    // Some functions have variables with the names of arrays.
    const own = arrays.filter((name) => !new RegExp(`\\b(?:var|let) ${name}\\b|\\b${name}: `).test(text));
    const done = text.startsWith("@group") || own.length === 0 ? text : checked(text, own, number);
    const [head = "", index = "", type = ""] = READS_ITEM.exec(text) ?? [];
    if (!hasLength || head === "") {
      return done;
    }
    const items = /^(InputVector|array<)/.test(type) ? vector : "1u";
    const place = number(`${head.slice(3, head.indexOf("("))} at an index of the data`);
    return done.replace(head, () => `${head}\n  _ = watched(${index} * ${items}, data_length(), ${place}u);`);
  });
  return `${functions.join("")}
@group(0) @binding(${WATCHED}) var<storage, read_write> watched_places: array<atomic<u32>>;

fn watched(index: u32, length: u32, place: u32) -> u32 {
  if (index >= length) {
    atomicMax(&watched_places[place], index + 1u);
  }
  return index;
}
`;
}

/** Has all kernels of a device watch their indices, until it is stopped. Each kernel has one binding more. */
export function watchIndices(device: GPUDevice): { pastEnd(): Promise<PastEnd[]>; stop(): void } {
  const { createShaderModule, createBindGroupLayout, createBindGroup } = device;
  const places: Omit<PastEnd, "index">[] = [];
  const buffer = device.createBuffer({ size: MOST_PLACES * 4, usage: STORAGE | COPY_SRC | COPY_DST });
  Object.assign(device, {
    createShaderModule: (given: GPUShaderModuleDescriptor) => {
      const number = (place: string): number => places.push({ kernel: given.label ?? "", place }) - 1;
      return createShaderModule.call(device, { ...given, code: watching(given.code, number) });
    },
    createBindGroupLayout: (given: GPUBindGroupLayoutDescriptor) => {
      const watched = { binding: WATCHED, visibility: COMPUTE, buffer: { type: "storage" } } as const;
      return createBindGroupLayout.call(device, { ...given, entries: [...given.entries, watched] });
    },
    createBindGroup: (given: GPUBindGroupDescriptor) => {
      const watched = { binding: WATCHED, resource: { buffer } };
      return createBindGroup.call(device, { ...given, entries: [...given.entries, watched] });
    },
  });
  return {
    /** The places whose index lay past the end since the last call. */
    async pastEnd() {
      const words = await readWords(device, buffer);
      submit(device, (encoder) => encoder.clearBuffer(buffer));
      return places.flatMap((place, at) => (words[at] ? [{ ...place, index: words[at] - 1 }] : []));
    },
    stop() {
      Object.assign(device, { createShaderModule, createBindGroupLayout, createBindGroup });
      buffer.destroy();
    },
  };
}
