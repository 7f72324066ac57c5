/** A `.npy` file's bytes, right or wrong as asked: nothing is checked. `pad` moves the data out of alignment. */
export function npy(
  descr: string,
  shape: string,
  data: ArrayBufferView,
  {
    version = 1,
    fortran = false,
    pad = 0,
  }: { readonly version?: number; readonly fortran?: boolean; readonly pad?: number } = {},
): Uint8Array {
  const lengthBytes = version === 1 ? 2 : 4;
  const text = `{'descr': '${descr}', 'fortran_order': ${fortran ? "True" : "False"}, ${shape === "" ? "" : `'shape': ${shape}, `}}`;
  const fixed = 8 + lengthBytes;
  const end = Math.ceil((fixed + text.length + 1) / 64) * 64 + pad;
  const header = Buffer.alloc(end, " ");
  header.write("\x93NUMPY", "latin1");
  header[6] = version;
  header[7] = 0;
  header.writeUIntLE(end - fixed, 8, lengthBytes);
  header.write(text, fixed, "latin1");
  header[end - 1] = 10;
  return new Uint8Array(
    Buffer.concat([header, new Uint8Array(data.buffer, data.byteOffset, data.byteLength)]),
  );
}
