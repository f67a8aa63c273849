import { describe, expect, it } from 'vitest';
import { judgeRun } from '../../../../src/judge/verdict/judge.ts';
import { versusRun } from '../../../../src/model/run/comparison.ts';
import type { StudyFinding } from '../../../../src/model/run/study.ts';
import { PLAIN } from '../../../../src/report/render/lines.ts';
import { briefTerminalOf } from '../../../../src/report/render/terminal.ts';
import { runDocument } from '../../../../src/report/run/document.ts';
import { STUDIES } from '../../../../studies/index.ts';
import { REPORTS } from '../../../support/reports.ts';
import { sampleRun } from '../../../support/sample-run.ts';
import { sampleMainJob } from '../../../support/sample-versus.ts';

const SATURATION = { service: 'grpc', against: 'rest', tier: 'saturation' };

const FINDINGS: readonly StudyFinding[] = [
  {
    says: 'half of the <b>CPU|time</b>',
    published: '46% <i>less</i>',
    holdsIf: [{ ...SATURATION, metric: 'cpuMicrosPerRequest', atMost: 0.7 }],
  },
  { says: 'ten times the rate', holdsIf: [{ ...SATURATION, metric: 'achievedRps', atLeast: 10 }] },
  {
    says: 'less at night',
    holdsIf: [{ ...SATURATION, tier: 'night', metric: 'achievedRps', atLeast: 1, atMost: 2.5 }],
  },
];

const OPTIONS = { worse: [{ metric: 'cpuMicrosPerRequest' as const, side: 'base' as const, by: 1 }] };

function study(findings: readonly StudyFinding[]) {
  return { source: 'A study', note: 'Another machine.', figures: [], findings };
}

function mainJob(findings: readonly StudyFinding[]) {
  const job = sampleMainJob(OPTIONS);
  return { ...job, run: { ...job.run, suite: { ...job.run.suite, published: study(findings) } } };
}

function reports(findings: readonly StudyFinding[]) {
  const job = mainJob(findings);
  const run = versusRun(job.run) ?? expect.fail('there are no rounds');
  return Object.entries(REPORTS).flatMap(([name, report]) => [
    [`${name} of versus`, report({ run, against: undefined, compared: judgeRun(run) })] as const,
    [`${name} of the main job`, report(job)] as const,
  ]);
}

function plain(text: string): string {
  return text.replaceAll(/<[^>]*>|\\|\*\*|[\s\u00a0]+/g, ' ').replaceAll(/\s+/g, ' ');
}

/** The Markdown of the main job, from its table of findings on. */
function table(findings: readonly StudyFinding[]): string {
  const text = REPORTS.markdown(mainJob(findings)).replaceAll('\u00a0', ' ').replaceAll('\\', '');
  return text.slice(text.indexOf('Findings of the study'));
}

describe('the findings of a study', () => {
  it.each(reports(FINDINGS))(
    'are one table in the %s: what was published, what was measured, and whether it holds',
    (name, text) => {
      expect(plain(text)).toContain('1 of 3 findings confirmed, 1 not confirmed, 1 inconclusive.');
      expect(plain(text)).toMatch(/finding (\| )?published (\| )?here (\| )?holds\?/);
      expect(plain(text)).toMatch(/half of the .*46% .*less.* 0\.[45]\d* times \[[\d., ]+\] (\| )?holds/);
      expect(plain(text)).toMatch(/ten times the rate .*0\.999 times \[[\d., ]+\] (\| )?does not hold/);
      expect(plain(text)).toMatch(/less at night .*no figure (\| )?inconclusive/);
      // A terminal knows no markup.
      expect(text.includes('<b>CPU')).toBe(name.startsWith('terminal'));
      expect(text.includes('<i>less')).toBe(name.startsWith('terminal'));
    },
  );

  it.each(reports(FINDINGS))('have the figures that decide them behind the table in the %s', (_, text) => {
    const behind = plain(text).split('The figures behind each finding').slice(1).join('');

    expect(behind).toMatch(/gRPC against REST: CPU per request, saturation.*0\.[45]\d* times.*at most 0\.7.*holds/);
    expect(behind).toMatch(/requests\/s, saturation.*at least 10.*does not hold/);
    expect(behind).toMatch(/no figure.*at least 1 and at most 2\.5.*inconclusive/);
  });

  it.each(reports([]))('are left out of the %s where there are none', (_, text) => {
    expect(text).not.toMatch(/findings of the study|tested here/i);
  });

  it('are a line each at the end of a command, with what holds first', () => {
    const text = briefTerminalOf(runDocument(mainJob(FINDINGS), STUDIES), PLAIN, 70).replaceAll(/\s+/g, ' ');

    expect(text).toMatch(/- half of the <b>CPU\|time<\/b>: holds; 0\.[45]\d* times/);
    expect(text).not.toContain('The figures behind each finding');
  });

  it('have no column of published figures if there are none', () => {
    expect(table(FINDINGS.slice(1))).toMatch(/\| finding \| here \| holds\? \|/);
  });

  it('say which service is not part of the run, in place of a figure', () => {
    const gone = {
      says: 'gone',
      holdsIf: [{ ...SATURATION, service: 'soap', metric: 'achievedRps' as const, atLeast: 1 }],
    };

    expect(table([gone])).toMatch(/\| gone \| not part of this run: soap \| inconclusive \|/);
    expect(table([gone])).not.toContain('The figures behind each finding');
  });
});

describe('a finding of which a part alone was measured', () => {
  it('has that figure, with which it does not hold', () => {
    const rate = { ...SATURATION, metric: 'achievedRps' as const, atLeast: 10 };

    expect(table([{ says: 'it', holdsIf: [rate, { ...rate, against: 'soap' }] }])).toMatch(
      /\| it \| 0\.999 times \[[\d., ]+\], 1 of 2 figures \| does not hold \|/,
    );
  });
});

describe('the cases of a finding', () => {
  const rate = { ...SATURATION, metric: 'achievedRps' as const };
  const cases: readonly StudyFinding[] = [
    { says: 'gRPC is ahead', of: 'Python', published: 'clearly', holdsIf: [{ ...rate, atLeast: 0.9 }] },
    { says: 'gRPC is ahead', of: 'Go', published: 'clearly', holdsIf: [{ ...rate, atLeast: 10 }] },
    { says: 'REST is ahead', holdsIf: [{ ...rate, atMost: 1 }] },
  ];

  it('are under it', () => {
    expect(table(cases)).toMatch(/\| finding \| case \| published \| here \| holds\? \|/);
    expect(table(cases)).toMatch(/\| gRPC is ahead \| Python \| clearly \| [\d.]+ times \[.*\] \| holds \|/);
    expect(table(cases)).toMatch(/\| {2}\| Go \| clearly \| [\d.]+ times \[.*\] \| does not hold \|/);
    expect(table(cases)).toMatch(/\| REST is ahead \| in all \|/);
    expect(REPORTS.html(mainJob(cases))).toMatch(/class="rows">gRPC is ahead<\/th>/);
  });

  it('are named below the table', () => {
    expect(table(cases)).toContain('| gRPC is ahead (Go) |');
  });
});

describe('the figure of a finding', () => {
  const cell = (tests: StudyFinding['holdsIf']) =>
    / \| ([^|]+) \| (?:holds|does not hold|inconclusive) \|/.exec(table([{ says: 'it', holdsIf: tests }]))?.[1];
  const tested = (metric: 'achievedRps' | 'cpuMicrosPerRequest') => ({ ...SATURATION, metric, atLeast: 1 });
  const alone = { service: 'grpc', tier: 'saturation', metric: 'errorRate' as const, atMost: 0 };

  it('is that of each test if there are two', () => {
    expect(cell([tested('achievedRps'), tested('cpuMicrosPerRequest')])).toMatch(
      /^[\d.]+ and [\d.]+ times \[[\d., ]+\], \[[\d., ]+\]$/,
    );
  });

  it('is the lowest and the highest of more', () => {
    const tests = [tested('achievedRps'), tested('cpuMicrosPerRequest'), { ...tested('achievedRps'), against: 'grpc' }];

    expect(cell(tests)).toMatch(/^0\.[\d]+ to [\d.]+ times \(3 figures\)$/);
  });

  it('says how many are missing', () => {
    expect(cell([tested('achievedRps'), { ...tested('achievedRps'), tier: 'night' }])).toMatch(
      /^[\d.]+ times \[[\d., ]+\], 1 of 2 figures$/,
    );
  });

  it('is in its unit if it is compared with none, and once if all are the same', () => {
    expect(cell([alone, { ...alone, service: 'rest' }])).toMatch(/^0(\.0+)?%$/);
  });
});

describe('a finding about what programs say of themselves', () => {
  const holdsIf: StudyFinding['holdsIf'] = [
    { service: 'rest', tier: 'low', metric: 'latencyMeanMs', againstOwn: 'slowest_seconds', atMost: 2 },
  ];
  const reported = (mean: number | undefined) => {
    const run = sampleRun();
    const figures = [{ name: 'slowest_seconds', kind: 'histogram' as const, count: 10, ...(mean && { mean }) }];
    const own = { requests: 10, meanMs: 1.5, quantiles: [], programs: [{ program: 'rest', figures }] };
    const samples = run.samples.map((sample) =>
      sample.cell.service === 'rest' && sample.cell.operation === 'all' && sample.cell.tier === 'low'
        ? { ...sample, own }
        : sample,
    );
    const suite = { ...run.suite, published: study([{ says: 'it', holdsIf }]) };
    return plain(REPORTS.markdown({ run: { ...run, suite, samples }, against: undefined }));
  };

  it('has a multiple, and names the metric', () => {
    expect(reported(0.001)).toMatch(/\| it \| 1\.50 times \[1\.15, 1\.95 ?\] \| holds \|/);
    expect(reported(0.001)).toMatch(/mean latency against its own slowest ?_seconds \|.*at most 2\b/);
  });

  it('reports that no program has it', () => {
    expect(reported(undefined)).toMatch(/\| it \| no figure \| inconclusive \|/);
    expect(reported(undefined)).toMatch(/no program of REST reported slowest ?_seconds at/);
  });
});

describe('the statements of a suite about what its study left open', () => {
  it.each(Object.entries(REPORTS))('are not findings of the study in the %s', (_name, report) => {
    const job = mainJob(FINDINGS);
    const suite = { ...job.run.suite, published: { ...study(FINDINGS), leftOpen: true } };
    const text = plain(report({ ...job, run: { ...job.run, suite } }));

    expect(text).toContain('Statements of this suite, tested here');
    expect(text).not.toContain('Findings of the study');
    expect(text).toContain('1 of 3 statements confirmed, 1 not confirmed, 1 inconclusive.');
    expect(plain(report(job))).toContain('Findings of the study, tested here');
  });
});
