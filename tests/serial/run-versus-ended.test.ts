import { describe, expect, test } from 'vitest';
import { wiregauge } from '../integration/project.ts';
import { versusProjectPerTest } from '../integration/versus-project.ts';

const project = versusProjectPerTest();

/** A run that is ended as soon as it has printed that. */
const runUntil = (words: RegExp, argv: readonly string[]) => {
  let isStopped = false;
  return wiregauge(['run', '--profile', 'smoke', '--runtime', 'process', '--verbose', ...argv], {
    cwd: project.root,
    onOutput: (output, kill) => {
      if (!isStopped && words.test(output)) {
        isStopped = true;
        kill('SIGINT');
      }
    },
  });
};

describe('wiregauge run of services that answer the same', () => {
  test('keeps the slots and the rounds that it has at Ctrl-C', async () => {
    const { exitCode, stdout } = await runUntil(/dear round 1 of 3: kept/, ['--mode', 'saturate']);

    expect(exitCode).toBe(130);
    expect(stdout).toMatch(/Not enough rounds for a verdict \(1 of 8\)/);
    const { complete, versus } = project.written();
    expect({ slots: complete, rounds: versus?.complete, ended: versus?.rounds.ended }).toEqual({
      slots: true,
      rounds: false,
      ended: 'interrupted',
    });
  });

  test('plans no rounds where none are wanted', async () => {
    const { stdout } = await runUntil(/^plan: .*\n/m, ['--no-versus']);

    expect(stdout).toMatch(/^plan: cheap, dear; 1 tier; 4 fresh starts; about/m);
  });
});
