import { describe, expect, it } from 'vitest';
import { readRunner } from '../../../../src/host/machine/machine.ts';
import { runnerSchema } from '../../../../src/model/runner.ts';

const CORES = { service: 0, load: 1 };
const JOB = { GITHUB_ACTIONS: 'true' };

describe('the machine that a program runs on', () => {
  it.each([
    ['a runner of GitHub', { ...JOB, ImageOS: 'ubuntu24', ImageVersion: '20261101.1' }, 'ubuntu24-20261101.1'],
    ['one that names no version', { ...JOB, ImageOS: 'ubuntu24', ImageVersion: '' }, 'ubuntu24'],
    ['a self-hosted one', JOB, undefined],
    ['a laptop, whatever its variables', { ImageOS: 'ubuntu24' }, undefined],
    ['one that names nothing to be seen', { ...JOB, ImageOS: '\u001b ' }, undefined],
  ])('has the image of %s', (_, environment, image) => {
    const runner = readRunner(CORES, undefined, environment);

    expect(runner.image).toBe(image);
    expect(runnerSchema.parse(JSON.parse(JSON.stringify(runner))).image).toBe(image);
  });

  it('has none that a file could not hold', () => {
    const runner = readRunner(CORES, undefined, { ...JOB, ImageOS: 'x'.repeat(10_000) });

    expect(runnerSchema.safeParse(runner).success).toBe(true);
  });
});
