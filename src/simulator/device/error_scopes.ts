import type { ErrorKind } from "./errors.ts";
import { deviceError, operationError } from "./errors.ts";

interface Scope {
  readonly filter: ErrorKind;
  error?: GPUError;
}

/** The error scopes of a device: https://www.w3.org/TR/webgpu/#error-scopes. */
export class ErrorScopes {
  readonly #scopes: Scope[] = [];
  readonly #onUncaptured: (error: GPUError) => void;

  constructor(onUncaptured: (error: GPUError) => void) {
    this.#onUncaptured = onUncaptured;
  }

  push(filter: ErrorKind): void {
    this.#scopes.push({ filter });
  }

  /** The first error of the innermost scope. */
  pop(): GPUError | null {
    const scope = this.#scopes.pop();
    if (scope === undefined) {
      throw operationError("popErrorScope: there is no error scope");
    }
    return scope.error ?? null;
  }

  /** Gives an error to the innermost scope for its kind. */
  report(kind: ErrorKind, message: string): void {
    const error = deviceError(kind, message);
    const scope = [...this.#scopes].reverse().find(({ filter }) => filter === kind);
    if (scope) {
      scope.error ??= error;
    } else {
      this.#onUncaptured(error);
    }
  }
}
