import { cleanText } from '../../foundation/escape.ts';
import { wordList } from '../../judge/reading/reading-view.ts';
import type { RoundsRecord } from '../../model/run/run-rounds.ts';
import { type ShardsRecord, shardText } from '../../model/run/shards.ts';
import { runnerClass } from '../../model/runner.ts';
import { calibrationLine } from '../calibration.ts';
import { type Fact, startOf } from '../views/facts.ts';
import type { ComparisonView } from './compare-view.ts';

/** Several services are named before the clause says only that there are more. */
const MOST_SERVICES = 3;

/** Which services nothing is known of, since their shard was lost: for the middle of a line. Without elements where none was. */
export function lostShardsClause({ result, labels }: ComparisonView): readonly string[] {
  const services = [
    ...new Set(result.uncompared.filter(({ reason }) => reason === 'shard-lost').map(({ cell }) => cell.service)),
  ];
  const named = services.slice(0, MOST_SERVICES).map((service) => cleanText(labels.service(service), 80));
  const more = services.length - named.length;
  const names = wordList([...named, ...(more > 0 ? [`${more} more`] : [])]);
  return services.length === 0
    ? []
    : [
        `${names} ${services.length === 1 ? 'is' : 'are'} not judged: ${services.length === 1 ? 'its shard was' : 'their shards were'} lost`,
      ];
}

/** The shards that a merged comparison has, each with how its job ended; undefined for any other. */
export function shardEnds(
  { shards }: RoundsRecord,
  endOf: (ended: RoundsRecord['ended']) => string,
): readonly string[] | undefined {
  return shards?.kind === 'merged'
    ? shards.measured.map((one) => `${nameOf(shards, one.index)} ${endOf(one.ended)}.`)
    : undefined;
}

/** What shards make of the share of false alarms. */
export function shardDesign({ shards }: Pick<RoundsRecord, 'shards'>): readonly string[] {
  if (shards === undefined || shards.of === 1) {
    return [];
  }
  return [
    `${shards.of} jobs share the comparison, each with its services; each is tested by itself with 1/${shards.of} of that share, so that it holds for all of them together.`,
  ];
}

/** What each job's own calibration says of its machine. */
export function shardCalibrations({ shards }: Pick<RoundsRecord, 'shards'>): readonly string[] {
  return shards?.kind === 'merged'
    ? shards.measured.flatMap(({ index, calibration }) =>
        calibration === undefined
          ? []
          : [`Shard ${shardText({ index, of: shards.of })}: ${calibrationLine(calibration)}`],
      )
    : [];
}

/** Which share this is, or on what each share was measured. */
export function shardFacts({ shards }: Pick<RoundsRecord, 'shards'>): readonly Fact[] {
  if (shards === undefined) {
    return [];
  }
  if (shards.kind === 'shard') {
    return [
      { name: 'Shard', value: `${nameOf(shards, shards.index)}; the other jobs' results are not in this report` },
    ];
  }
  return shards.measured.map(({ index, runner, seed, startedAt }) => ({
    name: nameOf(shards, index),
    value: `${runnerClass(runner)}, ${runner.cpuModel}, kernel ${runner.kernel}; started ${startOf({ startedAt })}, seed ${seed}`,
  }));
}

function nameOf({ of, services }: Pick<ShardsRecord, 'of' | 'services'>, index: number): string {
  return `Shard ${shardText({ index, of })} (${wordList([...(services[index - 1] ?? [])])})`;
}
