import * as z from 'zod';
import { ConfigError } from '../../foundation/errors.ts';
import { NAME } from '../../foundation/names.ts';
import { MAX_POLICY_TEXT, type ShownResult, type ShownRow, shownRowSchema } from '../../judge/verdict/label.ts';

/** Earlier results that a comment shows, in addition to its own. */
export const MAX_EARLIER = 10;

const MAX_HEADLINE = 240;

const MAX_URL = 500;

const MAX_STATE = 16_000;

/** Stored rows of a result; more cannot be accepted by the label. */
const MAX_ROWS = 40;

const STATE = 'results';

const END = ' -->';

/** Result for a commit of a pull request, stored in its comment. */
const earlierSchema = z
  .strictObject({
    head: z.string().regex(/^[0-9a-f]{7,64}$/),
    finishedAt: z.iso.datetime().max(40),
    outcome: z.enum(['passed', 'regressed', 'failed', 'inconclusive', 'incomplete']),
    /** True if it passed with gating rows that were not measured, or with responses different from the base. */
    isPartial: z.literal(true).optional(),
    /** Untrusted plain text without escapes. A letter may be two code units. */
    headline: z.string().max(2 * MAX_HEADLINE),
    /** Unchecked address: check it before showing it. */
    runUrl: z.string().max(MAX_URL).optional(),
    /** Rows in the comment that may be accepted, and since when: only if it did not pass. */
    shown: z
      .strictObject({
        at: z.iso.datetime().max(40),
        rows: z.array(shownRowSchema).max(MAX_ROWS).readonly(),
        policy: z.string().max(MAX_POLICY_TEXT).optional(),
      })
      .readonly()
      .optional(),
  })
  .readonly();

export type EarlierResult = z.infer<typeof earlierSchema>;

const stateSchema = z.array(earlierSchema).max(MAX_EARLIER + 1);

/**
 * Hidden first line that distinguishes the comments of several jobs. Throws ConfigError for an id that is not 1 to 80 letters, digits, dots, dashes
 * or underscores.
 */
export function commentMarker(id: string): string {
  if (!NAME.test(id)) {
    throw new ConfigError(
      `the id of the comment is ${JSON.stringify(id.slice(0, 100))}, and must be 1 to 80 letters, digits, dots, dashes or underscores`,
      { next: 'Set a valid `comment-id`, a different one for each job that comments.' },
    );
  }
  return `<!-- wiregauge:comment ${id}${END}`;
}

/**
 * True if a comment has that id. The marker counts only at the very start, so that quoting a comment does not create another. Any user can write one,
 * so the author of the comment must also be checked. Throws ConfigError as commentMarker does.
 */
export function hasMarker(body: string, id: string): boolean {
  return body.startsWith(commentMarker(id));
}

/** True if a comment belongs to any job; its author must also be checked. */
export function isOurs(body: string): boolean {
  return body.startsWith('<!-- wiregauge:comment ');
}

/** Rows of a comment that may be accepted at a moment: those of its newest result that was shown by then and had regressions. Undefined without one. */
export function shownAt(results: readonly EarlierResult[], at: string): ShownResult | undefined {
  const found = results.find(({ shown }) => isShownBy(shown, at) && shown.rows.length > 0);
  return found?.shown && { head: found.head, rows: found.shown.rows };
}

/** Policy changes that a comment last showed by a moment; undefined if it showed none. */
export function shownPolicyAt(results: readonly EarlierResult[], at: string): string | undefined {
  return results.find(({ shown }) => isShownBy(shown, at) && shown.policy !== undefined)?.shown?.policy;
}

function isShownBy(shown: EarlierResult['shown'], at: string): shown is NonNullable<EarlierResult['shown']> {
  return shown !== undefined && Date.parse(shown.at) <= Date.parse(at);
}

/** Results stored in a comment, newest first; none unless its last line is a complete valid state. Never throws. */
export function resultsIn(body: string): readonly EarlierResult[] {
  return stateIn(body.trimEnd().slice(-MAX_STATE).split('\n').at(-1), STATE, stateSchema) ?? [];
}

/**
 * Results with a new one in front. A result that is judged again replaces its earlier one, and counts as shown since the first time, unless it shows
 * more than then: a job may give larger figures the time of its first measurement.
 */
export function withResult(own: EarlierResult, earlier: readonly EarlierResult[]): readonly EarlierResult[] {
  const known = earlier.find((one) => isAgain(own, one));
  const shown = own.shown && { ...own.shown, at: known?.shown?.at ?? own.shown.at };
  const all = [{ ...own, ...(shown !== undefined && { shown }) }, ...earlier];
  const first = all.filter((one, index) => all.findIndex((other) => isAgain(other, one)) === index);
  return first.slice(0, MAX_EARLIER + 1);
}

/** True if a result is an earlier one that was judged again, without a new or larger row. */
function isAgain(own: EarlierResult, earlier: EarlierResult): boolean {
  const rows = earlier.shown?.rows ?? [];
  return (
    own.head === earlier.head &&
    own.finishedAt === earlier.finishedAt &&
    own.shown?.policy === earlier.shown?.policy &&
    (own.shown?.rows ?? []).every((row) => rows.some((one) => covers(one, row)))
  );
}

function covers(earlier: ShownRow, row: ShownRow): boolean {
  const isSame = (['service', 'operation', 'tier', 'metric'] as const).every((key) => row[key] === earlier[key]);
  return isSame && row.upTo <= earlier.upTo && (earlier.isRed || !row.isRed);
}

/**
 * HTML comment that resultsIn reads if it is the last line of a comment: base64url, so that no text in it can end it. The newest results first, at
 * most 11; headlines are shortened, and to fit, the details of the oldest results are left out first, and then the results.
 */
export function hiddenResults(results: readonly EarlierResult[]): string {
  const kept = results.map(shortened).filter((result) => earlierSchema.safeParse(result).success);
  const fitting = kept.slice(0, MAX_EARLIER + 1);
  while (hiddenState(STATE, fitting).length > MAX_STATE) {
    const oldest = fitting.findLastIndex(({ shown }, place) => place > 0 && shown !== undefined);
    if (oldest === -1) {
      fitting.pop();
    } else {
      const { shown: _shown, ...rest } = fitting[oldest] as EarlierResult;
      fitting[oldest] = rest;
    }
  }
  return hiddenState(STATE, fitting);
}

function shortened({ runUrl, headline, shown, ...result }: EarlierResult): EarlierResult {
  const characters = [...headline];
  const short = characters.length <= MAX_HEADLINE ? headline : `${characters.slice(0, MAX_HEADLINE - 1).join('')}…`;
  const isKept = runUrl !== undefined && runUrl.length <= MAX_URL;
  return {
    ...result,
    headline: short,
    ...(isKept && { runUrl }),
    ...(shown !== undefined && { shown: { ...shown, rows: shown.rows.slice(0, MAX_ROWS) } }),
  };
}

/** Value as an HTML comment of one line: base64url, so that no text in it can end it. */
export function hiddenState(name: string, value: unknown): string {
  return `<!-- wiregauge:${name} ${Buffer.from(JSON.stringify(value)).toString('base64url')}${END}`;
}

/** Value of a line of hidden state; undefined for any other line, and for a value that does not fit the schema. Never throws. */
export function stateIn<Value>(line = '', name: string, schema: z.ZodType<Value>): Value | undefined {
  const [, base64url] = new RegExp(`^<!-- wiregauge:${name} ([A-Za-z0-9_-]+) -->$`).exec(line) ?? [];
  if (base64url === undefined) {
    return undefined;
  }
  try {
    const bytes = Buffer.from(base64url, 'base64url');
    return schema.safeParse(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))).data;
  } catch {
    // Users who may edit the comment can write anything here; only its stored results are lost.
    return undefined;
  }
}
