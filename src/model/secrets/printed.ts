import { beginningOf, maskOf } from './mask.ts';

type Variables = Readonly<Record<string, string | undefined>>;

const MAX_LINES = 20;

/** Maximum number of error lines among them. */
const MAX_TELLING = 6;

const MAX_LINE = 300;

/** Only this many characters of a line are searched for errors. */
const LOOKED_AT = 2000;

/** Separates lines that are not adjacent in the log. */
const GAP = '…';

/** Selection of error lines if there are many: the first mistake of a compiler causes the others, a service ends at its last one. */
type End = 'first' | 'last';

/** At most 20 lines of a program's output, error lines first, without colors and likely secrets. */
export function relevantLines(printed: string, environment: Variables, which: End = 'last'): string {
  const lines = linesOf(withoutTokens(withoutSteering(printed), environment));
  return chosen(lines, { which, most: MAX_LINES, mostRelevant: MAX_TELLING })
    .map((line) => beginningOf(line, MAX_LINE))
    .join('\n');
}

/** Line of a program's output that best describes an error, masked; else its last line. */
export function relevantLine(printed: string, environment: Variables, which: End = 'last'): string | undefined {
  const lines = linesOf(withoutTokens(withoutSteering(printed), environment));
  const line = lines[placesIn(lines).at(which === 'first' ? 0 : -1) ?? lines.length - 1];
  return line === undefined ? undefined : beginningOf(line.trim(), MAX_LINE);
}

/** Last lines of a program's output, at most `most`; the error line comes first, even if it is further up. */
export function causeFirst(printed: string, most: number): readonly string[] {
  return chosen(linesOf(withoutSteering(printed)), { which: 'last', most, mostRelevant: 1 });
}

/** Last lines that `go run` and uvicorn add after those of a program that ended. */
const AFTER = /^(?:exit status \d+|ERROR: +Application startup failed\. Exiting\.)$/;

function linesOf(text: string): readonly string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.slice(line.lastIndexOf('\r') + 1).trimEnd())
    .filter((line) => line !== '' && !AFTER.test(line));
}

function chosen(
  lines: readonly string[],
  { which, most, mostRelevant }: { readonly which: End; readonly most: number; readonly mostRelevant: number },
): readonly string[] {
  const all = placesIn(lines);
  const places = which === 'first' ? all.slice(0, mostRelevant) : all.slice(-mostRelevant);
  const [first] = places;
  if (first === undefined || (first === 0 && lines.length <= most)) {
    return lines.slice(-most);
  }
  const relevant = new Set(places);
  const others = lines.filter((_, place) => !relevant.has(place)).slice(-(most - places.length - 1));
  return [...places.map((place) => lines[place] ?? ''), ...(others.length === 0 ? [] : [GAP, ...others])];
}

/** Error lines of Go, Java, Python, Node.js, Ruby, Rust, C, their compilers and package managers, and the kernel. */
const TELLING = [
  // Node.js prints the fields of an error, such as `fatal: true`.
  /(?:^|[\s\]])(?:panic|fatal|fatal error):(?! (?:true|false)\b)/i,
  /\b(?:panicked at|out of memory|segmentation fault|exception in thread|unhandled exception|caused by:)/i,
  /(?:Error|Exception|Panic)(?:: |:?$| \[)/,
  // Ruby ends its message so, and prints the calls after it.
  /\([A-Z][\w:]{0,99}Error\)$/,
  /\berror(?:\[\w{1,20}\]| [A-Z]{1,10}\d{1,10})?:/i,
  /^Killed\b/,
  // npm prints pages of help after them; pnpm and uv print no "error:".
  /(?:^|\s)npm (?:error|ERR!) (?:code \w|\d{3} |`npm ci` can|Missing:|Invalid:|Missing script|notarget |ERESOLVE )/,
  /\bERR_PNPM_\w/,
  /^\s*[×╰]/,
  // Go only prints a position.
  /(?:^|\s)\S{1,300}\.go:\d{1,7}:\d{1,5}: /,
  /^go: (?!downloading|finding|extracting|added|upgraded)/,
  /^\[ERROR\] \S/,
  // Error lines of apt.
  /^E: \S/,
];

function placesIn(lines: readonly string[]): readonly number[] {
  const ends = tracebackEnds(lines);
  return lines.flatMap((line, place) => {
    const start = line.slice(0, LOOKED_AT);
    return ends.has(place) || TELLING.some((pattern) => pattern.test(start)) ? [place] : [];
  });
}

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

// biome-ignore lint/suspicious/noControlCharactersInRegex: it removes control characters.
const STEERING = /\u001b(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\u0007\u001b\n]*(?:\u0007|\u001b\\)?|[@-Z\\^_])/g;

/** Removes terminal escape sequences for colors and titles. */
function withoutSteering(text: string): string {
  return text.replace(STEERING, '');
}

const SECRET_NAME = /TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|PRIVATE|AUTH|API_?KEY|ACCESS_?KEY|_KEY$|_PAT$|_DSN$/i;

const SHORTEST_VALUE = 6;

const TOKENS: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]*(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?/g, '***'],
  [/\bgh[oprsu]_\w{16,}/g, '***'],
  [/\b(?:github_pat_|glpat-|npm_|pypi-|sk-|[rs]k_live_|[rs]k_test_|xox[abeprs]-)[\w-]{12,}/g, '***'],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, '***'],
  [/\bAIza[\w-]{30,}/g, '***'],
  // The first part is bounded, since a word may contain many candidates.
  [/\beyJ[\w-]{8,500}\.[\w-]{8,}(?:\.[\w-]*)?/g, '***'],
  [/(:\/\/)[^/?#\s@]{1,300}@/g, '$1***@'],
  [/\b((?:basic|bearer)\s{1,4})[\w+/=.~-]{8,}/gi, '$1***'],
  [
    /((?:api[-_]?key|access[-_]?key|authorization|credentials?|passphrase|passwd|password|secret|token)["']?\s{0,4}[:=]\s{0,4}["']?)[^\s"',;&]{4,}/gi,
    '$1***',
  ],
];

/** Text in which `***` replaces likely secrets: values of variables with the name of a secret, and tokens by their format. */
export function withoutTokens(text: string, environment: Variables): string {
  const values = Object.entries(environment).flatMap(([name, value = '']) =>
    SECRET_NAME.test(name) && value.trim().length >= SHORTEST_VALUE ? [value] : [],
  );
  return TOKENS.reduce((left, [pattern, instead]) => left.replace(pattern, instead), maskOf(values)(text));
}
