import * as z from 'zod';
import { ConfigError } from '../../foundation/errors.ts';
import { documentAddress } from '../../foundation/text.ts';
import type { Misfit } from '../mistakes.ts';
import type { PlaceOf } from './frame.ts';
import { keyHint, meantKey } from './keys.ts';

const MAX_ISSUES = 100;

/** Separator between the messages for several unknown keys. */
const BETWEEN_KEYS = '\n';

/** Messages for unknown keys, each with a suggestion; undefined for other issues. */
export function unknownKeys(issue: z.core.$ZodRawIssue): string | undefined {
  const known = issue.inst instanceof z.ZodObject ? Object.keys(issue.inst.shape) : [];
  return issue.code === 'unrecognized_keys'
    ? issue.keys
        .slice(0, MAX_ISSUES)
        .map((key) => unknownKey(keyHint(key, known)))
        .join(BETWEEN_KEYS)
    : undefined;
}

function unknownKey(hint: string): string {
  return `is an unknown key; ${hint}`;
}

interface KeyMisfit extends Misfit {
  readonly isUnknown: boolean;
}

/**
 * Mistakes with their places, one per path, since further ones are mostly consequences. A required key that is
 * misspelled is reported once.
 */
export function misfits(issues: readonly z.core.$ZodIssue[], placeOf: PlaceOf, next: string): readonly ConfigError[] {
  const precise = issues.slice(0, MAX_ISSUES).flatMap(innermostIssues);
  const found = precise.flatMap(misfitsOf).slice(0, MAX_ISSUES);
  const all = found.map((one) => meaningWhatIsMissing(one, found));
  const reported = all.filter(
    (one) => !all.some((other) => other.isUnknown && (isMeant(one, other) || isAbove(one, other))),
  );
  const byPath = new Map(reported.toReversed().map((one) => [JSON.stringify(one.path), one]));
  return [...byPath.values()].map(
    ({ path, message, isUnknown }) =>
      new ConfigError(
        `${placeOf(path)}: ${message}`,
        isUnknown ? { code: 'WG-104', next: FIX_KEY } : { code: 'WG-105', next },
      ),
  );
}

function misfitsOf(issue: z.core.$ZodIssue): readonly KeyMisfit[] {
  const path = issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step));
  if (issue.code !== 'unrecognized_keys') {
    return [{ path, message: issue.message, isUnknown: false }];
  }
  const messages = issue.message.split(BETWEEN_KEYS);
  return issue.keys.slice(0, MAX_ISSUES).map((key, index) => ({
    path: [...path, key],
    message: messages[index] ?? issue.message,
    isUnknown: true,
  }));
}

function isAbove(one: KeyMisfit, unknown: KeyMisfit): boolean {
  return !one.isUnknown && JSON.stringify(one.path) === JSON.stringify(unknown.path.slice(0, -1));
}

/** Unknown key, with a missing sibling as the suggestion if they are similar: required keys are preferred. */
function meaningWhatIsMissing(one: KeyMisfit, all: readonly KeyMisfit[]): KeyMisfit {
  const missing = one.isUnknown ? all.find((other) => isMeant(other, one)) : undefined;
  return missing === undefined ? one : { ...one, message: unknownKey(`did you mean ${String(missing.path.at(-1))}?`) };
}

const SHORTEST_BEGINNING = 3;

function isMeant(missing: KeyMisfit, unknown: KeyMisfit): boolean {
  const [key, written] = [String(missing.path.at(-1)), String(unknown.path.at(-1))];
  const isSibling = JSON.stringify(missing.path.slice(0, -1)) === JSON.stringify(unknown.path.slice(0, -1));
  const isBeginning = written.length >= SHORTEST_BEGINNING && key.startsWith(written);
  const isIt = isBeginning || meantKey(written, [key]) !== undefined;
  return isSibling && unknown.isUnknown && missing.message.startsWith('is missing') && isIt;
}

/** Advice for a key that does not fit. */
export const SEE_KEYS = `All keys of this file: ${documentAddress('docs/config.md')}`;

const FIX_KEY =
  'Fix or remove the key. If the file is for a newer Wiregauge, use that version: `uses: wiregauge/wiregauge@<version>`.';

/** Issues inside a key, or inside the only form of a union whose keys were validated. The issue itself if that is not unique. */
function innermostIssues(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] {
  if (issue.code === 'invalid_key') {
    return [{ ...issue, message: issue.issues[0]?.message ?? issue.message }];
  }
  const isWithin = ([first]: readonly z.core.$ZodIssue[]) =>
    first !== undefined && (first.path.length > 0 || first.code === 'unrecognized_keys');
  const forms = issue.code === 'invalid_union' ? issue.errors.filter(isWithin) : [];
  const found = forms.length === 1 ? (forms[0] ?? []) : [];
  return found.length === 0
    ? [issue]
    : found.flatMap((inner) => innermostIssues({ ...inner, path: [...issue.path, ...inner.path] }));
}
