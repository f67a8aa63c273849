import { defineConfig } from 'vitest/config';

/** On all cores: by itself vitest leaves one alone, which of two is half of the machine. */
const BESIDE_EACH_OTHER = { maxWorkers: '100%' } as const;

/** For tests of the real thing: how long something may take is none of their assertions. */
const PATIENCE = { testTimeout: 180_000, hookTimeout: 300_000, expect: { poll: { timeout: 20_000 } } };

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['tests/{unit,fuzz}/**/*.test.ts'],
          ...BESIDE_EACH_OTHER,
          // Files of one worker share what they import: loading it anew for each is most of the time. They are pure, or undo what they set.
          isolate: false,
          // None takes a second by itself, but the machine may be busy.
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'parallel',
          include: ['tests/parallel/**/*.test.ts'],
          ...BESIDE_EACH_OTHER,
          // After those of the unit: a browser needs more than a core.
          sequence: { groupOrder: 1 },
          ...PATIENCE,
        },
      },
      {
        test: {
          name: 'serial',
          include: ['tests/serial/**/*.test.ts'],
          // They share the lock of the machine and the Docker engine with each other, but judge no measured figure.
          fileParallelism: false,
          ...PATIENCE,
        },
      },
      {
        test: {
          name: 'integration',
          include: ['tests/integration/**/*.test.ts'],
          // What they judge they measure with both cores: one file at a time, after all others.
          fileParallelism: false,
          ...PATIENCE,
        },
      },
    ],
  },
});
