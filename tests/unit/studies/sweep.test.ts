import { describe, expect, it } from 'vitest';
import type { Judgment } from '../../../src/report/views/judgment.ts';
import { HOSTILE } from '../../support/hostile-run.ts';
import { REPORTS } from '../../support/reports.ts';
import { sampleJudgment } from '../../support/sample-run.ts';
import { sampleSweep, sweepJudgment } from '../../support/sample-sweep.ts';

const JUDGMENT = sweepJudgment({ 'payload-grpc-go/full-1': ['generator-limited'] });

function plain(text: string): string {
  return text
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\\|\*\*/g, '')
    .replaceAll(/[ \u00a0\n]+/g, ' ');
}

/** The section over the argument, and nothing else of the page. */
function section(page: string): string {
  const from = page.indexOf('<h3 id="sweep">');
  return page.slice(from, page.indexOf('<h3 id="findings">', from));
}

function svgOf(page: string, id: string): string {
  const from = page.indexOf(`id="${id}-title"`);
  return page.slice(from, page.indexOf('</svg>', from));
}

describe.each(Object.entries(REPORTS))('the %s report of a sweep', (_, report) => {
  const text = plain(report(JUDGMENT));

  it('names the lines with a figure of each service at each point', () => {
    expect(text).toContain('Over objects in an answer');
    expect(text).toContain('16 users at full rate');
    expect(text).toMatch(
      /payload-json (\| )?4,\d{3}\/s, p99 8\.\d+ ms (\| )?\d{3}\/s, p99 [\d.]+ ms (\| )?6\d\.\d\/s, p99 5\d\d ms/,
    );
  });

  it('says in one table how the services stand at full rate, and ranks nothing that something else bounds', () => {
    expect(text).toContain('How the services compare, 16 users at full rate: times payload-json');
    expect(text).toMatch(/payload-grpc( \|)? 1\.\d+( \|)? 1\.\d+( \|)? 1\.\d+( \|)? 0\.\d+( \|)? 0\.\d+( \|)? 0\.\d+/);
    expect(text).toMatch(/payload-grpc-go( \|)? –( \|)? \d[\d.]*( \|)? \d[\d.]*( \|)? –( \|)? 0\.\d+/);
    expect(text).not.toMatch(/At 16 users at full rate \(Objects1\) payload/);
  });

  it('says what bounds a point', () => {
    expect(text).toMatch(/≥1,000\/s, p99/);
    expect(text).toContain('answered 2,761 of 50,000 in time');
    expect(text).toContain('the load tool was at its limit');
    expect(text).toContain('the users sent no faster');
  });

  it('says what a further object and a whole answer cost', () => {
    expect(text).toMatch(/CPU of one more/);
    expect(text).toMatch(/payload-protobuf (\| )?9\.\d+ µs \(0\.6\d\) (\| )?840 B \(0\.47\)/);
    expect(text).toMatch(/payload-json (\| )?1[34]\.\d µs (\| )?1,770 B/);
  });

  it('reports for each finding whether it is confirmed, by which figures, and why it is inconclusive', () => {
    expect(text).toMatch(/1% of its own throughput.* 0\.0\d+ times \[0\.0\d+, 0\.0\d+\] (\| )?holds/);
    expect(text).toMatch(/Objects1\): requests\/s.*0\.0\d+ times \[0\.0\d+, 0\.0\d+\].*at most 0\.025/);
    expect(text).toMatch(/three times as many.*1\.\d+ times \[.*\].*does not hold.*at least 3/);
    expect(text).toMatch(/The figures behind each finding, from single starts/);
    expect(text).toMatch(/all do as well.*inconclusive.*the users sent no faster than 1,000\/s at 100 users/);
  });

  it('has nothing of it for a run without one', () => {
    expect(report(sampleJudgment())).not.toMatch(/one more|Tested here|tested here|id="sweep"/);
  });

  it('says where a service was not measured', () => {
    const run = sampleSweep();
    const samples = run.samples.filter(({ cell }) => cell.service !== 'payload-grpc' || cell.tier !== 'full-100');

    expect(plain(report({ run: { ...run, samples }, against: undefined }))).toMatch(
      /payload-grpc (\| )?7,\d{3}\/s, p99 [\d.]+ ms (\| )?not measured/,
    );
  });
});

describe('the page of a sweep', () => {
  const page = REPORTS.html(JUDGMENT);

  it('draws each panel of each line, for the rate and for p99', () => {
    expect([...section(page).matchAll(/<svg [^>]*role="img"/g)]).toHaveLength(30);
    expect(section(page)).toContain('<figcaption>protobuf over HTTP: requests per second</figcaption>');
  });

  it('draws the services of the panel, in their colors, with their labels', () => {
    const svg = svgOf(page, 'sweep-achievedRps-0-1');

    expect([...svg.matchAll(/class="line (s\d)"/g)].map(([, style]) => style)).toEqual(['s3', 's4', 's5']);
    expect([...svg.matchAll(/class="direct s\d"[^>]*>([^<]+)/g)].map(([, label]) => label)).toEqual([
      'json-go',
      'protobuf-go',
      'grpc-go',
    ]);
  });

  it('draws a point hollow where something else bounds it', () => {
    const hollow = (id: string) =>
      [...svgOf(page, id).matchAll(/class="hollow (s\d)" d="([^"]*)"/g)].flatMap(([, style, d = '']) =>
        (d.match(/M/g) ?? []).map(() => style),
      );

    expect(hollow('sweep-achievedRps-0-0')).toEqual([]);
    expect(hollow('sweep-achievedRps-0-1')).toEqual(['s5']);
    expect(hollow('sweep-achievedRps-2-0').filter((style) => style === 's0')).toHaveLength(2);
    expect(section(page)).toContain('hollow: limited by');
    expect(section(REPORTS.html({ run: unmarked(), against: undefined }))).not.toContain('hollow: limited by');
  });

  it('has the same scale for a metric in every chart of it', () => {
    const ticks = (id: string) => [...svgOf(page, id).matchAll(/class="grid" d="([^"]+)"/g)].map(([, path]) => path);

    expect(ticks('sweep-achievedRps-0-0')).toEqual(ticks('sweep-achievedRps-2-4'));
    expect(ticks('sweep-latencyP99Ms-0-0')).toEqual(ticks('sweep-latencyP99Ms-2-4'));
  });

  it('has ids that are unique, and all that it folds is whole', () => {
    const ids = [...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);

    expect(new Set(ids).size).toBe(ids.length);
    expect(page.match(/<details[ >]/g)?.length).toBe(page.match(/<\/details>/g)?.length);
  });

  it('folds tier by tier and over time, where 9 tiers would bury the rest', () => {
    expect(page).toMatch(/<details><summary>500 users \(Objects100\)<\/summary>\n<div class="scroll"/);
    expect(page).toMatch(/<details><summary>500 users \(Objects100\)<\/summary>\n<div class="charts">/);
    expect(page).not.toContain('From tier to tier');
  });

  it('has mean and p99 of each second of users without think time, and no offered rate, which they have none', () => {
    expect(svgOf(page, 'time-latencyMeanMs-u500-100')).toContain('class="line s5"');
    expect(svgOf(page, 'time-latencyP99Ms-u500-100')).toContain('class="line s5"');
    expect(svgOf(page, 'time-achievedRps-u500-100')).not.toContain('class="offered"');
  });
});

it('cuts nothing but its end from a Markdown report, and keeps a terminal in 100 columns', () => {
  expect(REPORTS.markdown(JUDGMENT).length).toBeLessThan(60_000);
  expect(
    Math.max(
      ...REPORTS.terminal(JUDGMENT)
        .split('\n')
        .map((line) => [...line].length),
    ),
  ).toBeLessThanOrEqual(100);
});

it.each(Object.entries(REPORTS))('leaves nothing of a hostile sweep unescaped in the %s report', (name, report) => {
  const run = sampleSweep();
  const { sweep, published } = run.suite;
  const hostile: Judgment = {
    run: {
      ...run,
      suite: {
        ...run.suite,
        sweep: sweep && {
          ...sweep,
          title: HOSTILE,
          panels: sweep.panels.map((panel) => ({ ...panel, title: HOSTILE })),
        },
        published: published && {
          ...published,
          findings: published.findings?.map((finding) => ({
            says: HOSTILE,
            holdsIf: finding.holdsIf.map((test) => ({ ...test, service: HOSTILE, againstTier: HOSTILE })),
          })),
        },
      },
    },
    against: undefined,
  };

  const text = report(hostile);

  const forbidden = {
    html: ['<script>alert', '<img'],
    markdown: ['<script', '@everyone'],
    terminal: ['\u001b', '\u0007'],
  };
  for (const part of [...forbidden[name as keyof typeof REPORTS], '\u202e']) {
    expect(text.includes(part)).toBe(false);
  }
  if (name === 'html') {
    expect(text.match(/<details[ >]/g)?.length).toBe(text.match(/<\/details>/g)?.length);
  }
});

function unmarked() {
  const run = sampleSweep();
  return { ...run, samples: run.samples.map((sample) => ({ ...sample, marks: [] })) };
}
