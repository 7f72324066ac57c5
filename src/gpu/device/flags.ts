/** WebGPU's flags by value: Node has no globals for them. */
export const BufferUsage = {
  MAP_READ: 0x1,
  MAP_WRITE: 0x2,
  COPY_SRC: 0x4,
  COPY_DST: 0x8,
  UNIFORM: 0x40,
  STORAGE: 0x80,
} as const;

/** STORAGE and INDIRECT: kernels may leave the arguments of a dispatch in scratch. */
export const SCRATCH = 0x180;
export const MAP_READ = 0x1;
export const MAP_WRITE = 0x2;
export const COMPUTE_STAGE = 0x4;
