import { WavefoldError } from "../../errors.ts";
import type { Core } from "../device/core.ts";
import { DeviceObject } from "../device/device_object.ts";
import type { ErrorKind } from "../device/errors.ts";
import type { Method } from "./objects.ts";
import { isStateful, methodOf, methodsOf, translated } from "./objects.ts";
import type { Outcome, Report } from "./outcome.ts";
import { outcomeOf, refusalOf } from "./outcome.ts";

/** It tells about a text what the call that made the module has told. */
const notMirrored = ["getCompilationInfo"];
/** Methods around which no error scope can be. */
const aroundScopes = ["pushErrorScope", "popErrorScope"];
const scopes = ["internal", "out-of-memory", "validation"] as const satisfies ErrorKind[];

/** A call on the simulated device. */
interface Call {
  readonly name: string;
  readonly receiver: object;
  readonly args: readonly unknown[];
  /** What it gives, or will give. */
  readonly result: unknown;
  /** What has come of it so far. */
  readonly outcome: Outcome;
}

/** What a call on the simulated device gives or throws. */
interface Run extends Pick<Call, "result" | "outcome"> {
  readonly thrown?: { readonly cause: unknown };
}

/** The same call on the second device. */
interface SecondCall {
  /** The simulated objects that have to do with it. */
  readonly objects: ReadonlySet<object>;
  /** It is not there if one of these has no counterpart, so that the call could not be made. */
  readonly outcome?: Promise<Outcome>;
}

/** A call that one of the two devices takes and the other one refuses. */
export interface Difference {
  readonly name: string;
  /** The label of what was made, or else of what the method belongs to. */
  readonly label: string;
  /** Why the simulated device refuses the call; undefined if it takes it. */
  readonly simulated: string | undefined;
  /** The same of the second device. */
  readonly second: string | undefined;
}

export interface MirrorOptions {
  readonly device: GPUDevice;
  readonly core: Core;
  readonly second: GPUDevice;
  readonly onDifference: (difference: Difference) => void;
}

/** Makes each call on a simulated device on a second device, too, with the objects there that stand for the simulated ones. */
export class Mirror {
  readonly #options: MirrorOptions;
  /** The second device's objects, by the simulated ones. */
  readonly #counterparts = new WeakMap<object, object>();
  /** For a pass its encoder, for what an encoder finished the encoder, and so on. */
  readonly #makers = new WeakMap<object, object>();
  /** Objects that are in another state than their counterparts, after a difference. What is done with them tells nothing more. */
  readonly #astray = new WeakSet<object>();
  /** What the simulated device has reported since the last call began. */
  #reports: Report[] = [];
  /** Whether a call is under way: what the simulator calls within it are no calls of the program. */
  #isInside = false;
  /** Whether a device is lost: it then refuses nothing. */
  #isOver = false;
  /** Resolves when all calls so far are compared. */
  #compared: Promise<void> = Promise.resolve();

  constructor(options: MirrorOptions) {
    const { device, core, second } = options;
    this.#options = options;
    core.onReport = (kind, message) => this.#reports.push({ kind, message });
    for (const { lost } of [device, second]) {
      lost.then(() => {
        this.#isOver = true;
      });
    }
    this.#pair(device, second);
    this.#pair(device.queue, second.queue);
  }

  /** From now on, a call of a method of an object is also made on its counterpart. */
  #pair(object: object, counterpart: object): void {
    this.#counterparts.set(object, counterpart);
    for (const [name, method] of methodsOf(object)) {
      if (!notMirrored.includes(name) && methodOf(counterpart, name)) {
        const value: Method = (...args) =>
          this.#isInside ? method(...args) : this.#call({ name, receiver: object, args }, method);
        Object.defineProperty(object, name, { value, configurable: true, writable: true });
      }
    }
  }

  #call(given: Pick<Call, "name" | "receiver" | "args">, method: Method): unknown {
    const { result, thrown, outcome } = this.#run(method, given.args);
    // What the simulator does not have, the other device may well have.
    if (!(thrown?.cause instanceof WavefoldError)) {
      this.#mirror({ ...given, result, outcome });
    }
    if (thrown) {
      throw thrown.cause;
    }
    return result instanceof Promise ? this.#afterComparisons(result, this.#compared) : result;
  }

  #run(method: Method, args: readonly unknown[]): Run {
    this.#reports = [];
    this.#isInside = true;
    try {
      return { result: method(...args), outcome: outcomeOf(this.#reports) };
    } catch (cause) {
      return { result: undefined, thrown: { cause }, outcome: refusalOf(cause) };
    } finally {
      this.#isInside = false;
    }
  }

  /** What a program waits for holds on both devices then, and all findings are there. */
  async #afterComparisons<T>(result: Promise<T>, compared: Promise<void>): Promise<T> {
    try {
      return await result;
    } finally {
      await compared;
    }
  }

  #mirror(call: Call): void {
    if (isStateful(call.result)) {
      this.#makers.set(call.result, call.receiver);
    }
    const second = this.#callSecond(call);
    this.#compared = this.#compared.then(() => this.#compare(call, second));
  }

  /** Makes a call on the second device. */
  #callSecond({ name, receiver, args, result }: Call): SecondCall {
    const counterpart = this.#counterparts.get(receiver);
    const method = counterpart && methodOf(counterpart, name);
    const objects = new Set<object>([receiver]);
    const given = args.map((arg) =>
      translated(arg, (object) => {
        objects.add(object);
        return this.#counterparts.get(object);
      }),
    );
    if (method === undefined || !this.#areKnown(objects)) {
      return { objects };
    }
    const outcome = this.#inScopes(aroundScopes.includes(name) ? [] : scopes, () => {
      const made = method(...given);
      if (made instanceof Promise) {
        return this.#pairLater(result, made);
      }
      this.#pairResults(result, made);
      return undefined;
    });
    // Some arguments are only read during the call.
    return this.#areKnown(objects) ? { objects, outcome } : { objects };
  }

  #areKnown(objects: ReadonlySet<object>): boolean {
    return [...objects].every((object) => this.#counterparts.has(object));
  }

  async #pairLater(result: unknown, made: Promise<unknown>): Promise<void> {
    const counterpart = await made;
    // What the simulated device rejects with is what the program gets.
    this.#pairResults(await Promise.resolve(result).catch(() => undefined), counterpart);
  }

  #pairResults(result: unknown, counterpart: unknown): void {
    if (result instanceof DeviceObject && counterpart instanceof Object) {
      this.#pair(result, counterpart);
    }
  }

  /** Calls within error scopes of the second device. */
  async #inScopes(kinds: readonly ErrorKind[], call: () => Promise<void> | undefined): Promise<Outcome> {
    const { second } = this.#options;
    for (const kind of kinds) {
      second.pushErrorScope(kind);
    }
    let outcome: Promise<Outcome> | Outcome = {};
    try {
      outcome = call()?.then(() => ({}), refusalOf) ?? {};
    } catch (cause) {
      outcome = refusalOf(cause);
    }
    // A device that is lost may reject.
    const errors = [...kinds]
      .reverse()
      .map(async (kind) => ({ kind, error: await second.popErrorScope().catch(() => null) }));
    const reports = (await Promise.all(errors)).flatMap(({ kind, error }) =>
      error ? [{ kind, message: error.message }] : [],
    );
    return reports.length > 0 ? outcomeOf(reports) : outcome;
  }

  async #compare(call: Call, { objects, outcome }: SecondCall): Promise<void> {
    const { name, receiver } = call;
    const [{ simulated, made }, second] = await Promise.all([settledOf(call), outcome]);
    if (this.#isOver) {
      return;
    }
    const isAstray = second === undefined || [...objects].some((object) => this.#astray.has(object));
    if (isAstray || simulated.isOutOfMemory || second.isOutOfMemory) {
      this.#leadAstray(receiver, made);
    } else if ((simulated.problem === undefined) !== (second.problem === undefined)) {
      this.#leadAstray(receiver, made);
      const label = [made, receiver].find(hasLabel)?.label ?? "";
      this.#options.onDifference({ name, label, simulated: simulated.problem, second: second.problem });
    }
  }

  /** What a call has made, and what it was called on, are not compared any more. */
  #leadAstray(receiver: object, made: unknown): void {
    if (made instanceof DeviceObject) {
      this.#astray.add(made);
    }
    for (let object: unknown = receiver; isStateful(object); object = this.#makers.get(object)) {
      this.#astray.add(object);
    }
  }
}

const hasLabel = (object: unknown): object is DeviceObject =>
  object instanceof DeviceObject && object.label !== "";

/** What has come of a call in the end, and what it has made. */
async function settledOf({ result, outcome }: Call): Promise<{ simulated: Outcome; made?: unknown }> {
  try {
    return { made: await result, simulated: outcome };
  } catch (cause) {
    return { simulated: outcome.problem === undefined ? refusalOf(cause) : outcome };
  }
}
