import { describe, expect, it } from 'vitest';
import reportPage from '../../../../generated/report-page.json' with { type: 'json' };
import { hostileJudgment } from '../../../support/hostile-run.ts';
import { REPORTS } from '../../../support/reports.ts';
import { judgedAgainstBaseline, sampleJudgment, sampleRun } from '../../../support/sample-run.ts';

describe('htmlReport', () => {
  it('forbids itself everything but its own style and script', () => {
    expect(REPORTS.html(sampleJudgment())).toContain(
      `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src '${reportPage.scriptHash}'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'">`,
    );
  });

  it('holds no script but its own, no handler and no address', () => {
    const page = REPORTS.html(judgedAgainstBaseline());

    expect(page.replace(`<script>${reportPage.script}</script>`, '')).not.toMatch(
      /<script|\son\w+=|https?:|url\(|@import|src=/i,
    );
  });

  it('shows a hostile run as text', () => {
    const page = REPORTS.html(hostileJudgment());

    expect(page.match(/<script/gi)).toHaveLength(1);
    expect(page).not.toMatch(/<img/i);
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(page.match(/<details[ >]/g)?.length).toBe(page.match(/<\/details>/g)?.length);
  });

  it('has headings in order and ids that are unique', () => {
    const page = REPORTS.html(judgedAgainstBaseline());

    const levels = [...page.matchAll(/<h(\d)/g)].map(([, level]) => Number(level));
    const ids = [...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
    expect(levels[0]).toBe(1);
    expect(levels.filter((level) => level === 1)).toHaveLength(1);
    expect(levels.every((level, index) => index === 0 || level - (levels[index - 1] ?? 0) <= 1)).toBe(true);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('gives each service a dash and a shape of its own next to its color', () => {
    const page = REPORTS.html(sampleJudgment({ services: ['rest', 'rest-development', 'grpc'] }));

    const key = page.slice(page.indexOf('<ul class="key">'), page.indexOf('</ul>', page.indexOf('<ul class="key">')));
    expect([...key.matchAll(/class="line (s\d)"/g)].map(([, name]) => name)).toEqual(['s0', 's1', 's2']);
    const dashes = [...page.matchAll(/\.s\d\{[^}]*--dash: ([^}]+)\}/g)].map(([, dash]) => dash);
    expect(dashes.slice(0, 3)).toEqual(['none', '7 3', '2 3']);
    expect(new Set(dashes).size).toBe(8);
  });

  it('draws a gap where a second has no answers', () => {
    const page = REPORTS.html(sampleJudgment());

    const chart = page.slice(page.indexOf('id="time-latencyP50Ms-high-title"'));
    const path = /class="line s0" d="([^"]+)"/.exec(chart)?.[1] ?? '';
    expect(path.match(/M/g)).toHaveLength(2);
  });

  it('marks a second between two gaps, which no line shows', () => {
    const run = sampleRun();
    const samples = run.samples.map((sample) => {
      const lone = sample.series?.second.map((second) => (second === 5 ? 1.5 : null));
      return sample.series && lone ? { ...sample, series: { ...sample.series, latencyP50Ms: lone } } : sample;
    });

    const page = REPORTS.html({ run: { ...run, samples }, against: undefined });

    const chart = page.slice(page.indexOf('id="time-latencyP50Ms-high-title"'));
    expect(chart.slice(0, chart.indexOf('</svg>')).match(/class="mark/g)).toHaveLength(2);
  });

  it('explains a mark on hover', () => {
    expect(REPORTS.html(sampleJudgment())).toMatch(
      /<path class="mark s0" d="[^"]+"><title>[^<:]*, p99: [\d.]+ ms<\/title><\/path>/,
    );
  });

  it('draws every round as a line of its own', () => {
    const page = REPORTS.html(sampleJudgment({ rounds: 3 }));

    const chart = page.slice(page.indexOf('id="time-achievedRps-low-title"'));
    const svg = chart.slice(0, chart.indexOf('</svg>'));
    expect(svg.match(/class="line s0"/g)).toHaveLength(1);
    expect(svg.match(/class="thin s0"/g)).toHaveLength(2);
  });

  it('marks the turning point of a service', () => {
    expect(REPORTS.html(sampleJudgment())).not.toContain('turning point');
    expect(REPORTS.html(sampleJudgment({ shapes: { 'rest/medium': { held: 0.7 } } }))).toContain('turning point');
  });

  it('puts published figures next to ours, with their source, and leaves them out where a suite has none', () => {
    const { published: _, ...suite } = sampleRun().suite;

    expect(REPORTS.html(sampleJudgment())).toContain('2,275.1/s');
    expect(REPORTS.html(sampleJudgment())).toContain('The machines differ');
    expect(REPORTS.html(sampleJudgment({ change: { suite } }))).not.toContain('id="published"');
  });

  it('names the study of a suite that has no published figures, and no figures next to it', () => {
    const { suite } = sampleRun();
    const published = suite.published && { ...suite.published, figures: [] };
    const elsewhere = { service: 'soap', tier: 'low', metric: 'latencyP90Ms', text: '7 ms' } as const;
    const ofOthers = published && { ...published, figures: [elsewhere] };

    for (const one of [published, ofOthers]) {
      const page = REPORTS.html(sampleJudgment({ change: { suite: { ...suite, published: one } } }));

      expect(page).toContain('<details id="published"><summary>The study behind this suite</summary>');
      expect(page).toContain('slides, CASE 2026');
      expect(page).not.toContain('Published figures');
    }
    expect(REPORTS.html(sampleJudgment())).toContain('<details id="published"><summary>Published figures</summary>');
  });

  it('lists a new metric without a change to the page', () => {
    const page = REPORTS.html(sampleJudgment());

    expect(page).toContain('<th scope="row">bytes per request<');
    expect(page).not.toContain('<th scope="row">bytes into the service per request<');
  });
});
