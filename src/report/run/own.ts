import { formatCount, formatMs, formatShare, NO_FIGURE, significant } from '../../foundation/numbers.ts';
import { millisecondsOf, type OwnCheck, ownChecks } from '../../judge/reading/own.ts';
import type { OwnFigure, OwnFigures, OwnSample } from '../../model/sample/own-figures.ts';
import { list, noted, type Section, type TableRow } from '../document.ts';
import type { LabeledName, RunView, TierView } from '../views/run-view.ts';
import { capital, cellsAt } from '../views/service-comparison.ts';

const SHARES = [0.5, 0.95, 0.99] as const;

/** Metrics of programs next to those of the load tool; empty if no page was read. */
export function ownSection(view: RunView): Section {
  const found = cellsAt(view).flatMap(({ cell, ...place }) => {
    // Each round restarted the service: the last round is shown for all.
    const own = cell.samples.at(-1)?.own;
    const loaded = view.run.services.find(({ name }) => name === place.service.name);
    return own === undefined ? [] : [{ ...place, own, entry: loaded?.members?.[0]?.name ?? place.service.name }];
  });
  const note =
    'Requests to each program according to its own metrics, next to all requests of the load as the load tool saw them, warm-up included. Percentiles are interpolated linearly within a bucket. The metrics of the loaded program are checked: it must count as many requests, within 1%, and cannot take longer than its clients wait.';
  const rows = found.flatMap((one) => rowsAt(one).map((row) => ({ ...row, about: one.about })));
  return {
    id: 'own',
    title: 'Metrics of the programs',
    blocks: noted(note, list(rows.length === 0 ? [] : found.flatMap(refusalsAt), 'worse'), {
      ...{ kind: 'table', caption: 'Metrics of the programs', columns: COLUMNS, rows },
    }),
    isFolded: true,
  };
}

const COLUMNS = ['', 'count', 'per request', 'mean', 'p50', 'p95', 'p99', { text: 'check', isText: true }];

interface Found {
  readonly tier: TierView;
  readonly service: LabeledName;
  readonly own: OwnSample;
  /** Program that receives the load. */
  readonly entry: string;
}

function refusalsAt({ tier, service, own }: Found): readonly string[] {
  return own.programs.flatMap(({ program, refusal }) =>
    refusal === undefined
      ? []
      : [`${service.label}, ${tier.label}: the metrics of ${program} could not be read: ${refusal}.`],
  );
}

function rowsAt({ tier, service, own, entry }: Found): readonly TableRow[] {
  const group = `${capital(tier.label)}, ${service.label}`;
  const seen = own.quantiles.map(({ ms }) => formatMs(ms));
  const mean = own.meanMs === undefined ? NO_FIGURE : formatMs(own.meanMs);
  const tool: TableRow = { group, head: 'load tool', cells: [formatCount(own.requests), '1', mean, ...seen, ''] };
  const rows = own.programs.flatMap(({ program, figures }: OwnFigures) => {
    const checks = program === entry ? ownChecks(own, figures) : [];
    return figures.map((figure, index) => ({
      group,
      head: `${program} ${figure.name}`,
      cells: cellsOf(own, figure, checks[index]),
    }));
  });
  return rows.length === 0 ? [] : [tool, ...rows];
}

function cellsOf(own: OwnSample, figure: OwnFigure, check: OwnCheck | undefined): TableRow['cells'] {
  const { count, mean, quantiles = [], name } = figure;
  const text = (value: number | undefined): string => {
    const factor = millisecondsOf(name);
    if (value === undefined) {
      return NO_FIGURE;
    }
    return factor === undefined ? significant(value, 2) : formatMs(value * factor);
  };
  return [
    count === undefined ? NO_FIGURE : formatCount(Math.round(count)),
    count === undefined || own.requests === 0 ? NO_FIGURE : significant(count / own.requests, 2),
    text(mean),
    ...SHARES.map((share) => text(quantiles.find((one) => one.share === share)?.value)),
    check === undefined
      ? ''
      : { text: checkWords(own, count ?? 0, check), ...(check !== 'agrees' && { tone: 'worse' }) },
  ];
}

function checkWords({ requests }: OwnSample, count: number, check: OwnCheck): string {
  const share = requests === 0 ? '' : `${formatShare(Math.abs(count / requests - 1))} `;
  return {
    agrees: 'agrees',
    fewer: `counts ${share}fewer`,
    more: `counts ${share}more`,
    longer: 'reports longer than clients waited',
  }[check];
}
