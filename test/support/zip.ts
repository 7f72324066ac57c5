import { Buffer } from "node:buffer";
import { crc32, deflateRawSync } from "node:zlib";

/** A file of an archive. What it says of itself may be wrong. */
export interface ZipMember {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly isDeflated?: boolean;
  /** The number of the compression that it says. */
  readonly method?: number;
  readonly flags?: number;
  readonly crc?: number;
  /** The bytes of the file that it says, if it is deflated. */
  readonly size?: number;
}

const u16 = (value: number): Buffer => Buffer.from(Uint16Array.of(value).buffer);
const u32 = (value: number): Buffer => Buffer.from(Uint32Array.of(value).buffer);
const u64 = (value: number): Buffer => Buffer.from(BigUint64Array.of(BigInt(value)).buffer);
const MANY = 0xffffffff;

/** A zip archive: with `isZip64`, sizes and places are in the fields of 8 bytes, as those of large archives are. */
export function zipOf(
  members: readonly ZipMember[],
  { isZip64 = false }: { readonly isZip64?: boolean } = {},
): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const member of members) {
    const { bytes, isDeflated = false, flags = 0, size = bytes.length, crc = crc32(bytes) } = member;
    const name = Buffer.from(member.name);
    // What is encrypted starts with 12 bytes more.
    const data = isDeflated ? deflateRawSync(bytes) : Buffer.concat([Buffer.alloc(12 * (flags & 1)), bytes]);
    const method = member.method ?? (isDeflated ? 8 : 0);
    const start = [u16(flags), u16(method), u32(0x210000), u32(crc)];
    // numpy.savez has these in each file's own header.
    const own = Buffer.concat([u16(1), u16(16), u64(size), u64(data.length)]);
    const all = Buffer.concat([u16(1), u16(24), u64(size), u64(data.length), u64(offset)]);
    const central = isZip64
      ? [u32(MANY), u32(MANY), u16(name.length), u16(all.length)]
      : [u32(data.length), u32(size), u16(name.length), u16(0)];
    files.push(
      Buffer.concat([
        u32(0x04034b50),
        u16(45),
        ...start,
        u32(MANY),
        u32(MANY),
        u16(name.length),
        u16(own.length),
        name,
        own,
        data,
      ]),
    );
    directory.push(
      Buffer.concat([
        u32(0x02014b50),
        u16(0x032d),
        u16(45),
        ...start,
        ...central,
        // The comment, the disk, and what systems know of the file.
        Buffer.alloc(10),
        u32(isZip64 ? MANY : offset),
        name,
        isZip64 ? all : Buffer.alloc(0),
      ]),
    );
    offset += files.at(-1)?.length ?? 0;
  }
  const list = Buffer.concat(directory);
  const counts = [u64(members.length), u64(members.length), u64(list.length), u64(offset)];
  const wide = [
    Buffer.concat([u32(0x06064b50), u64(44), u16(45), u16(45), u32(0), u32(0), ...counts]),
    Buffer.concat([u32(0x07064b50), u32(0), u64(offset + list.length), u32(1)]),
  ];
  const end = Buffer.concat([
    u32(0x06054b50),
    u32(0),
    ...(isZip64
      ? [u16(0xffff), u16(0xffff), u32(MANY), u32(MANY)]
      : [u16(members.length), u16(members.length), u32(list.length), u32(offset)]),
    u16(0),
  ]);
  return Buffer.concat([...files, list, ...(isZip64 ? wide : []), end]);
}
