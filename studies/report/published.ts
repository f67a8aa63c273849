import { NO_FIGURE } from '../../src/foundation/numbers.ts';
import { formatMetric, type MetricName } from '../../src/model/metric.ts';
import { paragraph, type Section, type Table } from '../../src/report/document.ts';
import { aboutOf } from '../../src/report/views/about.ts';
import type { LabeledName, RunView, TierView } from '../../src/report/views/run-view.ts';
import { capital, cellAt, metricLabel } from '../../src/report/views/service-comparison.ts';

/** The study's values next to ours, with their sources; empty for a suite without any. */
export function publishedSection(view: RunView): Section {
  const { published } = view.run.suite;
  const services = publishedServices(view);
  const table: Table = {
    kind: 'table',
    caption: 'Published figures and this run, all operations',
    groups: [{ text: '' }, ...services.map(({ label }) => ({ text: label, span: 2 }))],
    columns: ['', ...services.flatMap(() => ['published', 'here'])],
    rows: publishedRows(view).map(({ tier, metric, services: pairs }) => ({
      head: capital(metricLabel(metric)),
      group: capital(tier.label),
      about: aboutOf(view.run, { tier: tier.name, metric }),
      cells: pairs.flatMap(({ published: theirs = NO_FIGURE, ours = NO_FIGURE }) => [
        { text: theirs, tone: 'faint' as const },
        ours,
      ]),
    })),
  };
  const note = paragraph('The machines differ, so the figures are shown side by side, not compared.', 'note');
  return {
    id: 'published',
    title: table.rows.length === 0 ? 'The study behind this suite' : 'Published figures',
    blocks:
      published === undefined
        ? []
        : [
            paragraph(`Published: ${published.source}. ${published.note}`),
            ...(table.rows.length === 0 ? [] : [note, table]),
          ],
    isFolded: true,
    only: ['markdown', 'html'],
  };
}

/** Both are shown side by side and never judged: the machines differ. */
interface PublishedPair {
  readonly service: LabeledName;
  readonly published: string | undefined;
  readonly ours: string | undefined;
}

/** Services of a run that the study has figures for. */
function publishedServices(view: RunView): readonly LabeledName[] {
  const figures = view.run.suite.published?.figures ?? [];
  return view.services.filter(({ name }) => figures.some(({ service }) => service === name));
}

/** The study's values next to this run's, in the order of tiers and of the study's metrics; none if the run has none of its services. */
function publishedRows(
  view: RunView,
): readonly { readonly tier: TierView; readonly metric: MetricName; readonly services: readonly PublishedPair[] }[] {
  const figures = view.run.suite.published?.figures ?? [];
  const services = publishedServices(view);
  const tiers = services.length === 0 ? [] : view.tiers;
  return tiers.flatMap((tier) => {
    const metrics = new Set(figures.filter((figure) => figure.tier === tier.name).map(({ metric }) => metric));
    return [...metrics].map((metric) => ({
      tier,
      metric,
      services: services.map((service) => ({
        service,
        published: figures.find(
          (figure) => figure.service === service.name && figure.tier === tier.name && figure.metric === metric,
        )?.text,
        ours: oursOf(view, tier, metric, service),
      })),
    }));
  });
}

function oursOf(view: RunView, tier: TierView, metric: MetricName, service: LabeledName): string | undefined {
  const figure = cellAt(view, { tier }, service)?.figures[metric];
  return figure === undefined ? undefined : formatMetric(metric, figure.median);
}
