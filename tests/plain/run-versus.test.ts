import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { wiregauge } from '../integration/project.ts';
import { versusProjectPerTest } from '../integration/versus-project.ts';

const project = versusProjectPerTest();
const run = (argv: readonly string[]) =>
  wiregauge(['run', '--profile', 'smoke', '--runtime', 'process', '--verbose', ...argv], { cwd: project.root });

describe('wiregauge run of services that answer the same', () => {
  test('holds them against each other after the slots, in the same file', async () => {
    const { exitCode, stdout } = await run(['--mode', 'saturate']);

    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^plan: cheap, dear; 1 tier; 2 fresh starts, then 3 rounds of dear against cheap; about/m);
    // A busy machine may repeat a round, for which the time is then too short.
    expect(stdout).toMatch(/^Not enough rounds for a verdict \((3 of 8|2 of 8; the time budget of .* ran out)\)\.$/m);
    const claim = /^cheap serves ([\d.]+) times as many requests per CPU second as dear\.$/m.exec(stdout);
    expect(Number(claim?.[1])).toBeGreaterThan(1.4);
    expect(stdout.indexOf('dear against cheap', claim?.index)).toBeGreaterThan(0);
    const { rounds, samples, complete, versus } = project.written();
    expect({ rounds, complete, reference: versus?.rounds.versus.reference }).toEqual({
      complete: true,
      reference: 'cheap',
    });
    expect(new Set(samples.map(({ cell }) => cell.service))).toEqual(new Set(['cheap', 'dear']));
    expect(new Set(versus?.samples.map(({ side }) => side))).toEqual(new Set(['base', 'head']));
    const judged = await wiregauge(['judge', join(project.root, 'out/run.json')]);
    expect(judged.exitCode).toBe(0);
    expect(judged.stdout).toContain(claim?.[0]);
  });
});
