import { counted } from '../../foundation/numbers.ts';
import { FEWEST_ROUNDS } from '../../judge/inference/location.ts';
import { type Pairing, pairingsOf } from '../../judge/study/versus.ts';
import type { ComparisonResult } from '../../judge/verdict/finding.ts';
import { ALL_OPERATIONS, formatMetric, type MetricName } from '../../model/metric.ts';
import { referenceOf, type VersusRun, versusRun } from '../../model/run/comparison.ts';
import { MARK_MEANINGS, type Mark } from '../../model/sample/mark.ts';
import { timesText } from '../comparison/words.ts';
import type { Chip, Tile, Tiles } from '../document.ts';
import type { LabeledName, RunView, TierView } from '../views/run-view.ts';
import { cellAt, metricText } from '../views/service-comparison.ts';

/**
 * Capacity, CPU time per request and p99 at the middle load of each service; none without such figures. Rounds come before single starts,
 * so that the figures agree with what the report says of the rounds.
 */
export function tilesOf(view: RunView, compared: ComparisonResult | undefined): Tiles {
  const pairings = compared === undefined ? [] : pairingsOf(compared);
  const rounds = compared && versusRun(view.run);
  const saturation = view.tiers.find(({ isSaturation }) => isSaturation);
  const loads = view.tiers.filter(({ isSaturation }) => !isSaturation);
  const middle = loads[Math.floor((loads.length - 1) / 2)];
  const groups = view.services.flatMap((service) => {
    const tile = (name: string, metric: MetricName, tier: TierView | undefined): readonly Tile[] => {
      const place = tier && { service, metric, tier };
      const own =
        (place && rounds && roundTile(view, rounds, pairings, place)) ??
        (place && startTile(view, place, rounds !== undefined));
      return own === undefined ? [] : [{ name, ...own }];
    };
    const tiles = [
      ...tile('capacity', 'achievedRps', saturation),
      ...tile('CPU per request', 'cpuMicrosPerRequest', saturation ?? middle),
      ...tile(`p99 at ${middle?.label}`, 'latencyP99Ms', middle),
    ];
    return tiles.length === 0 ? [] : [{ title: service.label, tiles }];
  });
  return { kind: 'tiles', groups };
}

interface Place {
  readonly service: LabeledName;
  readonly metric: MetricName;
  readonly tier: TierView;
}

type Shown = Pick<Tile, 'value' | 'chips'>;

function roundTile(
  view: RunView,
  { rounds: { versus }, samples }: VersusRun,
  pairings: readonly Pairing[],
  { service: { name }, metric, tier }: Place,
): Shown | undefined {
  const pairing = pairings.find(({ service }) => service === name || referenceOf(versus, service) === name);
  const ratio = pairing?.ratios.find(
    (one) => one.metric === metric && one.cell.tier === tier.name && one.cell.operation === ALL_OPERATIONS,
  );
  if (pairing === undefined || ratio === undefined) {
    return undefined;
  }
  const isReference = pairing.service !== name;
  const { times } = ratio.ratio;
  const reference = view.labels.service(referenceOf(versus, pairing.service));
  const marks = samples
    .filter(
      ({ cell, side }) =>
        cell.service === pairing.service &&
        cell.tier === tier.name &&
        cell.operation === ALL_OPERATIONS &&
        side === (isReference ? 'base' : 'head'),
    )
    .flatMap((sample) => sample.marks);
  return {
    value: formatMetric(metric, isReference ? ratio.reference : ratio.reference * times),
    chips: [
      ...(isReference ? [] : [{ text: `${timesText(times)} × ${reference}` }]),
      ...(ratio.rounds < FEWEST_ROUNDS ? [{ text: counted(ratio.rounds, 'round'), meaning: TOO_FEW }] : []),
      ...(ratio.noise === 'high' ? [{ text: 'high noise' }] : []),
      ...markChips(marks),
    ],
  };
}

const TOO_FEW = `too few for a verdict, which needs ${FEWEST_ROUNDS}`;

function startTile(view: RunView, { service, metric, tier }: Place, isBesideRounds: boolean): Shown | undefined {
  const cell = cellAt(view, { tier }, service);
  const value = cell?.figures[metric]?.median;
  const starts = { text: view.rounds === 1 ? 'single start' : counted(view.rounds, 'start'), meaning: NOT_OF_ROUNDS };
  return (
    cell && {
      value: metricText(metric, value),
      chips: [...(isBesideRounds ? [starts] : []), ...markChips(cell.marks.map(({ mark }) => mark))],
    }
  );
}

const NOT_OF_ROUNDS = 'measured outside the rounds of the services against each other';

/** A figure is never shown without its marks. */
function markChips(marks: readonly Mark[]): readonly Chip[] {
  return [...new Set(marks)].map((mark) => ({ text: mark, meaning: MARK_MEANINGS[mark] }));
}
