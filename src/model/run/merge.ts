import { ConfigError } from '../../foundation/errors.ts';
import { cellName } from '../metric.ts';
import { isInRounds } from './comparison.ts';
import { unitedProfilers } from './functions.ts';
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

/** Fields that must be equal in merged runs. */
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
  const [first, ...others] = files;
  const run = mainRunOf(first);
  const nexts = others.map((other) => {
    const next = mainRunOf(other);
    refuseMixed(first, other);
    return next;
  });
  return nexts.reduce(joined, run);
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
    startedAt: [merged.startedAt, next.startedAt].sort()[0] ?? merged.startedAt,
    services: [...merged.services, ...next.services.filter(({ name }) => !known.has(name))],
    plan: { ...merged.plan, plannedSeconds: merged.plan.plannedSeconds + next.plan.plannedSeconds },
    spent: {
      totalSeconds: merged.spent.totalSeconds + next.spent.totalSeconds,
      overheadSeconds: merged.spent.overheadSeconds + next.spent.overheadSeconds,
    },
    complete: merged.complete && next.complete,
    samples: [...merged.samples, ...samples],
    failures: [...merged.failures, ...next.failures],
    ...(versus !== undefined && { versus }),
    ...(instructions !== undefined && { instructions }),
    ...(microBenchmarks.length > 0 && { microBenchmarks }),
  };
}

interface ShardFile {
  readonly file: string;
  readonly run: RunInRounds;
  readonly shard: Extract<ShardsRecord, { kind: 'shard' }>;
}

/** Fields that must be equal in the shards of one comparison. */
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
  const runs = shards.map(({ run }) => run);
  const sum = (read: (run: Run) => number) => runs.reduce((total, run) => total + read(run), 0);
  const { calibration: _calibration, ...record } = first.rounds;
  const unbuilt = runs.flatMap(({ rounds }) => rounds.unbuilt ?? []);
  const identical = runs.flatMap(({ rounds }) => rounds.identical ?? []);
  return {
    ...first,
    startedAt: runs.map(({ startedAt }) => startedAt).toSorted()[0] ?? first.startedAt,
    services: inOrder(
      order,
      runs.flatMap(({ services }) => services),
      ({ name }) => name,
    ),
    plan: { ...first.plan, plannedSeconds: sum(({ plan }) => plan.plannedSeconds) },
    spent: {
      totalSeconds: sum(({ spent }) => spent.totalSeconds),
      overheadSeconds: sum(({ spent }) => spent.overheadSeconds),
    },
    complete: shards.length === shard.of && runs.every(({ complete }) => complete),
    rounds: {
      ...record,
      base: { ...record.base, services: servicesOf(shards, 'base', order), ...sizesOf(shards, 'base') },
      head: { ...record.head, services: servicesOf(shards, 'head', order), ...sizesOf(shards, 'head') },
      answers: answersOf(runs),
      ...storedOnce(runs.map(({ rounds }) => rounds)),
      rounds: shards.flatMap(({ run }) => run.rounds.rounds),
      ended: ENDS.find((end) => shards.some(({ run }) => run.rounds.ended === end)) ?? 'running',
      unbuilt: unbuilt.length > 0 ? unbuilt : undefined,
      identical: identical.length > 0 ? identical : undefined,
      decided: shards.flatMap(({ run }) => run.rounds.decided ?? []),
      shards: { kind: 'merged', of: shard.of, services: shard.services, measured: shards.map(measuredShard) },
    },
    ...unitedParts(runs),
    samples: runs.flatMap(({ samples }) => samples),
    failures: runs.flatMap(({ failures }) => failures),
  };
}

function unitedParts(
  runs: readonly RunInRounds[],
): Pick<RunInRounds, 'instructions' | 'calls' | 'memoryGrowth' | 'profiler'> {
  const calls = runs.flatMap((run) => run.calls ?? []);
  const growth = runs.flatMap((run) => run.memoryGrowth ?? []);
  return {
    instructions: unitedCounts(runs.map((run) => run.instructions)),
    profiler: unitedProfilers(runs.map((run) => run.profiler)),
    ...(calls.length > 0 && {
      calls: { starts: calls.flatMap(({ starts }) => starts), failures: calls.flatMap(({ failures }) => failures) },
    }),
    ...(growth.length > 0 && {
      memoryGrowth: { starts: growth.flatMap((one) => one.starts), missing: growth.flatMap((one) => one.missing) },
    }),
  };
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

function sizesOf(shards: readonly ShardFile[], side: 'base' | 'head'): Pick<RoundsRecord['base'], 'sizes'> {
  const all = shards.map(({ run }) => run.rounds[side].sizes);
  return all.some((sizes) => sizes !== undefined) ? { sizes: Object.assign({}, ...all) } : {};
}

function servicesOf(shards: readonly ShardFile[], side: 'base' | 'head', order: readonly string[]): readonly string[] {
  return inOrder(
    order,
    shards.flatMap(({ run }) => run.rounds[side].services),
    (name) => name,
  );
}

function inOrder<Item>(
  order: readonly string[],
  items: readonly Item[],
  name: (item: Item) => string,
): readonly Item[] {
  return items.toSorted((left, right) => order.indexOf(name(left)) - order.indexOf(name(right)));
}

function measuredShard({ run, shard }: ShardFile): MeasuredShard {
  const { startedAt, seed, runner, spent, rounds } = run;
  const { ended, calibration } = rounds;
  return {
    index: shard.index,
    startedAt,
    seed,
    runner,
    spent,
    ended,
    ...(calibration !== undefined && { calibration }),
  };
}

const ENDS: readonly RoundsRecord['ended'][] = ['running', 'interrupted', 'budget', 'rounds', 'decided'];
