import { counted, formatChange, formatDuration, formatShare } from '../../foundation/numbers.ts';
import { cleanText } from '../../foundation/text.ts';
import type { CommitLine, LineCommit } from '../../host/git/commits.ts';
import { intervalOf, type Sighting } from '../../judge/inference/bisection.ts';
import type { Finding } from '../../judge/verdict/finding.ts';
import { ALL_OPERATIONS, METRICS, type MetricName, SATURATION } from '../../model/metric.ts';
import { ALL_TIERS } from '../../model/policy.ts';
import type { FirstWorse, Tried } from './first-worse.ts';

/** Metric followed from commit to commit. */
export type Followed = Pick<Finding, 'cell' | 'metric'>;

/** A search that is over. */
export interface BisectEnd {
  readonly line: CommitLine;
  /** As they were given. */
  readonly good: string;
  readonly bad: string;
  /** Seconds that the search might take. */
  readonly budget: number;
  readonly found: FirstWorse;
  /** Undefined if nothing was compared. */
  readonly target: Followed | undefined;
}

const SHORT_COMMIT = 7;

const MOST_SUBJECT = 72;

const MOST_REASON = 200;

function nameOf({ commit, subject }: LineCommit): string {
  return `${commit.slice(0, SHORT_COMMIT)} ${cleanText(subject, MOST_SUBJECT)}`.trim();
}

/** The result of a comparison, as one line of the log. */
export function triedText(commit: LineCommit, tried: Tried): string {
  return `${nameOf(commit)}: ${outcomeText(tried)}`;
}

function outcomeText(tried: Tried): string {
  switch (tried.kind) {
    case 'seen': {
      const { worse, low, high } = tried;
      return `${formatChange(worse)} worse, 95% interval ${formatChange(low)} to ${formatChange(high)}`;
    }
    case 'unmeasurable':
      return `cannot be compared: ${cleanText(tried.why, MOST_REASON)}`;
    case 'ended':
      return 'comparison not finished';
  }
}

/** The result of a search, for people. */
export function bisectText(end: BisectEnd): string {
  const { line, found } = end;
  const { suspects, comparisons, skipped } = found;
  const shown = SHOWN.has(found.outcome) && found.effect !== undefined;
  const commits = shown ? line.commits.slice(suspects.from - 1, suspects.to).map((one) => `  ${nameOf(one)}`) : [];
  const together = commits.length > 1 ? ['It is one of these: all but the last could not be compared.'] : [];
  const lost = skipped.size === 0 ? '' : `; ${counted(skipped.size, 'commit')} could not be compared`;
  return [headline(end), ...commits, ...together, `${counted(comparisons, 'comparison')}${lost}.`, ''].join('\n');
}

const SHOWN: ReadonlySet<FirstWorse['outcome']> = new Set<FirstWorse['outcome']>(['found', 'unsure', 'ended']);

function headline({ good, bad, budget, found, target }: BisectEnd): string {
  const { outcome, effect, suspects } = found;
  const what = target === undefined ? 'the followed metric' : targetText(target);
  const size = effect === undefined ? '' : sizeText(effect);
  const sure = formatShare(suspects.probability);
  switch (outcome) {
    case 'same':
      return `${bad} is not worse than ${good}: ${what} ${size}.`;
    case 'found':
      return `First worse commit (probability ${sure}): ${what} ${size}.`;
    case 'unsure':
      return `The comparisons do not show which commit it is: ${what} ${size}. Most likely (${sure}):`;
    case 'ended': {
      const most = effect === undefined ? '' : ` ${what} ${size}. Most likely (${sure}):`;
      return `The search ended without a result: it was interrupted, or another comparison would not fit into ${formatDuration(budget)} (--budget).${most}`;
    }
  }
}

function targetText({ cell: { service, operation, tier }, metric }: Followed): string {
  const places = [operation === ALL_OPERATIONS ? '' : operation, WHOLE_TIERS.has(tier) ? '' : tier];
  const title = METRICS[metric as MetricName]?.title ?? metric;
  return `${[service, ...places].filter((part) => part !== '').join(', ')}: ${title}`;
}

const WHOLE_TIERS: ReadonlySet<string> = new Set([SATURATION, ALL_TIERS]);

function sizeText(effect: Sighting): string {
  const { low, high } = intervalOf(effect);
  const change = formatChange(Math.expm1(effect.worse));
  return `${change} worse (95% interval ${formatChange(low)} to ${formatChange(high)})`;
}

/** The result of a search, for programs. */
export function bisectData({ line, found, target }: BisectEnd): object {
  const { outcome, effect, suspects, comparisons, skipped } = found;
  return {
    outcome,
    ...(target !== undefined && { metric: target.metric, ...target.cell }),
    ...(effect !== undefined && { worse: Math.expm1(effect.worse) }),
    probability: suspects.probability,
    commits: line.commits.slice(suspects.from - 1, suspects.to),
    comparisons,
    skipped: [...skipped].map(([place, why]) => ({ ...line.commits[place - 1], why })),
  };
}
