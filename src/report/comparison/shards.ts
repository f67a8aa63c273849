import { counted, formatDuration } from '../../foundation/numbers.ts';
import { median } from '../../foundation/statistics.ts';
import { wordList } from '../../foundation/text.ts';
import { SATURATION_BLOCK_SECONDS } from '../../model/rounds.ts';
import { type RoundsRecord, type ShardsRecord, shardText } from '../../model/run/rounds.ts';
import { runnerClass } from '../../model/runner.ts';
import { type Fact, factsOf, startOf } from '../views/facts.ts';
import type { ComparisonView } from './view.ts';
import { serviceName } from './words.ts';

/** Services whose shard was lost, for the middle of a line; undefined if none was. */
export function lostShardsClause(view: ComparisonView): string | undefined {
  const lost = view.losses.filter(({ reason }) => reason === 'shard-lost');
  const names = [...new Set(lost.map(({ cell }) => serviceName(view, cell.service)))];
  const which = wordList(names, 3);
  return names.length === 0
    ? undefined
    : `${which} ${names.length === 1 ? 'is not judged: its shard was' : 'are not judged: their shards were'} lost`;
}

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

/** Name of a shard with its services. */
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

/** Facts that each shard of a merged comparison has of its own. */
const OF_SHARDS = new Set(['Seed', 'Runner', 'System', 'Cores']);

/** Facts of a run that speak of one version or of the main job's plan. */
const REPLACED = new Set(['Commit', 'Configuration hash', 'Profile', 'Modes']);

/** All that could move a number of the comparison. */
export function comparisonFacts(view: ComparisonView): readonly Fact[] {
  const { run } = view;
  if (run === undefined) {
    return [];
  }
  const { base, head, budgetSeconds, shards, versus } = run.rounds;
  const isMerged = shards?.kind === 'merged';
  return [
    ...(versus === undefined ? versionFacts(view) : [{ name: 'Measured', value: versionText(base) }]),
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
    return [{ name: 'Profile', value: `${profile.name}: counted in starts of both ${side}s, without rounds` }];
  }
  const shortest = SATURATION_BLOCK_SECONDS[0];
  const lengths = [
    `${profile.saturationSeconds} s per ${side} at saturation, in blocks of ${shortest} s, longer for slow answers`,
    `${counted(profile.tierBlocks, 'block')} of ${profile.tierBlockSeconds} s per ${side} at each tier`,
    `the first ${profile.dropSeconds} s of a block dropped`,
  ];
  return [
    { name: 'Profile', value: `${profile.name}: ${lengths.join(', ')}` },
    {
      name: 'Order',
      value: `${interleave === 'blocks' ? `both ${side}s up, loaded in short alternating blocks` : `one ${side} up at a time`}; a seeded coin flip per round decides which goes first`,
    },
  ];
}

function jvmFacts({ rounds }: RoundsRecord): readonly Fact[] {
  const compiled = rounds.filter(({ compiler, outcome }) => compiler !== undefined && outcome === 'kept');
  return [...new Set(compiled.map(({ service }) => service))].map((name) => {
    const warmUps = compiled.filter(({ service }) => service === name).map(({ seconds }) => seconds?.warmUp ?? 0);
    const seconds = formatDuration(median(warmUps) ?? 0);
    return {
      name: `JVM of ${name}`,
      value: `compiles with C1 alone (-XX:TieredStopAtLevel=1); warm-up ${seconds} a round`,
    };
  });
}

function versionText({ ref, commit, dirty, subject }: RoundsRecord['base']): string {
  const short = commit === undefined ? '' : ` ${commit.slice(0, 10)}`;
  const changed = dirty ? ', with uncommitted changes' : '';
  const title = subject === undefined ? '' : ` (${subject})`;
  return `${ref}${ref === commit ? '' : short}${title}${changed}`;
}
