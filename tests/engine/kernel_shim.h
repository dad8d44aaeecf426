// What the kernels' text needs to be C++: the names that a GPU gives them, with the threads of a
// group as coroutines. Between two meetings the 32s of a group run one after another, in an order
// that the seed decides, each as far as it can: what lacks a barrier reads what is not written yet.
// Reads and writes beyond an array's end are faults, and so are threads that do not meet.

#include <cmath>
#include <coroutine>
#include <cstdint>
#include <cstring>
#include <exception>
#include <list>
#include <vector>

typedef unsigned long long WIDE;

namespace shim {

enum Fault { NONE = 0, OUTSIDE = 1, APART = 2 };
inline Fault fault = NONE;

inline float from_half(uint16_t bits) {
  const uint32_t sign = uint32_t(bits & 0x8000u) << 16, rest = bits & 0x7fffu;
  float size;
  if (rest >= 0x7c00u) {
    size = rest == 0x7c00u ? INFINITY : NAN;
  } else if (rest < 0x400u) {
    size = std::ldexp(float(rest), -24);
  } else {
    const uint32_t whole = (rest << 13) + (112u << 23);
    std::memcpy(&size, &whole, 4);
  }
  return sign ? -size : size;
}

inline uint16_t to_half(float x) {  // to nearest, ties to even
  const uint16_t sign = std::signbit(x) ? 0x8000u : 0;
  const float size = std::fabs(x);
  if (std::isnan(x)) return 0x7e00u;
  if (size >= 65520.0f) return sign | 0x7c00u;
  int power;
  std::frexp(size, &power);
  if (size == 0.0f || power < -13) return sign | uint16_t(std::nearbyint(std::ldexp(size, 24)));
  const int mantissa = int(std::nearbyint(std::ldexp(size, 11 - power)));  // 1024 to 2048
  return sign | uint16_t(((power + 14) << 10) + (mantissa - 1024));
}

inline float from_bfloat(uint16_t bits) {
  const uint32_t whole = uint32_t(bits) << 16;
  float x;
  std::memcpy(&x, &whole, 4);
  return x;
}

inline uint16_t to_bfloat(float x) {
  uint32_t whole;
  std::memcpy(&whole, &x, 4);
  if (std::isnan(x)) return 0x7fc0u;
  return uint16_t((whole + 0x7fffu + ((whole >> 16) & 1u)) >> 16);
}

enum Kind { FLOAT = 0, HALF = 1, BFLOAT = 2, INT = 3, UINT = 4 };

struct Memory {
  void* data;
  long long size;
  int kind;
};

template <class V>
struct Plain {
  const V* data;
  WIDE size;
  Plain(const Memory& m) : data(static_cast<const V*>(m.data)), size(m.size) {}
  V operator[](WIDE at) const {
    if (at < size) return data[at];
    fault = OUTSIDE;
    return V(0);
  }
};

struct Numbers {  // of any type that attention is computed in
  Memory memory;
  Numbers(const Memory& m) : memory(m) {}
  float operator[](WIDE at) const {
    if (at >= WIDE(memory.size)) {
      fault = OUTSIDE;
      return NAN;
    }
    if (memory.kind == FLOAT) return static_cast<const float*>(memory.data)[at];
    const uint16_t bits = static_cast<const uint16_t*>(memory.data)[at];
    return memory.kind == HALF ? from_half(bits) : from_bfloat(bits);
  }
};

struct Written {
  Memory memory;
  struct Cell {
    const Memory& memory;
    WIDE at;
    void operator=(float x) {
      if (at >= WIDE(memory.size)) {
        fault = OUTSIDE;
      } else if (memory.kind == FLOAT) {
        static_cast<float*>(memory.data)[at] = x;
      } else {
        static_cast<uint16_t*>(memory.data)[at] = memory.kind == HALF ? to_half(x) : to_bfloat(x);
      }
    }
  };
  Cell operator[](WIDE at) const { return Cell{memory, at}; }
};

enum Wait { READY, AT_SUM, AT_BARRIER, DONE };

struct Run {
  struct promise_type {
    Run get_return_object() {
      return Run{std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
};

struct Group {
  std::list<std::vector<float>> shared;
  float* have(size_t number, size_t count) {
    if (number == shared.size()) shared.emplace_back(count, NAN);
    auto found = shared.begin();
    while (number-- > 0) found++;
    return found->data();
  }
};

struct Thread {
  Wait wait = READY;
  float value = 0;
  size_t shared = 0;
  Run run{};
};

struct Sum {
  Thread& thread;
  float value;
  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<>) const {
    thread.value = value;
    thread.wait = AT_SUM;
  }
  float await_resume() const { return thread.value; }
};

struct Meet {
  Thread& thread;
  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<>) const { thread.wait = AT_BARRIER; }
  void await_resume() const {}
};

// Runs 32 threads until all of them are at a barrier or done.
inline void on(Thread* some) {
  while (fault == NONE) {
    for (int lane = 0; lane < 32; lane++) {
      if (some[lane].wait != READY) continue;
      some[lane].run.handle.resume();
      if (some[lane].run.handle.done()) some[lane].wait = DONE;
    }
    const Wait where = some[0].wait;
    for (int lane = 1; lane < 32; lane++) {
      if (some[lane].wait != where) fault = APART;
    }
    if (where != AT_SUM) return;
    float total[32];
    for (int lane = 0; lane < 32; lane++) total[lane] = some[lane].value;
    for (int apart = 16; apart > 0; apart /= 2) {
      for (int lane = 0; lane < apart; lane++) total[lane] += total[lane + apart];
    }
    for (int lane = 0; lane < 32; lane++) {
      some[lane].value = total[0];
      some[lane].wait = READY;
    }
  }
}

template <class Start>
void group(int simds, unsigned& random, Start start) {
  Group shared;
  std::vector<Thread> threads(simds * 32);
  std::vector<int> order(simds);
  for (int i = 0; i < simds; i++) order[i] = i;
  for (int i = 0; i < simds * 32; i++) threads[i].run = start(shared, threads[i], i % 32, i / 32);
  bool done = false;
  while (!done && fault == NONE) {
    for (int i = simds - 1; i > 0; i--) {
      random = random * 1664525u + 1013904223u;
      const int other = (random >> 8) % (i + 1), held = order[i];
      order[i] = order[other];
      order[other] = held;
    }
    for (int simd : order) on(&threads[simd * 32]);
    const Wait where = threads[0].wait;
    done = where == DONE;
    for (Thread& thread : threads) {
      if (thread.wait != where) fault = APART;
      if (!done) thread.wait = READY;
    }
  }
  for (Thread& thread : threads) thread.run.handle.destroy();
}

}  // namespace shim

#define EXP(x) std::exp(x)
#define LANE_SUM(x) (co_await shim::Sum{self, (x)})
#define BARRIER co_await shim::Meet{self}
#define SHARED(name, count) float* name = shared.have(self.shared++, (count))
#define T(x) float(x)
