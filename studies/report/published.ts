import { NO_FIGURE } from '../../src/foundation/numbers.ts';
import { metricWord } from '../../src/report/comparison/words.ts';
import { paragraph, type Section, type Table, type TableRow } from '../../src/report/document.ts';
import { aboutOf } from '../../src/report/views/about.ts';
import type { LabeledName, RunView } from '../../src/report/views/run-view.ts';
import { capital, cellAt, metricText } from '../../src/report/views/service-comparison.ts';

/** The study's values next to ours, with their sources; empty for a suite without any. */
export function publishedSection(view: RunView): Section {
  const { published } = view.run.suite;
  const services = publishedServices(view);
  const table: Table = {
    kind: 'table',
    caption: 'Published figures and this run, all operations',
    groups: [{ text: '' }, ...services.map(({ label }) => ({ text: label, span: 2 }))],
    columns: ['', ...services.flatMap(() => ['published', 'here'])],
    rows: publishedRows(view, services),
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

function publishedServices(view: RunView): readonly LabeledName[] {
  const figures = view.run.suite.published?.figures ?? [];
  return view.services.filter(({ name }) => figures.some(({ service }) => service === name));
}

/** Rows in the order of tiers and of the study's metrics; none if the run has none of its services. */
function publishedRows(view: RunView, services: readonly LabeledName[]): readonly TableRow[] {
  const figures = view.run.suite.published?.figures ?? [];
  return (services.length === 0 ? [] : view.tiers).flatMap((tier) => {
    const own = figures.filter((figure) => figure.tier === tier.name);
    return [...new Set(own.map(({ metric }) => metric))].map((metric) => ({
      head: capital(metricWord(metric)),
      group: capital(tier.label),
      about: aboutOf(view.run, { tier: tier.name, metric }),
      cells: services.flatMap((service) => {
        const theirs = own.find((figure) => figure.service === service.name && figure.metric === metric)?.text;
        const ours = cellAt(view, { tier }, service)?.figures[metric]?.median;
        return [{ text: theirs ?? NO_FIGURE, tone: 'faint' as const }, metricText(metric, ours)];
      }),
    }));
  });
}
