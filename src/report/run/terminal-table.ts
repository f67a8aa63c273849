import { formatRate, NO_FIGURE } from '../../foundation/index.ts';
import type { CellReading, RunView, ServiceView, TierView } from '../../judge/index.ts';
import type { MetricName } from '../../model/index.ts';
import { formatMetric, formatRange } from '../../model/index.ts';
import { fitted, type Paint, wrapped } from '../render/terminal.ts';
import {
  type ComparedPlace,
  cellAt,
  changeWords,
  compareServices,
  MAIN_METRICS,
  metricLabel,
  offeredAt,
  type ServiceComparison,
  wholeOf,
} from '../views/service-comparison.ts';

const LABEL_WIDTH = 25;

const WIDTHS: Record<(typeof MAIN_METRICS)[number], number> = {
  latencyP50Ms: 14,
  latencyP90Ms: 14,
  latencyP99Ms: 14,
  achievedRps: 13,
  errorRate: 8,
  cpuMicrosPerRequest: 12,
};

/** The services side by side at one tier: a block per operation, a line per service and one for its gain. */
export function tierTable(view: RunView, tier: TierView, paint: Paint): readonly string[] {
  const header = fitted(sentenceCase(tier.label), LABEL_WIDTH, 'left');
  const columns = MAIN_METRICS.map((metric) => fitted(metricLabel(metric), WIDTHS[metric], 'right')).join('');
  return [
    paint.strong(`${header}${columns}`),
    ...tier.operations.flatMap((operation) => block(view, { tier, operation }, paint)),
    ...markLines(view, tier),
  ];
}

function block(view: RunView, place: ComparedPlace, paint: Paint): readonly string[] {
  const offered = offeredAt(view, place);
  const title = place.operation.label + (offered === undefined ? '' : `, offered ${formatRate(offered)}`);
  return [title, ...view.services.flatMap((service, index) => serviceLines(view, place, { service, index, paint }))];
}

interface Line {
  readonly service: ServiceView;
  readonly index: number;
  readonly paint: Paint;
}

function serviceLines(view: RunView, place: ComparedPlace, { service, index, paint }: Line): readonly string[] {
  const label = `  ${service.label}`;
  if (cellAt(view, place, service) === undefined) {
    return [`${fitted(label, LABEL_WIDTH, 'left')}${paint.worse('  not measured')}`];
  }
  const compared = MAIN_METRICS.map((metric) => ({ metric, ...at(compareServices(view, place, metric), index) }));
  const values = compared.map(({ metric, figure }) => ({ metric, text: valueText(metric, figure) }));
  const ranges = compared.map(({ metric, figure }) => ({ metric, text: rangeText(metric, figure) }));
  return [
    row(label, values),
    ...(view.rounds > 1 ? [paint.faint(row('    range', ranges))] : []),
    ...(index === 0 ? [] : [gainRow(`    against ${view.services[0]?.label ?? ''}`, compared, paint)]),
  ].map((line) => line.trimEnd());
}

function at(compared: readonly ServiceComparison[], index: number): Pick<ServiceComparison, 'figure' | 'change'> {
  return compared[index] ?? { figure: undefined, change: undefined };
}

type MainMetric = (typeof MAIN_METRICS)[number];

function row(label: string, cells: readonly { readonly metric: MainMetric; readonly text: string }[]): string {
  return (
    fitted(label, LABEL_WIDTH, 'left') + cells.map(({ metric, text }) => fitted(text, WIDTHS[metric], 'right')).join('')
  );
}

function gainRow(
  label: string,
  cells: readonly ({ readonly metric: MainMetric } & Pick<ServiceComparison, 'change'>)[],
  paint: Paint,
): string {
  const texts = cells.map(({ metric, change }) => {
    const text = fitted(change === undefined ? '' : changeWords(change), WIDTHS[metric], 'right');
    const isClear = change?.standing === 'better' || change?.standing === 'worse';
    return isClear ? paint[change.standing](text) : paint.faint(text);
  });
  return fitted(label, LABEL_WIDTH, 'left') + texts.join('');
}

function valueText(metric: MetricName, figure: ServiceComparison['figure']): string {
  return figure === undefined ? NO_FIGURE : formatMetric(metric, figure.median);
}

function rangeText(metric: MetricName, figure: ServiceComparison['figure']): string {
  return figure === undefined ? '' : formatRange(metric, figure.low, figure.high);
}

function markLines(view: RunView, tier: TierView): readonly string[] {
  return view.services.flatMap((service) => {
    const places = tier.operations.map((operation) => cellAt(view, { tier, operation }, service));
    const words = marksOf(places);
    return words.length === 0 ? [] : wrapped(`Marked, ${service.label}: ${words.join(', ')}`, '  ');
  });
}

/** Every mark of the cells once, with the number of rounds where it does not stand in all of them. */
function marksOf(cells: readonly (CellReading | undefined)[]): readonly string[] {
  return [...new Set(cells.flatMap((cell) => cell?.marks ?? []).map(({ mark }) => mark))];
}

/** How busy the cores were in the closed loop: what makes a rate a capacity. */
export function coreLines(view: RunView, tier: TierView): readonly string[] {
  return view.services.flatMap((service) => {
    const cell = cellAt(view, wholeOf(tier), service);
    const shares = (['serviceCpuShare', 'loadCpuShare'] as const).map((metric) =>
      valueText(metric, cell?.figures[metric]),
    );
    const workers = cell?.samples[0]?.workers;
    return workers === undefined
      ? []
      : wrapped(
          `${service.label}: ${workers} workers; core in use: service ${shares[0]}, load tool ${shares[1]}`,
          '  ',
        );
  });
}

function sentenceCase(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
