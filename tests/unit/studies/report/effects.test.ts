import { describe, expect, test } from 'vitest';
import { judgeRun } from '../../../../src/judge/verdict/judge.ts';
import type { Run } from '../../../../src/model/run/run.ts';
import type { Factorial } from '../../../../src/model/suite/factorial.ts';
import { REPORTS } from '../../../support/reports.ts';
import { type SampleRunOptions, sampleRun } from '../../../support/sample-run.ts';
import { sampleMainJob, sampleVersus } from '../../../support/sample-versus.ts';

const DESIGN: Factorial = {
  factors: [
    { name: 'server', levels: ['development', 'gunicorn'] },
    { name: 'protocol', levels: ['over HTTP', 'over gRPC'] },
  ],
  services: [
    { service: 'rest-development', levels: ['development', 'over HTTP'] },
    { service: 'rest', levels: ['gunicorn', 'over HTTP'] },
    { service: 'grpc', levels: ['gunicorn', 'over gRPC'] },
  ],
  lead: {
    of: ['gunicorn', 'over gRPC'],
    against: ['development', 'over HTTP'],
    parts: [
      { name: 'the server', factors: ['server'] },
      { name: 'the protocol', factors: ['protocol'] },
    ],
  },
};

/** A run whose services are those of a design. */
function asDesign<Any extends Run>(run: Any, factorial: Factorial = DESIGN): Any {
  return { ...run, suite: { ...run.suite, factorial } };
}

const SERVICES = ['rest', 'rest-development', 'grpc'] as const;

const slots = (options: SampleRunOptions = {}, factorial = DESIGN) => ({
  run: asDesign(sampleRun({ services: SERVICES, ...options }), factorial),
  against: undefined,
});

const plain = (text: string) =>
  text
    .replace(/<head>[\s\S]*<\/head>|<[^>]+>/g, ' ')
    .replaceAll('\u00a0', ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replace(/[*\\]/g, '')
    .replace(/\s+/g, ' ');

describe.each(Object.entries(REPORTS))('the %s report of a design', (name, report) => {
  test('has one paragraph of result, at equal rates and at saturation', () => {
    const text = plain(report(slots()));

    expect(text).toMatch(
      /At 100 users gRPC takes 0\.\d+ times \[0\.\d+, 0\.\d+\] the CPU time per request of REST development: the server multiplies it by [\d.]+ \[[\d., ]+\] and the protocol by [\d.]+ \[[\d., ]+\]\. So /,
    );
    expect(text).toMatch(
      /At saturation gRPC answers [\d.]+ times \[[\d., ]+\] as many requests\/s as REST development: the server multiplies it by [\d.]+ \[[\d., ]+\] and the protocol by 1\.84 \[1\.67, 2\.02\]\. So the server and the protocol make it better\./,
    );
    expect(text).toContain('Brackets are the margin of single starts, not a 95% interval');
  });

  test('has one table of the lead and of each factor', () => {
    const text = plain(report(slots()));

    expect(text).toContain('Effect of each factor');
    expect(text).toMatch(/gRPC against REST development/);
    expect(text).toMatch(/the protocol \(protocol\)/);
    expect(text).toMatch(/total \(product\)/);
    expect(text).toMatch(/over gRPC instead of over HTTP/);
  });

  test('names the factors that change each other', () => {
    const run = sampleRun({ services: SERVICES });
    const odd = run.samples
      .filter(({ cell }) => cell.service === 'rest-development')
      .map((sample) => ({
        ...sample,
        cell: { ...sample.cell, service: 'odd' },
        values: { ...sample.values, achievedRps: 9 * (sample.values.achievedRps ?? 1) },
      }));
    const factorial = {
      ...DESIGN,
      services: [...DESIGN.services, { service: 'odd', levels: ['development', 'over gRPC'] }],
    };
    const first = run.services[1];
    const text = plain(
      report({
        run: asDesign(
          {
            ...run,
            services: [...run.services, ...(first === undefined ? [] : [{ ...first, name: 'odd', title: 'odd' }])],
            samples: [...run.samples, ...odd],
          },
          factorial,
        ),
        against: undefined,
      }),
    );

    expect(text).toMatch(
      /The effect of “over gRPC” on requests\/s at saturation depends on the server: 1\.84 times \[1\.67, 2\.02\] with gunicorn, 9\.00 times \[8\.18, 9\.90\] with development\./,
    );
    expect(text).toContain('with development');
  });

  test('reports how many pairs were measured, and leaves out what was not', () => {
    const text = plain(report(slots({ without: ['rest/saturation'] })));

    expect(text).not.toMatch(/the protocol by 1\.84/);
    expect(plain(report(slots({ services: ['rest'] })))).not.toContain('Effect of each factor');
  });

  test('of rounds has intervals', () => {
    const run = asDesign(sampleVersus({ services: ['rest-development', 'grpc'] }));
    const text = plain(report({ run, against: undefined, compared: judgeRun(run) }));

    expect(text).toMatch(
      /At saturation gRPC answers [\d.]+ times \[[\d., ]+\] as many requests\/s as REST development/,
    );
    expect(text).toContain('Brackets are 95% intervals.');
    expect(text).not.toMatch(/gRPC serves|gRPC and REST show/);
  });

  test('of a main job has those of its rounds', () => {
    const { run, compared } = sampleMainJob({ services: ['rest-development', 'grpc'] }, { services: SERVICES });
    const text = plain(report({ run: asDesign(run), against: undefined, compared }));

    expect(text.split('Brackets are')).toHaveLength(2);
    expect(text).toMatch(/At saturation gRPC answers [\d.]+ times \[[\d., ]+\] as many/);
  });

  test('shows no markup of its names', () => {
    const { lead, ...rest } = DESIGN;
    const [server, ...others] = DESIGN.factors;
    const text = report(
      slots(
        {},
        {
          ...rest,
          factors: [{ name: '<i>server', levels: server?.levels ?? [] }, ...others],
          lead: lead && {
            ...lead,
            parts: [
              { name: 'the <i>server', factors: ['<i>server'] },
              { name: 'the protocol', factors: ['protocol'] },
            ],
          },
        },
      ),
    );

    expect(text.includes('<i>server')).toBe(name === 'terminal');
    expect(text).toContain('server');
  });
});
