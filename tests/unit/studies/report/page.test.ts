import { describe, expect, it } from 'vitest';
import type { StudyFinding } from '../../../../src/model/run/study.ts';
import { htmlOf } from '../../../../src/report/render/html.ts';
import { PLAIN } from '../../../../src/report/render/lines.ts';
import { markdownOf } from '../../../../src/report/render/markdown.ts';
import { terminalOf } from '../../../../src/report/render/terminal.ts';
import { type MeasuredStudy, studiesDocument, studyFindings } from '../../../../studies/report/page.ts';
import { sampleRun } from '../../../support/sample-run.ts';
import { sampleMainJob } from '../../../support/sample-versus.ts';

const SATURATION = { service: 'grpc', against: 'rest', tier: 'saturation' };

const FINDINGS: readonly StudyFinding[] = [
  { says: 'half of the <b>CPU|time</b>', holdsIf: [{ ...SATURATION, metric: 'cpuMicrosPerRequest', atMost: 0.7 }] },
  { says: 'ten times the rate', holdsIf: [{ ...SATURATION, metric: 'achievedRps', atLeast: 10 }] },
  { says: 'less at night', holdsIf: [{ ...SATURATION, tier: 'night', metric: 'achievedRps', atLeast: 1 }] },
];

function judged() {
  const options = { worse: [{ metric: 'cpuMicrosPerRequest' as const, side: 'base' as const, by: 1 }] };
  const job = sampleMainJob(options);
  const published = { source: 'A study', note: 'Another machine.', figures: [], findings: FINDINGS };
  return { ...job, run: { ...job.run, suite: { ...job.run.suite, published } } };
}

const measured = (study: Partial<MeasuredStudy> = {}): MeasuredStudy => ({
  suite: 'users',
  title: 'One User Service',
  profile: 'smoke',
  seconds: 60,
  judgment: judged(),
  report: 'users/report.html',
  ...study,
});

const failed = measured({
  suite: 'hops',
  judgment: undefined,
  report: undefined,
  failure: 'go is not <i>on</i> PATH',
});

describe('the page about several studies', () => {
  const document = studiesDocument([measured(), failed]);

  it('counts which findings hold, of all studies and of each', () => {
    const text = terminalOf(document, PLAIN);

    expect(text).toContain('Of 3 findings in 2 suites, 1 confirmed, 1 not confirmed, 1 inconclusive.');
    expect(text).toMatch(/users +3 +1 +1 +1 .*users\/report\.html/);
    expect(text).toMatch(/hops +0 +0 +0 +0 .*none/);
  });

  it.each([
    ['Markdown', markdownOf(document)],
    ['a page', htmlOf(document)],
  ])('says in %s what was not measured and why, and escapes what others wrote', (_, text) => {
    const plain = text.replaceAll(/<[^>]*>|\\/g, ' ').replaceAll(/\s+/g, ' ');

    expect(plain).toMatch(/hops: go is not .*on.* PATH/);
    expect(plain).toMatch(/half of the .*CPU.*time.* holds/);
    expect(text).not.toMatch(/<i>on|<b>CPU/);
    expect(plain).toContain('Published in: A study.');
    expect(plain).toContain('Nothing was measured for it.');
  });

  it('links to the report of each suite, with special characters in its name', () => {
    const odd = studiesDocument([
      measured(),
      measured({ suite: 'odd', report: '//x.test/a b](c)"><i>/report.html' }),
      failed,
    ]);
    const [page, markdown] = [htmlOf(odd), markdownOf(odd)];

    expect([...page.matchAll(/<a href="([^#"]*)">/g)].map(([, address]) => address)).toEqual([
      'users/report.html',
      'x.test/a%20b%5D%28c%29%22%3E%3Ci%3E/report.html',
    ]);
    expect(markdown).toContain('[users/report.html](users/report.html)');
    expect(markdown).toContain('](x.test/a%20b%5D%28c%29%22%3E%3Ci%3E/report.html)');
    expect(markdown).toMatch(/hops .*\| none \|/);
  });

  it('says so if nothing was measured at all', () => {
    expect(terminalOf(studiesDocument([failed]), PLAIN)).toContain('Of 0 findings in 1 suite');
  });
});

describe('the findings behind a run', () => {
  it('are tested by its rounds if it has any, else by its slots', () => {
    const { run, compared } = judged();
    const byRounds = studyFindings({ run, against: undefined, compared });
    const slots = sampleRun();
    const bySlots = studyFindings({
      run: { ...slots, suite: { ...slots.suite, published: run.suite.published } },
      against: undefined,
    });

    expect(byRounds.map(({ holding }) => holding)).toEqual(['holds', 'does not hold', 'unclear']);
    expect(bySlots.map(({ says }) => says)).toEqual(FINDINGS.map(({ says }) => says));
    expect(studyFindings({ run: slots, against: undefined })).toEqual([]);
  });

  it('are tested by its slots if its rounds have no figure for them', () => {
    const { run, compared } = judged();
    const test = { ...SATURATION, metric: 'latencyP99Ms', atLeast: 0.001 } as const;
    const published = { source: 'A study', note: '', figures: [], findings: [{ says: 'a tail', holdsIf: [test] }] };
    const [found] = studyFindings({
      run: { ...run, suite: { ...run.suite, published } },
      against: undefined,
      compared,
    });

    expect(found?.tests.map(({ by }) => by)).toEqual(['single starts']);
    expect(found?.holding).toBe('holds');
  });
});
