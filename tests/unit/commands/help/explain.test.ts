import { describe, expect, it } from 'vitest';
import docs from '../../../../generated/explain-topics.json' with { type: 'json' };
import { explain, messageLike } from '../../../../src/commands/help/explain.ts';
import { codesOfMessage, topicsNamed, topicsOf } from '../../../../src/commands/help/topics.ts';
import { runCommandLine } from '../../../../src/commands/program/program.ts';
import type { ComparisonResult, Finding } from '../../../../src/judge/verdict/finding.ts';
import { METRIC_NAMES } from '../../../../src/model/metric.ts';
import { MARK_MEANINGS } from '../../../../src/model/sample/mark.ts';
import { catchPrinted } from '../../../support/printed.ts';

const VERDICTS: Readonly<Record<Finding['verdict'], true>> = {
  regressed: true,
  'slower-within-limit': true,
  unchanged: true,
  improved: true,
  inconclusive: true,
};

describe('wiregauge explain', () => {
  const printed = catchPrinted();

  it('says what a word means, and where there is more', async () => {
    expect(await runCommandLine(['explain', 'generator-limited'])).toBe(0);

    expect(printed.out).toMatch(
      /^generator-limited \(mark\)\n {2}when: tool above 80%[\s\S]*\n {2}more: https:\/\/wiregauge\.github\.io\/.*\/docs\/measurement\.html#marks\n/,
    );
  });

  it('explains all meanings of a word', async () => {
    await runCommandLine(['explain', 'inconclusive']);

    expect(printed.out).toMatch(/inconclusive \(verdict\)[\s\S]*inconclusive \(outcome\)/);
  });

  it('has one entry for each term, whichever document it is in', () => {
    const names = topicsOf('term').map(({ name }) => name.toLowerCase());

    expect(names.filter((name, place) => names.indexOf(name) < place)).toEqual([]);
    expect(names).toEqual(expect.arrayContaining(['not seen at this tier', 'not judged']));
  });

  it.each(['missing in n of m rounds', 'figures missing', 'too many errors', 'Load tool at its limit'])(
    'knows why a row was not compared as %s',
    async (name) => {
      expect(await runCommandLine(['explain', name])).toBe(0);

      expect(printed.out).toMatch(/^[^\n]* \(term\)\n {2}meaning: /);
    },
  );

  it.each(['p99', 'latencyP99Ms', 'p99 latency', 'P99-Latency'])('knows a metric as %s', async (name) => {
    await runCommandLine(['explain', name]);

    expect(printed.out).toMatch(
      /latencyP99Ms, .*\(metric\)[\s\S]*unit: ms\n[\s\S]*of an operation at a tier: threshold 10%, not gating/,
    );
  });

  it('says what a name with the word means if the word alone is none', async () => {
    expect(await runCommandLine(['explain', 'gating'])).toBe(0);

    expect(printed.out).toMatch(/^gating row \(term\)\n/);
  });

  it('says that memory is compared, too', async () => {
    await runCommandLine(['explain', 'memory']);

    expect(printed.out).toMatch(/in a comparison: over all loads: threshold 10%, may fail if noise does not hide it/);
  });

  it.each([['2'], ['exit', '2'], ['exit', 'code', '2']])('knows an exit code as %s %s %s', async (...words) => {
    await runCommandLine(['explain', ...words.filter((word) => word !== undefined)]);

    expect(printed.out).toMatch(/^2 \(exit code\)\n {2}meaning: could not be judged/);
  });

  it('answers a message that was pasted', async () => {
    await runCommandLine([
      'explain',
      'wiregauge: there is no Docker socket at /run/user/1000/docker.sock\n  Start it.',
    ]);

    expect(printed.out).toMatch(/^there is no Docker socket at … \(message\)\n {2}cause: [\s\S]*fix: /);
  });

  it.each([['WG-104'], ['wg-104'], ['wiregauge:', 'a.yml:', 'no', 'More:', 'wiregauge', 'explain', 'WG-104,', 'or']])(
    'explains the code in %s',
    async (...words) => {
      expect(await runCommandLine(['explain', ...words.filter((word) => word !== undefined)])).toBe(0);

      expect(printed.out).toMatch(
        /^WG-104 \(code\)\n {2}title: A key is unknown\n {2}example: [\s\S]* {2}fix: [\s\S]* {2}more: .*docs\/errors\/wg-104\.html\n$/,
      );
    },
  );

  it('lists the names of every kind', async () => {
    await runCommandLine(['explain']);

    for (const name of ['regressed', 'incomplete', 'saturated', 'latencyP99Ms', '130', 'NO_COLOR', 'shard']) {
      expect(printed.out).toMatch(new RegExp(`[ ,]${name}\\b`));
    }
  });

  it.each([
    ['regresed', /there is no topic "regresed"\n {2}Did you mean `wiregauge explain regressed`\?/],
    ['the weather of tomorrow', /there is no topic "the weather of tomorrow"\n {2}Run `wiregauge explain` for a list/],
  ])('refuses %s with the nearest name', async (text, words) => {
    expect(await runCommandLine(['explain', text])).toBe(2);

    expect(printed.err).toMatch(words);
    expect(printed.out).toBe('');
  });

  it('gives the same as JSON', async () => {
    await runCommandLine(['explain', 'saturated', '--json']);

    const { schema, command, topics } = JSON.parse(printed.out);
    expect({ schema, command }).toEqual({ schema: 1, command: 'explain' });
    expect(topics[0]).toMatchObject({ kind: 'mark', name: 'saturated', from: 'docs/measurement.md#marks' });
  });
});

describe('the message of an error', () => {
  const printed = catchPrinted();
  // What the source has, as action-tables.test.ts checks.
  const known = docs.messages as [code: string, message: string][];

  it.each(known)('is found by what is printed: %s %s', (_, message) => {
    explain(`${message.replaceAll('…', 'x 1').replace(/^-/, ' -')}\n  Next.`, {});

    const codes = known.filter(([, other]) => other === message).map(([code]) => code);
    const [named] = /^WG-\d{3}/.exec(printed.out) ?? [];
    expect(named === undefined ? printed.out : codes).toEqual(
      named === undefined ? expect.stringContaining('(message)') : expect.arrayContaining([named]),
    );
  });

  it('is known for most errors of the source, of every group', () => {
    expect(known.length).toBeGreaterThan(500);
    expect(new Set(known.map(([code]) => code.slice(0, 4))).size).toBe(7);
  });

  it('is the longest that a text has', () => {
    expect(codesOfMessage('wiregauge: shop: not ready after 30 s: 127.0.0.1:80: connection refused')).toEqual([
      'WG-302',
    ]);
    expect(codesOfMessage('nothing of this kind')).toEqual([]);
  });

  it.each([
    ['latency', /latency \(term\)[\s\S]*latencyP50Ms[\s\S]*latencyP99Ms/],
    ['threshold', /threshold \(term\)[\s\S]*policy \(term\)/],
    ['quiet', /disturbed \(mark\)/],
  ])('has an alias for %s', async (word, text) => {
    expect(await runCommandLine(['explain', word])).toBe(0);
    expect(printed.out).toMatch(text);
  });
});

describe('what can be explained', () => {
  const outcomes: readonly ComparisonResult['outcome'][] = [
    'passed',
    'regressed',
    'failed',
    'inconclusive',
    'incomplete',
  ];
  it.each([
    ...Object.keys(VERDICTS).map((name) => ['verdict', name] as const),
    ...outcomes.map((name) => ['outcome', name] as const),
    ...Object.keys(MARK_MEANINGS).map((name) => ['mark', name] as const),
    ...METRIC_NAMES.map((name) => ['metric', name] as const),
  ])('has the %s %s', (kind, name) => {
    expect(topicsNamed(name).map((topic) => topic.kind)).toContain(kind);
  });
});

describe('the message that a text is', () => {
  const known = topicsOf('message');

  it('is found for every known message itself', () => {
    expect(known.length).toBeGreaterThan(10);
    for (const topic of known) {
      expect(messageLike(`wiregauge: ${topic.name}`, known)?.name).toBe(topic.name);
    }
  });

  it.each([
    ['there is no input `shrad`', /^there is no input/],
    ['HTTP 403, Resource not accessible by integration (POST /repos/o/n/issues/1/comments)', /^HTTP 403/],
  ])('is found with other names in it: %s', (text, name) => {
    expect(messageLike(text, known)?.name).toMatch(name);
  });

  it.each(['', 'there is no', 'the service answered 500'])('is none for %j', (text) => {
    expect(messageLike(text, known)).toBeUndefined();
  });
});
