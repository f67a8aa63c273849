import { describe, expect, it } from 'vitest';
import { judgmentPage } from '../../../../src/commands/runs/report.ts';
import { ANSI } from '../../../../src/report/render/lines.ts';
import { terminalOf } from '../../../../src/report/render/terminal.ts';
import { hostileJudgment } from '../../../support/hostile-run.ts';
import { REPORTS } from '../../../support/reports.ts';
import { judgedAgainstBaseline, sampleJudgment, sampleRun } from '../../../support/sample-run.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences begin with one.
const COLOR = /\u001b\[\d+m/g;

describe('terminalOf', () => {
  it('puts the services of a tier side by side with the gain below', () => {
    expect(block(REPORTS.terminal(sampleJudgment()), 'service ')).toMatchInlineSnapshot(`
      "service               p50      p90      p99  requests/s  error rate  CPU per request
      100 users (low), offered 333/s
        REST            0.51 ms  1.42 ms  3.27 ms       333/s          0%           331 µs
        gRPC            0.44 ms  0.95 ms  1.77 ms       333/s          0%           302 µs
          against REST     same     −33%     −46%                                    −8.8%
      500 users (medium), offered 1,667/s
        REST            0.56 ms  1.89 ms  5.08 ms     1,667/s          0%           284 µs
        gRPC            0.47 ms  1.31 ms  3.01 ms     1,667/s          0%           204 µs
          against REST     same     −31%     −41%                                     −28%
      1,000 users (high), offered 3,333/s
        REST            1.92 ms  7.37 ms  22.0 ms     3,330/s          0%           238 µs
        gRPC [ahead]    0.74 ms  2.34 ms  5.98 ms     3,333/s          0%           161 µs
          against REST     −61%     −68%     −73%        same                         −32%
      Saturation
        REST            11.2 ms  16.4 ms  22.5 ms     4,490/s          0%           221 µs
        gRPC            6.01 ms  8.28 ms  10.7 ms     8,260/s          0%           119 µs
          against REST     −46%     −50%     −52%        +84%                         −46%"
    `);
  });

  it('shows the range of the rounds below each median', () => {
    const text = REPORTS.terminal(sampleJudgment({ rounds: 3, services: ['rest', 'rest-development', 'grpc'] }));

    expect(block(text, 'service ').split('\n').slice(0, 11).join('\n')).toMatchInlineSnapshot(`
      "service                                    p50          p90          p99  requests/s  error  CPU per
                                                                                             rate  request
      100 users (low), offered 333/s
        REST                                 0.51 ms      1.42 ms      3.27 ms       333/s     0%   331 µs
          range                            0.50–0.52    1.38–1.45    3.18–3.32                     329–332
        REST development [behind]            1.90 ms      6.02 ms      15.4 ms       333/s     0%   502 µs
          range                            1.80–1.97    5.71–6.24    14.6–15.9                     496–507
          against REST                         +273%        +323%        +370%                        +52%
        gRPC                                 0.44 ms      0.95 ms      1.77 ms       333/s     0%   302 µs
          range                            0.43–0.47    0.93–1.01    1.74–1.88                     301–306
          against REST                          same         −33%         −46%                       −8.8%"
    `);
  });

  it('shows how busy the cores were at saturation', () => {
    expect(block(REPORTS.terminal(sampleJudgment()), '- REST: 50 workers').split('\n')).toMatchInlineSnapshot(`
      [
        "- REST: 50 workers, 98.3% of its core in use, 42.0% of the load tool's.",
        "- gRPC: 50 workers, 98.3% of its core in use, 42.0% of the load tool's.",
      ]
    `);
  });

  it('says once of a service that it was not measured at a load', () => {
    const [main = ''] = REPORTS.terminal(sampleJudgment({ without: ['grpc/high'] })).split('By operation');

    expect(main.match(/^ +gRPC.*not measured.*$/gm)).toEqual([expect.stringMatching(/^ +gRPC +not measured$/)]);
  });

  it('explains the marks that occur once, and no others', () => {
    const text = REPORTS.terminal(sampleJudgment({ shapes: { 'rest/low': { marks: ['disturbed'] } } })).replaceAll(
      /\s+/g,
      ' ',
    );

    expect(text).toContain('REST [disturbed]');
    expect(text.match(/[^.]*other programs or the hypervisor[^.]*/g)).toEqual([
      expect.stringContaining(' - Noisy machine: '),
    ]);
    expect(text).not.toContain('socket-limited');
  });

  it('holds a run against a baseline in a line per figure', () => {
    const text = REPORTS.terminal(judgedAgainstBaseline());

    expect(text).toMatch(/^Suspicious: 1 of 3 comparisons: REST, CPU/);
    expect(
      text.slice(text.indexOf('\nAgainst the baseline\n'), text.indexOf('\nFigures at each load\n')),
    ).toMatchInlineSnapshot(`
      "
      Against the baseline
      - Stored runs (baselines): 31 before this one, 30 on this kind of machine; 2 with another
        configuration left out. Newest: 2026-11-02 08:15 UTC, commit 4f2d9c1, measured on a quiet machine.

      Against the baseline, all operations
                         metric            change  verdict
      REST, saturation   CPU per request     +10%  suspicious
      REST, saturation   requests/s         −2.8%  inconclusive, detects slowdowns of 5.9% or more
      REST, saturation   p50                +0.9%  no regression; slowly worse by 2.1% in 30 runs (sign
                                                   test, p 0.004)
      REST, saturation   p95                +4.7%  inconclusive, detects slowdowns of 16% or more
      REST, 1,000 users  p50                 +48%  not judged: all runs are from another kind of machine
      REST, 1,000 users  p95                −1.1%  collecting, not judged: 3 of 10 runs
      REST, 1,000 users  error rate       0% → 2%  shown, not judged
      gRPC, saturation   –                      –  unmeasured: not in the baseline
      "
    `);
  });

  it.each([
    ['two services', sampleJudgment()],
    ['three services in three rounds', sampleJudgment({ rounds: 3, services: ['rest', 'rest-development', 'grpc'] })],
    ['a hostile run', hostileJudgment()],
  ])('keeps to 100 columns for %s', (_name, judgment) => {
    const widths = REPORTS.terminal(judgment)
      .split('\n')
      .map((line) => [...line].length);

    expect(Math.max(...widths)).toBeLessThanOrEqual(100);
  });

  it('gives a service with a long name a line of its own and cuts nothing', () => {
    const run = sampleRun({ services: ['rest', 'rest-development'] });
    const name = `rest-${'x'.repeat(60)}`;
    const renamed = {
      ...run,
      services: run.services.map((service) => (service.name === 'rest' ? service : { ...service, name })),
      samples: run.samples.map((one) =>
        one.cell.service === 'rest' ? one : { ...one, cell: { ...one.cell, service: name } },
      ),
    };

    expect(REPORTS.terminal({ run: renamed, against: undefined })).toMatch(/^ {2}REST x{60}\n +22\.7 ms/m);
  });
});

describe('the report with colors', () => {
  it('says the same as the plain report, in colors', () => {
    const judgment = judgedAgainstBaseline();

    const colored = terminalOf(judgmentPage(judgment), ANSI);

    expect(colored).toContain('\u001b[2m');
    expect(colored.replaceAll(COLOR, '').replaceAll(/ +\n/g, '\n')).toBe(
      REPORTS.terminal(judgment).replaceAll(/ +\n/g, '\n'),
    );
  });
});

/** The lines from the one that begins so to the next empty one. */
function block(text: string, beginning: string): string {
  return text.split('\n\n').find((part) => part.startsWith(beginning)) ?? '';
}
