import { join } from 'node:path';
import { elsewhere, type Row } from '../row.ts';
import { CONFIGURATION } from './files.ts';
import { RUN, serviceWith } from './services.ts';

const SHOWN = { argv: ['config', 'show'], code: 0, prints: /shop/ } as const;

const MANY = (count: number): string =>
  CONFIGURATION.replace(
    / {2}- \{ name.*\n/,
    Array.from({ length: count }, (_, index) => `  - { name: Item${index}, rest: { path: /item/${index} } }\n`).join(
      '',
    ),
  );

/** The machine: its disk, its temporary folder, its language, its lock, its network, its repository. */
export const MACHINE: readonly Row[] = [
  {
    fault: 'TMPDIR does not exist',
    found: 'H12',
    by: {
      argv: RUN,
      set: serviceWith('none'),
      environment: ({ outside }) => ({ TMPDIR: join(outside, 'none') }),
      code: 2,
      prints: /the temporary folder .* cannot be read/,
      leaves: ['out'],
    },
  },
  {
    fault: 'TMPDIR does not exist for clean',
    by: {
      argv: ['cache', 'clean'],
      environment: ({ outside }) => ({ TMPDIR: join(outside, 'none') }),
      code: 2,
      prints: /the temporary folder .* cannot be read/,
    },
  },
  ...['C', 'POSIX', 'tr_TR.UTF-8', 'none'].map((locale) => ({
    fault: `the locale is ${locale}`,
    by: {
      ...SHOWN,
      set: ({ write }: { write: (path: string, text: string) => string }) => void write('wiregauge.yml', CONFIGURATION),
      environment: () => ({ LANG: locale, LC_ALL: locale }),
    },
  })),
  ...[{ PATH: undefined }, { HOME: undefined }, { TERM: undefined }, { HOME: '/none' }].map((environment) => ({
    fault: `the environment has ${JSON.stringify(environment, (_, value) => value ?? 'nothing')}`,
    by: {
      ...SHOWN,
      set: ({ write }: { write: (path: string, text: string) => string }) => void write('wiregauge.yml', CONFIGURATION),
      environment: () => environment,
    },
  })),
  {
    fault: '50 operations at 10 requests per second',
    found: 'H16',
    by: {
      isInside: true,
      argv: ['config', 'show'],
      set: ({ write }) => void write('wiregauge.yml', MANY(50).replace('thinkSeconds: 0.1', 'thinkSeconds: 1')),
      code: 2,
      prints: /at least/,
    },
  },
  {
    fault: '10,000 operations',
    found: 'H17',
    by: {
      isInside: true,
      argv: ['config', 'show'],
      set: ({ write }) => void write('wiregauge.yml', MANY(10_000)),
      code: 2,
      prints: /must be at most 1000/,
    },
  },
  elsewhere(
    'a profiler that keeps binaries for ever',
    'tests/unit/measure/profiler/perf.test.ts',
    'leaves no copy of a program in the cache of the user',
    'H6',
  ),
  elsewhere(
    'a full disk at the end',
    'tests/unit/host/files/output-folder.test.ts',
    'reports a full disk for each kind of writer',
    'H11',
  ),
  elsewhere(
    'a full disk while a file is replaced',
    'tests/unit/host/files/output-folder.test.ts',
    'keeps the old file and names the next step',
  ),
  elsewhere('a read-only disk', 'tests/unit/host/files/output-folder.test.ts', 'says that a file system is read-only'),
  elsewhere(
    'a full disk while a version is laid out',
    'tests/parallel/worktrees-refused.test.ts',
    'leaves nothing behind where the disk is full',
  ),
  elsewhere(
    'a link that leads nowhere in the way',
    'tests/unit/host/files/output-folder.test.ts',
    'says that a link that leads nowhere is in the way',
  ),
  elsewhere(
    'many programs that want the machine',
    'tests/serial/machine-lock.test.ts',
    'is given to one of many that start at once',
  ),
  elsewhere(
    'programs that wait for the machine',
    'tests/serial/machine-lock.test.ts',
    'is given to the one that waits longest',
    'H13',
  ),
  elsewhere(
    'a program that waits for the machine and was stopped',
    'tests/serial/machine-lock.test.ts',
    'passes over one that is first in the queue and does not take it',
  ),
  elsewhere(
    'a holder of the lock that was killed',
    'tests/serial/machine-lock.test.ts',
    'is released if the program was killed while its children live on',
  ),
  elsewhere(
    'a holder of the lock that says nothing',
    'tests/serial/machine-lock.test.ts',
    'does not keep the program waiting by saying nothing',
  ),
  elsewhere('two comparisons at once', 'tests/serial/compare-refused.test.ts', 'two at once on one machine'),
  elsewhere(
    'a folder of another user with one of our names',
    'tests/killed/shared-machine.test.ts',
    'ignores a folder of another user that is named like one of ours',
  ),
  elsewhere(
    'a link of another user with one of our names',
    'tests/killed/shared-machine.test.ts',
    'leaves a link alone that another user has named',
  ),
  elsewhere(
    'a clock that is set back',
    'tests/unit/measure/trial/ready/ready.test.ts',
    'also if the clock is set back meanwhile',
  ),
  elsewhere(
    'a clock that is set back in mid-run',
    'tests/unit/measure/faults.test.ts',
    'in which the clock is set back loses that slot alone',
  ),
  elsewhere(
    'a clock that is set while something is measured',
    'tests/unit/measure/faults.test.ts',
    'by %i ms during a measurement is reported',
  ),
  elsewhere('a full disk in mid-run', 'tests/unit/measure/faults.test.ts', 'on a disk that is full in mid-run says so'),
  elsewhere(
    'a full disk while a run is published',
    'tests/parallel/full-disk.test.ts',
    'publishes all of the run or nothing, and leaves nothing there',
  ),
  elsewhere('a reader of the output that is gone', 'tests/parallel/closed-pipe.test.ts', 'is not an error'),
  elsewhere('too few open files', 'tests/killed/orphans.test.ts', 'gives service and tool enough open files'),
  elsewhere(
    'no source of the load tools',
    'tests/parallel/tools.test.ts',
    'are missed with a list of all that was tried',
    'H20',
  ),
  elsewhere(
    'a log that is longer than what is kept of it',
    'tests/unit/host/child.test.ts',
    'that printed more than is kept has whole lines only',
    'H20',
  ),
  elsewhere(
    'a base branch that was force-pushed',
    'tests/parallel/merge-base.test.ts',
    'if a force-push took the commit away',
    'H21',
  ),
  elsewhere(
    'a label that does not count',
    'tests/parallel/acceptance.test.ts',
    'accepts nothing, and the comment says so',
    'H22',
  ),
  elsewhere(
    'a token that GitHub refuses',
    'tests/serial/action-refused-github.test.ts',
    'with a token that is not valid',
  ),
  elsewhere('a shallow clone', 'tests/parallel/worktrees-refused.test.ts', 'is missing in a shallow clone'),
  elsewhere(
    'a branch that others keep pushing to',
    'tests/parallel/publish-refused.test.ts',
    'because others keep pushing',
  ),
  elsewhere('a network that fails', 'tests/parallel/publish-refused.test.ts', 'because the network fails'),
  elsewhere('a machine without git', 'tests/parallel/worktrees-refused.test.ts', 'needs git'),
];
