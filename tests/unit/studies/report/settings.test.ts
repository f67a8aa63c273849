import { describe, expect, test } from 'vitest';
import { judgeRun } from '../../../../src/judge/verdict/judge.ts';
import type { MainRun, Run } from '../../../../src/model/run/run.ts';
import { remembered } from '../../../support/remembered.ts';
import { REPORTS } from '../../../support/reports.ts';
import type { SampleRoundsOptions } from '../../../support/sample-rounds.ts';
import { type SampleRunOptions, sampleRun } from '../../../support/sample-run.ts';
import { sampleMainJob, sampleVersus } from '../../../support/sample-versus.ts';

/** The services of a run as settings of one: REST is the first. */
function asVariants<Any extends Run>(run: Any): Any {
  const services = run.services.map((service) => ({
    ...service,
    variant: { of: 'api', name: service.name, environment: { SERVER: service.name, NOTE: '<b>|`x`' } },
  }));
  return { ...run, services };
}

const slotRun = (options: SampleRunOptions = {}): MainRun => asVariants(sampleRun(options));

const versusRun = remembered((options: SampleRoundsOptions) => {
  const run = asVariants(sampleVersus(options));
  return { run, against: undefined, compared: judgeRun(run) };
});

const plain = (text: string) =>
  text
    .replace(/<head>[\s\S]*<\/head>|<[^>]+>/g, ' ')
    .replaceAll('\u00a0', ' ')
    .replace(/[*\\]/g, '')
    .replace(/\s+/g, ' ');

const cpu = (side: 'base' | 'head', by: number) => ({ metric: 'cpuMicrosPerRequest' as const, side, by });
const rate = (side: 'base' | 'head', by: number) => ({ metric: 'achievedRps' as const, side, by });

describe.each(Object.entries(REPORTS))('the %s report', (name, report) => {
  test('of single starts recommends a setting, with its margin, and how to be surer', () => {
    const text = plain(report({ run: slotRun(), against: undefined }));

    expect(text).toMatch(/Recommended (for api: gRPC|setting of api)/);
    expect(text).toMatch(
      /Most requests\/s at saturation: gRPC, [\d.]+ times as many as REST, the first setting \([\d.]+ to [\d.]+ from single starts, not an interval\)\./,
    );
    expect(text).toContain('wiregauge versus rest grpc --suite users');
    expect(text).toContain('ratio [margin]');
  });

  test('of single starts leaves the side open that a first setting with an idle core leaves, and begins with what is sure', () => {
    const measured = slotRun({
      shapes: {
        'rest/saturation': { marks: ['not-saturated'], cpuMicros: 400 },
        'grpc/saturation': { cpuMicros: 100 },
      },
    });
    // So much of its core was idle that nobody knows what it can do.
    const samples = measured.samples.map((sample) =>
      sample.marks.includes('not-saturated')
        ? { ...sample, values: { ...sample.values, serviceCpuShare: 0.4 } }
        : sample,
    );

    const text = plain(report({ run: { ...measured, samples }, against: undefined }));

    expect(text).toMatch(
      /Most requests\/s at saturation: gRPC, .* \([\d.]+ or less from single starts, not an interval\)/,
    );
    expect(text).toMatch(/Recommended for api: gRPC\. Most requests per CPU second: gRPC/);
    expect(text).toMatch(/[\d.]+ \[[\d.]+ or less\]/);
    expect(text).not.toMatch(/\b0\.00\b/);
  });

  test('of single starts names those that other programs disturbed, and those with failures', () => {
    const text = plain(
      report({
        run: slotRun({
          services: ['rest', 'grpc', 'rest-development'],
          shapes: {
            'grpc/saturation': { marks: ['disturbed'] },
            'rest-development/saturation': { marks: ['failing'] },
          },
        }),
        against: undefined,
      }),
    );

    expect(text).toContain('Other programs disturbed the single starts of gRPC at saturation');
    expect(text).toContain('Not considered, because over 1% of the requests failed at saturation: REST development.');
  });

  test('of rounds gives the interval, and no claims besides', () => {
    const text = plain(report(versusRun({ worse: [cpu('base', 1), rate('base', 1)] })));

    expect(text).toContain('Recommended for api: gRPC.');
    expect(text).toMatch(
      /Most requests per CPU second: gRPC, [\d.]+ times as many as REST, the first setting \(95% interval [\d.]+ to [\d.]+\)\./,
    );
    expect(text).not.toMatch(/gRPC serves [\d.]+ times as many/);
    expect(text).toContain('ratio [95% CI]');
  });

  test('keeps the first setting if rounds show no difference', () => {
    const text = plain(report(versusRun({})));

    expect(text).toMatch(
      /Keep REST, the first setting of api: in this run, no other setting is clearly better in every respect\./,
    );
    expect(text).toMatch(/This run cannot distinguish it from (REST|gRPC)\./);
  });

  test('recommends the first setting if it is surely ahead', () => {
    const text = plain(report(versusRun({ worse: [cpu('head', 1), rate('head', 1)] })));

    expect(text).toContain('Recommended for api: REST, the first setting. All others do less.');
    expect(text).toMatch(/Most requests\/s at saturation: REST, [\d.]+ times as many as gRPC, the next \(95%/);
  });

  test('names one for each aim if they differ', () => {
    const text = plain(report(versusRun({ worse: [cpu('head', 1), rate('base', 1)] })));

    expect(text).toContain(
      'No setting of api is best in every respect: gRPC answers the most requests/s at saturation, REST serves the most requests per CPU second.',
    );
  });

  test('of a main job has the intervals of its rounds', () => {
    const { run, compared } = sampleMainJob({ worse: [cpu('base', 1), rate('base', 1)] });
    const text = plain(report({ run: asVariants(run), against: undefined, compared }));

    expect(text.split('Recommended for api: gRPC.').length).toBeGreaterThan(1);
    expect(text).toMatch(/as REST, the first setting \(95% interval/);
  });

  test('of too few rounds for an interval has the figures that its gains are made of: those of single starts', () => {
    const { run, compared } = sampleMainJob({ rounds: 3, worse: [rate('base', 1), cpu('base', 1)] });
    const figuresOf = (text: string) =>
      /All settings at saturation.*? (gRPC .*?\/s.*?) p?9?9?/.exec(plain(text))?.[1]?.match(/[\d,]+\/s/)?.[0];

    const withRounds = report({ run: asVariants(run), against: undefined, compared });
    expect(withRounds).toContain('from single starts');
    expect(figuresOf(withRounds)).toMatch(/\d\/s/);
    expect(figuresOf(withRounds)).toBe(figuresOf(report({ run: asVariants(run), against: undefined })));
  });

  test('says so if nothing was measured at saturation', () => {
    const run = slotRun({ without: ['rest/saturation', 'grpc/saturation'] });

    expect(plain(report({ run, against: undefined }))).toContain(
      'No setting of api can be recommended: no two of them were measured at saturation.',
    );
  });

  test('shows what each sets, and no markup of it', () => {
    const text = report({ run: slotRun(), against: undefined });

    expect(text).not.toContain(name === 'html' ? '<b>' : 'there is no such text');
    expect(plain(text).includes('SERVER=grpc')).toBe(name !== 'terminal');
    expect(plain(text)).toMatch(/requests per CPU second/);
  });

  test('of services without variants has no such section', () => {
    expect(plain(report({ run: sampleRun(), against: undefined }))).not.toMatch(/[Ss]etting of|first setting/);
  });
});
