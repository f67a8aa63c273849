import { beginningOf, maskOf } from './mask.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** Lines that are shown at most. */
const MOST_LINES = 20;

/** Of these so many say what went wrong, wherever they stand. */
const MOST_TELLING = 6;

const MOST_LINE = 300;

/** No line that says what went wrong begins later. */
const LOOKED_AT = 2000;

/** Between lines that do not stand beside each other in the log. */
const GAP = '…';

/** Which lines that say what went wrong are shown if there are many: a compiler's first mistake leads to the others, a service ends at its last. */
type Telling = 'first' | 'last';

/**
 * What a program printed, for a report, an artifact or a comment that anybody may read: at most 20 lines, those with a panic, an
 * exception or an error before the last ones. Colors and overwritten lines are gone, and so is whatever looks like a secret: what the
 * variables of that environment with the name of one hold, tokens by their form, and what stands behind words such as "password=".
 */
export function tellingLines(printed: string, environment: Variables, which: Telling = 'last'): string {
  const lines = linesOf(withoutTokens(withoutSteering(printed), environment));
  return chosen(lines, { which, most: MOST_LINES, mostTelling: MOST_TELLING })
    .map((line) => beginningOf(line, MOST_LINE))
    .join('\n');
}

/**
 * The one line of what a program printed that says best what went wrong, fit to be shown to others as `tellingLines` are; its last line
 * if none says that, undefined if it printed nothing.
 */
export function tellingLine(printed: string, environment: Variables, which: Telling = 'last'): string | undefined {
  const lines = linesOf(withoutTokens(withoutSteering(printed), environment));
  const line = lines[placesIn(lines).at(which === 'first' ? 0 : -1) ?? lines.length - 1];
  return line === undefined ? undefined : beginningOf(line.trim(), MOST_LINE);
}

/** The last lines of what a program printed, at most this many; the line that says what went wrong goes first, also if it stands further above. */
export function causeFirst(printed: string, most: number): readonly string[] {
  return chosen(linesOf(withoutSteering(printed)), { which: 'last', most, mostTelling: 1 });
}

function linesOf(text: string): readonly string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.slice(line.lastIndexOf('\r') + 1).trimEnd())
    .filter((line) => line !== '');
}

interface Choice {
  readonly which: Telling;
  readonly most: number;
  readonly mostTelling: number;
}

function chosen(lines: readonly string[], { which, most, mostTelling }: Choice): readonly string[] {
  const all = placesIn(lines);
  const places = which === 'first' ? all.slice(0, mostTelling) : all.slice(-mostTelling);
  const [first] = places;
  if (first === undefined || (first === 0 && lines.length <= most)) {
    return lines.slice(-most);
  }
  const telling = new Set(places);
  const others = lines.filter((_, place) => !telling.has(place)).slice(-(most - places.length - 1));
  return [...places.map((place) => lines[place] ?? ''), ...(others.length === 0 ? [] : [GAP, ...others])];
}

/** As Go, Java, Python, Node.js, Ruby, Rust, C, their compilers and package managers, and the kernel begin what they say last. */
const TELLING = [
  /(?:^|[\s\]])(?:panic|fatal|fatal error):/i,
  /\b(?:panicked at|out of memory|segmentation fault|exception in thread|unhandled exception|caused by:)/i,
  /(?:Error|Exception|Panic)(?:: |:?$| \[)/,
  /\berror(?:\[\w{1,20}\]| [A-Z]{1,10}\d{1,10})?:/i,
  /^Killed\b/,
  // npm puts pages of help behind them, pnpm and uv say no "error:".
  /(?:^|\s)npm (?:error|ERR!) (?:code \w|\d{3} |`npm ci` can|Missing:|Invalid:|Missing script|notarget |ERESOLVE )/,
  /\bERR_PNPM_\w/,
  /^\s*[×╰]/,
  // Go names a place, and nothing else.
  /(?:^|\s)\S{1,300}\.go:\d{1,7}:\d{1,5}: /,
  /^go: (?!downloading|finding|extracting|added|upgraded)/,
  /^\[ERROR\] \S/,
];

/** The numbers of the lines that say what went wrong. */
function placesIn(lines: readonly string[]): readonly number[] {
  const ends = tracebackEnds(lines);
  return lines.flatMap((line, place) => (ends.has(place) || isTelling(line) ? [place] : []));
}

function isTelling(line: string): boolean {
  const start = line.slice(0, LOOKED_AT);
  return TELLING.some((pattern) => pattern.test(start));
}

/** A traceback of Python is indented, and ends in its exception, whatever name that has. */
function tracebackEnds(lines: readonly string[]): ReadonlySet<number> {
  const ends = new Set<number>();
  let isInside = false;
  for (const [place, line] of lines.entries()) {
    if (line.startsWith('Traceback (most recent call last):')) {
      isInside = true;
    } else if (isInside && /^\S/.test(line)) {
      ends.add(place);
      isInside = false;
    }
  }
  return ends;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this removes.
const STEERING = /\u001b(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\u0007\u001b\n]*(?:\u0007|\u001b\\)?|[@-Z\\^_])/g;

/** Without the sequences by which a terminal is told of colors and titles. */
function withoutSteering(text: string): string {
  return text.replace(STEERING, '');
}

/** The names of variables whose values are nobody's business. */
const SECRET_NAME = /TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|PRIVATE|AUTH|API_?KEY|ACCESS_?KEY|_KEY$|_PAT$|_DSN$/i;

/** A shorter value is a word that stands anywhere. */
const SHORTEST_VALUE = 6;

const TOKENS: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]*(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?/g, '***'],
  [/\bgh[oprsu]_\w{16,}/g, '***'],
  [/\b(?:github_pat_|glpat-|npm_|pypi-|sk-|[rs]k_live_|[rs]k_test_|xox[abeprs]-)[\w-]{12,}/g, '***'],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, '***'],
  [/\bAIza[\w-]{30,}/g, '***'],
  // Many beginnings may be in one word, so none is followed far: no header is that long.
  [/\beyJ[\w-]{8,500}\.[\w-]{8,}(?:\.[\w-]*)?/g, '***'],
  [/(:\/\/)[^/?#\s@]{1,300}@/g, '$1***@'],
  [/\b((?:basic|bearer)\s{1,4})[\w+/=.~-]{8,}/gi, '$1***'],
  [
    /((?:api[-_]?key|access[-_]?key|authorization|credentials?|passphrase|passwd|password|secret|token)["']?\s{0,4}[:=]\s{0,4}["']?)[^\s"',;&]{4,}/gi,
    '$1***',
  ],
];

function withoutTokens(text: string, environment: Variables): string {
  const values = Object.entries(environment).flatMap(([name, value = '']) =>
    SECRET_NAME.test(name) && value.trim().length >= SHORTEST_VALUE ? [value] : [],
  );
  return TOKENS.reduce((left, [pattern, instead]) => left.replace(pattern, instead), maskOf(values)(text));
}
