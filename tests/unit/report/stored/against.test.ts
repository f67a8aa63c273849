import { describe, expect, it } from 'vitest';
import type { HistoryComparison, HistoryVerdict } from '../../../../src/judge/stored/comparison.ts';
import type { Table } from '../../../../src/report/document.ts';
import { baselineSections, storedVerdict } from '../../../../src/report/stored/against.ts';
import { viewRun } from '../../../../src/report/views/run-view.ts';
import { judgedAgainstBaseline, sampleRun } from '../../../support/sample-run.ts';

const view = viewRun(sampleRun());
const against = againstOf();
const [cpu, rate, p50, p95, advice, other, collecting, , unmeasured] = against.verdicts;

const failing: HistoryVerdict = {
  kind: 'errors',
  comparison: {
    cell: { suite: 'users', service: 'rest', operation: 'all', tier: 'high' },
    metric: 'errorRate',
    before: 0,
    now: 0.5,
    change: undefined,
  },
  status: 'suspicious',
  family: 'gate',
  limit: 0.05,
  runs: 30,
};

function againstOf(): HistoryComparison {
  const found = judgedAgainstBaseline().against;
  if (found === undefined) {
    throw new Error('the sample has no baseline');
  }
  return found;
}

/** The first line where the past gave these verdicts only. */
function headline(verdicts: readonly (HistoryVerdict | undefined)[], past: Partial<HistoryComparison['past']> = {}) {
  const chosen = verdicts.filter((verdict) => verdict !== undefined);
  return storedVerdict(view, { ...against, verdicts: chosen, past: { ...against.past, ...past } })[0];
}

describe('the first line on the past', () => {
  it('says that nothing is suspicious, and what would have been', () => {
    expect(headline([rate, p50])).toBe(
      'Nothing suspicious in 2 comparisons with the stored runs; slowdowns of 4.2% to 5.9%, depending on the metric, would have been found.',
    );
  });

  it('names three suspicions and counts the others', () => {
    expect(headline([cpu, cpu, cpu, cpu, cpu])).toMatch(/^Suspicious: 5 of 5 comparisons: .*; and 2 more\.$/);
  });

  it('names errors before all that is slower', () => {
    expect(headline([failing, rate])).toBe(
      'Suspicious: 1 of 2 comparisons: REST, error rate, 1,000 users 0% → 50% (up to 5% explained).',
    );
    expect(headline([failing, cpu, rate])).toMatch(
      /^Suspicious: 2 of 3 comparisons: REST, error rate.*\(up to 5% explained\); REST, CPU per request/,
    );
    const watched = { ...failing, family: 'watch' } as const;
    expect(headline([watched, rate])).toMatch(/^Nothing suspicious/);
  });

  it('does not take what is only watched for a suspicion', () => {
    const watched = p95?.kind === 'judged' ? { ...p95, status: 'suspicious' as const } : undefined;
    const judged = { ...against, verdicts: [p50, watched].filter((one) => one !== undefined) };
    const lines = storedVerdict(view, judged);

    expect(lines[0]).toMatch(/^Nothing suspicious in 1 comparison /);
    expect(rowsOf(judged).map((row) => row.at(-1))).toContainEqual(expect.stringMatching(/^suspicious, not gating/));
    expect(lines.join('\n')).not.toContain('--base');
  });

  it('gives advice as advice', () => {
    expect(headline([advice])).toBe('Advice only (fewer than 20 runs): 0 of 1 comparison would be suspicious.');
    const slow =
      advice?.kind === 'advisory' ? ({ ...advice, status: 'suspicious', reason: 'few-rounds' } as const) : undefined;
    expect(headline([slow])).toMatch(
      /^Advice only \(too few rounds\): 1 of 1 comparison would be suspicious: REST, GetUser p50, 100 users/,
    );
  });

  it.each([
    { what: 'while it collects', verdicts: [collecting], past: { onMachine: 3 }, words: 'Collecting (3 of 10 runs)' },
    {
      what: 'on a new kind of machine',
      verdicts: [other],
      past: { onMachine: 0 },
      words: 'Collecting (0 of 10 runs): none of 33 runs is comparable',
    },
    {
      what: 'with an empty file',
      verdicts: [unmeasured],
      past: { configured: 0, stored: 0, onMachine: 0 },
      words: 'Collecting (0 of 10 runs): there is no stored run',
    },
    { what: 'of new figures', verdicts: [unmeasured], past: {}, words: 'Not judged: the stored runs have too few' },
  ])('says why nothing is judged $what', ({ verdicts, past, words }) => {
    expect(headline(verdicts, past)).toContain(words);
  });

  it('is followed by what differs in the nearest runs, and by what to do', () => {
    const newest = { startedAt: '2026-11-02T08:15:00Z', commit: undefined, note: 'no note' };
    const profile = { what: 'profile', here: 'default', stored: 'smoke' };
    const kernel = { what: 'kernel', here: '6', stored: '5' };
    const unlike = [
      { runs: 20, newest, differs: [profile] },
      { runs: 1, newest, differs: [profile, kernel] },
      ...[4, 2].map((runs) => ({ runs, newest, differs: [profile, kernel] })),
    ];
    const past = { ...against.past, configured: 0, onMachine: 0, unlike };
    const verdicts = [unmeasured].filter((one) => one !== undefined);

    expect(storedVerdict(view, { ...against, verdicts, past })).toMatchInlineSnapshot(`
      [
        "Collecting (0 of 10 runs): none of 33 runs is comparable.",
        "Nearest: 20 runs, the newest of 2026-11-02 08:15 UTC, with a different profile ("default" here, "smoke" there).",
        "Next: add this run to them: wiregauge baseline update.",
      ]
    `);
  });
});

describe('the lines after it', () => {
  it('say how to confirm a suspicion, and what the past is', () => {
    expect(storedVerdict(view, against).slice(1)).toEqual([
      'A suspicion is not proof. To confirm it on one machine: wiregauge compare --base 4f2d9c1b7a.',
    ]);
    expect(baselineSections(view, against)[0]?.blocks[0]).toMatchObject({
      items: [
        'Stored runs (baselines): 31 before this one, 30 on this kind of machine; 2 with another configuration left out. Newest: 2026-11-02 08:15 UTC, commit 4f2d9c1, measured on a quiet machine.',
      ],
    });
  });

  it('give no command where no commit is known', () => {
    const lines = storedVerdict(view, { ...against, confirmationBase: undefined });

    expect(lines[1]).toBe(
      'A suspicion is not proof. To confirm it on one machine: compare it with a commit that was not suspicious.',
    );
  });
});

describe('the rows of the table', () => {
  it('set the suspicious ones apart, and each operation alone', () => {
    expect(rowsOf(against)).toEqual([
      ['REST, saturation', 'CPU per request', '213 µs', '235 µs', '+10%', '+4.7%', 'suspicious'],
    ]);
    expect(rowsOf({ ...against, verdicts: [failing] })).toEqual([
      ['REST, 1,000 users', 'error rate', '0%', '50.0%', '0% → 50%', '5%', 'suspicious'],
    ]);
    expect(rowsOf(against, 'all')).toHaveLength(8);
    expect(rowsOf(against, 'all').map((row) => row.at(-1))).toContainEqual(
      expect.stringMatching(/^no regression; slowly worse by 2\.1% in 30 runs \(sign test, p 0\.004\)$/),
    );
  });
});

/** Rows of the table of suspicions, or of all operations together. */
function rowsOf(shown: HistoryComparison, which: 'suspicious' | 'all' = 'suspicious') {
  const [, suspicious, all] = (baselineSections(view, shown)[0]?.blocks ?? []) as readonly Table[];
  return ((which === 'all' ? all : suspicious)?.rows ?? []).map(({ head, cells }) => [head, ...cells]);
}
