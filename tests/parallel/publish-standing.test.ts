import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { publish } from '../../src/commands/history/publish.ts';
import { seededRandom } from '../../src/foundation/random.ts';
import { runsAdded } from '../../src/history/publish.ts';
import { entryOf } from '../../src/history/store/run-entry.ts';
import { readSegment } from '../../src/history/store/segment.ts';
import { gitIn } from '../integration/git-repository.ts';
import { publishPerTest } from '../integration/publish-bench.ts';
import { slowerRun } from '../support/sample-run.ts';
import { FLAGS, printedPerTest, runFile } from './publish-command-bench.ts';

const bench = publishPerTest();
const printed = printedPerTest(bench);

const tip = () => gitIn(bench.remote, 'rev-parse', 'gh-pages');

describe('a single run that is published', () => {
  const DAY_MS = 86_400_000;
  const day = (index: number) => new Date(Date.UTC(2026, 0, 1) + index * DAY_MS).toISOString();

  const publishPast = () => bench.begun(publishRuns);

  async function publishRuns(): Promise<void> {
    bench.seed('gh-pages');
    const jitter = seededRandom(1);
    const additions = Array.from({ length: 25 }, (_, index) => ({
      entry: entryOf(slowerRun(1 + 0.01 * jitter(), day(index)), { run: `past-${index}`, branch: 'main' }),
    }));
    await using store = await bench.open();
    await store.change(({ read }) => runsAdded(read, additions, { wiregauge: '0.1.0', branch: 'main' }), 'Past runs');
  }

  function suiteFile(name: string, policy: string): void {
    const own = readFileSync(join(printed.root, 'suites/users.yml'), 'utf8').replace('name: users', `name: ${name}`);
    mkdirSync(join(bench.scene.repository, 'suites'));
    writeFileSync(join(bench.scene.repository, 'suites', `${name}.yml`), `${own}\n${policy}`);
  }

  const latest = () => {
    const path = 'performance/history/2026-01.jsonl';
    return readSegment(bench.text(path), path).at(-1);
  };

  it.each([
    ['users', '', 'suspicious', /using the policy of suites\/users\.yml\n/],
    [
      'users',
      'policy: { thresholds: [{ metric: cpuMicrosPerRequest, threshold: 50% }] }\n',
      'passed',
      /using the policy of suites\/users\.yml\n/,
    ],
    ['others', '', 'suspicious', /using the default policy, because there is no suite "users" here\n/],
  ])(
    'is judged by what its suite says, where the checkout has "%s" with "%s"',
    async (...[name, policy, expected, words]) => {
      await publishPast();
      suiteFile(name, policy);

      await publish(runFile(bench, slowerRun(1.3, day(30))), FLAGS);

      expect(latest()?.outcome).toBe(expected);
      expect(printed.text).toMatch(words);
    },
  );

  it('is of the default branch that the index names if the clone does not know it', async () => {
    await publishPast();
    bench.scene.commit('Second');
    bench.scene.git('branch', 'topic');
    bench.scene.git('checkout', '--quiet', '--detach', 'main~1');

    await publish(runFile(bench, { startedAt: day(30) }), FLAGS);

    expect(latest()?.branch).toBe('main');
  });

  it('reports no comparison if there is no branch, or no run to compare with', async () => {
    await expect(publish(runFile(bench, slowerRun(1.3, day(30))), FLAGS)).rejects.toThrow(/has no branch gh-pages/);
    expect(printed.text).not.toContain('compared with the published');

    await publishPast();
    await publish(runFile(bench, slowerRun(1.3, '2025-01-01T00:00:00.000Z')), FLAGS);
    expect(printed.text).not.toContain('compared with the published');
  });

  it('is not published by the usual policy where the file of its suite cannot be read', async () => {
    await publishPast();
    const first = tip();
    suiteFile('users', 'policy: { thresholds: 3 }\n');

    await expect(publish(runFile(bench, slowerRun(1.3, day(30))), FLAGS)).rejects.toThrow(/suites\/users\.yml/);

    expect(tip()).toBe(first);
  });
});
