import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** On all cores: by itself vitest leaves one alone, which of two is half of the machine. */
const BESIDE_EACH_OTHER = { maxWorkers: '100%' } as const;

/** As those of the unit: loading the program anew took as long for many a file as its tests. */
const SHARED_IMPORTS = { isolate: false, setupFiles: ['tests/support/left-as-found.ts'] };

/** For tests that start programs. None asserts how long they take: a site that is built in 100 s took 300 s on a busy machine. */
const PATIENCE = { testTimeout: 1_200_000, hookTimeout: 1_200_000, expect: { poll: { timeout: 60_000 } } };

/** Short texts that take long. On a machine that has run none of them vitest begins with the longest text, and these would come last, alone. */
const LONG = ['forged-artifacts', 'new-protocol', 'new-service', 'publish-standing', 'hostile-artifact', 'stored-runs'];

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => LONG.some((name) => moduleId.endsWith(`/${name}.test.ts`));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongFirst },
    // scripts/test runs vitest several times: a module is transformed by the first.
    experimental: { fsModuleCache: true, fsModuleCachePath: 'build/vitest' },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['tests/{unit,fuzz}/**/*.test.ts'],
          ...BESIDE_EACH_OTHER,
          // Files of one worker share what they import: loading it anew for each is most of the time. They are pure, or undo what they set.
          isolate: false,
          // Few take seconds by themselves; one of 4 s took over a minute next to tests that load services.
          ...PATIENCE,
        },
      },
      {
        test: {
          name: 'parallel',
          include: ['tests/parallel/**/*.test.ts'],
          // More than there are cores: for a good part they wait for a program, for a browser, or for an answer that comes late.
          maxWorkers: 3,
          ...SHARED_IMPORTS,
          // After those of the unit: a browser needs more than a core.
          sequence: { groupOrder: 1 },
          ...PATIENCE,
        },
      },
      {
        test: {
          name: 'killed',
          include: ['tests/killed/**/*.test.ts'],
          // Before whatever else measures: any start of Wiregauge removes what killed programs leave, which these look at.
          fileParallelism: false,
          ...SHARED_IMPORTS,
          ...PATIENCE,
        },
      },
      {
        test: {
          name: 'faults',
          include: ['tests/faults/**/*.test.ts'],
          // Each case has a repository, a temporary folder and a lock of its own.
          fileParallelism: false,
          sequence: { groupOrder: 2 },
          ...PATIENCE,
        },
      },
      {
        test: {
          name: 'plain',
          include: ['tests/plain/**/*.test.ts'],
          // As those that follow, and beside them, since they start no container; so they take a lock of their own.
          fileParallelism: false,
          ...SHARED_IMPORTS,
          env: { WIREGAUGE_LOCK: 'plain' },
          ...PATIENCE,
        },
      },
      {
        test: {
          name: 'serial',
          include: ['tests/serial/**/*.test.ts'],
          // They share the lock of the machine and the Docker engine with each other, but judge no figure that a busy machine can change.
          fileParallelism: false,
          ...SHARED_IMPORTS,
          ...PATIENCE,
        },
      },
      {
        test: {
          name: 'load',
          include: ['tests/load/**/*.test.ts'],
          // At once, but by themselves: they wait for most of their time, and what they check is when requests were sent.
          maxWorkers: 3,
          ...PATIENCE,
        },
      },
      {
        test: {
          name: 'cluster',
          include: ['tests/cluster/*.test.ts'],
          // They share one cluster.
          fileParallelism: false,
          sequence: { groupOrder: 2 },
          ...PATIENCE,
        },
      },
      {
        test: {
          name: 'integration',
          include: ['tests/integration/**/*.test.ts'],
          // What they judge they measure with both cores: one file at a time, after all others.
          fileParallelism: false,
          sequence: { groupOrder: 1 },
          ...PATIENCE,
        },
      },
    ],
  },
});
