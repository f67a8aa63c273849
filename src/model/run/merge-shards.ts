import { ConfigError } from '../../foundation/errors.ts';
import type { Run } from './run.ts';
import type { RunFile } from './run-file.ts';
import type { RoundsRecord } from './run-rounds.ts';
import { type MeasuredShard, type ShardsRecord, servicesInOrder, shardText } from './shards.ts';

/** The file of one shard. */
interface ShardFile {
  readonly file: string;
  readonly run: Run;
  readonly rounds: RoundsRecord;
  readonly shard: Extract<ShardsRecord, { kind: 'shard' }>;
}

/** What must be equal in the shards of one comparison; each with how to read it. */
const SAME_OF_SHARDS: readonly (readonly [string, (file: ShardFile) => unknown])[] = [
  ['version of Wiregauge', ({ run }) => run.wiregauge],
  ['suite', ({ run }) => run.suite],
  ['number of shards', ({ shard }) => shard.of],
  ['division into shards', ({ shard }) => shard.services],
  ['base', ({ rounds }) => versionText(rounds.base)],
  ['head', ({ rounds }) => versionText(rounds.head)],
  ['configuration', ({ run, rounds }) => [run.configHash, rounds.base.configHash, rounds.head.configHash]],
  ['profile', ({ rounds }) => [rounds.profile, rounds.tiers]],
  ['order of the blocks', ({ rounds }) => rounds.interleave],
  ['time budget', ({ rounds }) => rounds.budgetSeconds],
  ['policy', ({ rounds }) => rounds.policy],
  ['runtime', ({ run }) => run.runtime.name],
];

/** Whether a run is the share of a comparison, or such shares merged. */
export function isOfShards({ run }: RunFile): boolean {
  return run.rounds?.shards !== undefined;
}

/**
 * Shards of one comparison as one run, whatever the order of the files. A shard of which there is no file is lost, which the run
 * remembers. Throws ConfigError, naming both files, for two of the same shard and for shards of different comparisons.
 */
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
  const { rounds } = run;
  const shards = rounds?.shards;
  if (rounds === undefined || shards === undefined) {
    throw new ConfigError(`${file} is no shard of a comparison, as another file is`, {
      next: 'Merge the run.json of the shards alone: those that `wiregauge compare --shard` left.',
    });
  }
  if (shards.kind === 'merged') {
    throw new ConfigError(`${file} is merged already`, { next: 'Give the run.json of each shard instead.' });
  }
  return { file, run, rounds, shard: shards };
}

function refuseMixedShards(first: ShardFile, other: ShardFile): void {
  const files = `${first.file} and ${other.file}`;
  for (const [what, read] of SAME_OF_SHARDS) {
    const [left, right] = [JSON.stringify(read(first)), JSON.stringify(read(other))];
    if (left !== right) {
      throw new ConfigError(
        `${files} are no shards of one comparison: ${what} is ${short(left)} in one and ${short(right)} in the other`,
        {
          next: 'Merge the shards of one workflow run only.',
        },
      );
    }
  }
  if (first.shard.index === other.shard.index) {
    throw new ConfigError(`${files} are both shard ${shardText(first.shard)}`, {
      next: 'Give each shard once.',
    });
  }
}

/** Long texts differ somewhere; the file says where. */
function short(text: string): string {
  return text.length <= 100 ? text : `${text.slice(0, 100)}…`;
}

function versionText({ ref: _ref, services: _services, ...version }: RoundsRecord['base']): unknown {
  return version;
}

/** Sorted by index, so that the first is the same one whatever came first. */
function united(shards: readonly [ShardFile, ...ShardFile[]]): Run {
  const [{ run: first, rounds, shard }] = shards;
  const order = servicesInOrder(shard);
  const runs = shards.map(({ run }) => run);
  const sum = (read: (run: Run) => number) => runs.reduce((total, run) => total + read(run), 0);
  const { calibration: _calibration, ...record } = rounds;
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
      base: { ...record.base, services: servicesOf(shards, 'base', order) },
      head: { ...record.head, services: servicesOf(shards, 'head', order) },
      rounds: shards.flatMap((one) => one.rounds.rounds),
      ended: leastPlanned(shards),
      shards: { kind: 'merged', of: shard.of, services: shard.services, measured: shards.map(measuredShard) },
    },
    samples: runs.flatMap(({ samples }) => samples),
    failures: runs.flatMap(({ failures }) => failures),
  };
}

function servicesOf(shards: readonly ShardFile[], side: 'base' | 'head', order: readonly string[]): readonly string[] {
  return inOrder(
    order,
    shards.flatMap(({ rounds }) => rounds[side].services),
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

/** What each shard has of its own. */
function measuredShard({ run, rounds, shard }: ShardFile): MeasuredShard {
  const { startedAt, seed, runner, spent } = run;
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

/** What a reader must know first. */
const ENDS: readonly RoundsRecord['ended'][] = ['running', 'interrupted', 'budget', 'rounds', 'decided'];

function leastPlanned(shards: readonly ShardFile[]): RoundsRecord['ended'] {
  return ENDS.find((end) => shards.some(({ rounds }) => rounds.ended === end)) ?? 'running';
}
