import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommandLine } from '../../src/commands/program/program.ts';
import { seededRandom } from '../../src/foundation/random.ts';
import { formatEntries } from '../../src/history/exchange/csv.ts';
import { entryOf } from '../../src/history/store/run-entry.ts';
import { formatRun } from '../../src/model/run/run.ts';
import { catchPrinted } from '../support/printed.ts';
import { slowerRun } from '../support/sample-run.ts';

const DAY = 86_400_000;

describe('a run compared with a history', () => {
  catchPrinted();
  let root = '';
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'wiregauge-history-'));
  });
  afterEach(() => {
    rmSync(root, { recursive: true });
  });

  it('is judged by the runs of the default branch, and not by those of pull requests', async () => {
    const day = (index: number) => new Date(Date.UTC(2026, 0, 1) + index * DAY).toISOString();
    const jitter = seededRandom(1);
    const runs = Array.from({ length: 25 }, (_, index) => slowerRun(1 + 0.01 * jitter(), day(index)));
    const pullRequests = runs.map((_, index) => slowerRun(1.5, day(index)));
    const entries = [
      ...runs.map((run, index) => entryOf(run, { run: `main-${index}`, branch: 'main' })),
      ...pullRequests.map((run, index) =>
        entryOf(run, { run: `pull-${index}`, branch: 'main', pullRequest: index + 1 }),
      ),
    ];
    const file = join(root, 'runs.json');
    const folder = join(root, 'performance');
    writeFileSync(file, formatEntries(entries));
    expect(await runCommandLine(['history', 'import', file, '--format', 'json', '--folder', folder])).toBe(0);
    const measured = join(root, 'run.json');
    writeFileSync(measured, formatRun(slowerRun(1.3, day(30))));

    const argv = ['report', measured, '--against', `history:${folder}`, '--out', join(root, 'out')];
    expect(await runCommandLine(argv)).toBe(0);

    const report = readFileSync(join(root, 'out', 'report.md'), 'utf8');
    // Not if the runs of pull requests counted: they are slower still.
    expect(report).toMatch(/Suspicious: \d+ of \d+ comparisons/);
    expect(await runCommandLine(['report', measured, '--against', `history:${root}/nowhere`])).toBe(2);
  });

  it('collects while nothing was published to the folder', async () => {
    const measured = join(root, 'run.json');
    writeFileSync(measured, formatRun(slowerRun(1, new Date(Date.UTC(2026, 0, 1)).toISOString())));
    const argv = ['report', measured, '--against', `history:${root}`, '--out', join(root, 'out')];

    expect(await runCommandLine(argv)).toBe(0);
    expect(readFileSync(join(root, 'out', 'report.md'), 'utf8')).toMatch(/Collecting \(0 of 10 runs\): there is no/);
  });
});
