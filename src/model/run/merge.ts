import { ConfigError } from '../../foundation/errors.ts';
import { cellName } from '../metric.ts';
import type { Side } from '../rounds.ts';
import { isInRounds } from './comparison.ts';
import { unitedCounts } from './instructions.ts';
import {
  type AnswersRecord,
  MAX_CHANGED_ANSWERS,
  type MeasuredShard,
  type RoundsRecord,
  type ShardsRecord,
  servicesInOrder,
  shardText,
  storedOnce,
} from './rounds.ts';
import type { MainRun, Run, RunFile, RunInRounds } from './run.ts';

/** Fields that must be equal; each with its reader. */
type Fields<File> = readonly (readonly [name: string, read: (file: File) => unknown])[];

const SAME_OF_RUNS: Fields<Run> = [
  ['version of Wiregauge', (run) => run.wiregauge],
  ['suite', (run) => run.suite.name],
  ['configuration', (run) => run.configHash],
  ['profile', (run) => run.plan.profile.name],
  ['commit', (run) => `${run.commit.head ?? 'none'}${run.commit.dirty ? ' with changes' : ''}`],
  ['runtime', (run) => run.runtime.name],
  ['CPU model', (run) => run.runner.cpuModel],
  ['number of cores', (run) => String(run.runner.cores)],
];

/** Several runs as one: shards, other services, or further rounds, with continued numbers. Throws ConfigError if they do not belong together. */
export function mergeRuns(files: readonly [RunFile, ...RunFile[]]): Run {
  if (files.some(isOfShards)) {
    return mergeShards(files);
  }
  refuseTwice(files);
  const runs = files.map(mainRunOf);
  const [first, ...others] = files;
  for (const other of others) {
    refuseMixed(first, other);
  }
  return runs.reduce(joined);
}

function mainRunOf({ file, run }: RunFile): MainRun {
  if (isInRounds(run)) {
    throw new ConfigError(
      `${file} compares two versions in rounds, and rounds measured at another time cannot be added`,
      { code: 'WG-404', next: 'Give the comparison more time with --budget, or split it over jobs with --shard.' },
    );
  }
  return run;
}

/** Refuses a file given twice, whose rounds would count twice. */
function refuseTwice(files: readonly RunFile[]): void {
  const names = files.map(({ file }) => file);
  const twice = names.find((name, place) => names.indexOf(name) < place);
  if (twice !== undefined) {
    throw new ConfigError(`${twice} is given twice`, { code: 'WG-404', next: 'Pass each run once.' });
  }
}

function refuseMixed(first: RunFile, other: RunFile): void {
  const found = differenceIn(SAME_OF_RUNS, first.run, other.run);
  if (found !== undefined) {
    throw new ConfigError(`${first.file} and ${other.file} do not belong together: ${found}`, {
      code: 'WG-404',
      next: 'Merge only runs of the same code, configuration and kind of machine.',
    });
  }
}

/** First field that differs, with both values; undefined if all are equal. */
function differenceIn<File>(fields: Fields<File>, left: File, right: File): string | undefined {
  for (const [what, read] of fields) {
    const [one = '', other = ''] = [left, right].map((file) => JSON.stringify(read(file) ?? 'none'));
    if (one !== other) {
      return `${what} is ${short(one)} in one and ${short(other)} in the other`;
    }
  }
  return undefined;
}

/** Beginning of a text that may be long; the file contains all of it. */
function short(text: string): string {
  return text.length <= 100 ? text : `${text.slice(0, 100)}…`;
}

function joined(merged: MainRun, next: MainRun): MainRun {
  const lastRound = new Map<string, number>();
  for (const { cell, round } of merged.samples) {
    lastRound.set(cellName(cell), Math.max(round, lastRound.get(cellName(cell)) ?? 0));
  }
  const samples = next.samples.map((sample) => ({
    ...sample,
    round: sample.round + (lastRound.get(cellName(sample.cell)) ?? 0),
  }));
  const versus = merged.versus ?? next.versus;
  const instructions = unitedCounts([merged.instructions, next.instructions]);
  const microBenchmarks = [...(merged.microBenchmarks ?? []), ...(next.microBenchmarks ?? [])];
  const known = new Set(merged.services.map(({ name }) => name));
  return {
    ...merged,
    ...unitedTimes([merged, next]),
    services: [...merged.services, ...next.services.filter(({ name }) => !known.has(name))],
    complete: merged.complete && next.complete,
    samples: [...merged.samples, ...samples],
    failures: [...merged.failures, ...next.failures],
    ...(versus !== undefined && { versus }),
    ...(instructions !== undefined && { instructions }),
    ...(microBenchmarks.length > 0 && { microBenchmarks }),
  };
}

/** Times of several runs together, with the plan of the first. */
function unitedTimes(runs: readonly [Run, ...Run[]]): Pick<Run, 'startedAt' | 'plan' | 'spent'> {
  const [first] = runs;
  const sum = (read: (run: Run) => number) => runs.reduce((total, run) => total + read(run), 0);
  return {
    startedAt: runs.map(({ startedAt }) => startedAt).toSorted()[0] ?? first.startedAt,
    plan: { ...first.plan, plannedSeconds: sum(({ plan }) => plan.plannedSeconds) },
    spent: {
      totalSeconds: sum(({ spent }) => spent.totalSeconds),
      overheadSeconds: sum(({ spent }) => spent.overheadSeconds),
    },
  };
}

interface ShardFile {
  readonly file: string;
  readonly run: RunInRounds;
  readonly shard: Extract<ShardsRecord, { kind: 'shard' }>;
}

const SAME_OF_SHARDS: Fields<ShardFile> = [
  ['version of Wiregauge', ({ run }) => run.wiregauge],
  ['suite', ({ run }) => run.suite],
  ['number of shards', ({ shard }) => shard.of],
  ['division into shards', ({ shard }) => shard.services],
  ['base', ({ run }) => versionText(run.rounds.base)],
  ['head', ({ run }) => versionText(run.rounds.head)],
  ['configuration', ({ run }) => [run.configHash, run.rounds.base.configHash, run.rounds.head.configHash]],
  ['profile', ({ run }) => [run.rounds.profile, run.rounds.tiers]],
  ['order of the blocks', ({ run }) => run.rounds.interleave],
  ['time budget', ({ run }) => run.rounds.budgetSeconds],
  ['policy', ({ run }) => run.rounds.policy],
  ['runtime', ({ run }) => run.runtime.name],
  ['counter of instructions', ({ run }) => run.instructions?.counter],
];

export function isOfShards({ run }: RunFile): boolean {
  return run.rounds?.shards !== undefined;
}

/** Shards of one comparison as one run, in any order; a missing one is lost. Throws ConfigError for other files. */
export function mergeShards(files: readonly [RunFile, ...RunFile[]]): Run {
  const shards = files.map(shardFile);
  for (const [place, other] of shards.entries()) {
    for (const first of shards.slice(0, place)) {
      refuseMixedShards(first, other);
    }
  }
  const sorted = shards.toSorted((left, right) => left.shard.index - right.shard.index);
  const [first, ...others] = sorted;
  return first === undefined ? files[0].run : united([first, ...others]);
}

function shardFile({ file, run }: RunFile): ShardFile {
  const shards = run.rounds?.shards;
  if (!isInRounds(run) || shards === undefined) {
    throw new ConfigError(`${file} is not a shard of a comparison, but another file is`, {
      code: 'WG-404',
      next: 'Merge only the run.json files of the shards, which `wiregauge compare --shard` wrote.',
    });
  }
  if (shards.kind === 'merged') {
    throw new ConfigError(`${file} is merged already`, {
      code: 'WG-404',
      next: 'Pass the run.json of each shard instead.',
    });
  }
  return { file, run, shard: shards };
}

function refuseMixedShards(first: ShardFile, other: ShardFile): void {
  const files = `${first.file} and ${other.file}`;
  const found = differenceIn(SAME_OF_SHARDS, first, other);
  if (found !== undefined) {
    throw new ConfigError(`${files} are not shards of the same comparison: ${found}`, {
      code: 'WG-404',
      next: 'Merge the shards of one workflow run only.',
    });
  }
  if (first.shard.index === other.shard.index) {
    throw new ConfigError(`${files} are both shard ${shardText(first.shard)}`, {
      code: 'WG-404',
      next: 'Pass each shard once.',
    });
  }
}

function versionText({ ref: _ref, services: _services, sizes: _sizes, ...version }: RoundsRecord['base']): unknown {
  return version;
}

/** Sorted by index, so that the result does not depend on the order of the files. */
function united(shards: readonly [ShardFile, ...ShardFile[]]): RunInRounds {
  const [{ run: first, shard }] = shards;
  const order = servicesInOrder(shard);
  const runs = [first, ...shards.slice(1).map(({ run }) => run)] as const;
  const { calibration: _calibration, ...record } = first.rounds;
  const unbuilt = runs.flatMap(({ rounds }) => rounds.unbuilt ?? []);
  const identical = runs.flatMap(({ rounds }) => rounds.identical ?? []);
  return {
    ...first,
    ...unitedTimes([...runs]),
    services: inOrder(
      order,
      runs.flatMap(({ services }) => services),
      ({ name }) => name,
    ),
    complete: shards.length === shard.of && runs.every(({ complete }) => complete),
    rounds: {
      ...record,
      base: versionOf(shards, 'base', order),
      head: versionOf(shards, 'head', order),
      answers: answersOf(runs),
      ...storedOnce(runs.map(({ rounds }) => rounds)),
      rounds: shards.flatMap(({ run }) => run.rounds.rounds),
      ended: ENDS.find((end) => shards.some(({ run }) => run.rounds.ended === end)) ?? 'running',
      unbuilt: unbuilt.length > 0 ? unbuilt : undefined,
      identical: identical.length > 0 ? identical : undefined,
      decided: shards.flatMap(({ run }) => run.rounds.decided ?? []),
      shards: { kind: 'merged', of: shard.of, services: shard.services, measured: shards.map(measuredShard) },
    },
    instructions: unitedCounts(runs.map((run) => run.instructions)),
    calls: unitedLists(runs.map((run) => run.calls)),
    memoryGrowth: unitedLists(runs.map((run) => run.memoryGrowth)),
    profiler: unitedLists(runs.map((run) => run.profiler)),
    samples: runs.flatMap(({ samples }) => samples),
    failures: runs.flatMap(({ failures }) => failures),
  };
}

/** Records of lists as one, list by list; undefined if there are none. */
export function unitedLists<Lists extends object>(records: readonly (Lists | undefined)[]): Lists | undefined {
  const found = records.filter((record) => record !== undefined);
  const [first] = found;
  const lists = Object.keys(first ?? {}) as (keyof Lists)[];
  return first && (Object.fromEntries(lists.map((list) => [list, found.flatMap((one) => one[list])])) as Lists);
}

function answersOf(runs: readonly RunInRounds[]): AnswersRecord | undefined {
  const all = runs.flatMap(({ rounds }) => rounds.answers ?? []);
  return all.length === 0
    ? undefined
    : {
        requests: all.reduce((total, { requests }) => total + requests, 0),
        changed: all.flatMap(({ changed }) => changed).slice(0, MAX_CHANGED_ANSWERS),
      };
}

/** Base or head of the first shard, with the services and sizes of all. */
function versionOf(shards: readonly [ShardFile, ...ShardFile[]], side: Side, order: readonly string[]) {
  const versions = shards.map(({ run }) => run.rounds[side]);
  const services = versions.flatMap((version) => version.services);
  const sizes = versions.flatMap((version) => (version.sizes === undefined ? [] : [version.sizes]));
  return {
    ...shards[0].run.rounds[side],
    services: inOrder(order, services, (name) => name),
    ...(sizes.length > 0 && { sizes: Object.assign({}, ...sizes) }),
  };
}

function inOrder<Item>(
  order: readonly string[],
  items: readonly Item[],
  name: (item: Item) => string,
): readonly Item[] {
  return items.toSorted((left, right) => order.indexOf(name(left)) - order.indexOf(name(right)));
}

function measuredShard({ run, shard: { index } }: ShardFile): MeasuredShard {
  const { startedAt, seed, runner, spent } = run;
  const { ended, calibration } = run.rounds;
  return { index, startedAt, seed, runner, spent, ended, ...(calibration !== undefined && { calibration }) };
}

const ENDS: readonly RoundsRecord['ended'][] = ['running', 'interrupted', 'budget', 'rounds', 'decided'];
