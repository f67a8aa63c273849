import type { SlotReason, Times } from '../../../judge/index.ts';
import { type StudyEvidence, type TestedRatio, testedFindings } from '../../../judge/index.ts';
import type { RatioTest, Run } from '../../../model/index.ts';
import { ALL_OPERATIONS, formatMetric, isMainJob } from '../../../model/index.ts';
import { limitText, ratioText, timesText } from '../../comparison/stored-words.ts';
import { type Labels, reportLabels } from '../../comparison/view.ts';
import { comparisonLabel, metricWord } from '../../comparison/words.ts';
import type { RunView } from '../../views/run-view.ts';

/** A finding of the study that a suite is after, and what became of it here; not yet escaped. */
export interface StudyFindingRow {
  readonly says: string;
  readonly holding: 'holds' | 'does not hold' | 'cannot tell';
  /** What was measured for it: "gRPC against REST: requests/s, saturation 1.21 [1.18, 1.24], wanted at least 1.5". */
  readonly figures: readonly string[];
}

/** The findings of the study in a run's suite, tested by what was measured of its services. */
export function findingRows(run: Run, evidence: StudyEvidence): readonly StudyFindingRow[] {
  const findings = run.suite.published?.findings ?? [];
  const labels = reportLabels(run);
  return testedFindings(findings, evidence).map(({ says, holding, tests }) => {
    const absent = absentIn(run, tests);
    const figures =
      absent.length > 0
        ? [`not part of this run: ${absent.join(', ')}`]
        : tests.map((test) => figureOf(labels, run.suite.name, test));
    return { says, holding, figures };
  });
}

/** Services that the tests are about and the run is not. */
function absentIn(run: Run, tests: readonly TestedRatio[]): readonly string[] {
  const named = tests.flatMap(({ test: { service, against = service } }) => [service, against]);
  return [...new Set(named)].filter((service) => run.services.every(({ name }) => name !== service));
}

/** The same of a run that has slots only; empty if its services were measured in rounds, whose part of the report has the findings. */
export function slotFindingRows({ run, cells }: RunView): readonly StudyFindingRow[] {
  return !isMainJob(run) && run.samples.length > 0 ? findingRows(run, { slots: cells }) : [];
}

function figureOf(labels: Labels, suite: string, tested: TestedRatio): string {
  const { test, ratio, reasons } = tested;
  const measured = ratio === undefined ? 'not compared' : measuredText(tested, ratio);
  const why = reasons.map((reason) => ` (${reasonText(labels, reason)})`).join('');
  const compared =
    test.against === undefined
      ? aloneText(labels, test)
      : comparedText(labels, suite, { ...test, against: test.against });
  return `${compared} ${measured}, wanted ${wanted(test)}${why}`;
}

function aloneText(labels: Labels, { service, tier, operation = ALL_OPERATIONS, metric }: RatioTest): string {
  const what =
    operation === ALL_OPERATIONS ? metricWord(metric) : `${labels.operation(operation)} ${metricWord(metric)}`;
  return `${labels.service(service)} at ${labels.tier(tier)}: ${what}`;
}

type Comparing = RatioTest & { readonly against: string };

function comparedText(labels: Labels, suite: string, test: Comparing): string {
  const { service, against, tier, againstTier = tier, operation = ALL_OPERATIONS, metric } = test;
  if (againstTier === tier) {
    const where = comparisonLabel({ labels }, { suite, service, operation, tier }, metric);
    return `${labels.service(service)} against ${labels.service(against)}: ${where}`;
  }
  const what =
    operation === ALL_OPERATIONS ? metricWord(metric) : `${labels.operation(operation)} ${metricWord(metric)}`;
  const [own, other] = [
    `${labels.service(service)} at ${labels.tier(tier)}`,
    `${service === against ? '' : `${labels.service(against)} at `}${labels.tier(againstTier)}`,
  ];
  return `${own} against ${other}: ${what}`;
}

function measuredText({ by, test }: TestedRatio, ratio: Times): string {
  if (test.against === undefined) {
    return formatMetric(test.metric, ratio.times);
  }
  return by === 'slots' ? `${timesText(ratio.times)}${marginText(ratio)} by single starts` : ratioText(ratio);
}

/** An end that nothing bounds is left out. */
function marginText({ low = 0, high = Number.POSITIVE_INFINITY }: Times): string {
  if (low > 0) {
    return Number.isFinite(high) ? ` [${timesText(low)}, ${timesText(high)}]` : ` [${timesText(low)} or more]`;
  }
  return Number.isFinite(high) ? ` [${timesText(high)} or less]` : '';
}

function reasonText(labels: Labels, { why, service, tier, rps }: SlotReason): string {
  const [label, where] = [labels.service(service), labels.tier(tier)];
  switch (why) {
    case 'unmeasured':
      return `${label} was not measured at ${where}`;
    case 'too-few':
      return `${label} answered too few requests for it at ${where}`;
    case 'generator-limited':
      return `the load tool was at its own limit for ${label} at ${where}`;
    case 'failing':
      return `over 1 % of the requests to ${label} failed at ${where}`;
    case 'users-no-faster':
      return `${label} may do more: the users came no faster than ${formatMetric('achievedRps', rps ?? 0)} at ${where}`;
  }
}

function wanted({ against, metric, atLeast, atMost }: RatioTest): string {
  const text = (limit: number) => (against === undefined ? formatMetric(metric, limit) : limitText(limit));
  return [
    ...(atLeast === undefined ? [] : [`at least ${text(atLeast)}`]),
    ...(atMost === undefined ? [] : [`at most ${text(atMost)}`]),
  ].join(' and ');
}
