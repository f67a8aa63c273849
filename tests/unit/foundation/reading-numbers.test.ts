import { describe, expect, it } from 'vitest';
import {
  changeSize,
  formatChange,
  formatCount,
  formatDuration,
  formatPoints,
  formatRatio,
} from '../../../src/foundation/numbers.ts';
import { formatMetric, formatRange } from '../../../src/model/metric.ts';

describe('formatMetric', () => {
  it.each([
    [0, '0 ms'],
    [0.004, '<0.01 ms'],
    [0.005, '0.01 ms'],
    [0.3614, '0.36 ms'],
    [1.2345, '1.23 ms'],
    [9.995, '9.99 ms'],
    [9.999, '10.0 ms'],
    [178.4, '178 ms'],
    [2204.6, '2,200 ms'],
  ])('writes %d milliseconds with three digits at most', (value, text) => {
    expect(formatMetric('latencyP50Ms', value)).toBe(text);
  });

  it.each([
    [0, '0/s'],
    [0.01, '<0.1/s'],
    [83.333, '83.3/s'],
    [333.33, '333/s'],
    [1650.4, '1,650/s'],
    [9999.4, '9,999/s'],
    [9999.6, '10,000/s'],
    [12345, '12,300/s'],
  ])('keeps rates of %d apart up to ten thousand', (value, text) => {
    expect(formatMetric('achievedRps', value)).toBe(text);
  });

  it.each([
    [0, '0%'],
    [0.00001, '<0.01%'],
    [0.0123, '1.23%'],
    [0.4267, '42.7%'],
    [1, '100%'],
  ])('writes the share %d as per cent', (value, text) => {
    expect(formatMetric('errorRate', value)).toBe(text);
  });

  it('writes CPU time, memory and bytes with their units', () => {
    expect([
      formatMetric('cpuMicrosPerRequest', 211.37),
      formatMetric('peakMemoryMiB', 66.24),
      formatMetric('wireBytesPerRequest', 1157),
      formatMetric('wireMegabytesPerSecond', 11.527),
    ]).toEqual(['211 µs', '66.2 MiB', '1,160 B', '11.5 MB/s']);
  });
});

describe('formatPoints', () => {
  it.each([
    [0.5, '+50 points'],
    [-0.012, '\u22121.2 points'],
    [0.0002, '0 points'],
    [0, '0 points'],
    [1, '+100 points'],
  ])('shows a difference of shares of %d as "%s"', (difference, text) => {
    expect(formatPoints(difference)).toBe(text);
  });
});

describe('formatChange', () => {
  it.each([
    [0, '0%'],
    [0.0004, '0%'],
    [0.051, '+5.1%'],
    [-0.028, '−2.8%'],
    [-0.734, '−73%'],
    [-0.6146, '−61%'],
    [-0.99498, '−99%'],
    [-0.9987, '−99.9%'],
    [-0.99999, '−99.9%'],
    [-1, '−100%'],
    [1.26, '+126%'],
    [350.2, '351x'],
  ])('shows %d with its sign, or as a multiple from ten times on', (change, text) => {
    expect(formatChange(change)).toBe(text);
  });

  it('leaves sign and decimals away where a word says the direction', () => {
    expect([changeSize(-0.338), changeSize(0.088), changeSize(30)]).toEqual(['34%', '9%', '31x']);
  });
});

describe('the other formatters', () => {
  it('leaves a range away that would look like a single figure', () => {
    expect(formatRange('latencyP50Ms', 0.344, 0.3401)).toBe('');
  });

  it('gives a range without the unit, which follows the median', () => {
    expect(formatRange('achievedRps', 1650, 1667)).toBe('1,650–1,667');
  });

  it('writes ratios, counts and lengths of time', () => {
    expect([formatRatio(1.704), formatCount(20611)]).toEqual(['1.70', '20,611']);
    expect([0, 48.2, 245, 599.6].map(formatDuration)).toEqual(['0 s', '48 s', '4 min 5 s', '10 min']);
  });
});
