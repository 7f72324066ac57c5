/** What the dynamic linker reads of a shared library. */
export interface Elf {
  readonly bits: 32 | 64;
  /** The processor, by ELF's number: 62 is x86-64, 183 is AArch64. */
  readonly machine: number;
  /** The libraries that it needs, by the names that it has for them. */
  readonly needed: readonly string[];
  /** Folders in which its libraries are looked for, before `LD_LIBRARY_PATH` and after it. */
  readonly rpath: readonly string[];
  readonly runpath: readonly string[];
}

const PT_LOAD = 1;
const PT_DYNAMIC = 2;
const DT_NEEDED = 1;
const DT_STRTAB = 5;
const DT_STRSZ = 10;
const DT_RPATH = 15;
const DT_RUNPATH = 29;
/** The longest name, and more than any table of segments has. What a file claims beyond is not read. */
const MOST_NAME = 4096;
const MOST_BYTES = 2 ** 20;

type Read = (from: number, bytes: number) => Uint8Array | undefined;

/**
 * Reads the header and the dynamic section of an ELF file of little-endian words.
 *
 * Source: System V ABI, chapters 4 and 5, "Object Files" and "Program Loading and Dynamic Linking".
 *
 * @returns undefined if it is no such file, or a broken one.
 */
export function readElf(read: Read): Elf | undefined {
  const view = (from: number, bytes: number): DataView => {
    const part = bytes >= 0 && bytes <= MOST_BYTES ? read(from, bytes) : undefined;
    if (part === undefined || part.length < bytes) {
      throw new RangeError("the file ends too early");
    }
    return new DataView(part.buffer, part.byteOffset, part.byteLength);
  };
  try {
    return parse(view);
  } catch (cause) {
    if (cause instanceof RangeError) {
      return undefined;
    }
    throw cause;
  }
}

function parse(view: (from: number, bytes: number) => DataView): Elf | undefined {
  const ident = view(0, 20);
  const isLittle = ident.getUint8(5) === 1;
  if (ident.getUint32(0) !== 0x7f454c46 || !isLittle) {
    return undefined;
  }
  const wide = ident.getUint8(4) === 2;
  const bits = wide ? 64 : 32;
  const machine = ident.getUint16(18, true);
  const header = view(0, wide ? 64 : 52);
  const word = (of: DataView, at: number): number =>
    wide ? Number(of.getBigUint64(at, true)) : of.getUint32(at, true);
  const entryBytes = header.getUint16(wide ? 54 : 42, true);
  const count = header.getUint16(wide ? 56 : 44, true);
  const programs = view(word(header, wide ? 32 : 28), entryBytes * count);
  const segments = Array.from({ length: count }, (_, index) => {
    const at = index * entryBytes;
    const field = (wideAt: number, narrowAt: number): number =>
      word(programs, at + (wide ? wideAt : narrowAt));
    return {
      type: programs.getUint32(at, true),
      offset: field(8, 4),
      address: field(16, 8),
      bytes: field(32, 16),
    };
  });
  const dynamic = segments.find(({ type }) => type === PT_DYNAMIC);
  if (dynamic === undefined) {
    return { bits, machine, needed: [], rpath: [], runpath: [] };
  }
  const table = view(dynamic.offset, dynamic.bytes);
  const step = wide ? 16 : 8;
  const entries: { readonly tag: number; readonly value: number }[] = [];
  for (let at = 0; at + step <= dynamic.bytes; at += step) {
    const tag = word(table, at);
    if (tag === 0) {
      break;
    }
    entries.push({ tag, value: word(table, at + step / 2) });
  }
  const first = (tag: number): number => entries.find((one) => one.tag === tag)?.value ?? 0;
  const start = first(DT_STRTAB);
  const home = segments.find(
    ({ type, address, bytes }) => type === PT_LOAD && start >= address && start < address + bytes,
  );
  if (home === undefined) {
    return undefined;
  }
  const names = home.offset + start - home.address;
  const bytesOfNames = first(DT_STRSZ);
  // The table of names may be as long as a library has functions, so each name is read alone.
  const nameAt = (at: number): string => {
    const part = view(names + at, Math.min(MOST_NAME, bytesOfNames - at));
    const text = new Uint8Array(part.buffer, part.byteOffset, part.byteLength);
    const end = text.indexOf(0);
    if (end < 0) {
      throw new RangeError("a name has no end");
    }
    return new TextDecoder().decode(text.subarray(0, end));
  };
  const stringsOf = (tag: number): string[] =>
    entries.filter((one) => one.tag === tag).map(({ value }) => nameAt(value));
  const folders = (tag: number): string[] =>
    stringsOf(tag).flatMap((one) => one.split(":").filter((folder) => folder !== ""));
  return {
    bits,
    machine,
    needed: stringsOf(DT_NEEDED),
    rpath: folders(DT_RPATH),
    runpath: folders(DT_RUNPATH),
  };
}
