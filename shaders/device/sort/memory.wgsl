// The work-group memory of a sort. The counters that rank a tile's items and the items on their way to their places take turns
// in it. It is atomic, so that counters can be.

var<workgroup> sort_memory: array<atomic<u32>, MEMORY>;

// A word for each digit: how many items of a tile have it; or what is added to the place of an item in the tile to get its place
// in the output.
var<workgroup> digit_words: array<atomic<u32>, RADIX>;
