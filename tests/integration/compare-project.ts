import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseRun, type Run } from '../../src/model/run/run.ts';
import { gitIn } from './git-repository.ts';
import { type CommandEnd, makeProject, wiregauge } from './project.ts';

export const SMALL_SUITE = `name: small
title: A small suite
services: [good]
operations:
  - { name: Get, arguments: [{ id: 1 }], rest: 'GET /item/{id}' }
tiers:
  - { name: low, users: 10, spawnPerSecond: 10, thinkSeconds: 0.1 }
saturation: { workers: 20 }
`;

/** Turns of a loop in each request of the committed version. */
export const BASE_TURNS = 20_000;

/** A server whose requests each cost so many turns of a loop. */
export const server = (turns: number) => `import { createServer } from 'node:http';
createServer((request, response) => {
  let work = 1;
  for (let turn = 0; turn < ${turns}; turn += 1) work = (work * 16807) % 2147483647;
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ path: request.url, isWork: work > 0 }));
}).listen(Number(process.env.PORT), process.env.HOST);
process.on('SIGTERM', () => process.exit(0));
`;

/** A repository of one commit on `main`, with the service `good`, and a folder for what comparisons write. */
export interface CompareProject {
  readonly root: string;
  readonly out: string;
  readonly write: (path: string, text: string) => void;
  readonly git: (...argv: string[]) => string;
  /** Runs the shortest comparison of `main` with the working tree. */
  readonly compare: (argv?: readonly string[], options?: Parameters<typeof wiregauge>[1]) => Promise<CommandEnd>;
  /** The run that it left. */
  readonly written: () => Run;
  /** What a comparison must not leave: worktrees in the repository, and their folders. */
  readonly left: () => readonly string[];
  readonly remove: () => void;
}

export function compareProject(): CompareProject {
  const project = makeProject();
  const { root, write } = project;
  const out = mkdtempSync(join(tmpdir(), 'compare-out-'));
  const git = (...argv: string[]) => gitIn(root, ...argv);
  write('suites/small.yml', SMALL_SUITE);
  write('server.mjs', server(BASE_TURNS));
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('commit', '--quiet', '--message=First');
  const usual = [
    'compare',
    '--base',
    'main',
    '--suite',
    'small',
    '--profile',
    'smoke',
    '--runtime',
    'process',
    // It plays two rounds more of what regresses; tests/serial/profiler.test.ts is about it.
    '--profiler',
    'off',
    '--out',
    out,
  ];
  return {
    root,
    out,
    write,
    git,
    compare: (argv = [], options = {}) => wiregauge([...usual, ...argv], { cwd: root, ...options }),
    written: () => parseRun(readFileSync(join(out, 'run.json'), 'utf8'), 'run.json'),
    left: () => [
      ...git('worktree', 'list').split('\n').slice(1),
      ...readdirSync(tmpdir()).filter((name) => name.startsWith('wiregauge-') && isWorktreeOf(root, name)),
    ],
    remove() {
      project.remove();
      rmSync(out, { recursive: true, force: true });
    },
  };
}

/** Other tests may have worktrees in the temporary folder, which come and go. */
function isWorktreeOf(root: string, name: string): boolean {
  try {
    return readFileSync(join(tmpdir(), name, '.git'), 'utf8').includes(`${root}/`);
  } catch {
    return false;
  }
}
