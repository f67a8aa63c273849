/** Digits of a figure; measurement noise does not justify more. */
const SIGNIFICANT_DIGITS = 3;

const MULTIPLE_FROM = 9.995;

/** Minus sign as wide as the plus sign. */
const MINUS = '\u2212';

export const NO_FIGURE = '\u2013';

/** Milliseconds; "<0.01 ms" below the resolution of a histogram of whole microseconds. */
export function formatMs(value: number): string {
  return `${tiny(value, 0.01) ?? significant(value, 2)} ms`;
}

/** Requests per second. Whole numbers up to 9,999, so that 1,650 achieved of 1,667 offered differ; three digits above. */
export function formatRate(value: number): string {
  if (value >= 100 && value < 9999.5) {
    return `${grouped(value.toFixed(0))}/s`;
  }
  return `${tiny(value, 0.1) ?? significant(value, 1)}/s`;
}

export function formatShare(value: number): string {
  const percent = value * 100;
  return `${tiny(percent, 0.01) ?? significant(percent, 2)}%`;
}

/** Relative change with its sign: "+5.0%", "+34%", and from ten times on a multiple: "35x". */
export function formatChange(change: number): string {
  if (change > MULTIPLE_FROM) {
    return changeSize(change);
  }
  const text = percentSize(change);
  if (text === '0.0%') {
    return '0%';
  }
  if (isNearlyAll(change)) {
    return `${MINUS}${nearlyAll(change)}`;
  }
  return `${change < 0 ? MINUS : '+'}${text}`;
}

/** Difference between two shares in percentage points, with its sign: 0.5 is "+50 points". */
export function formatPoints(difference: number): string {
  const size = percentSize(difference).replace('%', ' points');
  return size === '0.0 points' ? '0 points' : `${difference < 0 ? MINUS : '+'}${size}`;
}

/** Size of a relative change without its sign, in whole percent; a multiple from ten times on ("35x"). */
export function changeSize(change: number): string {
  if (isNearlyAll(change)) {
    return nearlyAll(change);
  }
  return change > MULTIPLE_FROM ? `${significant(change + 1, 0)}x` : `${wholePercent(Math.abs(change) * 100)}%`;
}

function nearlyAll(change: number): string {
  return `${Math.min(99.9, Math.abs(change) * 100).toFixed(1)}%`;
}

function isNearlyAll(change: number): boolean {
  return change < -0.995 && change > -1;
}

function percentSize(change: number): string {
  const percent = Math.abs(change) * 100;
  return percent < 9.95 ? `${percent.toFixed(1)}%` : `${wholePercent(percent)}%`;
}

/** Rounded once: 99.498 is 99, although it is 99.5 in three digits. */
function wholePercent(percent: number): string {
  return significant(Math.round(percent), 0);
}

export function formatRatio(ratio: number): string {
  return tiny(ratio, 0.01) ?? significant(ratio, 2);
}

export function formatCount(count: number): string {
  return grouped(Math.round(count).toFixed(0));
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

export function formatDuration(seconds: number): string {
  const whole = Math.round(seconds);
  const minutes = whole < 60 ? [] : [`${formatCount(Math.floor(whole / 60))} min`];
  const rest = whole % 60 === 0 && whole > 0 ? [] : [`${whole % 60} s`];
  return [...minutes, ...rest].join(' ');
}

export function withoutUnit(formatted: string): string {
  return formatted.replace(/(%|\/s| .+)$/, '');
}

function tiny(value: number, least: number): string | undefined {
  if (value === 0) {
    return '0';
  }
  return value > 0 && value < least / 2 ? `<${least}` : undefined;
}

export function significant(value: number, mostDecimals: number): string {
  const rounded = Number(value.toPrecision(SIGNIFICANT_DIGITS));
  const magnitude = rounded === 0 ? 0 : Math.floor(Math.log10(Math.abs(rounded)));
  const decimals = Math.min(mostDecimals, Math.max(0, SIGNIFICANT_DIGITS - 1 - magnitude));
  return grouped(rounded.toFixed(decimals));
}

/** Number with thousands separators; `toLocaleString` would depend on the machine's locale. */
export function grouped(digits: string): string {
  const [whole = '', fraction] = digits.replace('-', MINUS).split('.');
  const parted = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? parted : `${parted}.${fraction}`;
}
