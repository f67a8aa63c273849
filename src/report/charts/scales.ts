import { scaleLinear, scaleLog } from 'd3-scale';
import { formatMs, formatRate, NO_FIGURE } from '../../foundation/numbers.ts';
import { CHART_PLOT, type Tick } from './frame.ts';

/** A value's position on an axis, and the axis's ticks. */
export interface Scale {
  readonly at: (value: number) => number;
  readonly ticks: readonly Tick[];
}

/** Logarithmic scale for latencies, from bottom to top, that includes all values. */
export function latencyScale(values: readonly number[]): Scale {
  return logScale(values, plainMs);
}

/** Logarithmic scale for rates, from bottom to top, that includes all values. */
export function logRateScale(values: readonly number[]): Scale {
  return logScale(values, plainRate);
}

function logScale(values: readonly number[], label: (value: number) => string): Scale {
  const positive = values.filter((value) => value > 0);
  const [low, high] = endsOf(positive, 1);
  const [from, to] = wideEnough(stepBelow(low), stepAbove(high));
  const scale = scaleLog().domain([from, to]).range([CHART_PLOT.bottom, CHART_PLOT.top]).clamp(true);
  const steps = Math.log10(to / from) > 2.6 ? [1] : [1, 2, 5];
  const ticks = decades(from, to).flatMap((decade) => steps.map((step) => step * decade));
  return {
    at: scale,
    ticks: ticks
      .filter((value) => value >= from * 0.999 && value <= to * 1.001)
      .map((value) => ({ at: scale(value), label: label(value) })),
  };
}

/** Scale from zero at the bottom to the highest value. */
export function fromZero(values: readonly number[], label: (value: number) => string): Scale {
  const [, highest] = endsOf(values, 1);
  const scale = scaleLinear().domain([0, highest]).nice(4).range([CHART_PLOT.bottom, CHART_PLOT.top]);
  return { at: scale, ticks: scale.ticks(4).map((value) => ({ at: scale(value), label: label(value) })) };
}

/** Scale from zero at the left to the highest value at the right. */
export function fromLeft(values: readonly number[], label: (value: number) => string, isNice = false): Scale {
  const linear = scaleLinear()
    .domain([0, Math.max(1, ...values)])
    .range([CHART_PLOT.left, CHART_PLOT.right]);
  const scale = isNice ? linear.nice(4) : linear;
  return { at: scale, ticks: scale.ticks(4).map((value) => ({ at: scale(value), label: label(value) })) };
}

/** Seconds from left to right, 0 at the start of the measurement. */
export function timeScale(seconds: readonly number[]): Scale {
  const [first, last] = endsOf(seconds, 0);
  const scale = scaleLinear()
    .domain([first, Math.max(last, first + 1)])
    .range([CHART_PLOT.left, CHART_PLOT.right]);
  return { at: scale, ticks: scale.ticks(6).map((value) => ({ at: scale(value), label: signed(value) })) };
}

/** Equal steps from left to right, with margins on both sides. */
export function stepScale(labels: readonly string[]): Scale {
  const width = (CHART_PLOT.right - CHART_PLOT.left) / Math.max(1, labels.length);
  const at = (index: number) => CHART_PLOT.left + (index + 0.5) * width;
  return { at, ticks: labels.map((label, index) => ({ at: at(index), label })) };
}

/** Quantiles from left to right, with equal distances between 0, 90%, 99% and so on. */
export function ninesScale(most: number): Scale {
  const scale = scaleLinear()
    .domain([0, Math.max(1, most)])
    .range([CHART_PLOT.left, CHART_PLOT.right]);
  const labels = ['50', '90', '99', '99.9', '99.99'];
  const ticks = [Math.log10(2), 1, 2, 3, 4].flatMap((nine, index) =>
    nine <= most + 0.05 ? [{ at: scale(nine), label: labels[index] ?? NO_FIGURE }] : [],
  );
  return { at: scale, ticks };
}

/** Smallest and largest value; there may be too many for an argument list. */
function endsOf([first, ...others]: readonly number[], otherwise: number): readonly [number, number] {
  return others.reduce(
    ([low, high], value) => [Math.min(low, value), Math.max(high, value)],
    [first ?? otherwise, first ?? otherwise],
  );
}

const STEPS = [1, 2, 5, 10];

function stepBelow(value: number): number {
  const decade = 10 ** Math.floor(Math.log10(value));
  return decade * (STEPS.findLast((step) => step * decade <= value * 1.001) ?? 1);
}

function stepAbove(value: number): number {
  const decade = 10 ** Math.floor(Math.log10(value));
  return decade * (STEPS.find((step) => step * decade >= value * 0.999) ?? 10);
}

/** Ends at least one decade apart, so that a small difference does not look large. */
function wideEnough(from: number, to: number): readonly [number, number] {
  return to / from >= 10 ? [from, to] : [from, stepAbove(from * 10)];
}

function decades(from: number, to: number): readonly number[] {
  const first = Math.floor(Math.log10(from));
  return Array.from({ length: Math.ceil(Math.log10(to)) - first + 1 }, (_, index) => 10 ** (first + index));
}

/** "0.1 ms" rather than "0.10 ms" since a tick is exact, and "2 s" since the margin is narrow. */
function plainMs(value: number): string {
  if (value >= 1000) {
    return `${Math.round(value / 1000)} s`;
  }
  return formatMs(value)
    .replace(/(\.\d*?)0+ /, '$1 ')
    .replace('. ', ' ');
}

/** "10/s" rather than "10.0/s". */
function plainRate(value: number): string {
  return formatRate(value).replace(/\.0+(?=\/)/, '');
}

function signed(value: number): string {
  return value < 0 ? `\u2212${-value}` : `${value}`;
}
