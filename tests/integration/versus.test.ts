import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
  root = mkdtempSync(join(tmpdir(), 'versus-'));
  write('wiregauge.yml', PROJECT);
  write('cheap.mjs', server(BASE_TURNS));
  write('dear.mjs', server(4 * BASE_TURNS));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const write = (name: string, text: string): void => writeFileSync(join(root, name), text);
const versus = (...argv: string[]) =>
  wiregauge(['versus', ...argv, '--profile', 'smoke', '--runtime', 'process'], { cwd: root });

describe('wiregauge versus', () => {
  test('says how many times as much the better service does, also again from the file, and fails for nothing', async () => {
    const { exitCode, stdout } = await versus('cheap', 'dear');

    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^verified: cheap, dear give the same answers/m);
    const claim = /^cheap serves ([\d.]+) times as many requests per CPU second as dear/m.exec(stdout);
    expect(Number(claim?.[1])).toBeGreaterThan(1.5);
    const run = parseRun(readFileSync(join(root, 'out/run.json'), 'utf8'), 'run.json');
    expect(run.rounds?.versus).toEqual({ reference: 'cheap' });
    expect(run.services.map(({ name }) => name)).toEqual(['cheap', 'dear']);
    expect(readFileSync(join(root, 'out/report.html'), 'utf8')).toContain('dear against cheap');
    expect(readdirSync(join(root, 'out')).sort()).toEqual(['report.html', 'report.md', 'run.json']);
    const again = await wiregauge(['judge', join(root, 'out/run.json')]);
    expect(again.exitCode).toBe(0);
    expect(again.stdout).toContain(claim?.[0]);
  });

  test('measures nothing where the two answer differently', async () => {
    write('dear.mjs', server(1).replace('path: request.url', 'path: "another"'));

    const { exitCode, stderr } = await versus('cheap', 'dear');

    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/dear and cheap answer Get \{"id":1\} differently/);
  });

  test.each([
    [['cheap'], /wants two services or more/],
    [['cheap', 'cheap'], /each named once/],
    [['cheap', 'dear', '--rounds', '5'], /nothing can be told from fewer than 8 rounds/],
    [['cheap', 'dera'], /there is no service "dera"/],
  ])('refuses %j', async (names, words) => {
    const { exitCode, stderr } = await versus(...names);

    expect(exitCode).toBe(2);
    expect(stderr).toMatch(words);
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});
