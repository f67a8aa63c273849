import { counted, formatCount, formatDuration } from '../../foundation/numbers.ts';
import { median } from '../../foundation/statistics.ts';
import { shortCommit, wordList } from '../../foundation/text.ts';
import { isNothingToMeasure } from '../../judge/verdict/coverage.ts';
import { type ComparisonResult, evidenceIn, isRegression } from '../../judge/verdict/finding.ts';
import { isCounted } from '../../model/metric.ts';
import { SATURATION_BLOCK_SECONDS } from '../../model/rounds.ts';
import { isTooSlowToCount } from '../../model/run/instructions.ts';
import {
  type RoundRecord,
  type RoundSeconds,
  type RoundsRecord,
  type ShardsRecord,
  shardText,
} from '../../model/run/rounds.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import { runnerClass } from '../../model/runner.ts';
import type { Table, Text } from '../document.ts';
import { calibrationLine } from '../stored/calibration.ts';
import { type Fact, factsOf, startOf } from '../views/facts.ts';
import type { Labels } from '../views/run-view.ts';
import type { ComparisonView } from './view.ts';
import { failureText, percentText } from './words.ts';

/** Number of rounds of each service; empty without rounds. */
export function roundsTable({ result, labels }: ComparisonView): Table {
  return {
    kind: 'table',
    caption: 'Rounds',
    columns: ['', 'kept', 'discarded', 'failed'],
    rows: isNothingToMeasure(result)
      ? []
      : result.rounds.map(({ service, kept, discarded, failed }) => ({
          head: labels.service(service),
          cells: [kept, discarded, failed].map(formatCount),
        })),
  };
}

/** End and length of the rounds, drift of the machine, and counter of instructions. */
export function roundFacts({ run, result, labels }: ComparisonView): readonly Fact[] {
  if (run === undefined) {
    return [];
  }
  const { profile, rounds, decided = [], ended, shards, unbuilt } = run.rounds;
  const hasLooks = profile.looks.length > 0 && unbuilt === undefined && !isNothingToMeasure(result);
  const kept = rounds.filter(({ outcome }) => outcome === 'kept');
  const early = ended === 'decided' ? [] : decided.map(labels.service);
  const ends =
    shards?.kind === 'merged'
      ? shards.measured.map((one) => ({ name: shardName(shards, one.index), value: endText(run.rounds, one.ended) }))
      : [{ name: 'Ended', value: endText(run.rounds, ended) }];
  return [
    ...countFacts(run, labels),
    ...(hasLooks ? ends : []),
    ...(early.length === 0 ? [] : [{ name: 'Decided early', value: wordList(early) }]),
    ...driftFact(kept, rounds),
    ...timeFact(kept),
  ];
}

function countFacts({ instructions }: RunInRounds, labels: Labels): readonly Fact[] {
  if (instructions === undefined) {
    return [];
  }
  const { counter, starts, stored = [] } = instructions;
  const most = Math.max(0, ...[...Map.groupBy(starts, ({ service }) => service).values()].map((own) => own.length));
  const value = `Valgrind ${counter.version} (${counter.architecture}), ${counted(most, 'start')} of both versions`;
  return [
    ...(most === 0 ? [] : [{ name: 'Counts', value }]),
    ...stored.map(({ service, commit, source }) => ({
      name: `Base counts of ${labels.service(service)}`,
      value: `stored ones of commit ${shortCommit(commit)} (${source})`,
    })),
  ];
}

function endText(record: RoundsRecord, ended: RoundsRecord['ended']): string {
  switch (ended) {
    case 'decided':
      return 'early, because the result was clear';
    case 'rounds':
      return isFinished(record) ? 'at the maximum number of rounds' : 'early, because a service kept failing';
    case 'budget':
      return `by the time budget of ${formatDuration(record.budgetSeconds)}`;
    case 'interrupted':
      return 'interrupted';
    case 'running':
      return 'still running when the file was written';
  }
}

function isFinished({ rounds, profile, decided = [] }: RoundsRecord): boolean {
  const last = profile.looks.at(-1)?.rounds ?? 0;
  const services = [...new Set(rounds.map(({ service }) => service))].filter((service) => !decided.includes(service));
  return services.every(
    (name) => rounds.filter(({ service, outcome }) => service === name && outcome === 'kept').length >= last,
  );
}

/** Mean wall time of a round; unknown for files of earlier versions. */
function timeFact(kept: readonly RoundRecord[]): readonly Fact[] {
  const known = kept.flatMap(({ seconds }) => seconds ?? []);
  const sum = (of: (seconds: RoundSeconds) => number) => known.reduce((total, seconds) => total + of(seconds), 0);
  const total = sum((seconds) => seconds.total);
  const measured = sum(({ measured: own, dropped, drain }) => own + dropped + drain);
  const share = `${Math.round((100 * measured) / total)}%`;
  return total === 0
    ? []
    : [
        {
          name: 'Time of a round',
          value: `${(total / known.length).toFixed(1)} s on average, ${share} of it measured`,
        },
      ];
}

/** A round is discarded if the machine differs between its versions. */
function driftFact(kept: readonly RoundRecord[], all: readonly RoundRecord[]): readonly Fact[] {
  const most = (rounds: readonly RoundRecord[]) => {
    const found = rounds.flatMap(({ contamination }) => contamination ?? []);
    return found.length === 0 ? undefined : `${(100 * Math.max(...found)).toFixed(1)}%`;
  };
  const inOthers = most(all.filter(({ outcome }) => outcome === 'discarded'));
  const others = inOthers === undefined ? '' : `, up to ${inOthers} within discarded ones`;
  const inKept = most(kept);
  return inKept === undefined
    ? []
    : [{ name: 'Drift of the machine', value: `up to ${inKept} within kept rounds${others}` }];
}

/** Rounds and slots that failed, and services that were not counted, with the reason and the next step. */
export function failureItems({ run, labels }: ComparisonView): readonly string[] {
  const rounds = (run?.rounds.rounds ?? []).flatMap(({ service, round, failure }) => {
    const side = failure?.side === undefined ? '' : `, ${failure.side}`;
    return failure === undefined ? [] : [`${labels.service(service)}, round ${round}${side}: ${failureText(failure)}`];
  });
  const slots = (run?.failures ?? []).map(
    ({ service, tier, round, message, next }) =>
      `${labels.service(service)} at ${labels.tier(tier)}, round ${round}: ${failureText({ message, next })}`,
  );
  const failed = (run?.instructions?.failures ?? []).filter((failure) => !isTooSlowToCount(failure));
  const counts = failed.map(
    ({ service, side, ...failure }) =>
      `${labels.service(service)}${side === undefined ? '' : `, ${side}`}: ${failureText(failure)}`,
  );
  return [
    ...[...rounds, ...slots].map((sentence) => `Failed: ${sentence}`),
    ...counts.map((sentence) => `Not counted: ${sentence}`),
  ];
}

/** An estimate that helped to end its comparison tends to be too large. */
function earlySentence({ findings, run }: ComparisonView): readonly string[] {
  const last = run?.rounds.profile.looks.at(-1)?.rounds ?? 0;
  return findings.some((finding) => isRegression(finding) && finding.rounds < last)
    ? ['Regressions found at an early test tend to be overestimated: trust the interval more than the estimate.']
    : [];
}

function calibrations({ shards, calibration }: RoundsRecord): readonly string[] {
  return [
    ...(calibration === undefined ? [] : [calibrationLine(calibration)]),
    ...(shards?.kind === 'merged' ? shards.measured : []).flatMap((one) =>
      one.calibration && shards ? `${shardName(shards, one.index)}: ${calibrationLine(one.calibration)}` : [],
    ),
  ];
}

/** Design of the tests: how often a verdict may be wrong, and its limits. */
export function confidenceItems(view: ComparisonView, remarks: readonly string[]): readonly Text[] {
  const { result, run, findings } = view;
  if (isNothingToMeasure(result)) {
    return [];
  }
  const { shards, policy, base, head } = run?.rounds ?? {};
  const floor = policy?.floor;
  const worse = floor === undefined ? 'worse' : `worse by more than ${percentText(floor)}`;
  const looks =
    result.looks.length < 2
      ? ''
      : ` The ${percentText(result.alpha)} is split across tests after ${wordList(result.looks.map(String))} rounds.`;
  const timed = findings.filter(({ metric }) => !isCounted(metric));
  const watched = timed.length - result.gateSize;
  const services = (head?.services ?? []).filter((service) => base?.services.includes(service)).length;
  return [
    ...(result.gateSize === 0 ? [] : [`${falseAlarms(result, worse)}${looks}`]),
    ...(timed.length < findings.length ? [COUNTED_DESIGN] : []),
    ...(services < 2
      ? []
      : [`Each of the ${services} services is tested separately, with an equal part of that rate.`]),
    ...(shards === undefined || shards.of === 1
      ? []
      : [`Each of the ${shards.of} jobs is tested separately, with 1/${shards.of} of that rate.`]),
    ...(evidenceIn(result, 'errors').length === 0
      ? []
      : [
          `Errors are tested separately, with ${percentText(result.alpha / 10 / (shards?.kind === 'shard' ? shards.of : 1))} on top for all services and loads together.`,
        ]),
    ...(watched === 0 ? [] : [`${counted(watched, 'further comparison')} cannot fail a pull request.`]),
    ...remarks,
    '“Detectable” is the smallest slowdown that these rounds would have found 9 times in 10. Each interval is a 95% interval over all tests.',
    ...earlySentence(view),
    ...(run === undefined ? [] : calibrations(run.rounds)),
    [{ words: 'How verdicts are decided', document: 'docs/statistics.md' }],
  ];
}

function falseAlarms({ alpha, gateSize, interleaved }: ComparisonResult, worse: string): string {
  const most = `At most ${percentText(alpha)} of pull requests in which nothing is ${worse} fail, across ${counted(gateSize, 'comparison')}`;
  return interleaved === false
    ? `${most}, if versions are measured in turns. Here, one was measured after the other, so there may be more.`
    : `${most}.`;
}

const COUNTED_DESIGN =
  'Instructions and system calls are counted, not timed. Counts do not show kernel time, waiting, locks, cache misses or parallelism; rounds do. If both are measured, counts get a fifth of the false-alarm rate, and rounds the rest.';

/** Number of this shard, or the machine of each shard. */
function shardFacts({ shards }: Pick<RoundsRecord, 'shards'>): readonly Fact[] {
  if (shards === undefined) {
    return [];
  }
  if (shards.kind === 'shard') {
    return [
      { name: 'Shard', value: `${shardName(shards, shards.index)}; the other jobs' results are not in this report` },
    ];
  }
  return shards.measured.map(({ index, runner, seed, startedAt }) => ({
    name: shardName(shards, index),
    value: `${runnerClass(runner)}, ${runner.cpuModel}, kernel ${runner.kernel}; started ${startOf({ startedAt })}, seed ${seed}`,
  }));
}

export function shardName({ of, services }: Pick<ShardsRecord, 'of' | 'services'>, index: number): string {
  return `Shard ${shardText({ index, of })} (${wordList([...(services[index - 1] ?? [])])})`;
}

/** Compared versions, the base first; empty for values that were measured elsewhere. */
export function versionFacts(view: ComparisonView): readonly Fact[] {
  const record = view.run?.rounds;
  return record === undefined
    ? []
    : [
        { name: 'Base', value: versionText(record.base) },
        { name: 'Head', value: versionText(record.head) },
      ];
}

/** Facts that differ between the shards of a merged comparison. */
const OF_SHARDS = new Set(['Seed', 'Runner', 'System', 'Cores']);

/** Facts of a run that describe one version or the main job's plan. */
const REPLACED = new Set(['Commit', 'Configuration hash', 'Profile', 'Modes']);

/** Everything that could shift a number of the comparison, besides its versions. */
export function comparisonFacts(view: ComparisonView): readonly Fact[] {
  const { run } = view;
  if (run === undefined) {
    return [];
  }
  const { base, head, budgetSeconds, shards, versus } = run.rounds;
  const isMerged = shards?.kind === 'merged';
  return [
    ...(versus === undefined ? [] : [{ name: 'Measured', value: versionText(base) }]),
    {
      name: 'Configuration hash',
      value: base.configHash === head.configHash ? base.configHash : `${base.configHash} and ${head.configHash}`,
    },
    ...profileFacts(run.rounds),
    { name: 'Time budget', value: formatDuration(budgetSeconds) },
    ...jvmFacts(run.rounds),
    ...shardFacts({ shards }),
    ...factsOf(run).filter(({ name }) => !(REPLACED.has(name) || (isMerged && OF_SHARDS.has(name)))),
  ];
}

function profileFacts({ interleave, profile, versus }: RoundsRecord): readonly Fact[] {
  const side = versus === undefined ? 'version' : 'service';
  if (profile.looks.length === 0) {
    return [{ name: 'Profile', value: `${profile.name}, counted in starts of both ${side}s, without rounds` }];
  }
  const shortest = SATURATION_BLOCK_SECONDS[0];
  const lengths = [
    `${profile.saturationSeconds} s per ${side} at saturation, in blocks of ${shortest} s, longer for slow answers`,
    `${counted(profile.tierBlocks, 'block')} of ${profile.tierBlockSeconds} s per ${side} at each tier`,
    `the first ${profile.dropSeconds} s of a block dropped`,
  ];
  return [
    { name: 'Profile', value: `${profile.name}, ${lengths.join(', ')}` },
    {
      name: 'Order',
      value: `${interleave === 'blocks' ? `both ${side}s up, loaded in short alternating blocks` : `one ${side} up at a time`}; a seeded coin flip per round decides which goes first`,
    },
  ];
}

function jvmFacts({ rounds }: RoundsRecord): readonly Fact[] {
  const compiled = rounds.filter(({ compiler, outcome }) => compiler !== undefined && outcome === 'kept');
  return [...Map.groupBy(compiled, ({ service }) => service)].map(([name, own]) => {
    const seconds = formatDuration(median(own.map((round) => round.seconds?.warmUp ?? 0)) ?? 0);
    return {
      name: `JVM programs of ${name}`,
      value: `compile with C1 alone (-XX:TieredStopAtLevel=1); warm-up ${seconds} a round`,
    };
  });
}

function versionText({ ref, commit, dirty, subject }: RoundsRecord['base']): string {
  const short = commit === undefined ? '' : ` ${shortCommit(commit)}`;
  const changed = dirty ? ', with uncommitted changes' : '';
  const title = subject === undefined ? '' : ` (${subject})`;
  return `${ref}${ref === commit ? '' : short}${title}${changed}`;
}
