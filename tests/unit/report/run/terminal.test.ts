import { describe, expect, it } from 'vitest';
import { colouredTerminalReport, terminalReport } from '../../../../src/report/run/terminal.ts';
import { hostileJudgement } from '../../../support/hostile-run.ts';
import { judgedAgainstBaseline, sampleJudgement, sampleRun } from '../../../support/sample-run.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences begin with one.
const COLOUR = /\u001b\[\d+m/g;

describe('terminalReport', () => {
  it('puts the services of a tier side by side with the gain below', () => {
    expect(block(terminalReport(sampleJudgement()), '1,000 users')).toMatchInlineSnapshot(`
      "1,000 users                         p50           p90           p99     achieved  errors CPU/request
      All operations, offered 3,333/s
        REST                          1.92 ms       7.37 ms       22.0 ms      3,330/s     0 %      238 µs
        gRPC                          0.74 ms       2.34 ms       5.98 ms      3,333/s     0 %      161 µs
          against REST            62 % better   68 % better   73 % better         same         32 % better
      GetUser, offered 2,500/s
        REST                          1.82 ms       7.00 ms       20.9 ms      2,498/s     0 %           –
        gRPC                          0.70 ms       2.23 ms       5.68 ms      2,500/s     0 %           –
          against REST            62 % better   68 % better   73 % better         same
      ListUsers, offered 833/s
        REST                          2.30 ms       8.84 ms       26.4 ms        833/s     0 %           –
        gRPC                          0.89 ms       2.81 ms       7.18 ms        833/s     0 %           –
          against REST            62 % better   68 % better   73 % better         same"
    `);
  });

  it('shows the range of the rounds below each median', () => {
    const text = terminalReport(sampleJudgement({ rounds: 3, services: ['rest', 'rest-development', 'grpc'] }));

    expect(block(text, '500 users').split('\n').slice(0, 11).join('\n')).toMatchInlineSnapshot(`
      "500 users                           p50           p90           p99     achieved  errors CPU/request
      All operations, offered 1,667/s
        REST                          0.54 ms       1.81 ms       4.86 ms      1,667/s     0 %      281 µs
          range                     0.53–0.56     1.80–1.89     4.83–5.08                          280–284
        REST development               188 ms        405 ms        757 ms      1,370/s     0 %      471 µs
          range                       177–199       382–429       714–801                          464–478
          against REST             351x worse    224x worse    156x worse   18 % worse          68 % worse
        gRPC                          0.48 ms       1.34 ms       3.08 ms      1,667/s     0 %      205 µs
          range                     0.47–0.48     1.31–1.34     3.01–3.09                          204–205
          against REST                   same   26 % better   37 % better                      27 % better
      GetUser, offered 1,250/s"
    `);
  });

  it('shows how busy the cores were at saturation', () => {
    expect(block(terminalReport(sampleJudgement()), 'Saturation').split('\n').slice(-2)).toMatchInlineSnapshot(`
      [
        "REST: 50 workers; core in use: service 98.3 %, load tool 42.0 %",
        "gRPC: 50 workers; core in use: service 98.3 %, load tool 42.0 %",
      ]
    `);
  });

  it('explains the marks that occur, and no others', () => {
    const text = terminalReport(sampleJudgement({ shapes: { 'rest/low': { marks: ['disturbed'] } } }));

    expect(text).toContain('Marked, REST: disturbed');
    expect(text).toContain('disturbed: other programs or the hypervisor took over 10 % of a core');
    expect(text).not.toContain('socket-limited');
  });

  it('holds a run against a baseline in a line per cell', () => {
    expect(block(terminalReport(judgedAgainstBaseline()), 'Against')).toMatchInlineSnapshot(`
      "Against baselines/users/linux-x64-2core.json
      - Suspicious: 1 of 3 comparisons is slower than the stored runs explain: CPU/request of REST,
        saturation +10 % (up to +4.7 % explained).
      - A suspicion is no proof. To confirm it on one machine: wiregauge compare --base 4f2d9c1b7a.
      - Advice only: 1 further comparison; the table has the reason.
      - Not judged: 3 more; the table has the reasons.
      - Slowly worse over the stored runs: p50 of REST, saturation by 2.1 % in 30 runs (sign test, p
        0.004).
      - Stored runs: 31 before this one, 30 on this kind of machine; 2 of another configuration left out.
        Newest: 2026-11-02 08:15 UTC, commit 4f2d9c1b7a, measured on a quiet machine.
      - REST, saturation: suspicious: CPU/request +10 %; inconclusive: achieved −2.8 %, p95 +4.7 %; no
        regression: p50 +0.9 %
      - REST, 1,000 users: not judged: all runs are from another kind of machine: p50 +48 %; collecting,
        not judged: 3 of 10 runs: p95 −1.1 %; stated, not judged: errors from 0 to 2.00 %
      - gRPC, saturation: unmeasured: not in the baseline
      "
    `);
  });

  it.each([
    ['two services', sampleJudgement()],
    ['three services in three rounds', sampleJudgement({ rounds: 3, services: ['rest', 'rest-development', 'grpc'] })],
    ['a hostile run', hostileJudgement()],
  ])('keeps to 100 columns for %s', (_name, judgement) => {
    const widths = terminalReport(judgement)
      .split('\n')
      .map((line) => [...line].length);

    expect(Math.max(...widths)).toBeLessThanOrEqual(100);
  });

  it('cuts a service name that is longer than its column', () => {
    const run = sampleRun({ services: ['rest', 'rest-development'] });
    const name = `rest-${'x'.repeat(60)}`;
    const renamed = {
      ...run,
      services: run.services.map((service) => (service.name === 'rest' ? service : { ...service, name })),
      samples: run.samples.map((one) =>
        one.cell.service === 'rest' ? one : { ...one, cell: { ...one.cell, service: name } },
      ),
    };

    expect(terminalReport({ run: renamed, against: undefined })).toMatch(/^ {2}REST x{17}… +22\.7 ms/m);
  });
});

describe('colouredTerminalReport', () => {
  it('says the same as the plain report, in colours', () => {
    const judgement = judgedAgainstBaseline();

    const coloured = colouredTerminalReport(judgement);

    expect(coloured).toContain('\u001b[32m');
    expect(coloured.replaceAll(COLOUR, '').replaceAll(/ +\n/g, '\n')).toBe(
      terminalReport(judgement).replaceAll(/ +\n/g, '\n'),
    );
  });
});

/** The lines from the one that begins so to the next empty one. */
function block(text: string, beginning: string): string {
  return text.split('\n\n').find((part) => part.startsWith(beginning)) ?? '';
}
