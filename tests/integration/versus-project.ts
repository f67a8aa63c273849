import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { parseRun, type Run } from '../../src/model/run/run.ts';
import { BASE_TURNS, server } from './compare-project.ts';

/** Two services that answer the same; the dear one does four times the work for it. */
const PROJECT = `services:
  cheap: { protocol: rest, port: 5000, process: { command: [node, cheap.mjs] } }
  dear: { protocol: rest, port: 5000, process: { command: [node, dear.mjs] } }
operations:
  - { name: Get, arguments: [{ id: 1 }], rest: 'GET /item/{id}' }
tiers:
  - { name: low, users: 10, spawnPerSecond: 10, thinkSeconds: 0.1 }
saturation: { workers: 20 }
`;

/** A repository with two services of which one is dearer. */
interface VersusProject {
  readonly root: string;
  write(name: string, text: string): void;
  /** The run that a command left in its output folder. */
  written(): Run;
}

/** Such a repository for each test of a file. */
export function versusProjectPerTest(): VersusProject {
  let root = '';
  const write = (name: string, text: string): void => writeFileSync(join(root, name), text);
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'versus-'));
    write('wiregauge.yml', PROJECT);
    write('cheap.mjs', server(BASE_TURNS));
    write('dear.mjs', server(4 * BASE_TURNS));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));
  return {
    get root() {
      return root;
    },
    write,
    written: () => parseRun(readFileSync(join(root, 'out/run.json'), 'utf8'), 'run.json'),
  };
}
