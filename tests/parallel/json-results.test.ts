import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runCommandLine } from '../../src/commands/program/program.ts';
import { formatRun } from '../../src/model/run/run.ts';
import { makeProject } from '../integration/project.ts';
import { catchPrinted } from '../support/printed.ts';
import { sampleRounds } from '../support/sample-rounds.ts';
import { sampleRun } from '../support/sample-run.ts';
import { threeShards } from '../support/sample-shards.ts';

let project: ReturnType<typeof makeProject>;
let before = '';
const printed = catchPrinted();

beforeAll(() => {
  project = makeProject();
  before = process.cwd();
  project.write('slower.json', formatRun(sampleRounds({ rounds: 10, worse: [{ service: 'rest', by: 0.1 }] })));
  project.write('plain.json', formatRun(sampleRun()));
  for (const [index, { run }] of threeShards().entries()) {
    project.write(`shards/${index}/run.json`, formatRun(run));
  }
  project.write('figures.json', JSON.stringify([{ name: 'p95', unit: 'ms', value: 12.5 }]));
  process.chdir(project.root);
});
afterAll(() => {
  process.chdir(before);
  project.remove();
});

const PLACE = ['--folder', 'performance'];
const IMPORT = ['history', 'import', 'figures.json', '--format', 'custom-smaller', '--at', '2026-11-21T10:00:00Z'];

/** The document, where nothing else was printed beside it. */
async function documentOf(argv: readonly string[], exitCode = 0): Promise<Record<string, unknown>> {
  expect(await runCommandLine([...argv, '--json']), printed.err).toBe(exitCode);
  return JSON.parse(printed.out);
}

describe('--json', () => {
  it.each([
    [['judge', 'slower.json'], 1, { command: 'judge', outcome: 'regressed', exitCode: 1 }],
    [
      ['report', 'slower.json', '--out', 'again'],
      0,
      {
        command: 'report',
        outcome: 'regressed',
        findings: expect.arrayContaining([expect.objectContaining({ verdict: 'regressed' })]),
        run: 'slower.json',
        reports: expect.arrayContaining(['again/report.md']),
      },
    ],
    [['report', 'plain.json'], 0, { command: 'report', complete: true, failures: [], run: 'plain.json' }],
    [
      ['shards', 'merge', '--runs', 'shards', '--out', 'all/run.json'],
      0,
      { command: 'shards merge', run: 'all/run.json', merged: { shards: 3, measured: 3, lost: [] } },
    ],
    [
      ['shards', 'merge', 'shards/0/run.json', 'shards/1/run.json', '--judge', '--out', 'two/run.json'],
      2,
      {
        command: 'shards merge',
        outcome: 'incomplete',
        run: 'two/run.json',
        merged: { shards: 3, measured: 2, lost: ['3/3'] },
      },
    ],
    [
      ['shards', 'plan', '--suite', 'small'],
      0,
      { command: 'shards plan', suite: 'small', matrix: { include: [{ shard: '1/1', services: 'good' }] } },
    ],
    [
      ['baseline', 'update', 'plain.json', '--folder', 'kept', '--allow-dirty'],
      0,
      { command: 'baseline update', outcome: 'written', runs: 1, suspicious: [] },
    ],
    [
      ['baseline', 'update', 'plain.json', '--folder', 'kept', '--allow-dirty'],
      0,
      { command: 'baseline update', outcome: 'unchanged', runs: 1 },
    ],
    [[...IMPORT, ...PLACE], 0, { command: 'history import', outcome: 'written', runs: 1 }],
    [
      ['history', 'list', ...PLACE],
      0,
      { command: 'history list', runs: [{ suite: 'Benchmark', series: [{ metric: 'value', unit: 'ms' }] }] },
    ],
    [['history', 'thin', '--keep', '5000d', ...PLACE], 0, { command: 'history thin', outcome: 'unchanged', gone: 0 }],
  ])('makes one document of the result of %j', async (argv, exitCode, data) => {
    expect(await documentOf(argv, exitCode)).toMatchObject({ schema: 1, ...data });
  });

  it('has the figures of a run, and what the documents of the history are of', async () => {
    const { samples } = await documentOf(['report', 'plain.json']);
    expect((samples as readonly object[])[0]).toEqual({
      cell: expect.objectContaining({ suite: 'users' }),
      round: 1,
      requests: expect.any(Number),
      values: expect.objectContaining({ latencyP50Ms: expect.any(Number) }),
      marks: [],
    });
    printed.out = '';
    await runCommandLine([...IMPORT, ...PLACE]);
    printed.out = '';
    const { runs } = await documentOf(['history', 'list', ...PLACE]);
    printed.out = '';
    const [first] = runs as readonly { readonly run: string }[];
    const shown = await documentOf(['history', 'show', first?.run ?? '', ...PLACE]);
    expect(shown['run']).toEqual(first);
  });

  it.each([
    [['judge', 'nothing.json'], /^wiregauge: nothing\.json: there is no such file\n {2}\S/],
    [['report', 'plain.json', '--agianst', 'x'], /unknown option '--agianst'/],
    [['history', 'show', 'zzz', '--folder', 'nowhere'], /^wiregauge: there is no history in nowhere/],
  ])('has a document with the code of a mistake, next to the message: %j', async (argv, words) => {
    expect(await runCommandLine([...argv, '--json'])).toBe(2);

    expect(printed.err).toMatch(words);
    const { error } = JSON.parse(printed.out);
    expect(error.code).toMatch(/^WG-(?:101|107|604)$/);
    expect(printed.err).toContain(`wiregauge explain ${error.code}`);
  });

  it('has each of several mistakes in a file with its own code', async () => {
    project.write('twice/wiregauge.yml', 'services: { api: { protocol: rest, prot: 1 } }\ntiers: 1\noperations: []\n');
    process.chdir('twice');
    const exitCode = await runCommandLine(['config', 'show', '--json']);
    process.chdir('..');

    expect(exitCode).toBe(2);
    expect(JSON.parse(printed.out).error.mistakes).toMatchObject([
      { code: 'WG-104', message: expect.stringContaining('services.api.prot') },
      { code: 'WG-105', message: expect.stringContaining('tiers: must be a list') },
      { code: 'WG-105', message: expect.stringContaining('operations: must not be empty') },
    ]);
    expect(printed.err).toContain('wiregauge explain WG-104 WG-105, or ');
  });
});

describe('progress and colors', () => {
  it('have no control characters where there is no terminal, and have them where they are forced', async () => {
    const escapes = `${String.fromCharCode(27)}[`;
    for (const [force, expected] of [
      [undefined, false],
      ['1', true],
    ] as const) {
      vi.stubEnv('NO_COLOR', undefined);
      vi.stubEnv('FORCE_COLOR', force);
      printed.out = '';
      await runCommandLine(['judge', 'slower.json']);
      expect(printed.out).toContain('Regression');
      expect(printed.out.includes(escapes)).toBe(expected);
    }
  });
});
