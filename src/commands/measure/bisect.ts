import { join } from 'node:path';
import { MEASURED_METRICS, metricHint, metricNamed } from '../../config/schema/metric-names.ts';
import { ConfigError, EnvironmentError, KnownError, MeasurementError } from '../../foundation/errors.ts';
import { counted, formatChange, formatDuration, formatShare } from '../../foundation/numbers.ts';
import { cleanText, shortCommit } from '../../foundation/text.ts';
import { type CommitLine, commitsBetween, type LineCommit } from '../../host/git/commits.ts';
import { INTERRUPTED } from '../../host/signals.ts';
import { remarkLog } from '../../host/terminal/output.ts';
import { intervalOf } from '../../judge/inference/bisection.ts';
import { evidenceIn, type Finding, worseness } from '../../judge/verdict/finding.ts';
import type { MeasureFlags } from '../../measure/session/runtime.ts';
import { ALL_OPERATIONS, isCounted, METRICS, type MetricName, SATURATION } from '../../model/metric.ts';
import { ALL_TIERS } from '../../model/policy.ts';
import { OPTIONS } from '../program/options.ts';
import { printResult } from '../program/result.ts';
import { type CompareFlags, compare } from './compare.ts';
import { type FirstWorse, firstWorse, type Tried } from './first-worse.ts';

interface BisectFlags extends MeasureFlags {
  readonly good: string;
  readonly bad: string;
  readonly service?: string | undefined;
  readonly metric?: string | undefined;
  readonly budget: number;
}

/**
 * `wiregauge bisect`: compares the good commit with others between it and the bad one until the first worse one is known. Exit code 0 if it
 * is found, 2 if not, 130 after Ctrl-C.
 */
export async function bisect(flags: BisectFlags, compareVersions: typeof compare = compare): Promise<number> {
  const metric = metricOf(flags.metric);
  const line = await commitsBetween(process.cwd(), flags.good, flags.bad);
  const log = remarkLog(flags);
  log(`${counted(line.commits.length, 'commit')} after ${flags.good} up to ${flags.bad}`);
  const comparisons = new Comparisons(line, { ...flags, metric }, log, compareVersions);
  const found = await firstWorse(line.commits.length, (place) => comparisons.at(place));
  const { good, bad, budget, json } = flags;
  const end = { line, good, bad, budget, found, target: comparisons.target };
  printResult({ command: 'bisect', json }, bisectData(end), bisectText(end));
  return comparisons.isInterrupted ? INTERRUPTED : Number(found.outcome !== 'found') * 2;
}

function metricOf(name: string | undefined): string | undefined {
  const found = name === undefined ? undefined : metricNamed(name, MEASURED_METRICS);
  if (name !== undefined && found === undefined) {
    throw new ConfigError(`there is no metric ${JSON.stringify(name)}`, {
      code: 'WG-106',
      next: metricHint(name, MEASURED_METRICS),
    });
  }
  return found;
}

class Comparisons {
  readonly #line: CommitLine;
  readonly #flags: BisectFlags;
  readonly #log: (line: string) => void;
  readonly #compareVersions: typeof compare;
  readonly #startedMs = performance.now();
  #longestMs = 0;
  #made = 0;
  target: Finding | undefined;
  isInterrupted = false;

  constructor(line: CommitLine, flags: BisectFlags, log: (line: string) => void, compareVersions: typeof compare) {
    this.#line = line;
    this.#flags = flags;
    this.#log = log;
    this.#compareVersions = compareVersions;
  }

  /** Throws if the bad commit, which is the last, cannot be compared. */
  async at(place: number): Promise<Tried> {
    const commit = this.#line.commits[place - 1];
    const startedMs = performance.now();
    if (commit === undefined || startedMs - this.#startedMs + this.#longestMs > this.#flags.budget * 1000) {
      return { kind: 'ended' };
    }
    const tried = await this.#compared(commit, place === this.#line.commits.length);
    this.#longestMs = Math.max(this.#longestMs, performance.now() - startedMs);
    this.#log(`${nameOf(commit)}: ${outcomeText(tried)}`);
    return tried;
  }

  async #compared({ commit }: LineCommit, isBad: boolean): Promise<Tried> {
    this.#made += 1;
    try {
      const { exitCode, written } = await this.#compareVersions(this.#flagsFor(commit), () => undefined);
      if (exitCode === INTERRUPTED) {
        this.isInterrupted = true;
        return { kind: 'ended' };
      }
      const compared = written?.judgment.compared;
      const finding = this.#findingIn(compared === undefined ? [] : evidenceIn(compared, 'change'));
      if (finding === undefined && isBad) {
        throw new MeasurementError(`the comparison of the two ends has no figures ${this.#what()}`, {
          next: `See ${this.#out()}/report.md.`,
        });
      }
      return finding === undefined ? { kind: 'unmeasurable', why: `no figure ${this.#what()}` } : seenIn(finding);
    } catch (thrown) {
      // A machine that is not fit for measuring fails for every commit.
      if (isBad || !(thrown instanceof KnownError) || thrown instanceof EnvironmentError) {
        throw thrown;
      }
      return { kind: 'unmeasurable', why: thrown.brief };
    }
  }

  /** Once the change to follow is known, instructions are counted alone or not at all. */
  #flagsFor(head: string) {
    const { suite, service = this.target?.cell.service, metric = this.target?.metric, runtime, wait } = this.#flags;
    const profile = metric === 'instructionsPerRequest' ? 'instructions' : this.#flags.profile;
    const services = service === undefined ? undefined : [service];
    return {
      base: this.#line.good,
      head,
      suite,
      services,
      profile,
      runtime,
      wait,
      interleave: OPTIONS.interleave.usual,
      counts: metric === undefined || isCounted(metric),
      changedPolicy: this.target && following(this.target),
      // Profile only once: the next comparisons would only show it again.
      profiler: this.#made === 1 ? ('auto' as const) : ('none' as const),
      json: true,
      out: this.#out(),
    };
  }

  #out(): string {
    return join(this.#flags.out, String(this.#made));
  }

  #what(): string {
    const { service, metric } = this.#flags;
    const of = this.target?.metric ?? metric;
    return [of === undefined ? [] : `of ${of}`, service === undefined ? [] : `of ${service}`].flat().join(' ');
  }

  /** Finding of the followed metric, which the first comparison chooses. */
  #findingIn(findings: readonly Finding[]): Finding | undefined {
    const known = findings.filter(({ change: { low, high } }) => low !== undefined && high !== undefined);
    const { target } = this;
    if (target !== undefined) {
      return known.find(
        ({ cell, metric }) =>
          metric === target.metric &&
          cell.service === target.cell.service &&
          cell.operation === target.cell.operation &&
          cell.tier === target.cell.tier,
      );
    }
    const { metric, service } = this.#flags;
    const meant = known.filter(
      (finding) =>
        (metric === undefined ? finding.family === 'gate' : finding.metric === metric) &&
        (service === undefined || finding.cell.service === service),
    );
    const [surest] = meant.toSorted((left, right) => surenessOf(right) - surenessOf(left));
    this.target = surest;
    return surest;
  }
}

/**
 * The policy by which the followed change alone decides when a comparison ends. The limit is in the middle between good and bad commits. Metrics
 * that were not worse leave the default policy.
 */
function following({ cell, metric, better, change }: Finding): CompareFlags['changedPolicy'] {
  const { service, operation, tier } = cell;
  const threshold = worseness({ better }, change.estimate) / 2;
  const own = { service, operation, tier, metric, gate: true, threshold };
  return threshold > 0
    ? (usual) => ({
        ...usual,
        orStricter: undefined,
        budgets: [],
        thresholds: [...usual.thresholds, { gate: false }, own],
      })
    : undefined;
}

function seenIn({ better, change: { estimate, low = 0, high = 0 } }: Finding): Tried {
  const ends = [low, high].map((end) => worseness({ better }, end)).toSorted((left, right) => left - right);
  return { kind: 'seen', worse: worseness({ better }, estimate), low: ends[0] ?? 0, high: ends[1] ?? 0 };
}

/** Effect of a change for the worse, in half widths of its interval. */
function surenessOf(finding: Finding): number {
  const seen = seenIn(finding);
  return seen.kind === 'seen' ? seen.worse / Math.max(1e-6, (seen.high - seen.low) / 2) : 0;
}

interface BisectEnd extends Pick<BisectFlags, 'good' | 'bad' | 'budget'> {
  readonly line: CommitLine;
  readonly found: FirstWorse;
  /** Undefined if nothing was compared. */
  readonly target: Finding | undefined;
}

function nameOf({ commit, subject }: LineCommit): string {
  return `${shortCommit(commit)} ${cleanText(subject, 72)}`.trim();
}

function outcomeText(tried: Tried): string {
  switch (tried.kind) {
    case 'seen': {
      const { worse, low, high } = tried;
      return `${formatChange(worse)} worse, 95% interval ${formatChange(low)} to ${formatChange(high)}`;
    }
    case 'unmeasurable':
      return `cannot be compared: ${cleanText(tried.why, 200)}`;
    case 'ended':
      return 'comparison not finished';
  }
}

function bisectText(end: BisectEnd): string {
  const { line, found } = end;
  const { suspects, comparisons, skipped } = found;
  const shown = found.outcome !== 'same' && found.effect !== undefined;
  const commits = shown ? line.commits.slice(suspects.from - 1, suspects.to).map((one) => `  ${nameOf(one)}`) : [];
  const together = commits.length > 1 ? ['It is one of these: all but the last could not be compared.'] : [];
  const lost = skipped.size === 0 ? '' : `; ${counted(skipped.size, 'commit')} could not be compared`;
  return [headline(end), ...commits, ...together, `${counted(comparisons, 'comparison')}${lost}.`, ''].join('\n');
}

function headline({ good, bad, budget, found, target }: BisectEnd): string {
  const { outcome, effect, suspects } = found;
  const what = target === undefined ? 'the followed metric' : targetText(target);
  const { low, high } = effect === undefined ? { low: 0, high: 0 } : intervalOf(effect);
  const change = formatChange(Math.expm1(effect?.worse ?? 0));
  const size = effect && `${change} worse (95% interval ${formatChange(low)} to ${formatChange(high)})`;
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

function targetText({ cell: { service, operation, tier }, metric }: Finding): string {
  const isWhole = tier === SATURATION || tier === ALL_TIERS;
  const places = [operation === ALL_OPERATIONS ? '' : operation, isWhole ? '' : tier];
  const title = METRICS[metric as MetricName]?.title ?? metric;
  return `${[service, ...places].filter((part) => part !== '').join(', ')}: ${title}`;
}

function bisectData({ line, found, target }: BisectEnd): object {
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
