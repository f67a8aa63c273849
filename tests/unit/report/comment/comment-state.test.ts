import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../../src/foundation/errors.ts';
import {
  commentMarker,
  type EarlierResult,
  hasMarker,
  hiddenResults,
  MAX_EARLIER,
  resultsIn,
} from '../../../../src/report/comment/state.ts';

const RESULT: EarlierResult = {
  head: '1df183b0c4a7e2f9d8b6a5c4e3f2019876543210',
  finishedAt: '2026-11-21T00:43:00Z',
  outcome: 'regressed',
  headline: 'Regression: REST needs 6.1% more CPU per request at saturation.',
  runUrl: 'https://github.example/shop/actions/runs/77',
};

const result = fc.record<EarlierResult>(
  {
    head: fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 40, maxLength: 40 }),
    finishedAt: fc
      .date({ min: new Date('2020-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
      .map((date) => date.toISOString()),
    outcome: fc.constantFrom('passed', 'regressed', 'failed', 'inconclusive', 'incomplete'),
    headline: fc.string({ unit: 'grapheme', maxLength: 16 }),
    runUrl: fc.webUrl({ size: 'small' }),
  },
  { requiredKeys: ['head', 'finishedAt', 'outcome', 'headline'] },
);

describe('the marker of a comment', () => {
  it('is a hidden line that names the job', () => {
    expect(commentMarker('performance-arm.1')).toBe('<!-- wiregauge:comment performance-arm.1 -->');
  });

  it.each(['', 'a b', 'a\nb', 'a-->', 'ä', 'x'.repeat(81)])('refuses %j as an id', (id) => {
    expect(() => commentMarker(id)).toThrow(ConfigError);
  });

  it('is found by its own id only, and not by one that begins like it', () => {
    const body = `${commentMarker('performance-2')}\nText`;

    expect(hasMarker(body, 'performance-2')).toBe(true);
    expect(hasMarker(body, 'performance')).toBe(false);
    expect(hasMarker(body, 'performance-22')).toBe(false);
  });

  it.each([
    ['in a quotation', `> ${commentMarker('a')}\n> Text`],
    ['below other text', `See this:\n${commentMarker('a')}`],
    ['behind a space', ` ${commentMarker('a')}`],
  ])('does not count %s', (_place, body) => {
    expect(hasMarker(body, 'a')).toBe(false);
  });
});

describe('the hidden results of a comment', () => {
  it('survive a round trip, for any texts', () => {
    fc.assert(
      fc.property(fc.array(result, { maxLength: MAX_EARLIER + 1 }), (results) => {
        expect(resultsIn(`Some text\n${hiddenResults(results)}\r\n`)).toEqual(results);
      }),
    );
  });

  it('are one HTML comment that no text in them can end', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (headline) => {
        expect(hiddenResults([{ ...RESULT, headline: `--> ${headline}` }])).toMatch(
          /^<!-- wiregauge:results [\w-]+ -->$/,
        );
      }),
    );
  });

  it('keep the newest where there are too many', () => {
    const results = Array.from({ length: 40 }, (_, index) => ({ ...RESULT, headline: `Result ${index}` }));

    expect(resultsIn(hiddenResults(results))).toEqual(results.slice(0, MAX_EARLIER + 1));
  });

  it('stay small where every text is as long as it may be', () => {
    const long = { ...RESULT, headline: '\u{10ffff}'.repeat(5000), runUrl: `https://x.example/${'y'.repeat(480)}` };

    const state = hiddenResults(Array.from({ length: 11 }, () => long));

    expect(state.length).toBeLessThanOrEqual(16_000);
    expect(resultsIn(state).length).toBeGreaterThan(3);
    expect(resultsIn(state)[0]?.headline).toMatch(/^\u{10ffff}{239}…$/u);
  });

  it('drop an address that is too long, and results that name no commit or time', () => {
    const { runUrl: _runUrl, ...without } = RESULT;
    const results = [
      { ...RESULT, runUrl: `https://x.example/${'y'.repeat(500)}` },
      { ...RESULT, head: 'working tree' },
      { ...RESULT, finishedAt: 'yesterday' },
    ];

    expect(resultsIn(hiddenResults(results))).toEqual([without]);
  });

  it.each([
    ['there is none', 'Some text'],
    ['the comment is empty', ''],
    ['it was cut', hiddenResults([RESULT]).slice(0, 80)],
    ['its start was cut', hiddenResults([RESULT]).slice(20)],
    ['text stands behind it', `${hiddenResults([RESULT])}\nand more`],
    ['it is quoted', `> ${hiddenResults([RESULT])}`],
    ['it is no base64url', '<!-- wiregauge:results $$$$ -->'],
    ['it is no JSON', `<!-- wiregauge:results ${encoded('{"head":')} -->`],
    ['it is not a list', `<!-- wiregauge:results ${encoded('{}')} -->`],
    ['it is not valid UTF-8', '<!-- wiregauge:results _____w -->'],
    ['a result has another field', forged([{ ...RESULT, html: '<b>' }])],
    ['a commit is none', forged([{ ...RESULT, head: '<script>' }])],
    ['an outcome is none', forged([{ ...RESULT, outcome: 'fine' }])],
    ['a headline is too long', forged([{ ...RESULT, headline: 'x'.repeat(481) }])],
    ['there are too many', forged(Array.from({ length: 12 }, () => RESULT))],
    ['it is too large', forged(Array.from({ length: 11 }, () => ({ ...RESULT, headline: 'x'.repeat(4000) })))],
  ])('are none where %s', (_case, body) => {
    expect(resultsIn(body)).toEqual([]);
  });

  it('are never an error, for any content in their place', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.base64String(), fc.json()), (text) => {
        expect(resultsIn(`<!-- wiregauge:results ${text} -->`)).toEqual([]);
        expect(Array.isArray(resultsIn(`<!-- wiregauge:results ${encoded(text)} -->`))).toBe(true);
      }),
    );
  });
});

function forged(results: readonly unknown[]): string {
  return `<!-- wiregauge:results ${encoded(JSON.stringify(results))} -->`;
}

function encoded(text: string): string {
  return Buffer.from(text).toString('base64url');
}
