import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect } from 'vitest';
import { type HistoryBranch, type HistoryBranchOptions, openHistoryBranch } from '../../src/history/branch/branch.ts';
import type { BranchPatience } from '../../src/history/branch/refusal.ts';
import { publishRun } from '../../src/history/publish.ts';
import { ownerOf } from '../../src/host/machine/proc.ts';
import type { Run } from '../../src/model/run/run.ts';
import { contents, gitEnvironment, gitIn, makeScene, type Scene } from './git-repository.ts';
import { ownedFolders } from './plain-service.ts';
import { distributedPublicationOf, numberedRun, publicationOf } from './publication.ts';

/** Short waits, and as many tries as twenty publishers may need. */
export const IMPATIENT: BranchPatience = {
  mostRaces: 60,
  mostFailures: 3,
  mostMs: 120_000,
  firstWaitMs: 20,
  longestWaitMs: 400,
};

/** Whose folders these are: this program's. */
const OWNER = ownerOf(process.pid) ?? '';

/** A remote with a clone, and what a test does to them. */
export interface PublishBench {
  readonly scene: Scene;
  /** The bare repository that is the remote "origin" of the scene's. */
  readonly remote: string;
  readonly lines: string[];
  /** A commit on a branch of the remote, with files; begins the branch. */
  seed(branch: string, files?: Readonly<Record<string, string>>): string;
  /** What begins tests of a file alike, of one kind in each file: done by the first of them, whose repositories the others get a copy of. */
  begun<Made>(begin: () => Promise<Made>): Promise<Made>;
  /** Another clone of the remote. */
  clone(name: string): string;
  open(changed?: Partial<HistoryBranchOptions>): Promise<HistoryBranch>;
  /** What opening or changing throws. */
  refused(changed?: Partial<HistoryBranchOptions>): Promise<unknown>;
  /** Text of a file on a branch of the remote. */
  text(path: string, branch?: string): string;
}

/** A scene for each test of a file; after a test no folder of a publisher may be left. */
export function publishPerTest(): PublishBench {
  let scene: Scene | undefined;
  let restore = () => undefined as unknown;
  let begun: { readonly folder: string; readonly made: unknown } | undefined;
  const lines: string[] = [];
  const made = () => scene ?? expect.fail('outside a test');
  const remote = () => join(made().folder, 'remote.git');
  const open = (changed: Partial<HistoryBranchOptions> = {}) =>
    openHistoryBranch({
      checkout: made().repository,
      remote: 'origin',
      branch: 'gh-pages',
      folder: 'performance',
      createBranch: false,
      owner: OWNER,
      log: (line) => lines.push(line),
      environment: {},
      patience: IMPATIENT,
      ...changed,
    });
  beforeEach(() => {
    restore = gitEnvironment();
    scene = makeScene();
    lines.length = 0;
    gitIn(scene.folder, 'init', '--quiet', '--bare', '-b', 'main', remote());
    mkdirSync(join(remote(), 'hooks'));
    scene.git('remote', 'add', 'origin', remote());
    scene.git('push', '--quiet', 'origin', 'main');
  });
  afterEach(() => {
    const left = ownedFolders(OWNER);
    restore();
    made().remove();
    expect(left).toEqual([]);
  });
  afterAll(() => {
    if (begun !== undefined) {
      rmSync(begun.folder, { recursive: true, force: true });
    }
  });
  return {
    lines,
    open,
    get scene() {
      return made();
    },
    get remote() {
      return remote();
    },
    seed(branch, files = { 'readme.txt': 'pages\n' }) {
      const folder = join(made().folder, 'seed');
      gitIn(made().folder, 'init', '--quiet', '-b', branch, folder);
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(join(folder, path, '..'), { recursive: true });
        writeFileSync(join(folder, path), text);
      }
      gitIn(folder, 'add', '--all');
      gitIn(folder, 'commit', '--quiet', '-m', 'Begin');
      gitIn(folder, 'push', '--quiet', remote(), branch);
      return gitIn(folder, 'rev-parse', 'HEAD');
    },
    async begun<Made>(begin: () => Promise<Made>) {
      const { folder, git } = made();
      if (begun === undefined) {
        begun = { folder: mkdtempSync(join(tmpdir(), 'publish-begun-')), made: await begin() };
        cpSync(folder, begun.folder, { recursive: true });
      } else {
        // Over what is there, since a test may be in one of these folders already.
        cpSync(begun.folder, folder, { recursive: true });
        git('remote', 'set-url', 'origin', remote());
      }
      return begun.made as Made;
    },
    clone(name) {
      const folder = join(made().folder, name);
      gitIn(made().folder, 'clone', '--quiet', remote(), folder);
      return folder;
    },
    async refused(changed) {
      try {
        await using store = await open(changed);
        await store.change(async () => [{ path: 'a.txt', text: 'a\n' }], 'wiregauge: a');
      } catch (thrown) {
        return thrown;
      }
      return expect.fail('nothing was refused');
    },
    text: (path, branch = 'gh-pages') =>
      execFileSync('git', ['-C', remote(), 'show', `${branch}:${path}`], { encoding: 'utf8' }),
  };
}

/** Publishes a run by a store of its own. */
export async function publishFrom(bench: PublishBench, run: Run, changed: Partial<HistoryBranchOptions> = {}) {
  await using store = await bench.open(changed);
  return await publishRun(store, publicationOf(run), 'wiregauge: users');
}

/** Publishes a run of a number with latency distributions, by a store of its own. */
export async function publishDistributed(bench: PublishBench, number: number) {
  await using store = await bench.open();
  return await publishRun(store, distributedPublicationOf(numberedRun(number)), 'wiregauge: users');
}

/** Everything of a checkout that publishing must leave alone, byte for byte, and the names of its objects. */
export function everythingIn(folder: string): Record<string, string> {
  const objects = readdirSync(join(folder, '.git/objects'), { recursive: true }).map(String).sort();
  return { ...contents(folder), objects: objects.join('\n') };
}

/** Names of temporary folders that a program with that pid has left. */
export function foldersOf(pid: number): readonly string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith('wiregauge-') && name.includes(`-${pid}-`));
}
