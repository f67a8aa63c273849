import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readSegment } from '../../src/history/store/segment.ts';
import { actPerTest } from '../integration/act-bench.ts';
import { SMALL_SUITE } from '../integration/compare-project.ts';
import { gitIn } from '../integration/git-repository.ts';
import { requires } from '../support/requires.ts';

const WORKFLOW = `name: performance
on: [push]
permissions: {}
jobs:
  performance:
    runs-on: ubuntu-24.04
    permissions: { contents: write, pull-requests: write }
    steps:
      - uses: actions/checkout@v5
        with: { fetch-depth: 0 }
      - uses: wiregauge/wiregauge@v1
        with: { suite: small, runtime: process, rounds: 1, profile: smoke, comment: always, profiler: never }
`;

// What is measured is no matter, so it is as short as can be.
const SUITE = SMALL_SUITE.replace(
  /^tiers:\n.*$/m,
  'tiers: [{ name: few, users: 2, requestsPerUser: 50, limitSeconds: 10 }]',
);

const job = actPerTest(WORKFLOW, (project) => project.write('suites/small.yml', SUITE));

describe.runIf(requires('act'))('the action in a workflow of pushes', () => {
  test('adds a run to the history for each push to the default branch', async () => {
    const remote = join(job.project.out, 'origin.git');
    gitIn(job.project.out, 'init', '--quiet', '--bare', remote);
    const insteadOf = {
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: `url.${remote}.insteadOf`,
      GIT_CONFIG_VALUE_0: 'https://github.com/one/service.git',
    };
    job.project.git('checkout', '--quiet', 'main');
    const entries = () =>
      gitIn(remote, 'ls-tree', '-r', '--name-only', 'gh-pages')
        .split('\n')
        .filter((path) => /history\/\d{4}-\d{2}[^/]*\.jsonl$/.test(path) && !path.includes('histograms'))
        .flatMap((path) => readSegment(`${gitIn(remote, 'show', `gh-pages:${path}`)}\n`, path));
    const pushed: string[] = [];

    for (const _ of [1, 2]) {
      job.project.git('commit', '--quiet', '--allow-empty', '--message=@everyone: <b>A change</b>');
      const after = job.project.git('rev-parse', 'HEAD');
      const repository = { full_name: 'one/service', default_branch: 'main' };
      const end = await job.play('push', { ref: 'refs/heads/main', after, repository }, { environment: insteadOf });
      expect(end.exitCode).toBe(0);
      pushed.push(after);
      expect(entries().map((entry) => entry.commit?.sha)).toEqual(pushed);
    }

    expect(gitIn(remote, 'ls-tree', '-r', '--name-only', 'gh-pages').split('\n')).toContain('performance/index.html');
    expect(job.github.state.comments).toEqual([]);
    expect(job.left()).toEqual([]);
  });
});
