import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { publishRun } from '../../src/history/publish.ts';
import { readSegment } from '../../src/history/store/segment.ts';
import type { Run } from '../../src/model/run/run.ts';
import { gitIn } from '../integration/git-repository.ts';
import { numberedRun, publicationOf } from '../integration/publication.ts';
import { publishFrom, publishPerTest } from '../integration/publish-bench.ts';

const bench = publishPerTest();

const SEGMENT = 'performance/history/2026-11.jsonl';

const runsThere = () => readSegment(bench.text(SEGMENT), SEGMENT).map(({ run }) => run);

describe('a run that is published', () => {
  it('is in the history, with what is derived, in one commit upon what was there', async () => {
    const before = bench.seed('gh-pages');

    const { outcome, attempts, bytes } = await publishFrom(bench, numberedRun(1));

    expect({ outcome, attempts }).toEqual({ outcome: 'written', attempts: 1 });
    expect(bytes).toBe(sizeOf('2026-11.jsonl') + sizeOf('index.json') + sizeOf('changes.json'));
    expect(gitIn(bench.remote, 'rev-list', 'gh-pages').split('\n')).toEqual([
      expect.not.stringContaining(before),
      before,
    ]);
    expect(gitIn(bench.remote, 'log', '-1', '--format=%an|%cn|%s|%b', 'gh-pages')).toBe(
      'wiregauge|wiregauge|wiregauge: users|',
    );
    expect(gitIn(bench.remote, 'ls-tree', '-r', '--name-only', 'gh-pages').split('\n')).toEqual(
      expect.arrayContaining(['performance/feed.xml', 'performance/badges/users.svg', 'readme.txt', SEGMENT]),
    );
    expect(runsThere()).toEqual(['run-2026-11-01T00-01-00-000Z']);
  });

  const sizeOf = (path: string) => Buffer.byteLength(bench.text(`performance/history/${path}`));

  it('is one entry where it is published twice, and the branch stays as it is', async () => {
    bench.seed('gh-pages');
    await publishFrom(bench, numberedRun(1));
    const tip = gitIn(bench.remote, 'rev-parse', 'gh-pages');

    expect(await publishFrom(bench, numberedRun(1))).toMatchObject({
      outcome: 'unchanged',
      attempts: 1,
      changes: [],
      bytes: 0,
    });

    expect(gitIn(bench.remote, 'rev-parse', 'gh-pages')).toBe(tip);
    expect(runsThere()).toHaveLength(1);
  });

  it.each([
    ['a partial clone', 'true'],
    ['a whole one, where the server can do no other', 'false'],
  ])('goes on with the history of others by %s', async (_, allowed) => {
    bench.seed('gh-pages');
    gitIn(bench.remote, 'config', 'uploadpack.allowFilter', allowed);
    bench.scene.git('remote', 'set-url', 'origin', pathToFileURL(bench.remote).href);
    await publishFrom(bench, numberedRun(1));
    const first = bench.text(SEGMENT);

    await publishFrom(bench, numberedRun(2));

    expect(bench.text(SEGMENT).startsWith(first)).toBe(true);
    expect(runsThere()).toHaveLength(2);
    expect(() => gitIn(bench.remote, 'fsck', '--strict')).not.toThrow();
  });

  it('uses the author set in the variables of git', async () => {
    bench.seed('gh-pages');

    await publishFrom(bench, numberedRun(1), {
      environment: { GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'ada@example.org' },
    });

    expect(gitIn(bench.remote, 'log', '-1', '--format=%an %ae %cn', 'gh-pages')).toBe('Ada ada@example.org wiregauge');
  });

  it('replaces files of the page that differ, and removes those marked for removal', async () => {
    bench.seed('gh-pages', {
      'performance/index.html': 'old\n',
      'performance/page.js': 'same\n',
      'performance/gone.js': '',
    });
    await using store = await bench.open();
    const page = [
      { path: 'index.html', text: 'new\n' },
      { path: 'page.js', text: 'same\n' },
      { path: 'gone.js', text: undefined },
    ];

    await publishRun(store, publicationOf(numberedRun(1), page), 'wiregauge: users');

    const changed = gitIn(
      bench.remote,
      'show',
      '--name-status',
      '--format=',
      'gh-pages',
      '--',
      'performance/*.html',
      'performance/*.js',
    );
    expect(changed.split('\n')).toEqual(['D\tperformance/gone.js', 'M\tperformance/index.html']);
  });
});

describe('many publishers', () => {
  const runs = Array.from({ length: 6 }, (_, index) => numberedRun(index));

  it('all land, when 6 publish at once from clones of their own', async () => {
    bench.seed('gh-pages');
    const clones = runs.map((_, index) => bench.clone(`clone-${index}`));

    const ends = await Promise.all(
      runs.map((run, index) => publishFrom(bench, run, { checkout: clones[index] ?? '' })),
    );

    expect(ends.map(({ outcome }) => outcome)).toEqual(runs.map(() => 'written'));
    expect(gitIn(bench.remote, 'rev-list', '--count', 'gh-pages')).toBe('7');
    expect(runsThere().toSorted()).toEqual(runs.map((run) => publicationOf(run).addition.entry.run));
  });

  it('write one entry, when two publish the same run at once', async () => {
    bench.seed('gh-pages');
    const other = bench.clone('other');

    const ends = await Promise.all([
      publishFrom(bench, numberedRun(1)),
      publishFrom(bench, numberedRun(1), { checkout: other }),
    ]);

    expect(ends.map(({ outcome }) => outcome).toSorted()).toEqual(['unchanged', 'written']);
    expect(runsThere()).toHaveLength(1);
  });

  it('both land, when two begin the branch at once', async () => {
    const other = bench.clone('other');
    const begin = (run: Run, checkout: string) => publishFrom(bench, run, { checkout, createBranch: true });

    await Promise.all([begin(numberedRun(1), bench.scene.repository), begin(numberedRun(2), other)]);

    expect(runsThere()).toHaveLength(2);
    expect(gitIn(bench.remote, 'rev-list', '--count', 'gh-pages')).toBe('2');
  });
});

describe('a file on the branch that is none', () => {
  it('is not taken for a missing one', async () => {
    bench.seed('gh-pages');
    const folder = join(bench.scene.folder, 'seed');
    rmSync(join(folder, 'readme.txt'));
    symlinkSync('elsewhere', join(folder, 'performance'));
    gitIn(folder, 'add', '--all');
    gitIn(folder, 'commit', '--quiet', '-m', 'A link');
    gitIn(folder, 'push', '--quiet', bench.remote, 'gh-pages');
    const tip = gitIn(bench.remote, 'rev-parse', 'gh-pages');

    await expect(publishFrom(bench, numberedRun(1))).rejects.toThrow(/performance/);

    expect(gitIn(bench.remote, 'rev-parse', 'gh-pages')).toBe(tip);
  });
});
