import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommandLine } from '../../src/commands/program/program.ts';
import { readIndex } from '../../src/history/store/index-file.ts';
import { gitIn } from '../integration/git-repository.ts';
import { numberedRun } from '../integration/publication.ts';
import { publishFrom, publishPerTest } from '../integration/publish-bench.ts';
import { catchPrinted } from '../support/printed.ts';

const bench = publishPerTest();

const INDEX = 'performance/history/index.json';

const printed = catchPrinted();
let before = '';

beforeEach(async () => {
  before = process.cwd();
  process.chdir(bench.scene.repository);
  await bench.begun(async () => {
    bench.seed('gh-pages');
    await publishFrom(bench, numberedRun(1));
    await publishFrom(bench, numberedRun(2));
  });
});

afterEach(() => {
  process.chdir(before);
});

async function history(...argv: readonly string[]): Promise<number> {
  printed.all = '';
  return await runCommandLine(['history', ...argv]);
}

async function write(path: string, text: string | undefined): Promise<void> {
  await using store = await bench.open();
  await store.change(async () => [{ path, text }], 'Damage');
}

const tip = () => gitIn(bench.remote, 'rev-parse', 'gh-pages');

describe('wiregauge history repair', () => {
  it('says what it would make again on the branch, and with --yes makes it, so that publishing goes on', async () => {
    const index = bench.text(INDEX);
    const segment = bench.text('performance/history/2026-11.jsonl');
    await write('history/index.json', index.slice(0, -9));
    const damaged = tip();
    await expect(publishFrom(bench, numberedRun(3))).rejects.toMatchObject({
      next: expect.stringContaining('`wiregauge history repair`'),
    });

    expect(await history('repair')).toBe(0);
    expect(printed.all).toMatch(
      /^history\/index\.json: would be rebuilt\ngh-pages:performance: 1 segment with 2 runs; 1 file would be rebuilt; nothing was written\. To write: --yes\n$/,
    );
    expect(await history('repair', '--yes', '--dry-run')).toBe(0);
    expect(tip()).toBe(damaged);

    expect(await history('repair', '--yes')).toBe(0);
    expect(printed.all).toContain('1 file rebuilt');
    expect(bench.text(INDEX)).toBe(index);
    expect(bench.text('performance/history/2026-11.jsonl')).toBe(segment);
    expect(await history('repair', '--yes')).toBe(0);
    expect(printed.all).toBe('gh-pages:performance: 1 segment with 2 runs; everything derived from them matches\n');
    expect((await publishFrom(bench, numberedRun(3))).outcome).toBe('written');
  });

  it('takes repository and default branch of a lost index from the remote, or from its flags', async () => {
    bench.scene.git('remote', 'set-url', 'origin', bench.remote);
    bench.scene.git('fetch', '--quiet');
    bench.scene.git('remote', 'set-head', 'origin', 'main');
    await write('history/index.json', undefined);
    const folder = bench.clone('copy');
    gitIn(folder, 'checkout', '--quiet', 'gh-pages');
    const inFolder = ['repair', '--yes', '--folder', join(folder, 'performance')];

    expect(await history('repair', '--yes', '--repository', 'https://github.com/one/service')).toBe(0);
    expect(await history(...inFolder)).toBe(0);

    expect(printed.all).toContain('set it with --default-branch');
    expect(readIndex(bench.text(INDEX), INDEX)).toMatchObject({
      repository: 'https://github.com/one/service',
      branch: 'main',
    });
    expect(readIndex(readFileSync(join(folder, INDEX), 'utf8'), INDEX)).not.toHaveProperty('branch');
  });

  it('rewrites invalid text, too, in a folder', async () => {
    const folder = bench.clone('copy');
    gitIn(folder, 'checkout', '--quiet', 'gh-pages');
    const index = readFileSync(join(folder, INDEX), 'utf8');
    writeFileSync(join(folder, INDEX), Buffer.from([0xff, 0xfe, 0]));
    rmSync(join(folder, 'performance/feed.xml'));

    const flags = ['--repository', 'https://github.com/one/service', '--default-branch', 'main'];
    expect(await history('repair', '--yes', '--folder', join(folder, 'performance'), ...flags)).toBe(0);

    expect(readFileSync(join(folder, INDEX), 'utf8')).toBe(index);
    expect(printed.all).toContain('feed.xml: is rebuilt');
  });

  it.each([
    ['cut short', (text: string) => text.slice(0, -9), /2026-11\.jsonl:\d+: .*cut short/],
    [
      'of a newer schema',
      (text: string) => text.replaceAll('"schema":1', '"schema":2'),
      /2026-11\.jsonl:1: has schema 2/,
    ],
  ])('refuses to name a segment that is %s', async (_, damage, words) => {
    const path = 'history/2026-11.jsonl';
    await write(path, damage(bench.text(`performance/${path}`)));
    await write('history/index.json', undefined);
    const damaged = tip();

    expect(await history('repair', '--yes')).toBe(2);

    expect(printed.all).toMatch(words);
    expect(tip()).toBe(damaged);
  });

  it('has nothing to do on an untouched branch, for any order of published runs', async () => {
    await publishFrom(bench, numberedRun(0));

    expect(await history('repair')).toBe(0);

    expect(printed.all).toBe('gh-pages:performance: 1 segment with 3 runs; everything derived from them matches\n');
  });

  it('says how many runs a segment has lost, and makes an index without them', async () => {
    const path = 'history/2026-11.jsonl';
    await write(path, bench.text(`performance/${path}`).replace(/[^\n]*\n$/, ''));
    await expect(publishFrom(bench, numberedRun(3))).rejects.toThrow(/has 1 of the 2 runs/);

    expect(await history('repair')).toBe(0);
    expect(printed.all).toContain('history/2026-11.jsonl: has 1 run, but the index lists 2 runs\n');
    expect(await history('repair', '--yes')).toBe(0);

    expect((await publishFrom(bench, numberedRun(3))).outcome).toBe('written');
  });

  it('is reported as JSON', async () => {
    await write('history/index.json', undefined);

    expect(await history('repair', '--json')).toBe(0);

    expect(JSON.parse(printed.all)).toMatchObject({
      command: 'history repair',
      outcome: 'unchanged',
      files: ['feed.xml', 'history/index.json'],
      segments: 1,
    });
  });
});

it('a folder on the branch that cannot be one is refused by the flag that named it', async () => {
  expect(await history('list', '--branch-folder', '../x')).toBe(2);
  expect(printed.all).toContain('--branch-folder="../x" cannot be the name of a folder');
  expect(await runCommandLine(['publish', 'run.json', '--folder', '../x'])).toBe(2);
});
