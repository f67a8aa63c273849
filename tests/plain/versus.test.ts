import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { server } from '../integration/compare-project.ts';
import { wiregauge } from '../integration/project.ts';
import { versusProjectPerTest } from '../integration/versus-project.ts';

const project = versusProjectPerTest();
const versus = (...argv: string[]) =>
  wiregauge(['versus', ...argv, '--profile', 'smoke', '--runtime', 'process'], { cwd: project.root });

describe('wiregauge versus', () => {
  test('says how many times as much the better service does, also again from the file, and fails for nothing', async () => {
    const { exitCode, stdout } = await versus('cheap', 'dear', '--rounds', '8');

    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^verified: cheap, dear give the same answers/m);
    const claim = /^cheap serves ([\d.]+) .*times as many requests per CPU second as dear/m.exec(stdout);
    expect(Number(claim?.[1])).toBeGreaterThan(1.5);
    const run = project.written();
    expect(run.rounds?.versus).toEqual({ reference: 'cheap' });
    expect(run.services.map(({ name }) => name)).toEqual(['cheap', 'dear']);
    expect(readFileSync(join(project.root, 'out/report.html'), 'utf8')).toContain('dear against cheap');
    expect(readdirSync(join(project.root, 'out')).sort()).toEqual(['report.html', 'report.md', 'run.json']);
    const again = await wiregauge(['judge', join(project.root, 'out/run.json')]);
    expect(again.exitCode).toBe(0);
    expect(again.stdout).toContain(claim?.[0]);
  });

  test('measures nothing where the two answer differently', async () => {
    project.write('dear.mjs', server(1).replace('path: request.url', 'path: "another"'));

    const { exitCode, stderr } = await versus('cheap', 'dear');

    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/dear and cheap answer Get \{"id":1\} differently/);
  });
});
