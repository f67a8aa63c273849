import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeProject } from '../integration/project.ts';
import { expectRefusal } from '../integration/refusal.ts';
import { calledIn } from '../support/called-in.ts';

let project: ReturnType<typeof makeProject>;
beforeAll(() => {
  project = makeProject();
});
afterAll(() => project.remove());

describe('wiregauge', () => {
  test.each([
    [['run', '--profle', 'smoke'], /unknown option '--profle'[\s\S]*--profile/],
    [['run', '--profile', 'fast'], /'fast' is invalid. Profiles: smoke, quick, standard, thorough/],
    [['run', '--profile', 'default'], /'default' is invalid. `default` is now called `standard`/],
    [['run', '--runtime', 'podman'], /Allowed choices are auto, docker, process/],
    [['run', '--mode', 'closed'], /Use open, saturate, or both/],
    [['run', '--rounds', '0'], /Use a whole number of at least 1/],
    [['run', '--services', 'rest,rest'], /A name is given twice/],
    [['run', '--suite', 'nothing'], /there is no suite "nothing"[\s\S]*Available suites: small/],
    [
      ['run', '--suite', 'small', '--services', 'nothing'],
      /there is no service "nothing"[\s\S]*dies, good, silent, wrong/,
    ],
    [['run', '--suite', 'small', '--against', 'nothing.json'], /nothing\.json is neither history nor history:<folder>/],
    [['report', 'nothing.json'], /nothing\.json: there is no such file/],
    [['report'], /missing required argument/],
  ])('refuses %j', async (argv, words) => {
    const end = await calledIn(project.root, argv);

    expectRefusal(end, words);
    expect(end.stdout).toBe('');
  });

  test('refuses broken YAML with its line', async () => {
    project.write('suites/broken.yml', 'name: broken\ntitle: [\n');

    const end = await calledIn(project.root, ['run', '--suite', 'broken']);

    expectRefusal(end, /suites\/broken\.yml:\d:\d+: is not valid YAML/);
  });
});
