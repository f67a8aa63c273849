import { counted } from '../../foundation/numbers.ts';
import { type Pairing, pairingsOf } from '../../judge/study/versus.ts';
import type { ComparisonResult } from '../../judge/verdict/finding.ts';
import { ALL_OPERATIONS, type CellKey, formatMetric, type MetricName } from '../../model/metric.ts';
import { referenceOf, type VersusRun, versusRun } from '../../model/run/comparison.ts';
import { MARK_MEANINGS, type Mark } from '../../model/sample/mark.ts';
import { timesText } from '../comparison/words.ts';
import type { Chip, Tile, Tiles } from '../document.ts';
import type { LabeledName, RunView, TierView } from '../views/run-view.ts';
import { cellAt, metricText } from '../views/service-comparison.ts';

/**
 * Capacity, CPU time per request and p99 at the middle load of each service; none without such figures. Rounds take precedence over single starts, so
 * that the figures agree with those of the rounds.
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
    return tiles.length === 0 ? [] : [withSharedChips(service.label, tiles)];
  });
  return { kind: 'tiles', groups };
}

/** Row of tiles, with their common chips next to its title. */
function withSharedChips(title: string, tiles: readonly Tile[]): Tiles['groups'][number] {
  const isShared = ({ text }: Chip) => tiles.every(({ chips }) => chips.some((chip) => chip.text === text));
  return {
    title,
    chips: tiles[0]?.chips.filter(isShared) ?? [],
    tiles: tiles.map((tile) => ({ ...tile, chips: tile.chips.filter((chip) => !isShared(chip)) })),
  };
}

interface Place {
  readonly service: LabeledName;
  readonly metric: MetricName;
  readonly tier: TierView;
}

type Shown = Pick<Tile, 'value' | 'chips'>;

/** From the rounds: another service as a multiple of the reference's tile, although each was compared with different starts of it. */
function roundTile(
  view: RunView,
  { rounds: { versus }, samples }: VersusRun,
  pairings: readonly Pairing[],
  { service: { name }, metric, tier }: Place,
): Shown | undefined {
  const isPlace = (cell: CellKey) => cell.tier === tier.name && cell.operation === ALL_OPERATIONS;
  const found = pairings.flatMap(({ service, ratios }) => {
    const ratio = ratios.find((one) => one.metric === metric && isPlace(one.cell));
    return ratio === undefined ? [] : [{ service, reference: referenceOf(versus, service), ratio }];
  });
  const own = found.find(({ service }) => service === name);
  const base = found.find(({ reference }) => reference === (own?.reference ?? name));
  if (base === undefined) {
    return undefined;
  }
  const { service, ratio } = own ?? base;
  const side = own === undefined ? 'base' : 'head';
  const marks = samples
    .filter((sample) => sample.cell.service === service && sample.side === side && isPlace(sample.cell))
    .flatMap((sample) => sample.marks);
  const times = own?.ratio.ratio.times;
  return {
    value: formatMetric(metric, base.ratio.reference * (times ?? 1)),
    chips: [
      ...(times === undefined ? [] : [{ text: `${timesText(times)} × ${view.labels.service(base.reference)}` }]),
      ...(ratio.noise === 'high' ? [{ text: 'high noise' }] : []),
      ...markChips(marks),
    ],
  };
}

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
