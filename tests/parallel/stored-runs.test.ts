import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatRun, parseRun } from '../../src/model/run/run.ts';
import { makeProject } from '../integration/project.ts';
import { expectRefusal } from '../integration/refusal.ts';
import { calledIn } from '../support/called-in.ts';
import { sampleRun } from '../support/sample-run.ts';

let project: ReturnType<typeof makeProject>;
beforeAll(() => {
  project = makeProject();
});
afterAll(() => project.remove());

const inProject = (argv: readonly string[]) => calledIn(project.root, argv);

describe('wiregauge report, merge and baseline', () => {
  const write = (name: string, text: string): string => {
    writeFileSync(join(project.root, name), text);
    return name;
  };

  test('makes reports of a run that was measured before', async () => {
    const file = write('before.json', formatRun(sampleRun()));

    const { exitCode, stdout } = await inProject(['report', file, '--out', 'again']);

    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/reports: .*again\/report\.md, .*again\/report\.html/);
  });

  test.each([
    ['cut short', formatRun(sampleRun()).slice(0, 5000), /is not valid JSON, or is truncated/],
    ['of another schema', formatRun(sampleRun()).replace('"schema":2', '"schema":7'), /has schema 7/],
  ])('refuses a run that is %s', async (_what, text, words) => {
    expectRefusal(await inProject(['report', write('bad.json', text)]), words);
  });

  test('merges shards, and refuses what does not belong together', async () => {
    const rest = write('rest.json', formatRun(sampleRun({ services: ['rest'] })));
    const grpc = write('grpc.json', formatRun(sampleRun({ services: ['grpc'] })));
    const other = write('other.json', formatRun(sampleRun({ services: ['grpc'], change: { configHash: 'other' } })));

    const merged = await inProject(['shards', 'merge', rest, grpc, '--out', 'merged/run.json']);

    expect(merged.exitCode).toBe(0);
    expect(parseRun(readFileSync(join(project.root, 'merged/run.json'), 'utf8'), 'run.json').services).toHaveLength(2);
    expectRefusal(
      await inProject(['shards', 'merge', rest, other]),
      /rest\.json and other\.json do not belong together: configuration/,
    );
  });

  test('stores a baseline, and says of a later run how many are wanted before it is judged', async () => {
    const file = write('complete.json', formatRun(sampleRun()));
    const later = sampleRun({
      shapes: { 'grpc/saturation': { cpuMicros: 238 } },
      change: { startedAt: '2030-01-01T00:00:00.000Z' },
    });
    const slower = write('slower.json', formatRun(later));

    const updated = await inProject(['baseline', 'update', file, '--allow-dirty']);
    const { exitCode, stdout } = await inProject(['report', slower, '--against', 'history:baselines']);

    expect(updated.exitCode).toBe(0);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^Collecting \(1 of 10 runs\)/);
  });

  test('begins with nothing: a folder without runs is not an error, any other place is', async () => {
    const file = write('first.json', formatRun(sampleRun()));
    const against = (place: string) => inProject(['report', file, '--against', place]);
    mkdirSync(join(project.root, 'other'));

    const { exitCode, stdout } = await against('history:other');

    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^Collecting \(0 of 10 runs\): there is no stored run/);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      'Next: add this run to them: wiregauge baseline update --folder other.',
    );
    expectRefusal(await against('history:nowhere'), /there is no folder nowhere/);
    expectRefusal(await against('baselines/users/linux-x64-2core.json'), /neither history nor history:<folder>/);
  });

  test('refuses to store a run that was not completed', async () => {
    const file = write('incomplete.json', formatRun(sampleRun({ change: { complete: false } })));

    expectRefusal(await inProject(['baseline', 'update', file]), /was not completed/);
  });
});
