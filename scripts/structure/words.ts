import ts from 'typescript';
import type { Mistake, TextFile } from './rules.ts';

/** How many phrases to avoid each file had when somebody last counted; files that are not listed have none. */
export type WordsBaseline = Readonly<Record<string, number>>;

export const BASELINE_PATH = 'scripts/words-baseline.json';

/** Phrases to avoid, as patterns without regard to case, each with what to write. */
const PHRASES: readonly (readonly [pattern: string, instead: string])[] = [
  ['where (there|it|they|one|no|nobody|that|this|nothing|those|another|several)', '"if ..." for a condition'],
  ['(empty|needed|missing|refused|stops?|fails?|optional) where', '"if ..." for a condition'],
  ['(also|only|even|except|so) where', '"if ..." for a condition'],
  ['so many', 'the number, or "number of ..."'],
  ['cannot be told', '"inconclusive"'],
  ['cannot be had', '"is not available" or "could not install ..."'],
  ['is none', 'what is wrong, such as "is not a valid rate"'],
  ['is no key', '"unknown key"'],
  ['is no field', '"unknown field in ..."'],
  ['mend(s|ed|ing)?', '"fix"'],
  ['whoever', 'who it is, such as "users who ..."'],
  ['by what', '"from", "by which" or the noun itself'],
  ['what is left', '"the rest" or the noun itself'],
  ['slower within the limit', '"slower, below the threshold"'],
  ['only watched', '"not gating"'],
  ['seen from', '"smallest detectable change"'],
  ['look whether', '"check that"'],
  ['what the files come to', '"the resolved configuration"'],
  ['everything that they leave out', '"defaults"'],
  ['let(s|ting)? old runs go', '"delete old runs"'],
  ['only says so', '"dry run"'],
  ['let(s|ting)? a suspicion', 'what happens, such as "exit 1 if slower than stored runs"'],
  ['hold(s|ing)? services against', '"compare services with"'],
  ['held against', '"compared with"'],
  ['reads the command, so that', '"is not expanded, because no shell runs the command"'],
  ['finds this number in', '"is passed as"'],
  ['none the less', '"remains"'],
  ['content where', '"no-op if"'],
  ['chosen by nobody', '"not user-controlled"'],
  ["without its protocol['’]s dress", '"normalized across protocols"'],
  ['users who think', '"users with think time"'],
];

/** A sentence that begins with a condition: "Where a tier has two operations, ...". */
const CONDITION = /(?<=(?:^|[.!?|'"`*-])\s*)Where [^.!?:;|]*?, (?!once\b)[a-z]/gm;

interface Matcher {
  readonly matcher: RegExp;
  readonly instead: string;
}

const MATCHERS: readonly Matcher[] = [
  { matcher: CONDITION, instead: '"If ..." for a condition' },
  ...PHRASES.map(([pattern, instead]) => ({
    matcher: new RegExp(`\\b${pattern.replaceAll(' ', '\\s+')}\\b`, 'gi'),
    instead,
  })),
];

/**
 * Conditions in comments that begin with "where", as patterns. There are fewer of them than of phrases in what is printed: a comment often
 * tells where something is.
 */
const COMMENT_CONDITIONS = [
  '\\b(undefined|null|none|nothing|empty|absent|negated|negative|NaN|true|false|-?\\d+),? where\\b',
  '\\b[A-Z]+_[A-Z_]+ where\\b',
  '`[^`\\n]+` where\\b',
  '\\b([Tt]hrow|[Rr]aise|[Rr]eject)s?\\b[^.;:]{0,80} where\\b',
  '\\bwhere (there (is|are|was|were)|nobody|nothing|none|neither|another|several|no)\\b',
  '\\b([Aa]lso|[Oo]nly|even|except|so|missing|needed|optional|refused) where\\b',
  '(?<=\\. )Where [^.;{}=]*?, [a-z]',
  '(?<=// )Where [^.;{}=\\n]*?, [a-z]',
];

/** Between two words of a comment, also over the end of a line. */
const COMMENT_GAP = '\\s+(?:(?:\\*|//|#)\\s+)?';

const COMMENT_MATCHERS: readonly Matcher[] = COMMENT_CONDITIONS.map((pattern) => ({
  matcher: new RegExp(pattern.replaceAll(' ', COMMENT_GAP), 'g'),
  instead: '"if ..." for a condition',
}));

interface Hit {
  readonly line: number;
  readonly phrase: string;
  readonly instead: string;
}

/**
 * The phrases to avoid in a file: of TypeScript in strings and templates, with conditions in comments; of a service the conditions in
 * comments alone; of anything else in the whole text.
 */
export function hitsOf({ path, text }: TextFile): readonly Hit[] {
  if (path.startsWith('services/')) {
    return hitsIn(text, COMMENT_MATCHERS);
  }
  if (!path.endsWith('.ts')) {
    return hitsIn(text, MATCHERS);
  }
  const ranges = stringRanges(path, text);
  return [...hitsIn(stringsOf(text, ranges), MATCHERS), ...hitsIn(outside(text, ranges), COMMENT_MATCHERS)];
}

/** In the order of lines. */
function hitsIn(text: string, matchers: readonly Matcher[]): readonly Hit[] {
  const found = matchers.flatMap(({ matcher, instead }) =>
    [...text.matchAll(matcher)].map(({ 0: phrase, index }) => ({ index, phrase, instead })),
  );
  return found
    .toSorted((one, other) => one.index - other.index)
    .map(({ index, phrase, instead }) => ({
      line: text.slice(0, index).split('\n').length,
      phrase: phrase.replace(/\s+/g, ' '),
      instead,
    }));
}

/** The start and the end of a string, or of a part of a template. */
type Range = readonly [start: number, end: number];

/** In the order of the text. */
function stringRanges(path: string, text: string): readonly Range[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  const ranges: Range[] = [];
  const keep = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      ranges.push([node.getStart(source), node.end]);
    }
    ts.forEachChild(node, keep);
  };
  keep(source);
  return ranges;
}

/** The text with everything blanked but what strings and templates hold, so that lines stay what they are. */
function stringsOf(text: string, ranges: readonly Range[]): string {
  let printed = '';
  for (const [start, end] of ranges) {
    printed += blank(text.slice(printed.length, start)) + withoutEscapes(text.slice(start, end));
  }
  return printed;
}

/** The rest of the text, with strings and templates blanked. */
function outside(text: string, ranges: readonly Range[]): string {
  let rest = '';
  for (const [start, end] of ranges) {
    rest += text.slice(rest.length, start) + blank(text.slice(start, end));
  }
  return rest + text.slice(rest.length);
}

const blank = (text: string): string => text.replace(/[^\n]/g, '.');

/** An escaped line break separates words, as a space does. */
const withoutEscapes = (text: string): string => text.replace(/\\[nrt]/g, '  ');

/** Files with more phrases to avoid than they had, and, in one mistake, all that have fewer. */
export function wordMistakes(files: readonly TextFile[], baseline: WordsBaseline): readonly Mistake[] {
  const counted = files.map((file) => ({ path: file.path, hits: hitsOf(file) }));
  const counts = new Map(counted.map(({ path, hits }) => [path, hits.length]));
  const fewer = Object.entries(baseline).filter(([path, allowed]) => (counts.get(path) ?? 0) < allowed);
  return [
    ...counted.flatMap(({ path, hits }) => tooMany(path, hits, baseline[path] ?? 0)),
    ...(fewer.length === 0 ? [] : [staleBaseline(fewer.map(([path]) => path))]),
  ];
}

/** All of them, since a count does not know which one is new. */
function tooMany(path: string, hits: readonly Hit[], allowed: number): readonly Mistake[] {
  return hits.length <= allowed
    ? []
    : hits.map(({ line, phrase, instead }) => ({
        place: path,
        line,
        what: `avoid "${phrase}" (phrases to avoid in this file: ${hits.length}, allowed: ${allowed})`,
        fix: `Write ${instead}`,
      }));
}

function staleBaseline(paths: readonly string[]): Mistake {
  return {
    place: BASELINE_PATH,
    what: `fewer phrases to avoid than recorded in ${paths.join(', ')}`,
    fix: `Run \`npm run words\` and commit ${BASELINE_PATH}`,
  };
}

/** The baseline with the counts of today where they are lower, and never higher. Without a baseline, the counts of today. */
export function loweredBaseline(files: readonly TextFile[], baseline: WordsBaseline | undefined): WordsBaseline {
  const lowered = files
    .map((file): [string, number] => {
      const now = hitsOf(file).length;
      return [file.path, baseline === undefined ? now : Math.min(now, baseline[file.path] ?? 0)];
    })
    .filter(([, count]) => count > 0);
  return Object.fromEntries(lowered.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
