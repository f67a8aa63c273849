import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { removeOrphans } from '../../src/host/machine/orphans.ts';
import { pidNamespace } from '../../src/host/machine/proc.ts';
import { useVersions } from '../integration/git-versions.ts';

const bench = useVersions();

/** Another program that lays out a version and is killed then; gives its folder. */
async function killedVersion(ref?: string): Promise<string> {
  const { child, root } = await startVersion(ref);
  child.kill('SIGKILL');
  await once(child, 'exit');
  return dirname(root);
}

async function startVersion(ref?: string) {
  const source = `
    import { ownerOf } from '${moduleOf('host/machine/proc.ts')}';
    import { versionOf } from '${moduleOf('host/git/worktrees.ts')}';
    import { exitAtSignals } from '${moduleOf('host/signals.ts')}';
    exitAtSignals();
    const [repository, ref] = process.argv.slice(1);
    const { root } = await versionOf(repository, ref, ownerOf(process.pid));
    process.stdout.write(root);
    setInterval(() => undefined, 1000);`;
  const argv = ['--import', 'tsx', '--input-type=module', '-e', source, bench.scene.repository];
  const child = spawn(process.execPath, [...argv, ...(ref === undefined ? [] : [ref])], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [root] = await once(child.stdout, 'data');
  return { child, root: String(root) };
}

function moduleOf(name: string): string {
  return pathToFileURL(join(import.meta.dirname, '../../src', name)).href;
}

const records = () => {
  const folder = join(bench.scene.repository, '.git/worktrees');
  return existsSync(folder) ? readdirSync(folder) : [];
};

describe('a version whose program was killed', () => {
  it('is removed at the next start, with what git knows of it', async () => {
    const folder = await killedVersion();
    expect(records()).toHaveLength(1);
    const lines: string[] = [];

    await removeOrphans((line) => lines.push(line));

    expect([existsSync(folder), records()]).toEqual([false, []]);
    expect(lines).toContain(`removing ${folder}, left over from an earlier run`);
  });

  it('is forgotten by the next version, where its folder is gone', async () => {
    rmSync(await killedVersion('main'), { recursive: true });
    expect(records()).toHaveLength(1);

    const { root } = await bench.lay('main');

    expect(records()).toEqual([basename(root)]);
  });

  it('is removed by the next version, where its folder is in another temporary folder', async () => {
    const { TMPDIR = '/tmp' } = process.env;
    process.env['TMPDIR'] = join(bench.scene.folder, 'elsewhere');
    mkdirSync(process.env['TMPDIR']);
    const folder = await killedVersion('main');
    expect(dirname(folder)).toBe(process.env['TMPDIR']);
    process.env['TMPDIR'] = TMPDIR;

    const { root } = await bench.lay('main');

    expect([existsSync(folder), records()]).toEqual([false, [basename(root)]]);
  });

  it('is left alone while its program lives, as are the worktrees of the user', async () => {
    const { child, root } = await startVersion();
    bench.scene.git('worktree', 'add', '--quiet', '--detach', join(bench.scene.folder, 'mine'));
    bench.scene.git('worktree', 'add', '--quiet', '--detach', join(bench.scene.folder, 'deleted'));
    rmSync(join(bench.scene.folder, 'deleted'), { recursive: true });

    await removeOrphans(() => undefined);
    const version = await bench.lay('main');
    await version[Symbol.asyncDispose]();

    expect(existsSync(join(root, 'app.txt'))).toBe(true);
    expect(records().toSorted()).toEqual([basename(root), 'deleted', 'mine'].toSorted());
    child.kill('SIGKILL');
    await once(child, 'exit');
    await removeOrphans(() => undefined);
    expect(records().toSorted()).toEqual(['deleted', 'mine']);
  });
});

describe('a version whose program ends at a signal', () => {
  it('is removed, with what git knows of it', async () => {
    const { child, root } = await startVersion('main');
    expect(records()).toHaveLength(1);

    child.kill('SIGTERM');
    await once(child, 'exit');

    expect([existsSync(dirname(root)), records()]).toEqual([false, []]);
  });
});

describe('a version in which a build has left folders that may not be written to', () => {
  it('is removed all the same', async () => {
    const source = `
      import { chmodSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
      import { removeWorktree } from '${moduleOf('host/git/worktrees.ts')}';
      const folder = mkdtempSync('${join(tmpdir(), 'read-only-')}');
      mkdirSync(folder + '/go/pkg/mod', { recursive: true });
      writeFileSync(folder + '/go/pkg/mod/file', '');
      chmodSync(folder + '/go/pkg/mod', 0o555);
      chmodSync(folder + '/go/pkg', 0o000);
      await removeWorktree(folder);
      console.log(existsSync(folder));`;
    const argv = ['--import', 'tsx', '--input-type=module', '-e', source];
    // Nothing is forbidden to root.
    const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
    const child = spawn(process.execPath, argv, { ...user, stdio: ['ignore', 'pipe', 'inherit'] });

    const [left] = await once(child.stdout, 'data');

    expect(String(left)).toBe('false\n');
  });
});

describe('a version whose program is interrupted', () => {
  it('is removed although it was only half laid out', async () => {
    const waiting = join(bench.scene.folder, 'waiting');
    bench.scene.git('config', 'filter.slow.smudge', `touch '${waiting}'; sleep 60`);
    bench.scene.write('.gitattributes', '*.slow filter=slow\n');
    bench.scene.write('a.slow', 'text\n');
    bench.scene.commit('Slow');
    const source = `
      import { ownerOf } from '${moduleOf('host/machine/proc.ts')}';
      import { versionOf } from '${moduleOf('host/git/worktrees.ts')}';
      process.on('SIGTERM', () => undefined);
      await versionOf(process.argv[1], 'main', ownerOf(process.pid)).catch((thrown) => process.stdout.write(thrown.name));`;
    const argv = ['--import', 'tsx', '--input-type=module', '-e', source, bench.scene.repository];
    // It goes to git as well, as from a terminal. No SIGINT: git ignores that if these tests run in the background of a shell.
    const child = spawn(process.execPath, argv, { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
    await expect.poll(() => existsSync(waiting), { timeout: 20_000 }).toBe(true);
    const [folder] = readdirSync(tmpdir()).filter((name) => name.includes(`-${child.pid}-`));
    expect(folder).toBeDefined();

    process.kill(-(child.pid ?? expect.fail('not started')), 'SIGTERM');
    const [name] = await once(child.stdout, 'data');

    expect(String(name)).toBe('EnvironmentError');
    expect(existsSync(join(tmpdir(), folder ?? ''))).toBe(false);
    expect(records()).toEqual([]);
  });
});

describe('a folder that only looks like that of a version', () => {
  const namespace = pidNamespace('self') ?? 0;

  /** As a dead program could have left it, with a `.git` that names a path. */
  function leave(path: string): { readonly folder: string; readonly tree: string } {
    const folder = join(tmpdir(), `wiregauge-${namespace}-999999999-1-AbCdEf`);
    const tree = join(folder, 'AbCdEf');
    mkdirSync(tree, { recursive: true });
    writeFileSync(join(tree, '.git'), `gitdir: ${path}\n`);
    return { folder, tree };
  }

  it('does not lead to the removal of anything that is not a record', async () => {
    const { repository } = bench.scene;
    bench.scene.git('worktree', 'add', '--quiet', '--detach', join(bench.scene.folder, 'mine'));

    for (const path of [repository, join(repository, '.git/worktrees/mine'), join(repository, '.git/none'), '']) {
      const { folder } = leave(path);
      await removeOrphans(() => undefined);
      expect(existsSync(folder)).toBe(false);
    }

    expect(records()).toEqual(['mine']);
    expect(existsSync(join(repository, 'app.txt'))).toBe(true);
  });

  it('does not lead to the removal of anything where it is of another user', async ({ skip }) => {
    skip(process.getuid?.() !== 0, 'only root can give a folder away');
    const record = join(bench.scene.folder, 'worktrees/precious');
    const { folder, tree } = leave(record);
    mkdirSync(record, { recursive: true });
    writeFileSync(join(record, 'gitdir'), `${tree}/.git\n`);
    chownSync(folder, 65534, 65534);

    await removeOrphans(() => undefined);

    expect([existsSync(folder), existsSync(record)]).toEqual([true, true]);
    rmSync(folder, { recursive: true });
  });
});
