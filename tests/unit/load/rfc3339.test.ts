import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MeasurementError } from '../../../src/foundation/errors.ts';
import { timeReader } from '../../../src/load/tool-output.ts';

describe('the reader of RFC 3339 times', () => {
  it.each([
    ['1970-01-01T00:00:00Z', 0, 0],
    ['1970-01-01T00:00:01.5Z', 1, 500_000_000],
    ['1970-01-01T05:30:00.000000001+05:30', 0, 1],
    ['1969-12-31T20:30:02.123456789-03:30', 2, 123_456_789],
  ])('reads %s', (text, seconds, nanoseconds) => {
    expect(timeReader()(text)).toEqual({ seconds, nanoseconds });
  });

  it('reads times one after the other as each by itself', () => {
    const time = fc
      .tuple(
        fc.integer({ min: 0, max: 2 }),
        fc.stringMatching(/^(\.\d{1,9})?$/),
        fc.constantFrom('Z', '+05:30', '-03:30', '+00:00'),
      )
      .map(([second, fraction, zone]) => `2026-11-21T00:00:0${second}${fraction}${zone}`);
    fc.assert(
      fc.property(fc.array(time, { maxLength: 8 }), (times) => {
        const reader = timeReader();
        expect(times.map(reader)).toEqual(times.map((one) => timeReader()(one)));
      }),
    );
  });

  it.each([
    '',
    ' ',
    '  ',
    'now',
    '2026-11-21',
    '2026-11-21 00:00:00Z',
    '2026-13-41T00:00:00Z',
    '2026-11-21T00:00:00',
    '2026-11-21T00:00:00,5Z',
    '2026-11-21T00:00:00.1234567890Z',
    '2026-11-21T00:00:00.12e4Z',
    '2026-11-21T00:00:00+5',
  ])('refuses %j, also after a proper time', (text) => {
    const reader = timeReader();
    reader('2026-11-21T00:00:00.25Z');

    expect(() => reader(text)).toThrow(MeasurementError);
    expect(() => timeReader()(text)).toThrow(MeasurementError);
  });
});
