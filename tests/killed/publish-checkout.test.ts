import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readSegment } from '../../src/history/store/segment.ts';
import { removeOrphans } from '../../src/host/machine/orphans.ts';
import { gitIn } from '../integration/git-repository.ts';
import { numberedRun } from '../integration/publication.ts';
import { everythingIn, foldersOf, publishFrom, publishPerTest } from '../integration/publish-bench.ts';

const bench = publishPerTest();

const SEGMENT = 'performance/history/2026-11.jsonl';

const runsThere = () => readSegment(bench.text(SEGMENT), SEGMENT);

describe('the checkout of a publisher', () => {
  it.each([
    ['as it is', () => undefined],
    ['with a detached head', () => bench.scene.git('checkout', '--quiet', '--detach')],
    [
      'with changes in the index and a stash',
      () => {
        bench.scene.write('app.txt', 'stashed\n');
        bench.scene.git('stash');
        bench.scene.write('app.txt', 'staged\n');
        bench.scene.git('add', 'app.txt');
      },
    ],
  ])('stays the same, byte for byte: %s', async (_, prepare) => {
    bench.seed('gh-pages');
    prepare();
    const before = everythingIn(bench.scene.repository);

    await publishFrom(bench, numberedRun(1));

    expect(everythingIn(bench.scene.repository)).toEqual(before);
  });

  it('may be a shallow one, which stays as shallow', async () => {
    bench.scene.commit('Second');
    bench.scene.git('push', '--quiet', 'origin', 'main');
    bench.seed('gh-pages');
    const shallow = join(bench.scene.folder, 'shallow');
    gitIn(bench.scene.folder, 'clone', '--quiet', '--depth=1', pathToFileURL(bench.remote).href, shallow);
    const before = everythingIn(shallow);

    await publishFrom(bench, numberedRun(1), { checkout: shallow });

    expect(everythingIn(shallow)).toEqual(before);
    expect(runsThere()).toHaveLength(1);
  });

  it('may be a folder in it, with a remote whose path is relative to its top', async () => {
    bench.seed('gh-pages');
    bench.scene.git('remote', 'set-url', 'origin', '../remote.git');

    await publishFrom(bench, numberedRun(1), { checkout: join(bench.scene.repository, 'sub') });

    expect(runsThere()).toHaveLength(1);
  });

  it('may have objects with names of SHA-256', async () => {
    const [folder, remote] = [join(bench.scene.folder, 'sha256'), join(bench.scene.folder, 'sha256.git')];
    gitIn(bench.scene.folder, 'init', '--quiet', '--bare', '--object-format=sha256', remote);
    gitIn(bench.scene.folder, 'init', '--quiet', '--object-format=sha256', folder);
    gitIn(folder, 'remote', 'add', 'origin', remote);

    for (const number of [1, 2]) {
      await publishFrom(bench, numberedRun(number), { checkout: folder, createBranch: true });
    }

    expect(gitIn(remote, 'rev-parse', 'gh-pages')).toMatch(/^[0-9a-f]{64}$/);
    expect(readSegment(`${gitIn(remote, 'show', `gh-pages:${SEGMENT}`)}\n`, SEGMENT)).toHaveLength(2);
  });

  it('is pushed from by the address that is for pushing', async () => {
    bench.seed('gh-pages');
    bench.scene.git('remote', 'set-url', 'origin', join(bench.scene.folder, 'none.git'));
    bench.scene.git('remote', 'set-url', '--push', 'origin', bench.remote);

    await publishFrom(bench, numberedRun(1));

    expect(runsThere()).toHaveLength(1);
  });
});

describe('a publisher that is killed between fetching and pushing', () => {
  it('has touched nothing, and what it left is removed as that of any dead program', async () => {
    const tip = bench.seed('gh-pages');
    const before = everythingIn(bench.scene.repository);
    const module = (path: string) => pathToFileURL(join(import.meta.dirname, '../../src', path)).href;
    const source = `
      import { openHistoryBranch } from '${module('history/branch/branch.ts')}';
      import { ownerOf } from '${module('host/machine/proc.ts')}';
      const place = { remote: 'origin', branch: 'gh-pages', folder: 'performance' };
      const owner = ownerOf(process.pid) ?? '';
      const store = await openHistoryBranch({ ...place, checkout: process.argv[1], createBranch: false, owner, log: () => undefined });
      await store.change(async ({ read }) => {
        await read('history/index.json');
        process.stdout.write('fetched');
        return await new Promise(() => setInterval(() => undefined, 1000));
      }, 'wiregauge: never');`;
    const argv = ['--import', 'tsx', '--input-type=module', '-e', source, bench.scene.repository];
    const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    const [folder = ''] = foldersOf(child.pid ?? 0);
    expect(existsSync(join(tmpdir(), folder, 'git'))).toBe(true);

    child.kill('SIGKILL');
    await once(child, 'exit');

    expect(everythingIn(bench.scene.repository)).toEqual(before);
    expect(gitIn(bench.remote, 'rev-parse', 'gh-pages')).toBe(tip);
    await removeOrphans(() => undefined);
    expect(foldersOf(child.pid ?? 0)).toEqual([]);
  });
});
