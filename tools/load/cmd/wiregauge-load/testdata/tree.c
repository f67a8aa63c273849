// Calls of every kind, for tree.callgrind, which was written with
//
//	gcc -g -O0 -fno-stack-protector -nostdlib -static -o tree tree.c
//	valgrind --tool=callgrind --cache-sim=no --collect-systime=yes --separate-callers=100 --callgrind-out-file=tree.callgrind ./tree

// Valgrind reads the names of functions only of a program that has data.
static volatile int zero = 0x10;

static int leaf(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += i;
  return sum;
}

static int factorial(int n) { return n < 2 ? leaf(1) : n * factorial(n - 1); }

static int odd(int n);

static int even(int n) { return n == 0 ? leaf(10) : odd(n - 1); }

static int odd(int n) { return n == 0 ? 0 : even(n - 1); }

void _start(void) {
  int all = factorial(5) + even(6) + leaf(100);
  __asm__ volatile("syscall" : : "a"(60), "D"((all & 1) * (zero - 0x10)));
}
