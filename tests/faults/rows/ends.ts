import type { Play } from '../play.ts';
import { elsewhere, type Row } from '../row.ts';
import { RUN, serviceWith } from './services.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

/** More than a test may take, so that a signal that waits for the service fails it. */
const READY_SECONDS = 600;

/** Moments of a run, by what was printed at its last. */
const MOMENTS = {
  'before the service is ready': { fault: 'never', at: /runtime: plain processes/ },
  'while the first request has no answer': { fault: 'mute', at: /runtime: plain processes/ },
  'under load': { fault: 'none', at: /measuring, offered/ },
  'while a daemon and stubborn service is loaded': { fault: 'stubborn', at: /measuring, offered/ },
} as const;

function ended(moment: keyof typeof MOMENTS, signals: readonly NodeJS.Signals[]): Play {
  const { fault, at } = MOMENTS[moment];
  const isKilled = signals.includes('SIGKILL');
  return {
    argv: RUN,
    set: serviceWith(fault, READY_SECONDS),
    ends: { at, signals },
    code: isKilled ? null : 130,
    prints: isKilled ? /./ : /stopping; any results so far are kept/,
    leaves: ['out'],
    next: isKilled,
  };
}

const signalled = (moment: keyof typeof MOMENTS, signals: readonly NodeJS.Signals[], row: Partial<Row> = {}): Row => ({
  fault: `${signals.join(' and ')} ${moment}`,
  by: ended(moment, signals),
  ...row,
});

/** How a run is ended, and what it leaves. */
export const ENDS: readonly Row[] = [
  signalled('before the service is ready', ['SIGTERM'], { found: 'H9' }),
  signalled('while the first request has no answer', ['SIGTERM'], { found: 'H9' }),
  signalled('before the service is ready', ['SIGKILL']),
  signalled('under load', ['SIGHUP'], { found: 'H7' }),
  signalled('under load', ['SIGQUIT']),
  signalled('under load', ['SIGKILL']),
  signalled('while a daemon and stubborn service is loaded', ['SIGTERM', 'SIGTERM']),
  ...SIGNALS.map((signal) => signalled('before the service is ready', [signal, 'SIGTERM'], { nightly: true })),
  ...SIGNALS.map((signal) => signalled('under load', [signal, 'SIGINT'], { nightly: true })),
  ...SIGNALS.map((signal) => signalled('while a daemon and stubborn service is loaded', [signal], { nightly: true })),
  signalled('while a daemon and stubborn service is loaded', ['SIGKILL'], { nightly: true }),
  elsewhere(
    'a service runs as another user',
    'tests/unit/host/child.test.ts',
    'that may not be signaled is named',
    'H8',
  ),
  elsewhere('what cannot be stopped at a signal', 'tests/unit/host/signals.test.ts', 'names what cannot be stopped'),
  elsewhere(
    'Ctrl-C in mid-run, with an older complete run',
    'tests/serial/cli.test.ts',
    'stops in good order at Ctrl-C',
  ),
  elsewhere('Ctrl-C in a comparison', 'tests/serial/compare-interrupted.test.ts', 'keeps and judges what was measured'),
  elsewhere(
    'a cancelled job of a workflow',
    'tests/killed/action-cancelled.test.ts',
    'leaves no process and no folder',
  ),
  elsewhere('SIGKILL, and the next run', 'tests/killed/orphans.test.ts', 'ends what a killed run left'),
  elsewhere(
    'an exit while a service is just starting',
    'tests/killed/orphans.test.ts',
    'ends also what it is just starting',
  ),
  elsewhere(
    'SIGKILL while a file is written',
    'tests/unit/host/files/output-folder.test.ts',
    'removes parts that killed programs have left, and no others',
  ),
  elsewhere('a crash', 'tests/killed/orphans.test.ts', 'has only folders left to remove after a run that crashed'),
  elsewhere('SIGKILL with a load driver', 'tests/killed/orphans.test.ts', 'has no driver to end'),
  elsewhere(
    'SIGKILL with worktrees',
    'tests/killed/worktrees-orphans.test.ts',
    'is removed at the next start, with what git knows of it',
  ),
  elsewhere(
    'a worktree whose folder is gone',
    'tests/killed/worktrees-orphans.test.ts',
    'is forgotten by the next version',
  ),
  elsewhere(
    'a worktree that a build made read-only',
    'tests/killed/worktrees-orphans.test.ts',
    'is removed all the same',
  ),
  elsewhere(
    'SIGKILL between commit and push',
    'tests/killed/publish-killed.test.ts',
    'has pushed nothing, and does not block later runs',
  ),
  elsewhere(
    'every signal between commit and push',
    'tests/killed/publish-killed.test.ts',
    'leaves no folder and no git',
  ),
  elsewhere(
    'a signal while a version is laid out, and nothing waits for it',
    'tests/killed/worktrees-orphans.test.ts',
    'is removed, with what git knows of it',
  ),
  elsewhere('SIGKILL between fetch and push', 'tests/killed/publish-checkout.test.ts', 'has touched nothing'),
  elsewhere(
    'a daemon of a runtime that is disposed of',
    'tests/unit/host/machine/descendants.test.ts',
    'also a daemon without environment',
  ),
];
