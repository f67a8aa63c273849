import { z } from 'zod';
import { ConfigError, NAME } from '../../foundation/index.ts';
import type { ComparisonResult } from '../../judge/index.ts';

/** An earlier comparison of the same pull request, as its comment remembers it. */
export interface EarlierResult {
  /** The commit that was judged. */
  readonly head: string;
  /** ISO time in UTC. */
  readonly finishedAt: string;
  readonly outcome: ComparisonResult['outcome'];
  /** Whether it passed without having seen everything that may fail it, or with other answers than the base. */
  readonly isPartial?: true | undefined;
  /** Plain text from outside that is not escaped. */
  readonly headline: string;
  /** Not checked: whoever shows it must. */
  readonly runUrl?: string | undefined;
}

/** Earlier results that a comment shows, besides its own. */
export const MOST_EARLIER = 10;

const MOST_HEADLINE = 240;

const MOST_URL = 500;

/** What the state takes of a comment's 60,000 characters at most. */
const MOST_STATE = 12_000;

const STATE_START = '<!-- wiregauge:results ';

const END = ' -->';

const earlierSchema = z.strictObject({
  head: z.string().regex(/^[0-9a-f]{7,64}$/),
  finishedAt: z.iso.datetime().max(40),
  outcome: z.enum(['passed', 'regressed', 'failed', 'inconclusive', 'incomplete']),
  isPartial: z.literal(true).optional(),
  // A letter may be two code units.
  headline: z.string().max(2 * MOST_HEADLINE),
  runUrl: z.string().max(MOST_URL).optional(),
});

const stateSchema = z.array(earlierSchema).max(MOST_EARLIER + 1);

/**
 * Hidden first line that tells the comments of several jobs apart.
 * Throws ConfigError for an id that is not 1 to 80 letters, digits, dots, dashes or underscores.
 */
export function commentMarker(id: string): string {
  if (!NAME.test(id)) {
    throw new ConfigError(
      `the id of the comment is ${JSON.stringify(id.slice(0, 100))}, and must be 1 to 80 letters, digits, dots, dashes or underscores`,
      { next: 'Give such a `comment-id`, a different one for each job that comments.' },
    );
  }
  return `<!-- wiregauge:comment ${id}${END}`;
}

/**
 * Whether a comment is the one with that id. The marker counts at the very start only, so that quoting a comment does not make
 * another. Anybody can write one: whose comment it is must be asked besides. Throws ConfigError as commentMarker does.
 */
export function hasMarker(body: string, id: string): boolean {
  return body.startsWith(commentMarker(id));
}

/** The results that a comment remembers, newest first; none where its last line is no whole and valid state. Never throws. */
export function resultsIn(body: string): readonly EarlierResult[] {
  const line = body.trimEnd().slice(-MOST_STATE).split('\n').at(-1) ?? '';
  if (!line.startsWith(STATE_START) || !line.endsWith(END)) {
    return [];
  }
  const parsed = stateSchema.safeParse(decoded(line.slice(STATE_START.length, -END.length)));
  return parsed.success ? parsed.data : [];
}

/**
 * An HTML comment that resultsIn reads when it is the last line of a comment: base64url, so that no text in it can end it. The
 * newest results first, at most 11; headlines are shortened, and what the state cannot hold is left out.
 */
export function hiddenResults(results: readonly EarlierResult[]): string {
  const kept = results.map(shortened).filter((result) => earlierSchema.safeParse(result).success);
  const fitting = kept.slice(0, MOST_EARLIER + 1);
  while (stateOf(fitting).length > MOST_STATE) {
    fitting.pop();
  }
  return stateOf(fitting);
}

function shortened({ runUrl, headline, ...result }: EarlierResult): EarlierResult {
  const characters = [...headline];
  const short = characters.length <= MOST_HEADLINE ? headline : `${characters.slice(0, MOST_HEADLINE - 1).join('')}…`;
  const isKept = runUrl !== undefined && runUrl.length <= MOST_URL;
  return { ...result, headline: short, ...(isKept ? { runUrl } : {}) };
}

function stateOf(results: readonly EarlierResult[]): string {
  const bytes = new TextEncoder().encode(JSON.stringify(results));
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  return `${STATE_START}${base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')}${END}`;
}

/** What base64url says; undefined for what is none, or holds no UTF-8 or JSON. */
function decoded(base64url: string): unknown {
  if (!/^[A-Za-z0-9_-]+$/.test(base64url)) {
    return undefined;
  }
  try {
    const binary = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    // Whoever may edit the comment can write anything here; it only loses the list of earlier results.
    return undefined;
  }
}
