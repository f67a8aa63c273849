import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { formatRun, parseRun } from '../../src/model/run/run.ts';
import { makeProject, manifest, wiregauge } from '../integration/project.ts';
import { calledIn } from '../support/called-in.ts';
import { remembered } from '../support/remembered.ts';
import type { ResultJson } from '../support/result-lists.ts';
import { sampleRounds } from '../support/sample-rounds.ts';
import { sampleRun } from '../support/sample-run.ts';
import { threeShards } from '../support/sample-shards.ts';

const SLOWER = { rounds: 15, worse: [{ tier: 'saturation', by: 0.1 }] };

/** Their files, made once. */
const shards = remembered(() => threeShards().map(({ file, run: one }) => [`shards/${file}`, formatRun(one)] as const));

let project: ReturnType<typeof makeProject>;
beforeEach(() => {
  project = makeProject();
  for (const [path, text] of shards()) {
    project.write(path, text);
  }
});
afterEach(() => project.remove());

const run = (...argv: readonly string[]) => calledIn(project.root, argv);

/** The same by the program itself. */
const runAlone = (...argv: readonly string[]) => wiregauge(argv, { cwd: project.root });

const shard = (index: number) => `shards/shard-${index}/run.json`;
const read = (path: string) => readFileSync(join(project.root, path), 'utf8');
const resultOf = (stdout: string) => JSON.parse(stdout) as ResultJson;

describe('wiregauge shards merge, shards of a comparison', () => {
  test('makes one file of them, which is judged as all of them', async () => {
    const merged = await runAlone('shards', 'merge', shard(3), shard(1), shard(2), '--out', 'all/run.json');
    const judged = await runAlone('judge', 'all/run.json', '--json');

    expect(merged).toMatchObject({ exitCode: 0, stderr: '' });
    expect(merged.stdout).toMatch(/^merged 3 of 3 shards, \d+ samples: all\/run\.json\n$/);
    expect(judged.exitCode).toBe(0);
    expect(new Set(resultOf(judged.stdout).findings.map(({ cell }) => cell.service)).size).toBe(3);
  });

  test('says what is lost, and the verdict is 2 and names it', async () => {
    const merged = await run('shards', 'merge', shard(1), shard(2), '--out', 'all/run.json');
    const judged = await run('judge', 'all/run.json');

    expect(merged.exitCode).toBe(0);
    expect(merged.stdout).toContain('merged 2 of 3 shards; LOST: 3/3 (three)');
    expect(judged.exitCode).toBe(2);
    expect(judged.stdout).toMatch(/^Incomplete: .*three.* is not judged: its shard was lost/);
  });

  test('judges at once on request, with the exit code of the verdict', async () => {
    const [slower] = threeShards([SLOWER]);
    project.write(shard(1), formatRun(slower?.run ?? sampleRun()));

    const lost = await run('shards', 'merge', shard(2), shard(3), '--judge', '--out', 'lost/run.json');
    const regressed = await run('shards', 'merge', '--runs', 'shards', '--judge', '--out', 'red/run.json');
    const never = await run(
      'shards',
      'merge',
      '--runs',
      'shards',
      '--judge',
      '--fail-on',
      'never',
      '--out',
      'red/run.json',
    );
    const lostAnyway = await run(
      'shards',
      'merge',
      shard(2),
      '--judge',
      '--fail-on',
      'never',
      '--out',
      'lost/run.json',
    );

    expect([lost, regressed, never, lostAnyway].map(({ exitCode }) => exitCode)).toEqual([2, 1, 0, 2]);
    expect(regressed.stdout).toContain('Regression: ');
    expect(read('red/report.md')).toContain('Regression');
    expect(parseRun(read('lost/run.json'), 'run.json').complete).toBe(false);
  });

  test('finds the files in the folder and in its folders, and follows no links', async () => {
    project.write('elsewhere/run.json', 'not for us');
    symlinkSync(join(project.root, 'elsewhere'), join(project.root, 'shards/linked'));
    mkdirSync(join(project.root, 'shards/shard-9'));
    symlinkSync(join(project.root, 'elsewhere/run.json'), join(project.root, 'shards/shard-9/run.json'));

    const all = await run('shards', 'merge', '--runs', 'shards', '--out', 'all/run.json');
    // The way a single artifact is downloaded.
    const alone = await run('shards', 'merge', '--runs', 'shards/shard-2', '--out', 'one/run.json');

    expect(all.stdout).toContain('merged 3 of 3 shards,');
    expect(alone.stdout).toContain('merged 1 of 3 shards; LOST: 1/3 (one), 3/3 (three)');
  });

  test('a damaged file is an error, or a lost shard where that is allowed', async () => {
    project.write(shard(2), read(shard(2)).slice(0, 3000));
    project.write(shard(3), JSON.stringify({ ...JSON.parse(read(shard(3))), schema: 1 }));

    const refused = await run('shards', 'merge', '--runs', 'shards', '--out', 'all/run.json');
    const allowed = await run(
      'shards',
      'merge',
      '--runs',
      'shards',
      '--allow-lost',
      '--judge',
      '--out',
      'all/run.json',
    );

    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toMatch(/shard-2\/run\.json: is not valid JSON, or is truncated/);
    expect(allowed).toMatchObject({ exitCode: 2, stderr: '' });
    expect(allowed.stdout).toMatch(/lost, because it cannot be read: shards\/shard-2\/run\.json: .*truncated/);
    expect(allowed.stdout).toMatch(/lost, because it cannot be read: shards\/shard-3\/run\.json: has schema 1/);
    expect(allowed.stdout).toContain('LOST: 2/3 (two), 3/3 (three)');
  });

  test.each([
    [
      ['shards/shard-1/run.json', 'shards/shard-1/run.json'],
      /shard-1\/run\.json and .*shard-1\/run\.json are both shard 1\/3/,
    ],
    [['shards/shard-1/run.json', 'plain.json'], /plain\.json is not a shard of a comparison/],
    [['plain.json', 'plain.json'], /plain\.json is given twice/],
    [['rounds.json'], /rounds\.json compares two versions in rounds/],
    [
      ['shards/shard-1/run.json', 'other.json'],
      /shard-1\/run\.json and other\.json are not shards of the same comparison: head/,
    ],
    [['plain.json', 'short.json', '--allow-lost'], /short\.json: is not valid JSON/],
    [['short.json', '--allow-lost'], /short\.json: is not valid JSON/],
    [['plain.json', '--judge'], /these runs compared nothing/],
    [['plain.json', '--fail-on', 'never'], /nothing is judged\n {2}Add --judge/],
    [['--runs', 'nowhere'], /nowhere: cannot be read/],
    [['--runs', 'empty'], /empty contains no run\.json: every shard was lost/],
    [[], /no run\.json is given/],
  ])('refuses %j and writes nothing', async (argv, words) => {
    const [first] = threeShards();
    const other = parseRun(formatRun(first?.run ?? sampleRun()), 'run.json');
    const head = { ...other.rounds?.head, commit: 'e'.repeat(40) };
    project.write('other.json', JSON.stringify({ ...other, rounds: { ...other.rounds, head } }));
    project.write('plain.json', formatRun(sampleRun()));
    project.write('rounds.json', formatRun(sampleRounds({ rounds: 2 })));
    project.write('short.json', '{"schema": 2');
    mkdirSync(join(project.root, 'empty'));

    const { exitCode, stderr } = await run('shards', 'merge', ...argv);

    expect(stderr).toMatch(words);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(exitCode).toBe(2);
    expect(existsSync(join(project.root, 'out/run.json'))).toBe(false);
  });

  test('merges plain runs as before', async () => {
    project.write('a.json', formatRun(sampleRun({ services: ['rest'] })));
    project.write('b.json', formatRun(sampleRun({ services: ['grpc'] })));

    const { exitCode, stdout } = await run('shards', 'merge', 'a.json', 'b.json');

    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^merged plain runs, \d+ samples: out\/run\.json/);
    expect(parseRun(read('out/run.json'), 'run.json').services.map(({ name }) => name)).toEqual(['rest', 'grpc']);
  });
});

describe('wiregauge shards plan', () => {
  beforeEach(() => {
    const suite = read('suites/small.yml').replace('[good]', '[good, wrong, other]');
    project.write('suites/small.yml', suite);
    project.write('services/other/service.yml', manifest('other', {}));
  });

  test('has a shard for each service, as the matrix of a workflow or as text', async () => {
    const matrix = await runAlone('shards', 'plan', '--suite', 'small', '--json');
    const text = await run('shards', 'plan', '--suite', 'small');

    expect(matrix).toMatchObject({ exitCode: 0, stderr: '' });
    const include = [
      { shard: '1/3', services: 'good' },
      { shard: '2/3', services: 'wrong' },
      { shard: '3/3', services: 'other' },
    ];
    expect(JSON.parse(matrix.stdout)).toMatchObject({ schema: 1, command: 'shards plan', matrix: { include } });
    expect(text.stdout).toMatch(/--shard 2\/3 {2}wrong: about .* to /);
  });

  test('deals out fewer services, or to fewer shards, and leaves the matrix in a folder', async () => {
    const two = await run('shards', 'plan', '--suite=small', '--shards=2', '--json', '--out=plans');
    const chosen = await run('shards', 'plan', '--suite=small', '--services=other,good', '--json');

    const { matrix } = JSON.parse(two.stdout);
    expect(matrix).toMatchObject({ include: [{ services: 'good,other' }, { services: 'wrong' }] });
    expect(read('plans/plan.json')).toBe(`${JSON.stringify(matrix)}\n`);
    expect(JSON.parse(chosen.stdout).matrix).toMatchObject({ include: [{ services: 'other' }, { services: 'good' }] });
  });

  test.each([
    [['--shards', '4'], /4 shards are more than the 3 services: good, wrong, other/],
    [['--shards', 'many'], /Use a whole number of at least 1/],
    [['--services', 'nobody'], /there is no service "nobody"/],
    [['--profile', 'endless'], /Profiles: smoke, quick, standard, thorough/],
  ])('refuses %j', async (argv, words) => {
    const { exitCode, stderr } = await run('shards', 'plan', '--suite', 'small', ...argv);

    expect(stderr).toMatch(words);
    expect(exitCode).toBe(2);
  });
});

test.each(['0/2', '3/2', '1', '1/300', 'a/b', '1/2/3'])('wiregauge compare refuses the shard %s', async (name) => {
  const { exitCode, stderr } = await run('compare', '--base', 'main', '--shard', name);

  expect(stderr).toContain('Use a shard like 1/2');
  expect(exitCode).toBe(2);
});
