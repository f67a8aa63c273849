import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { historyFolder } from '../../src/history/folder.ts';
import { runsAdded } from '../../src/history/publish.ts';
import type { HistoryEntry } from '../../src/history/store/entry.ts';
import { entryOf } from '../../src/history/store/run-entry.ts';
import { parseRun } from '../../src/model/run/run.ts';
import {
  BASE_TURNS,
  type CompareProject,
  compareProject,
  SMALL_SUITE,
  server,
} from '../integration/compare-project.ts';
import { type CommandEnd, wiregauge } from '../integration/project.ts';

const STORED_RUNS = 24;
/** With fewer a run alarms nobody. */
const ROUNDS = 3;
/** The CPU time of some requests is enough to tell four times the work, and a slot of them is over in no time. */
const SUITE = SMALL_SUITE.replace(
  /^tiers:\n.*$/m,
  'tiers: [{ name: few, users: 2, requestsPerUser: 1000, limitSeconds: 10 }]',
);
/** Ends each version that a comparison lays out beside the checkout, and with that the comparison. */
const FAILS_ELSEWHERE = (root: string) => `if (process.cwd() !== ${JSON.stringify(root)}) process.exit(1);\n`;

let project: CompareProject;
const STORED = 'history:kept';

function measure(out: string, rounds: number, ...argv: readonly string[]): Promise<CommandEnd> {
  const usual = [
    'run',
    ...['--suite', 'small'],
    ...['--profile', 'smoke'],
    ...['--mode', 'open'],
    ...['--rounds', String(rounds)],
    ...['--runtime', 'process'],
  ];
  return wiregauge([...usual, '--out', out, ...argv], { cwd: project.root });
}

/** As though it had been measured so many times before, an hour apart, with a little noise. */
function repeated(entry: HistoryEntry): HistoryEntry[] {
  return Array.from({ length: STORED_RUNS }, (_, index) => {
    const at = new Date(Date.parse(entry.at) - (STORED_RUNS - index) * 3_600_000).toISOString();
    const factor = 1 + 0.01 * ((index % 5) - 2);
    return { ...entry, run: `run-${index}`, at, values: entry.values.map((value) => value && value * factor) };
  });
}

beforeAll(async () => {
  project = compareProject();
  project.write('suites/small.yml', SUITE);
  project.git('commit', '--quiet', '--all', '--message=Few requests');
  // What is stored may be of fewer rounds.
  expect(await measure('first', 1)).toMatchObject({ exitCode: 0 });
  const first = parseRun(readFileSync(join(project.root, 'first/run.json'), 'utf8'), 'run.json');
  const additions = repeated(entryOf(first, { run: 'first' })).map((entry) => ({ entry }));
  const kept = historyFolder(join(project.root, 'kept'), () => undefined);
  await kept.change(({ read }) => runsAdded(read, additions, { wiregauge: '1.0.0' }), '');
  project.write('server.mjs', `${FAILS_ELSEWHERE(realpathSync(project.root))}${server(4 * BASE_TURNS)}`);
});
afterAll(() => project.remove());

describe('a run that is slower than the stored ones', () => {
  test('is reported and fails nothing, unless --fail-on regression is set', async () => {
    const warned = await measure('warned', ROUNDS, '--against', STORED);
    const gated = await measure('gated', ROUNDS, '--against', STORED, '--fail-on', 'regression');

    expect(warned).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/suspicious/i) });
    expect(gated).toMatchObject({ exitCode: 1, stdout: expect.stringMatching(/suspicious/i) });
  });

  test('is compared in rounds with the newest stored commit where --on-suspicion confirm asks for it, whose exit code counts', async () => {
    const commit = project.git('rev-parse', 'HEAD');

    const { exitCode, stdout } = await measure('asked', ROUNDS, '--against', STORED, '--on-suspicion', 'confirm');

    expect(stdout).toContain(`confirming the suspicion: base ${commit.slice(0, 7)} against the working tree`);
    expect(stdout).toMatch(/^Failed in head only: The good service/m);
    expect(exitCode).toBe(1);
    const file = join(project.root, 'asked/confirmation/run.json');
    expect(existsSync(file)).toBe(true);
    expect(parseRun(readFileSync(file, 'utf8'), file).rounds?.base).toMatchObject({ commit, dirty: false });
  });
});
