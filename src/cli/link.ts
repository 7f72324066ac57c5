import { fstatSync } from "node:fs";
import process from "node:process";
import { buffer } from "node:stream/consumers";
import { linkDirectives } from "../wgsl.ts";
import { UsageError } from "./errors.ts";
import { openTarget, readInput } from "./files.ts";
import { print } from "./print.ts";

/** `wavefold link` */
export async function link(path: string, { output }: { readonly output?: string }): Promise<void> {
  const target = output === undefined ? undefined : await openTarget(output);
  const { name, text } = await readKernel(path);
  const code = linkDirectives(text, { name });
  if (target === undefined) {
    await print(code);
  } else {
    await target.write(new TextEncoder().encode(code));
  }
}

/** A kernel's text, and what messages call it. @throws {UsageError} */
export async function readKernel(path: string): Promise<{ readonly name: string; readonly text: string }> {
  const name = path === "-" ? "stdin" : path;
  const bytes = path === "-" ? await readStdin() : await readInput(path);
  return { name, text: textOf(bytes, name) };
}

async function readStdin(): Promise<Uint8Array> {
  // Node.js takes a folder there for an empty file.
  if (fstatSync(process.stdin.fd).isDirectory()) {
    throw new UsageError("stdin: this is a folder; it takes a file");
  }
  return await buffer(process.stdin);
}

function textOf(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError(`${name}: this is not UTF-8 text`);
  }
}
