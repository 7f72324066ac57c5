import type { StepSize } from "./moments.ts";
import type { MachineChoices, ReadyKernel, Setup } from "./setup.ts";
import { defaultChoices } from "./setup.ts";

// A link's hash holds what the page runs: `#kernel=NAME` for a kernel of the list, with what differs from it; or `#code=…` with the text
// itself, packed. `z` in front of packed text says that it is deflated, `j` that it is not.

/** What a link says. */
export interface Linked extends Playback {
  readonly setup: Setup;
  /** The ready kernel that it starts from. */
  readonly name: string | undefined;
}

const base64 = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

const bytesOf = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));

async function through(
  bytes: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
): Promise<Uint8Array<ArrayBuffer>> {
  const piped = new Blob([bytes]).stream().pipeThrough<Uint8Array>(stream);
  return new Uint8Array(await new Response(piped as ReadableStream<Uint8Array<ArrayBuffer>>).arrayBuffer());
}

async function packed(text: string): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  return typeof CompressionStream === "undefined"
    ? `j${base64(bytes)}`
    : `z${base64(await through(bytes, new CompressionStream("deflate-raw")))}`;
}

async function unpacked(text: string): Promise<string> {
  const bytes = bytesOf(text.slice(1));
  return new TextDecoder("utf-8", { fatal: true }).decode(
    text.startsWith("z") ? await through(bytes, new DecompressionStream("deflate-raw")) : bytes,
  );
}

/** The size of steps that a kernel begins with. */
export const stepOf = (kernel: ReadyKernel | undefined): StepSize => kernel?.step ?? "barrier";

const isStepSize = (text: string | null): text is StepSize =>
  text === "event" || text === "line" || text === "barrier";

const machineOf = ({ machine }: ReadyKernel): MachineChoices => ({ ...defaultChoices, ...machine });

/** What a ready kernel runs, as it is in the list. */
export const setupOf = (kernel: ReadyKernel): Setup => ({
  code: kernel.code,
  entryPoint: kernel.entryPoint,
  groups: kernel.groups,
  values: kernel.values,
  machine: machineOf(kernel),
});

/** What of the playback a link has. */
export interface Playback {
  /** The moment. */
  readonly at: number;
  readonly step: StepSize;
}

/** The hash of a link to this. `kernel` is the one of the list that it started from. */
export async function hashOf(
  setup: Setup,
  kernel: ReadyKernel | undefined,
  { at, step }: Playback,
): Promise<string> {
  const params = new URLSearchParams();
  const start = kernel && setupOf(kernel);
  if (kernel && start && start.code === setup.code) {
    params.set("kernel", kernel.name);
    if (setup.entryPoint !== start.entryPoint) {
      params.set("entry", setup.entryPoint);
    }
    if (setup.groups !== start.groups) {
      params.set("groups", setup.groups);
    }
    for (const [name, text] of Object.entries(setup.values)) {
      if (text !== (start.values[name] ?? "")) {
        params.set(`in.${name}`, text);
      }
    }
  } else {
    const { code, entryPoint, groups, values } = setup;
    params.set("code", await packed(JSON.stringify({ code, entryPoint, groups, values })));
  }
  const from = start && start.code === setup.code ? start.machine : defaultChoices;
  for (const [option, value] of Object.entries(setup.machine)) {
    if (value !== from[option as keyof MachineChoices]) {
      params.set(option, String(value));
    }
  }
  if (step !== stepOf(kernel)) {
    params.set("step", step);
  }
  if (at > 0) {
    params.set("at", String(at));
  }
  return params.toString();
}

/** What a hash says. `first` is shown if it says nothing. @throws {RangeError} if it names nothing that there is. */
export async function linkedBy(
  hash: string,
  kernels: readonly ReadyKernel[],
  first: ReadyKernel,
): Promise<Linked> {
  const params = new URLSearchParams(hash.replace(/^#/, ""));
  const code = params.get("code");
  const name = params.get("kernel");
  const at = Math.max(0, Math.trunc(Number(params.get("at") ?? 0)) || 0);
  const size = params.get("step");
  const step = isStepSize(size) ? size : undefined;
  if (code !== null) {
    const machine = choicesIn(params, defaultChoices);
    return {
      setup: { ...textIn(await contentOf(code)), machine },
      name: undefined,
      at,
      step: step ?? stepOf(undefined),
    };
  }
  const kernel = name === null ? first : kernels.find((one) => one.name === name);
  if (kernel === undefined) {
    throw new RangeError(`the link names the kernel “${name}”, which the list does not have`);
  }
  const start = setupOf(kernel);
  const values = { ...start.values };
  for (const [key, text] of params) {
    if (key.startsWith("in.")) {
      values[key.slice("in.".length)] = text;
    }
  }
  const setup: Setup = {
    code: start.code,
    entryPoint: params.get("entry") ?? start.entryPoint,
    groups: params.get("groups") ?? start.groups,
    values,
    machine: choicesIn(params, start.machine),
  };
  return { setup, name: kernel.name, at, step: step ?? stepOf(kernel) };
}

async function contentOf(text: string): Promise<unknown> {
  try {
    return JSON.parse(await unpacked(text));
  } catch {
    throw new RangeError("the link’s kernel cannot be read: a part of the link is missing");
  }
}

/** The setup in a link, but for the machine. Strangers write links, so each value is looked at. */
function textIn(content: unknown): Omit<Setup, "machine"> {
  const { code, entryPoint, groups, values }: Partial<Setup> = Object(content);
  if (typeof code !== "string") {
    throw new RangeError("the link holds no kernel");
  }
  return {
    code,
    entryPoint: String(entryPoint ?? ""),
    groups: String(groups ?? "1"),
    values: Object.fromEntries(Object.entries(Object(values)).map(([name, one]) => [name, String(one)])),
  };
}

/** The machine's options that a link has. The simulator refuses values that there are not. */
function choicesIn(params: URLSearchParams, start: MachineChoices): MachineChoices {
  const entries = Object.entries(start).map(([option, value]) => {
    const text = params.get(option);
    return [
      option,
      text === null
        ? value
        : typeof value === "number"
          ? Number(text)
          : typeof value === "boolean"
            ? text === "true"
            : text,
    ];
  });
  return Object.fromEntries(entries) as unknown as MachineChoices;
}
