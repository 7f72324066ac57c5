// WebGPU's flags by value: Node has no globals for them. Each is a constant of its own, which a bundler writes out where it is used.

/** To map, and the usage of a buffer that is mapped so: both are the same number. */
export const MAP_READ = 0x1;
export const MAP_WRITE = 0x2;
export const COPY_SRC = 0x4;
export const COPY_DST = 0x8;
export const UNIFORM = 0x40;
export const STORAGE = 0x80;

/** STORAGE and INDIRECT: kernels may leave the arguments of a dispatch in scratch. */
export const SCRATCH = 0x180;
export const COMPUTE_STAGE = 0x4;

/** The usages by name, for what is not in the package. */
export const BufferUsage = { MAP_READ, MAP_WRITE, COPY_SRC, COPY_DST, UNIFORM, STORAGE } as const;
