import { formatDuration } from '../../foundation/reading-numbers.ts';
import { SATURATION_BLOCK_SECONDS } from '../../model/block-length.ts';
import type { RoundsRecord } from '../../model/run/run-rounds.ts';
import { type Fact, factsOf } from '../views/facts.ts';
import { shardFacts } from './compare-shards.ts';
import type { ComparisonView } from './compare-view.ts';
import { counted } from './compare-words.ts';

/** Which versions were compared, the base first; nothing for figures that were measured elsewhere. */
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
  const record = run?.rounds;
  if (run === undefined || record === undefined) {
    return [];
  }
  const { base, head, interleave, profile, budgetSeconds } = record;
  const isMerged = record.shards?.kind === 'merged';
  const shortest = SATURATION_BLOCK_SECONDS[0];
  const lengths = [
    `${profile.saturationSeconds} s a version at saturation, in blocks of ${shortest} s, or longer where answers take long`,
    `${counted(profile.tierBlocks, 'block')} of ${profile.tierBlockSeconds} s a version at each tier`,
    `the first ${profile.dropSeconds} s of a block dropped`,
  ];
  return [
    ...versionFacts(view),
    {
      name: 'Configuration hash',
      value: base.configHash === head.configHash ? base.configHash : `${base.configHash} and ${head.configHash}`,
    },
    { name: 'Profile', value: `${profile.name}: ${lengths.join(', ')}` },
    { name: 'Order', value: INTERLEAVE[interleave] },
    { name: 'Time budget', value: formatDuration(budgetSeconds) },
    ...shardFacts(record),
    ...factsOf(run).filter(({ name }) => !(REPLACED.has(name) || (isMerged && OF_SHARDS.has(name)))),
  ];
}

const INTERLEAVE: Readonly<Record<RoundsRecord['interleave'], string>> = {
  blocks: 'both versions up, loaded in short alternating blocks; a seeded coin per round says which is first',
  slots: 'one version up at a time; a seeded coin per round says which is first',
};

function versionText({ ref, commit, dirty, subject }: RoundsRecord['base']): string {
  const short = commit === undefined ? '' : ` ${commit.slice(0, 10)}`;
  const changed = dirty ? ', with changes that were not committed' : '';
  const title = subject === undefined ? '' : ` (${subject})`;
  return `${ref}${ref === commit ? '' : short}${title}${changed}`;
}
