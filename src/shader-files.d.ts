// A file of `shaders/`, with its path as its name: the build inlines it.
declare module "#shaders/*.wgsl" {
  const file: import("./text/source.ts").SourceText;
  export default file;
}
