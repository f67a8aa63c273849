import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseRun } from '../../src/core/run.ts';
import { BASE_TURNS, server } from './compare-project.ts';
import { wiregauge } from './project.ts';

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

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'run-versus-'));
  write('wiregauge.yml', PROJECT);
  write('cheap.mjs', server(BASE_TURNS));
  write('dear.mjs', server(4 * BASE_TURNS));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const write = (name: string, text: string): void => writeFileSync(join(root, name), text);
const written = () => parseRun(readFileSync(join(root, 'out/run.json'), 'utf8'), 'run.json');
const run = (argv: readonly string[], stopAt?: RegExp) => {
  let isStopped = false;
  return wiregauge(['run', '--profile', 'smoke', '--runtime', 'process', ...argv], {
    cwd: root,
    onOutput: (output, kill) => {
      if (!isStopped && stopAt?.test(output) === true) {
        isStopped = true;
        kill('SIGINT');
      }
    },
  });
};

describe('wiregauge run of services that answer the same', () => {
  test('holds them against each other after the slots, in the same file', async () => {
    const { exitCode, stdout } = await run([]);

    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^plan: cheap, dear; 1 tiers; 4 fresh starts, then 3 rounds of dear against cheap; about/m);
    const claim = /^3 rounds are too few to be sure: in them dear\s+serves (0\.[\d]+)/m.exec(stdout);
    expect(Number(claim?.[1])).toBeLessThan(0.7);
    expect(stdout.indexOf('dear against cheap', claim?.index)).toBeGreaterThan(0);
    const { rounds, samples, complete, versus } = written();
    expect({ rounds, complete, reference: versus?.rounds.versus.reference }).toEqual({
      complete: true,
      reference: 'cheap',
    });
    expect(new Set(samples.map(({ cell }) => cell.service))).toEqual(new Set(['cheap', 'dear']));
    expect(new Set(versus?.samples.map(({ side }) => side))).toEqual(new Set(['base', 'head']));
    const judged = await wiregauge(['judge', join(root, 'out/run.json')]);
    expect(judged.exitCode).toBe(0);
    expect(judged.stdout).toContain(claim?.[0]);
  });

  test('keeps the slots and the rounds that it has at Ctrl-C', async () => {
    const { exitCode, stdout } = await run([], /dear round 1 of 3: kept/);

    expect(exitCode).toBe(130);
    expect(stdout).toMatch(/1 round is too few to be sure/);
    const { complete, versus } = written();
    expect({ slots: complete, rounds: versus?.complete, ended: versus?.rounds.ended }).toEqual({
      slots: true,
      rounds: false,
      ended: 'interrupted',
    });
  });

  test('plans no rounds where none are wanted', async () => {
    const { stdout } = await run(['--no-versus'], /^plan: .*\n/m);

    expect(stdout).toMatch(/^plan: cheap, dear; 1 tiers; 4 fresh starts; about/m);
  });
});
