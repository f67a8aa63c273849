import { describe, expect, it } from 'vitest';
import { formatKnees, isKneeRecord, parseKnees } from '../../../../src/measure/knee/record.ts';
import { formatRun } from '../../../../src/model/run/run.ts';
import { kneeDocument } from '../../../../src/report/knee/document.ts';
import { htmlOf } from '../../../../src/report/render/html.ts';
import { ANSI, PLAIN } from '../../../../src/report/render/lines.ts';
import { markdownOf } from '../../../../src/report/render/markdown.ts';
import { terminalOf } from '../../../../src/report/render/terminal.ts';
import { sampleRun } from '../../../support/sample-run.ts';
import { kneeIn, saturateRecord } from '../../../support/sample-saturate.ts';
import { searched, seenOf } from '../../../support/simulated-service.ts';

const steps = searched((rate) => seenOf({ capacityRps: 4000, baseMs: 1 }, rate));
const record = saturateRecord([
  kneeIn(steps, { name: 'rest' }),
  kneeIn(
    searched((rate) => seenOf({ capacityRps: 8000, baseMs: 0.6 }, rate)),
    { name: 'grpc', protocol: 'grpc' },
  ),
]);
const DOCUMENT = kneeDocument(record);
const HOSTILE = '<img src=x onerror=alert(1)>@somebody';
const hostile = kneeDocument(
  saturateRecord([
    kneeIn([], { title: HOSTILE, ended: 'failed', failure: { message: `${HOSTILE}\u001b[31m`, next: HOSTILE } }),
  ]),
);

describe('the reports of a search for knees', () => {
  it.each([
    ['terminal', terminalOf(DOCUMENT, PLAIN)],
    ['Markdown', markdownOf(DOCUMENT)],
    ['HTML', htmlOf(DOCUMENT)],
  ])('lead with what each service holds: %s', (_kind, written) => {
    const text = written.replace(/\s+/g, ' ');
    const claim = text.indexOf('rest sustains 3,250/s (p99 9.67 ms); at 3,400/s p99 is ');

    expect(claim).toBeGreaterThan(-1);
    expect(text.indexOf('grpc sustains ')).toBeGreaterThan(claim);
    expect(text).toMatch(/A rate is sustained if 99% of it is answered, at most 0\.1% of the requests fail, and p99/);
  });

  it('say how far away the services were, if they were made to be', () => {
    const network = { rttMs: 20, by: 'driver' } as const;
    const far = markdownOf(kneeDocument({ ...record, suite: { ...record.suite, network } }));

    expect(far).toContain('rtt 20 ms, by the load tool');
    expect(markdownOf(DOCUMENT)).not.toContain('rtt');
  });

  it('show every step on a terminal, within 100 columns', () => {
    const lines = terminalOf(DOCUMENT, PLAIN).split('\n');

    expect(lines.every((line) => line.length <= 100)).toBe(true);
    const rows = lines.filter((line) => /^[\d,]+\/s {2}/.test(line));
    expect(rows).toHaveLength(
      record.services.flatMap((one) => one.steps).filter(({ ratePerSecond }) => ratePerSecond).length,
    );
    expect(lines.filter((line) => /^offered +achieved +p50 +p99 +errors +core +verdict$/.test(line))).toHaveLength(2);
    expect(terminalOf(DOCUMENT, ANSI)).toContain('\u001b[32msustained\u001b[39m');
  });

  it('name a load tool at its limit alike in a closed loop and at a rate', () => {
    const limited = searched((rate) => seenOf({ capacityRps: 4000, baseMs: 1, toolEndsFrom: 2000 }, rate));

    const text = terminalOf(kneeDocument(saturateRecord([kneeIn(limited)])), PLAIN);

    expect(text).toMatch(/closed loop .* load tool at its limit;/);
    expect(text).toMatch(/\/s .* load tool at its limit$/m);
    expect(text).not.toContain('generator-limited');
  });

  it('draw p99 and achieved rate over the offered one, with a cross where it was not sustained', () => {
    const page = htmlOf(DOCUMENT);

    expect(page.match(/<svg viewBox="0 0 360 216"/g)).toHaveLength(2);
    expect(page).toMatch(/<desc>rest: .* at 3,250\/s.* grpc: /);
    const missed = record.services.flatMap((one) => one.steps).filter(({ verdict }) => verdict === 'not-held').length;
    // Once more in the key.
    expect(page.match(/l7 7m0 -7l-7 7/g)).toHaveLength(2 * missed + 1);
  });

  it('say what was not measured, and let nothing of it be markup', () => {
    const [text, markdown, page] = [terminalOf(hostile, PLAIN), markdownOf(hostile), htmlOf(hostile)];

    expect(text).toContain('api: not measured: ');
    expect(text).not.toContain('\u001b');
    expect(markdown).not.toMatch(/<img|@somebody/);
    expect(page).not.toContain('<img');
    expect(page).toContain('No rate was tried.');
  });
});

describe('saturate.json', () => {
  const text = formatKnees(record);

  it('reads back what was written, and is distinguished from a run', () => {
    expect(parseKnees(text, 'saturate.json')).toEqual(record);
    expect([isKneeRecord(text), isKneeRecord(formatRun(sampleRun()))]).toEqual([true, false]);
  });

  it.each([
    ['a file that was cut short', text.slice(0, 500), /^saturate\.json: is not valid JSON, or is truncated/],
    ['another schema', text.replace('"schema": 1', '"schema": 2'), /has schema 2, .* reads schema 1/],
    [
      'a verdict of no known name',
      text.replace('"held"', '"hold"'),
      /^saturate\.json: services\.0\.steps\.\d+\.verdict: /,
    ],
    ['a name that could be markup', text.replace('"name": "rest"', '"name": "<b>"'), /services\.0\.name/],
  ])('is refused where it is %s', (_what, content, message) => {
    expect(() => parseKnees(content, 'saturate.json')).toThrow(message);
  });
});
