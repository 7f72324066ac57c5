// CUB beside Wavefold: exclusive sums, reductions, selections (half kept) and sorts, timed by CUDA events.
// Tasks of bench/beside_rows.ts, too, on its data: runs, sums, halves, bins and equal of u32.
// usage: cub scan:u32:1048576 reduce:f64:65536 compact:u32:1000003 sort:u32:65536 pairs:u32:65536 copy:u32:1048576 ...
// Prints one JSON object; times are in microseconds, and each result is compared with the CPU's,
// element by element, before its time counts. build: nvcc -O3 -std=c++17 -arch=native -o cub cub.cu
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <cub/device/device_histogram.cuh>
#include <cub/device/device_partition.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <cub/version.cuh>

namespace {

constexpr int RUNS = 31;
constexpr int DISCARDED = 3;
/// An idle GPU lowers its clocks: so much work before the first timing, and before each.
constexpr double HEAT_MS = 1500;
constexpr double WARM_UP_MS = 100;
constexpr std::size_t HEAT_BYTES = std::size_t{1} << 26;
constexpr int POISON = 0xa5;

struct Failure {
  std::string why;
};

void check(cudaError_t status, const char *what) {
  if (status != cudaSuccess) {
    cudaGetLastError();
    throw Failure{std::string(what) + ": " + cudaGetErrorString(status)};
  }
}

/// Device memory, freed when it goes out of scope.
class Memory {
 public:
  explicit Memory(std::size_t bytes) {
    check(cudaMalloc(&address_, std::max<std::size_t>(bytes, 16)), "cudaMalloc");
  }
  ~Memory() { cudaFree(address_); }
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;
  template <typename T>
  T *as() const {
    return static_cast<T *>(address_);
  }

 private:
  void *address_ = nullptr;
};

/// The same copy as on WebGPU: 256 threads a block, four loads and stores of 16 bytes each.
__global__ void copy_kernel(const uint4 *input, uint4 *output, std::size_t vectors) {
  const std::size_t first = std::size_t{blockIdx.x} * 1024 + threadIdx.x;
#pragma unroll
  for (int turn = 0; turn < 4; turn++) {
    const std::size_t index = first + turn * 256;
    if (index < vectors) {
      output[index] = input[index];
    }
  }
}

void copy(const void *input, void *output, std::size_t bytes) {
  const std::size_t vectors = (bytes + 15) / 16;
  const auto blocks = static_cast<unsigned>((vectors + 1023) / 1024);
  copy_kernel<<<blocks, 256>>>(static_cast<const uint4 *>(input), static_cast<uint4 *>(output), vectors);
  check(cudaGetLastError(), "copy");
}

struct Timing {
  double median, low, high;
};

template <typename Work>
void keep_busy(Work &&work, double milliseconds) {
  using Clock = std::chrono::steady_clock;
  const auto begun = Clock::now();
  do {
    for (int run = 0; run < 10; run++) {
      work();
    }
    check(cudaDeviceSynchronize(), "running");
  } while (std::chrono::duration<double, std::milli>(Clock::now() - begun).count() < milliseconds);
}

template <typename Work>
Timing time(Work &&work) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin), "cudaEventCreate");
  check(cudaEventCreate(&end), "cudaEventCreate");
  keep_busy(work, WARM_UP_MS);
  std::vector<double> samples;
  for (int run = 0; run < RUNS + DISCARDED; run++) {
    check(cudaEventRecord(begin), "cudaEventRecord");
    work();
    check(cudaEventRecord(end), "cudaEventRecord");
    check(cudaEventSynchronize(end), "running");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin, end), "cudaEventElapsedTime");
    if (run >= DISCARDED) {
      samples.push_back(milliseconds * 1000.0);
    }
  }
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  std::sort(samples.begin(), samples.end());
  const auto at = [&](double share) {
    return samples[static_cast<std::size_t>(share * (samples.size() - 1) + 0.5)];
  };
  return {at(0.5), at(0.25), at(0.75)};
}

/// Data whose sums are exact in any order: random words for integers; for floats a walk in whole
/// numbers that turns back where it would leave its bounds.
template <typename T>
std::vector<T> make_data(std::size_t length) {
  constexpr bool is_float = std::is_floating_point_v<T>;
  constexpr std::int64_t bound = sizeof(T) == 4 ? std::int64_t{1} << 22 : std::int64_t{1} << 51;
  constexpr std::int64_t step = sizeof(T) == 4 ? std::int64_t{1} << 9 : std::int64_t{1} << 30;
  std::vector<T> data(length);
  std::uint64_t state = 0x9e3779b97f4a7c15u;
  std::int64_t total = 0;
  for (T &item : data) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    if constexpr (is_float) {
      std::int64_t value = static_cast<std::int64_t>(state >> 16) % (2 * step + 1) - step;
      if (total + value > bound || total + value < -bound) {
        value = -value;
      }
      total += value;
      item = static_cast<T>(value);
    } else {
      item = static_cast<T>(state >> 8);
    }
  }
  return data;
}

/// Keeps half: odd integers, floats above zero.
template <typename T>
struct Keep {
  __host__ __device__ bool operator()(const T &x) const {
    if constexpr (std::is_floating_point_v<T>) {
      return x > T{0};
    } else {
      return (x & T{1}) == T{1};
    }
  }
};

template <typename T>
std::vector<T> read_back(const T *from, std::size_t length) {
  std::vector<T> items(length);
  check(cudaMemcpy(items.data(), from, length * sizeof(T), cudaMemcpyDeviceToHost), "reading back");
  return items;
}

template <typename T>
std::string compare(const std::vector<T> &actual, const std::vector<T> &expected) {
  for (std::size_t index = 0; index < expected.size(); index++) {
    if (!(actual[index] == expected[index])) {
      return "element " + std::to_string(index) + " is " + std::to_string(actual[index]) + ", and the CPU has " +
             std::to_string(expected[index]);
    }
  }
  return "";
}

/// Sums wrap around for integers, and are exact for floats.
template <typename T>
std::string verify_scan(const std::vector<T> &data, const T *output) {
  std::vector<T> expected(data.size());
  T prefix{};
  for (std::size_t index = 0; index < data.size(); index++) {
    expected[index] = prefix;
    prefix = static_cast<T>(prefix + data[index]);
  }
  return compare(read_back(output, data.size()), expected);
}

template <typename T>
std::string verify_reduce(const std::vector<T> &data, const T *output) {
  T total{};
  for (const T &item : data) {
    total = static_cast<T>(total + item);
  }
  return compare(read_back(output, 1), std::vector<T>{total});
}

template <typename T>
std::string verify_compact(const std::vector<T> &data, const T *output, const std::int64_t *count) {
  std::vector<T> expected;
  std::copy_if(data.begin(), data.end(), std::back_inserter(expected), Keep<T>{});
  const auto kept = read_back(count, 1)[0];
  if (kept != static_cast<std::int64_t>(expected.size())) {
    return "it says that " + std::to_string(kept) + " are kept, and the CPU keeps " + std::to_string(expected.size());
  }
  return compare(read_back(output, expected.size()), expected);
}

template <typename T>
std::string verify_sort(const std::vector<T> &data, const T *output) {
  std::vector<T> expected = data;
  std::sort(expected.begin(), expected.end());
  return compare(read_back(output, data.size()), expected);
}

/// Each place comes once, and with its key, keys never fall, and equal ones keep their order: one result alone is like that.
template <typename T>
std::string verify_pairs(const std::vector<T> &data, const T *output, const std::uint32_t *reordered) {
  const std::vector<T> keys = read_back(output, data.size());
  const std::vector<std::uint32_t> places = read_back(reordered, data.size());
  std::vector<bool> seen(data.size());
  for (std::size_t at = 0; at < data.size(); at++) {
    const std::uint32_t place = places[at];
    const bool is_new = place < data.size() && !seen[place];
    const bool in_order =
        at == 0 || keys[at - 1] < keys[at] || (keys[at - 1] == keys[at] && places[at - 1] < place);
    if (!is_new || !(keys[at] == data[place]) || !in_order) {
      return "pair " + std::to_string(at) + ", " + std::to_string(keys[at]) + " of place " + std::to_string(place) +
             ", does not belong there";
    }
    seen[place] = true;
  }
  return "";
}

struct Sum {
  __host__ __device__ std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return a + b; }
};

struct Result {
  Timing timing;
  std::string problem;
};

template <typename T>
Result run(const std::string &primitive, std::size_t length) {
  const std::size_t bytes = length * sizeof(T);
  // Whole vectors, for the copy.
  const std::size_t room = (bytes + 15) / 16 * 16;
  const std::vector<T> data = make_data<T>(length);
  const bool has_values = primitive == "pairs";
  const std::size_t values_bytes = has_values ? length * sizeof(std::uint32_t) : 0;
  const Memory input(room), output(room), result(64), values(values_bytes), reordered(values_bytes);
  check(cudaMemset(input.as<char>(), 0, room), "filling");
  check(cudaMemcpy(input.as<T>(), data.data(), bytes, cudaMemcpyHostToDevice), "filling");
  if (has_values) {
    std::vector<std::uint32_t> places(length);
    std::iota(places.begin(), places.end(), 0u);
    check(cudaMemcpy(values.as<char>(), places.data(), values_bytes, cudaMemcpyHostToDevice), "filling");
  }
  const auto items = static_cast<std::int64_t>(length);
  const T *const from = input.as<const T>();
  T *const to = output.as<T>();

  // CUB says first how much scratch it takes.
  const auto call = [&](void *scratch, std::size_t &size) {
    if (primitive == "scan") {
      check(cub::DeviceScan::ExclusiveSum(scratch, size, from, to, items), "DeviceScan");
    } else if (primitive == "reduce") {
      check(cub::DeviceReduce::Sum(scratch, size, from, result.as<T>(), items), "DeviceReduce");
    } else if (primitive == "compact") {
      check(cub::DeviceSelect::If(scratch, size, from, to, result.as<std::int64_t>(), items, Keep<T>{}),
            "DeviceSelect");
    } else if (primitive == "sort") {
      check(cub::DeviceRadixSort::SortKeys(scratch, size, from, to, items), "DeviceRadixSort");
    } else if (primitive == "pairs") {
      check(cub::DeviceRadixSort::SortPairs(scratch, size, from, to, values.as<const std::uint32_t>(),
                                            reordered.as<std::uint32_t>(), items),
            "DeviceRadixSort");
    } else {
      throw Failure{"\"" + primitive + "\" is no primitive; it takes copy, scan, reduce, compact, sort or pairs"};
    }
  };
  std::unique_ptr<Memory> scratch;
  std::size_t size = 0;
  if (primitive != "copy") {
    call(nullptr, size);
    scratch = std::make_unique<Memory>(size);
  }
  const auto work = [&] {
    if (primitive == "copy") {
      copy(from, to, room);
    } else {
      call(scratch->as<void>(), size);
    }
  };

  // Making the data left the GPU idle.
  {
    const Memory a(HEAT_BYTES), b(HEAT_BYTES);
    keep_busy([&] { copy(a.as<void>(), b.as<void>(), HEAT_BYTES); }, HEAT_MS);
  }
  Result outcome{time(work), ""};
  check(cudaMemset(output.as<char>(), POISON, room), "poisoning");
  check(cudaMemset(result.as<char>(), POISON, 64), "poisoning");
  check(cudaMemset(reordered.as<char>(), POISON, values_bytes), "poisoning");
  work();
  check(cudaDeviceSynchronize(), "running");
  outcome.problem = primitive == "scan"     ? verify_scan(data, to)
                    : primitive == "reduce" ? verify_reduce(data, result.as<const T>())
                    : primitive == "copy"   ? compare(read_back(to, length), data)
                    : primitive == "sort"   ? verify_sort(data, to)
                    : primitive == "pairs"  ? verify_pairs(data, to, reordered.as<const std::uint32_t>())
                                            : verify_compact(data, to, result.as<const std::int64_t>());
  return outcome;
}

/// As bench/beside_rows.ts has them.
constexpr int BINS = 256;
constexpr std::uint32_t RANGE = 65536;

std::uint32_t word_at(std::size_t index) {
  std::uint32_t word = static_cast<std::uint32_t>(index) * 2654435761u;
  word = (word ^ (word >> 15)) * 2246822519u;
  return word ^ (word >> 13);
}

bool is_family(const std::string &task) {
  return task == "runs" || task == "sums" || task == "halves" || task == "bins" || task == "equal";
}

std::vector<std::uint32_t> family_data(const std::string &task, std::size_t length) {
  std::vector<std::uint32_t> data(length);
  std::uint32_t key = 0;
  for (std::size_t at = 0; at < length; at++) {
    const std::uint32_t word = word_at(at);
    if (task == "runs" || task == "sums") {
      key += word >> (task == "runs" ? 30 : 24) == 0 ? 1 : 0;
      data[at] = key;
    } else {
      data[at] = task == "halves" ? word : task == "bins" ? word % RANGE : RANGE / 3;
    }
  }
  return data;
}

using Words = std::vector<std::uint32_t>;

std::string verify_family(const std::string &task, const Words &data, const std::uint32_t *output,
                          const std::uint32_t *unique, const std::int64_t *count) {
  if (task == "bins" || task == "equal") {
    Words bins(BINS);
    for (const std::uint32_t word : data) {
      bins[std::uint64_t{word} * BINS / RANGE]++;
    }
    return compare(read_back(output, BINS), bins);
  }
  Words keys, totals;
  if (task == "halves") {
    std::copy_if(data.begin(), data.end(), std::back_inserter(totals), Keep<std::uint32_t>{});
  } else {
    for (std::size_t at = 0; at < data.size(); at++) {
      if (at == 0 || data[at] != data[at - 1]) {
        keys.push_back(data[at]);
        totals.push_back(0);
      }
      totals.back() += task == "runs" ? 1 : word_at(at);
    }
  }
  const auto found = read_back(count, 1)[0];
  if (found != static_cast<std::int64_t>(totals.size())) {
    return "it counts " + std::to_string(found) + ", and the CPU " + std::to_string(totals.size());
  }
  if (task == "halves") {
    // CUB puts the rest behind in reverse order.
    Words rest;
    std::copy_if(data.rbegin(), data.rend(), std::back_inserter(rest),
                 [](std::uint32_t word) { return !Keep<std::uint32_t>{}(word); });
    totals.insert(totals.end(), rest.begin(), rest.end());
  } else if (const std::string problem = compare(read_back(unique, keys.size()), keys); !problem.empty()) {
    return "keys: " + problem;
  }
  return compare(read_back(output, totals.size()), totals);
}

Result run_family(const std::string &task, std::size_t length) {
  const Words data = family_data(task, length);
  const std::size_t bytes = std::max<std::size_t>(length, BINS) * sizeof(std::uint32_t);
  const Memory input(bytes), values(task == "sums" ? bytes : 0), output(bytes), unique(bytes), count(64);
  check(cudaMemcpy(input.as<char>(), data.data(), length * 4, cudaMemcpyHostToDevice), "filling");
  if (task == "sums") {
    Words summed(length);
    for (std::size_t at = 0; at < length; at++) {
      summed[at] = word_at(at);
    }
    check(cudaMemcpy(values.as<char>(), summed.data(), length * 4, cudaMemcpyHostToDevice), "filling");
  }
  const auto items = static_cast<std::int64_t>(length);
  const auto *const from = input.as<const std::uint32_t>();
  auto *const to = output.as<std::uint32_t>();
  auto *const keys = unique.as<std::uint32_t>();
  auto *const found = count.as<std::int64_t>();
  const auto call = [&](void *scratch, std::size_t &size) {
    if (task == "runs") {
      check(cub::DeviceRunLengthEncode::Encode(scratch, size, from, keys, to, found, items), "DeviceRunLengthEncode");
    } else if (task == "sums") {
      check(cub::DeviceReduce::ReduceByKey(scratch, size, from, keys, values.as<const std::uint32_t>(), to, found, Sum{},
                                           items),
            "ReduceByKey");
    } else if (task == "halves") {
      check(cub::DevicePartition::If(scratch, size, from, to, found, items, Keep<std::uint32_t>{}), "DevicePartition");
    } else {
      check(cub::DeviceHistogram::HistogramEven(scratch, size, from, to, BINS + 1, std::uint32_t{0}, RANGE, items),
            "DeviceHistogram");
    }
  };
  std::size_t size = 0;
  call(nullptr, size);
  const Memory scratch(size);
  {
    const Memory a(HEAT_BYTES), b(HEAT_BYTES);
    keep_busy([&] { copy(a.as<void>(), b.as<void>(), HEAT_BYTES); }, HEAT_MS);
  }
  const auto work = [&] { call(scratch.as<void>(), size); };
  Result outcome{time(work), ""};
  for (const Memory *one : {&output, &unique}) {
    check(cudaMemset(one->as<char>(), POISON, bytes), "poisoning");
  }
  check(cudaMemset(count.as<char>(), 0, 64), "poisoning");
  work();
  check(cudaDeviceSynchronize(), "running");
  outcome.problem = verify_family(task, data, to, keys, found);
  return outcome;
}

std::string quoted(const std::string &text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
    }
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + "\"";
}

}  // namespace

int main(int argc, char **argv) {
  int device = 0, driver = 0, runtime = 0;
  cudaDeviceProp properties{};
  try {
    check(cudaGetDevice(&device), "cudaGetDevice");
    check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
    check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
    check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  } catch (const Failure &failure) {
    std::fprintf(stderr, "cub: there is no CUDA device: %s\n", failure.why.c_str());
    return 1;
  }
  std::printf("{\n \"name\": \"CUB %d.%d.%d\",\n \"device\": %s,\n \"driver\": %d,\n \"runtime\": %d,\n \"results\": [",
              CUB_MAJOR_VERSION, CUB_MINOR_VERSION, CUB_SUBMINOR_VERSION, quoted(properties.name).c_str(), driver,
              runtime);
  for (int index = 1; index < argc; index++) {
    char primitive[16] = "", type[16] = "";
    unsigned long long length = 0;
    if (std::sscanf(argv[index], "%15[a-z]:%15[a-z0-9]:%llu", primitive, type, &length) != 3 || length == 0) {
      std::fprintf(stderr, "cub: \"%s\" is no task; it takes primitive:type:length, as scan:u32:1024\n", argv[index]);
      return 1;
    }
    std::printf("%s\n  {\"primitive\": %s, \"type\": %s, \"length\": %llu, ", index > 1 ? "," : "",
                quoted(primitive).c_str(), quoted(type).c_str(), length);
    try {
      const std::string name = type;
      Result result;
      if (is_family(primitive)) {
        if (name != "u32") {
          throw Failure{std::string(primitive) + " is of u32"};
        }
        result = run_family(primitive, length);
      } else if (name == "u32") {
        result = run<std::uint32_t>(primitive, length);
      } else if (name == "i32") {
        // The same bits as u32's, and no overflow that C++ leaves undefined.
        result = run<std::uint32_t>(primitive, length);
      } else if (name == "f32") {
        result = run<float>(primitive, length);
      } else if (name == "u64" || name == "i64") {
        result = run<std::uint64_t>(primitive, length);
      } else if (name == "f64") {
        result = run<double>(primitive, length);
      } else {
        throw Failure{"it has no type " + name};
      }
      const auto &[median, low, high] = result.timing;
      std::printf("\"median\": %.3f, \"quartiles\": [%.3f, %.3f], \"runs\": %d, \"verified\": %s, \"problem\": %s}",
                  median, low, high, RUNS, result.problem.empty() ? "true" : "false", quoted(result.problem).c_str());
    } catch (const Failure &failure) {
      std::printf("\"verified\": false, \"problem\": %s}", quoted(failure.why).c_str());
    }
    std::fflush(stdout);
  }
  std::printf("\n ]\n}\n");
  return 0;
}
