import { counted, formatCount, formatDuration } from '../../foundation/numbers.ts';
import { wordList } from '../../foundation/text.ts';
import { isNothingToMeasure } from '../../judge/verdict/coverage.ts';
import { type ComparisonResult, isRegression, type RoundCount } from '../../judge/verdict/finding.ts';
import { isCounted } from '../../model/metric.ts';
import { referenceOf } from '../../model/run/comparison.ts';
import type { RoundRecord, RoundSeconds, RoundsRecord } from '../../model/run/rounds.ts';
import type { Text } from '../document.ts';
import { calibrationLine } from '../stored/calibration.ts';
import { notesOf } from '../views/notes.ts';
import { shardCalibrations, shardDesign, shardEnds } from './shards.ts';
import type { ComparisonView } from './view.ts';

interface RoundsReading {
  readonly rounds: readonly string[];
  readonly design: readonly Text[];
}

/** Reads the rounds of a comparison; without a run there is less to say, and without rounds nothing. */
export function readRounds(view: ComparisonView): RoundsReading {
  if (isNothingToMeasure(view.result)) {
    return { rounds: [], design: [] };
  }
  const record = view.run?.rounds;
  const counts = view.result.rounds.map((one) => countSentence(view, one));
  return {
    rounds:
      record === undefined
        ? counts
        : [
            ...countedSentences(view),
            ...counts,
            ...decidedSentence(view, record),
            ...recordSentences(record),
            ...failureSentences(view, record),
          ],
    design: designSentences(view),
  };
}

function countSentence({ labels }: ComparisonView, { service, kept, discarded, failed }: RoundCount): string {
  const parts = [
    `${counted(kept, 'round')} kept`,
    ...(discarded === 0 ? [] : [`${formatCount(discarded)} discarded and measured again`]),
    ...(failed === 0 ? [] : [`${formatCount(failed)} failed`]),
  ];
  return `${labels.service(service)}: ${parts.join(', ')}.`;
}

/** That some services ended before the others. */
function decidedSentence({ labels }: ComparisonView, { ended, decided = [] }: RoundsRecord): readonly string[] {
  const names = wordList(decided.map(labels.service));
  const whose =
    decided.length === 1
      ? 'its result was clear: the remaining time went'
      : 'their results were clear: the remaining time went';
  return ended === 'decided' || decided.length === 0 ? [] : [`${names} ended early, because ${whose} to the others.`];
}

function countedSentences({ run, labels }: ComparisonView): readonly string[] {
  if (run?.instructions === undefined) {
    return [];
  }
  const { counter, starts, stored = [], failures } = run.instructions;
  const { versus } = run.rounds;
  const services = [...new Set(starts.map(({ service }) => service))];
  return [
    ...services.map((name) => {
      const own = starts.filter(({ service }) => service === name);
      const windows = Math.max(...own.map(({ warmFrom = 0 }) => warmFrom));
      const warm = windows === 0 ? '' : `, after up to ${counted(windows, 'window')} of warm-up`;
      return `${labels.service(name)}: instructions counted in ${counted(own.length, 'start')} of both versions${warm}.`;
    }),
    ...stored.map(
      ({ service, commit, source }) =>
        `${labels.service(service)}: base counts are the stored ones of commit ${commit.slice(0, SHORT_COMMIT)} (${source}), not from this run.`,
    ),
    `Counted by Valgrind ${counter.version} (${counter.architecture}): compare only counts of the same version and architecture.`,
    ...failures.map(
      ({ service, side, ...failure }) =>
        `Not counted: ${versus === undefined ? `${labels.service(service)}, ${side}` : labels.service(side === 'base' ? referenceOf(versus, service) : service)}: ${reported(failure)}`,
    ),
  ];
}

const SHORT_COMMIT = 7;

function recordSentences(record: RoundsRecord): readonly string[] {
  if (record.profile.looks.length === 0) {
    return [];
  }
  const kept = record.rounds.filter(({ outcome }) => outcome === 'kept');
  const ends = shardEnds(record, (ended) => ENDED[ended](record)) ?? [`It ${ENDED[record.ended](record)}.`];
  return [...ends, ...contaminationSentences(kept, record.rounds), ...timeSentences(kept)];
}

const ENDED: Readonly<Record<RoundsRecord['ended'], (record: RoundsRecord) => string>> = {
  decided: () => 'ended early, because the result was clear',
  rounds: (record) =>
    isFinished(record)
      ? 'ended at the maximum number of rounds of the profile'
      : 'ended early, because a service kept failing',
  budget: ({ budgetSeconds }) => `ended when the time budget of ${formatDuration(budgetSeconds)} was used up`,
  interrupted: () => 'was interrupted; the rounds measured until then are judged',
  running: () => 'was still running when the file was written',
};

function isFinished({ rounds, profile, decided = [] }: RoundsRecord): boolean {
  const last = profile.looks.at(-1)?.rounds ?? 0;
  const services = [...new Set(rounds.map(({ service }) => service))].filter((service) => !decided.includes(service));
  return services.every(
    (name) => rounds.filter(({ service, outcome }) => service === name && outcome === 'kept').length >= last,
  );
}

/** Parts of the wall time of a typical round, most first; unknown for files of earlier versions. */
function timeSentences(kept: readonly RoundRecord[]): readonly string[] {
  const known = kept.flatMap(({ seconds }) => seconds ?? []);
  const spent = (part: keyof RoundSeconds) => known.reduce((sum, seconds) => sum + seconds[part], 0);
  const total = spent('total');
  if (total === 0) {
    return [];
  }
  const planned = kept.flatMap(({ seconds, plannedSeconds }) => (seconds === undefined ? [] : (plannedSeconds ?? [])));
  const plan =
    planned.length < known.length
      ? ''
      : ` (planned ${(planned.reduce((sum, seconds) => sum + seconds, 0) / known.length).toFixed(1)} s)`;
  const measured = spent('measured') + spent('dropped') + spent('drain');
  const others = Object.entries(PARTS)
    .map(([part, words]) => ({ words, part: spent(part as keyof typeof PARTS) / total }))
    .filter(({ part }) => part >= 0.005)
    .toSorted((left, right) => right.part - left.part)
    .map(({ words, part }) => `${wholeShare(part)} ${words}`);
  return [
    `A round took ${(total / known.length).toFixed(1)} s on average${plan}: ${wholeShare(measured / total)} measured, from the first request of each block to its last answer; ${others.join(', ')}.`,
  ];
}

function wholeShare(value: number): string {
  return `${Math.round(value * 100)}%`;
}

const PARTS: Readonly<Record<Exclude<keyof RoundSeconds, 'total' | 'measured' | 'dropped' | 'drain'>, string>> = {
  warmUp: 'warm-up',
  start: 'start',
  ready: 'waiting until ready',
  verify: 'verifying answers',
  counters: 'reading counters',
  turns: 'switching between blocks',
  control: 'control loop',
  growth: 'checking whether answers grow',
  records: 'reading records',
  stop: 'stop',
  other: 'the rest',
};

/** Two different machines in one round are what discards it. */
function contaminationSentences(kept: readonly RoundRecord[], all: readonly RoundRecord[]): readonly string[] {
  const most = (rounds: readonly RoundRecord[]) =>
    rounds.reduce<number | undefined>(
      (found, { contamination = -1 }) => (contamination > (found ?? -1) ? contamination : found),
      undefined,
    );
  const inKept = most(kept);
  const inOthers = most(all.filter(({ outcome }) => outcome === 'discarded'));
  return inKept === undefined
    ? []
    : [
        `Machine speed drifted by up to ${share(inKept)} within kept rounds${inOthers === undefined ? '' : ` and ${share(inOthers)} within discarded ones`}.`,
      ];
}

function share(value: number): string {
  return `${(value * 100).toFixed(1)}%`;
}

function failureSentences({ run, labels }: ComparisonView, record: RoundsRecord): readonly string[] {
  const rounds = record.rounds.flatMap(({ service, round, failure }) => {
    if (failure === undefined) {
      return [];
    }
    const side = failure.side === undefined ? '' : `, ${failure.side}`;
    return [`${labels.service(service)}, round ${round}${side}: ${reported(failure)}`];
  });
  const slots = (run?.failures ?? []).map(
    ({ service, tier, round, message, next }) =>
      `${labels.service(service)} at ${labels.tier(tier)}, round ${round}: ${reported({ message, next })}`,
  );
  return [...rounds, ...slots].map((sentence) => `Failed: ${sentence}`);
}

function reported({ message, next }: NonNullable<RoundRecord['failure']>): string {
  const stopped = /[.!?]$/.test(message.trimEnd()) ? message : `${message}.`;
  return next === undefined ? stopped : `${stopped} ${next}`;
}

/** An estimate that helped to end its comparison is a lucky one. */
function earlySentence({ result, run }: ComparisonView): readonly string[] {
  const last = run?.rounds.profile.looks.at(-1)?.rounds ?? 0;
  return result.findings.some((finding) => isRegression(finding) && finding.rounds < last)
    ? ['Regressions found at an early look tend to be overestimated: trust the interval more than the estimate.']
    : [];
}

function designSentences(view: ComparisonView): readonly Text[] {
  const { result, run } = view;
  const alpha = `${per100(result.alpha)}%`;
  const shards = run?.rounds.shards;
  const floor = run?.rounds.policy.floor;
  const worse = floor === undefined ? 'worse' : `worse by more than ${per100(floor)}%`;
  const looks =
    result.looks.length === 0
      ? ''
      : ` Tested after ${wordList(result.looks.map(String))} rounds; the ${alpha} is split across these interim tests.`;
  const timed = result.findings.filter(({ metric }) => !isCounted(metric));
  const watched = timed.length - result.gateSize;
  return [
    ...(result.gateSize === 0 ? [] : [`${falseAlarms(result, worse)}${looks}`]),
    ...(timed.length < result.findings.length ? [COUNTED_DESIGN] : []),
    ...serviceDesign(view),
    ...shardDesign({ shards }),
    ...(result.errors.length === 0
      ? []
      : [
          `Errors are tested separately, with ${per100(result.alpha / 10 / (shards?.kind === 'shard' ? shards.of : 1))}% on top for all services and loads together.`,
        ]),
    ...(watched === 0
      ? []
      : [
          `${counted(watched, 'further comparison')} can never fail a pull request; they are tested as a separate family.`,
        ]),
    ...notesOf(view).remarks,
    '“Detectable” is the smallest slowdown that these rounds would have found 9 times in 10. Each interval is a 95% interval over all looks.',
    ...earlySentence(view),
    ...(run?.rounds.calibration === undefined ? [] : [calibrationLine(run.rounds.calibration)]),
    ...shardCalibrations({ shards }),
    [{ words: 'How verdicts are decided', document: 'docs/statistics.md' }],
  ];
}

function falseAlarms({ alpha, gateSize, interleaved }: ComparisonResult, worse: string): string {
  const most = `At most ${per100(alpha)}% of pull requests in which nothing is ${worse} fail, across ${counted(gateSize, 'comparison')}`;
  return interleaved === false
    ? `${most}, if versions are measured in turns. Here, one was measured after the other, so there may be more.`
    : `${most}.`;
}

const COUNTED_DESIGN =
  'Instructions and system calls are counted, not timed. Counts do not show kernel time, waiting, locks, cache misses or parallelism; rounds do. If both are measured, counts get a fifth of the false-alarm rate, and rounds the rest.';

function serviceDesign({ run }: ComparisonView): readonly string[] {
  const { base, head } = run?.rounds ?? { base: undefined, head: undefined };
  const both = (head?.services ?? []).filter((service) => base?.services.includes(service));
  return both.length < 2
    ? []
    : [
        `Each of the ${both.length} services is tested separately with an equal part of that rate, so it can end as soon as its own result is clear.`,
      ];
}

function per100(part: number): number {
  return Number((part * 100).toPrecision(3));
}
