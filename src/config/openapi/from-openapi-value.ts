import { type LooseMap, textIn } from '../yaml/loose.ts';
import { isSendable } from './from-openapi-schema.ts';
import { patternExample } from './from-pattern.ts';

/** A number within the limits of a schema, 1 where that is one of them; undefined where there is none. */
export function numberExample(keywords: LooseMap): number | undefined {
  const step = numberIn(keywords['multipleOf']) ?? 1;
  const unit = step > 0 ? step : 1;
  const isWhole = ![keywords['type']].flat().includes('number');
  const limits = limitsOf(keywords);
  const { least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY } = limits;
  const inside = (value: number): boolean => isWithin(value, limits) && (!isWhole || Number.isInteger(value));
  const usual = Number.isInteger(1 / unit) ? [1] : [];
  const nearest = [...usual, unit, Math.ceil(least / unit) * unit, (Math.floor(least / unit) + 1) * unit];
  const below = [Math.floor(most / unit) * unit, (Math.ceil(most / unit) - 1) * unit];
  const between = keywords['multipleOf'] === undefined ? [(least + most) / 2] : [];
  const found = [...nearest, ...below, ...between].find((value) => Number.isFinite(value) && inside(value));
  // Not -0.
  return found === undefined ? undefined : found + 0;
}

interface Limits {
  readonly least: number | undefined;
  readonly most: number | undefined;
  readonly isLeastOut: boolean;
  readonly isMostOut: boolean;
}

/** OpenAPI 3.0 says with `true` that a limit is no value itself, 3.1 gives such a limit as a number. */
function limitsOf({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: LooseMap): Limits {
  return {
    least: numberIn(exclusiveMinimum) ?? numberIn(minimum),
    most: numberIn(exclusiveMaximum) ?? numberIn(maximum),
    isLeastOut: exclusiveMinimum === true || numberIn(exclusiveMinimum) !== undefined,
    isMostOut: exclusiveMaximum === true || numberIn(exclusiveMaximum) !== undefined,
  };
}

function isWithin(value: number, { least, most, isLeastOut, isMostOut }: Limits): boolean {
  const isBelow = least !== undefined && (isLeastOut ? value <= least : value < least);
  const isAbove = most !== undefined && (isMostOut ? value >= most : value > most);
  return !isBelow && !isAbove;
}

function numberIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

const BY_FORMAT: ReadonlyMap<string, string> = new Map([
  ['uuid', '00000000-0000-4000-8000-000000000001'],
  ['date', '2026-01-31'],
  ['date-time', '2026-01-31T12:00:00Z'],
  ['time', '12:00:00Z'],
  ['duration', 'P1D'],
  ['email', 'someone@example.com'],
  ['hostname', 'example.com'],
  ['ipv4', '192.0.2.1'],
  ['ipv6', '2001:db8::1'],
  ['uri', 'https://example.com/'],
  ['url', 'https://example.com/'],
  ['byte', 'ZXhhbXBsZQ=='],
]);

const USUAL_TEXT = 'example';

/** Longer texts are made by nobody for an example. */
const LONGEST = 10_000;

interface Lengths {
  readonly fewest: number;
  readonly most: number;
}

/** A text of the format, the pattern and the length of a schema; undefined where none is known. */
export function textExample(keywords: LooseMap): string | undefined {
  const lengths = {
    fewest: numberIn(keywords['minLength']) ?? 0,
    most: Math.min(numberIn(keywords['maxLength']) ?? LONGEST, LONGEST),
  };
  const { pattern } = keywords;
  const text = typeof pattern === 'string' ? patternExample(pattern, fitsInto(lengths)) : usualText(keywords, lengths);
  return text !== undefined && fitsInto(lengths)(text) && isSendable(text) ? text : undefined;
}

function fitsInto({ fewest, most }: Lengths): (text: string) => boolean {
  return (text) => text.length >= fewest && text.length <= most;
}

function usualText(keywords: LooseMap, { fewest, most }: Lengths): string {
  const ofFormat = BY_FORMAT.get(textIn(keywords['format']) ?? '');
  return ofFormat !== undefined && fitsInto({ fewest, most })(ofFormat)
    ? ofFormat
    : USUAL_TEXT.padEnd(Math.min(fewest, LONGEST), 'x').slice(0, Math.max(most, 0));
}
