import { withoutUnit } from '../../src/foundation/numbers.ts';
import { wordList } from '../../src/foundation/text.ts';
import type { StudyEvidence, Times } from '../../src/judge/study/versus.ts';
import { ALL_OPERATIONS, formatMetric } from '../../src/model/metric.ts';
import type { Run } from '../../src/model/run/run.ts';
import type { RatioTest } from '../../src/model/run/study.ts';
import { boundsText, comparisonLabel, limitText, metricWord, timesText } from '../../src/report/comparison/words.ts';
import { type Labels, type RunView, reportLabels } from '../../src/report/views/run-view.ts';
import { type Holding, type TestedRatio, testedFindings } from '../judge/findings.ts';
import type { SlotReason } from '../judge/slots.ts';

/** Finding of the study that a suite tests, and its result here; not escaped. */
export interface StudyFindingRow {
  readonly says: string;
  /** Case of the finding: "Python". */
  readonly of: string | undefined;
  readonly published: string | undefined;
  readonly holding: Holding;
  readonly here: FindingFigure;
  /** Tests of the finding; empty if nothing was measured because its services are not part of the run. */
  readonly tests: readonly FindingTest[];
}

/** Measured values of a finding, in a few words. */
export interface FindingFigure {
  /** "1.21 times", "0.45 and 0.52 times", or the reason that there is none. */
  readonly text: string;
  /** "[1.18, 1.24]"; for several figures their number. */
  readonly interval: string;
  readonly isMissing: boolean;
}

/** Figure that decides a finding, with the required value. */
export interface FindingTest {
  /** "gRPC against REST: requests/s, saturation". */
  readonly what: string;
  readonly here: FindingFigure;
  /** "at least 1.5". */
  readonly required: string;
  readonly holding: Holding;
  /** "rounds", "single starts". */
  readonly by: string;
  /** Caveat; usually empty. */
  readonly reasons: readonly string[];
}

/** Findings of the study in a run's suite, tested with the measurements of its services. */
export function findingRows(run: Run, evidence: StudyEvidence): readonly StudyFindingRow[] {
  const findings = run.suite.published?.findings ?? [];
  const labels = reportLabels(run);
  return testedFindings(findings, evidence).map(({ finding: { says, of, published }, holding, tests }) => {
    // Measurements of a part of it may still decide it.
    const absent = tests.some(({ ratio }) => ratio !== undefined) ? [] : absentIn(run, tests);
    const here =
      absent.length > 0
        ? { text: `not part of this run: ${absent.join(', ')}`, interval: '', isMissing: true }
        : figureOf(tests);
    const rows = absent.length > 0 ? [] : tests.map((test) => testRow(labels, run.suite.name, test));
    return { says, of, published, holding, here, tests: rows };
  });
}

function absentIn(run: Run, tests: readonly TestedRatio[]): readonly string[] {
  const named = tests.flatMap(({ test: { service, against = service } }) => [service, against]);
  return [...new Set(named)].filter((service) => run.services.every(({ name }) => name !== service));
}

/** The same for a run that has only slots; empty if its services were measured in rounds, whose part of the report has the findings. */
export function slotFindingRows({ run, cells }: RunView): readonly StudyFindingRow[] {
  return run.versus === undefined && run.samples.length > 0 ? findingRows(run, { slots: cells }) : [];
}

/** More figures of one kind become a range in the short cell. */
const MAX_FIGURES = 2;

/** One figure with its interval, two of them, or the lowest and the highest of more. */
function figureOf(tests: readonly TestedRatio[]): FindingFigure {
  const measured = tests.flatMap((test) => (test.ratio === undefined ? [] : [{ ...test, ratio: test.ratio }]));
  const isAllOne = new Set(measured.map(({ test }) => (isRatio(test) ? 'times' : test.metric))).size <= 1;
  const [first] = measured;
  if (first === undefined) {
    return { text: 'no figure', interval: '', isMissing: true };
  }
  const texts = measured.map(valueText);
  const missing = measured.length < tests.length ? [`${measured.length} of ${tests.length} figures`] : [];
  if (measured.length <= MAX_FIGURES) {
    const intervals = measured.map(intervalText).filter((text) => text !== '');
    return {
      text: withUnit(isAllOne ? [...new Set(texts)] : texts, first.test),
      interval: [...intervals, ...missing].join(', '),
      isMissing: false,
    };
  }
  const ordered = measured.toSorted((left, right) => left.ratio.times - right.ratio.times);
  const ends = isAllOne ? [ordered[0], ordered.at(-1)] : measured.slice(0, MAX_FIGURES);
  const [low = '', high = ''] = ends.flatMap((one) => (one === undefined ? [] : [valueText(one)]));
  const text = low === high ? [low] : isAllOne ? [`${low} to ${high}`] : [low, high];
  return { text: withUnit(text, first.test), interval: missing[0] ?? `${measured.length} figures`, isMissing: false };
}

function isRatio({ against, againstOwn }: RatioTest): boolean {
  return against !== undefined || againstOwn !== undefined;
}

function withUnit(texts: readonly string[], test: RatioTest): string {
  return isRatio(test) ? `${wordList(texts)} times` : wordList(texts);
}

type Measured = TestedRatio & { readonly ratio: Times };

function valueText({ test, ratio }: Measured): string {
  return isRatio(test) ? timesText(ratio.times) : formatMetric(test.metric, ratio.times);
}

/** "[1.18, 1.24]"; an unbounded end is left out. */
function intervalText({ test, ratio }: Measured): string {
  const text = (end: number) => (isRatio(test) ? timesText(end) : withoutUnit(formatMetric(test.metric, end)));
  return ratio.low === ratio.high ? '' : boundsText(ratio, text);
}

function testRow(labels: Labels, suite: string, tested: TestedRatio): FindingTest {
  const { test, holding, by, reasons } = tested;
  return {
    what:
      test.against === undefined
        ? aloneText(labels, test)
        : comparedText(labels, suite, { ...test, against: test.against }),
    here: figureOf([tested]),
    required: required(test),
    holding,
    by: by === undefined ? '' : BY[by],
    reasons: reasons.map((reason) => reasonText(labels, reason)),
  };
}

const BY = { rounds: 'rounds', slots: 'single starts' } as const;

function aloneText(
  labels: Labels,
  { service, tier, operation = ALL_OPERATIONS, metric, againstOwn }: RatioTest,
): string {
  const own = againstOwn === undefined ? '' : ` against its own ${againstOwn}`;
  return `${labels.service(service)} at ${labels.tier(tier)}: ${metricOf(labels, operation, metric)}${own}`;
}

function metricOf(labels: Labels, operation: string, metric: RatioTest['metric']): string {
  return operation === ALL_OPERATIONS ? metricWord(metric) : `${labels.operation(operation)} ${metricWord(metric)}`;
}

function comparedText(labels: Labels, suite: string, test: RatioTest & { readonly against: string }): string {
  const { service, against, tier, againstTier = tier, operation = ALL_OPERATIONS, metric } = test;
  if (againstTier === tier) {
    const where = comparisonLabel({ labels }, { suite, service, operation, tier }, metric);
    return `${labels.service(service)} against ${labels.service(against)}: ${where}`;
  }
  const [own, other] = [
    `${labels.service(service)} at ${labels.tier(tier)}`,
    `${service === against ? '' : `${labels.service(against)} at `}${labels.tier(againstTier)}`,
  ];
  return `${own} against ${other}: ${metricOf(labels, operation, metric)}`;
}

function reasonText(labels: Labels, { why, service, tier, own, rps }: SlotReason): string {
  const [label, where] = [labels.service(service), labels.tier(tier)];
  switch (why) {
    case 'unmeasured':
      return `${label} was not measured at ${where}`;
    case 'unreported':
      return `no program of ${label} reported ${own ?? ''} at ${where}`;
    case 'too-few':
      return `${label} answered too few requests for it at ${where}`;
    case 'generator-limited':
      return rps === undefined
        ? `the load tool was at its limit for ${label} at ${where}`
        : `${label} may do more: the load tool was at its limit of ${formatMetric('achievedRps', rps)} at ${where}`;
    case 'failing':
      return `over 1% of the requests to ${label} failed at ${where}`;
    case 'users-no-faster':
      return `${label} may do more: the users sent no faster than ${formatMetric('achievedRps', rps ?? 0)} at ${where}`;
    case 'disturbed':
      return `the interval is wider, since ${label} was disturbed at ${where}`;
  }
}

function required(test: RatioTest): string {
  const { metric, atLeast, atMost } = test;
  const text = (limit: number) => (isRatio(test) ? limitText(limit) : formatMetric(metric, limit));
  return [
    ...(atLeast === undefined ? [] : [`at least ${text(atLeast)}`]),
    ...(atMost === undefined ? [] : [`at most ${text(atMost)}`]),
  ].join(' and ');
}
