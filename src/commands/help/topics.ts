import docs from '../../../generated/explain-topics.json' with { type: 'json' };
import { MEASURED_METRICS, metricNamed } from '../../config/schema/metric-names.ts';
import { once } from '../../foundation/once.ts';
import {
  ALL_OPERATIONS,
  isCounted,
  isExact,
  METRIC_NAMES,
  METRICS,
  type MetricName,
  SATURATION,
} from '../../model/metric.ts';
import { ALL_TIERS, LEAST_MS, rowsOf, usualThreshold } from '../../model/policy.ts';
import { metricWord } from '../../report/comparison/words.ts';

export interface Topic {
  readonly kind: keyof typeof TITLES;
  readonly name: string;
  readonly also?: readonly string[];
  /** Page or section with more. */
  readonly from: string;
  /** Explanations by subject: "when", "fix". */
  readonly says: Readonly<Record<string, string | undefined>>;
}

/** Titles of the kinds, in the order of the list. */
export const TITLES = {
  verdict: 'Verdicts on one comparison',
  outcome: 'Outcomes of a whole run',
  mark: 'Marks of samples',
  metric: 'Metrics',
  'exit code': 'Exit codes',
  variable: 'Environment variables',
  term: 'Terms',
  code: 'Codes of errors',
  message: 'Messages (paste what was printed)',
} as const;

/** Names in `--json` and run.json, or rarer ones in reports, that differ from those in the documents. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['slower, below the threshold', 'slower-within-limit'],
  ['same', 'unchanged'],
  ['missing in n of m rounds', 'figures missing'],
  ['the load tool was at its limit', 'load tool at its limit'],
  ['over 1% of the requests failed', 'too many errors'],
]);

/** Topics from tables of the documents, which `npm run readme` copies. */
const FROM_DOCS = (docs.topics as readonly Topic[]).map((topic): Topic => {
  const other = OTHER_NAMES.get(topic.name);
  return other === undefined ? topic : { ...topic, also: [other] };
});

const TOPICS: readonly Topic[] = [...FROM_DOCS, ...METRIC_NAMES.map(metricTopic)];

export function topicsOf(kind: Topic['kind']): readonly Topic[] {
  return TOPICS.filter((topic) => topic.kind === kind);
}

/** Topics with a name; messages are found by their text. */
const NAMED = TOPICS.filter(({ kind }) => kind !== 'message');

export function topicNames(): readonly string[] {
  return [...new Set(NAMED.flatMap(namesOf))];
}

function namesOf({ name, also = [] }: Topic): readonly string[] {
  return [name, ...also];
}

/** Topics of a name as in reports or files, in any case: a word may be a verdict and an outcome. */
export function topicsNamed(text: string): readonly Topic[] {
  const required = spelling(text);
  const metric = metricNamed(text, MEASURED_METRICS);
  return NAMED.filter(
    (topic) =>
      namesOf(topic).some((one) => spelling(one) === required) ||
      (topic.kind === 'metric' && topic.name === metric) ||
      (topic.kind === 'exit code' && required === `exit${topic.name}`),
  );
}

/** Codes of the errors whose message is in a pasted text, by the longest match. */
export function codesOfMessage(text: string): readonly string[] {
  const plain = spaced(text);
  const found = knownMessages()
    .filter(({ parts }) => hasInOrder(plain, parts))
    .map(({ code, parts }) => ({ code, length: parts.join('').length }));
  const longest = Math.max(...found.map(({ length }) => length));
  return [...new Set(found.filter(({ length }) => length === longest).map(({ code }) => code))];
}

const knownMessages = once(() =>
  docs.messages.map(([code = '', message]) => ({ code, parts: spaced(message ?? '').split('…') })),
);

function spaced(text: string): string {
  return text.replaceAll('`', '').replaceAll(/\s+/g, ' ');
}

function hasInOrder(text: string, parts: readonly string[]): boolean {
  let from = 0;
  return parts.every((part) => {
    const at = text.indexOf(part, from);
    from = at + part.length;
    return at >= 0;
  });
}

/** Topics with a word in their names: "gating" is one of "gating row". */
export function topicsOfWord(word: string): readonly Topic[] {
  const meant = word.toLowerCase();
  return NAMED.filter((topic) => namesOf(topic).some((one) => one.toLowerCase().split(' ').includes(meant)));
}

function spelling(name: string): string {
  return name
    .toLowerCase()
    .replace(/exit code/, 'exit')
    .replace(/\bthe\b|[\s_`-]/g, '');
}

function metricTopic(name: MetricName): Topic {
  const { title, unit, better } = METRICS[name];
  return {
    kind: 'metric',
    name,
    also: [...new Set([title, metricWord(name)])].filter((one) => one !== name),
    from: 'docs/metrics.md',
    says: {
      'what it is': title,
      unit: unit === 'share' ? 'a share from 0 to 1' : unit,
      better,
      'in a comparison': comparedText(name),
      ...Object.fromEntries(termsIn(title)),
    },
  };
}

/** Places where a metric is compared, and its threshold there. */
function comparedText(metric: MetricName): string {
  if (metric === 'errorRate') {
    return 'by a separate rule, may fail';
  }
  const usual = (100 * usualThreshold({ tier: ALL_TIERS }, metric)).toFixed(0);
  if (metric === 'sizeMiB') {
    return `threshold ${usual}% and 1 MiB, may fail`;
  }
  if (isExact(metric)) {
    return 'one more may fail';
  }
  if (metric === 'memoryGrowthPerRequest') {
    return `${usual}% more may fail`;
  }
  if (isCounted(metric)) {
    return `if counted, threshold ${usual}%, may fail`;
  }
  const ofStart = LEAST_MS.has(metric) ? `if at least ${LEAST_MS.get(metric)} ms` : 'over all loads';
  const places = [
    { words: 'at saturation', operation: ALL_OPERATIONS, tier: SATURATION },
    { words: 'at a tier', operation: ALL_OPERATIONS, tier: '' },
    { words: 'of an operation at a tier', operation: '', tier: '' },
    { words: ofStart, operation: ALL_OPERATIONS, tier: ALL_TIERS },
    { words: ofStart, operation: '', tier: ALL_TIERS },
  ];
  const said = places.flatMap(({ words, ...place }) => {
    const row = rowsOf(place).find((one) => one.metric === metric);
    const threshold = `${(100 * usualThreshold(place, metric)).toFixed(0)}%`;
    return row === undefined
      ? []
      : [
          `${words}: threshold ${threshold}, ${row.gate ? `may fail${row.ifSeen === true ? ' if noise does not hide it' : ''}` : 'not gating'}`,
        ];
  });
  return said.length === 0 ? 'shown only' : said.join('; ');
}

/** Longest glossary term in a title, with its meaning. */
function termsIn(title: string): readonly (readonly [string, string | undefined])[] {
  const [term] = FROM_DOCS.filter(({ kind, name }) => kind === 'term' && title.includes(name)).toSorted(
    (left, right) => right.name.length - left.name.length,
  );
  return term === undefined ? [] : [[term.name, term.says['meaning']]];
}
