import { describe, expect, test } from 'vitest';
import { judgeRun } from '../../../src/judge/verdict/judge.ts';
import type { Run } from '../../../src/model/run/run.ts';
import { comparisonComment } from '../../../src/report/comment/comment.ts';
import { machineFacts } from '../../../src/report/views/facts.ts';
import { coresRemark, sharedCoreNote } from '../../../src/report/views/trust.ts';
import { REPORTS } from '../../support/reports.ts';
import { sampleRounds } from '../../support/sample-rounds.ts';
import { sampleRun } from '../../support/sample-run.ts';

const { runner } = sampleRun();
const FOUR = { ...runner, cores: 4 };
const ONE = { ...runner, cores: 1, serviceCore: 0, loadCore: 0 };

const plain = (text: string) => text.replace(/\s+/g, ' ').replaceAll('\\', '');

describe('a runner', () => {
  test('with two cores needs no words', () => {
    expect([...coresRemark(runner, []), ...sharedCoreNote(runner)]).toEqual([]);
  });

  test('whose cores were not divided, as in a cluster, needs no words, and its report names none', () => {
    const { serviceCore: _service, loadCore: _load, ...node } = FOUR;

    expect([...coresRemark(node, [{ cores: 2 }]), ...sharedCoreNote(node)]).toEqual([]);
    const run = sampleRun();
    expect(machineFacts({ ...run, runner: node }).map(({ name }) => name)).not.toContain('Cores');
  });

  test.each([
    [1536, '1.5 GiB'],
    [7938, '7.8 GiB'],
    [8192, '8 GiB'],
    [10_190, '10 GiB'],
    [15_990, '16 GiB'],
  ])('with %d MiB of memory has it in two digits', (memoryMiB, text) => {
    const run = sampleRun();
    const facts = machineFacts({ ...run, runner: { ...run.runner, memoryMiB } });

    expect(facts.find(({ name }) => name === 'Runner')?.value).toContain(`, ${text}`);
  });

  test('whose members had a core each is reported', () => {
    expect(coresRemark(FOUR, [{}, { cores: 'each' }])).toEqual([
      'The runner has 4 cores, each member of a service pinned to one: compare figures only with those of runners with 4 cores.',
    ]);
  });

  test('whose service had several cores is reported', () => {
    expect(coresRemark(FOUR, [{ cores: 3 }, { cores: 2 }])).toEqual([
      'The runner has 4 cores, a service pinned to up to 3, the load tool to another: compare figures only with those of runners with 4 cores.',
    ]);
  });

  test.each([
    ['four', FOUR, 'The runner has 4 cores, the service pinned'],
    ['one', ONE, 'The runner has only one core'],
  ])('with %s is reported once by every report of a run', (_count, other, words) => {
    const run = sampleRun({ change: { runner: other } });

    for (const report of [REPORTS.terminal, REPORTS.markdown]) {
      expect(plain(report({ run, against: undefined })).split(words)).toHaveLength(2);
    }
  });

  test.each([
    ['four', FOUR, 'The runner has 4 cores, the service pinned'],
    ['one', ONE, 'The runner has only one core'],
  ])('with %s is reported once by every report and the comment of a comparison', (_count, other, words) => {
    const run = sampleRounds({ rounds: 1, change: { runner: other as Run['runner'] } });
    const compared = judgeRun(run);
    const context = { id: 'x', head: 'a'.repeat(40), finishedAt: run.startedAt, links: {}, earlier: [] };

    const texts = [
      REPORTS.terminal({ run, against: undefined, compared }),
      REPORTS.markdown({ run, against: undefined, compared }),
      comparisonComment(run, compared, context),
    ];

    for (const text of texts) {
      expect(plain(text).split(words)).toHaveLength(2);
    }
  });
});

test('the runtime that was taken, and why, is in every report that is kept', () => {
  const reason = 'the Docker engine cannot be used: there is no Docker socket at /var/run/docker.sock';
  const run = sampleRounds({ rounds: 1, change: { runtime: { name: 'process', reason } } });
  const compared = judgeRun(run);
  const context = { id: 'x', head: 'a'.repeat(40), finishedAt: run.startedAt, links: {}, earlier: [] };

  const texts = [
    REPORTS.markdown({ run, against: undefined }),
    REPORTS.markdown({ run, against: undefined, compared }),
    REPORTS.html({ run, against: undefined, compared }),
    comparisonComment(run, compared, context),
  ];

  for (const text of texts) {
    expect(plain(text)).toContain(`process, ${reason}`);
  }
});
