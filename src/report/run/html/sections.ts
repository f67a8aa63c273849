import { formatCount, formatShare, NO_FIGURE } from '../../../foundation/index.ts';
import { type RunView, type ServiceView, serviceLabel, tierLabel, turningPoints } from '../../../judge/index.ts';
import { MARK_MEANINGS } from '../../../model/index.ts';
import {
  bullets,
  type Column,
  folded,
  type Html,
  html,
  joinLines,
  type PageSection,
  table,
} from '../../render/html.ts';
import { factsOf } from '../../views/facts.ts';
import { publishedRows, publishedServices } from '../../views/published.ts';
import type { RunReading } from '../../views/run-sentences.ts';
import { turningReason } from '../../views/run-sentences.ts';
import { cellAt, metricLabel, wholeOf } from '../../views/service-comparison.ts';
import { capital, saturationCharts, tierParts } from './charts.ts';
import { saturationNote, tierComparison } from './comparison.ts';

/** What the run shows, and what limits trust in it, side by side. */
export function readingSection({ results, limits }: RunReading): PageSection {
  return {
    id: 'reading',
    title: 'Reading',
    body: html`<div class="halves">
<div><h3>What it shows</h3>${bullets(results)}</div>
<div><h3>What limits it</h3>${bullets(limits)}</div>
</div>`,
  };
}

/** The comparison tables of the tiers. */
export function tiersSection(view: RunView): PageSection {
  const tiers = view.tiers.filter(({ isSaturation }) => !isSaturation);
  const parts = tierParts(tiers, (tier) => tierComparison(view, tier));
  return { id: 'tiers', title: 'Tier by tier', body: html`${comparisonNote(view)}${joinLines(parts)}` };
}

/** The comparison at saturation; undefined where the plan had none. */
export function saturationSection(view: RunView): PageSection | undefined {
  const tier = view.tiers.find(({ isSaturation }) => isSaturation);
  return (
    tier && {
      id: 'saturation',
      title: 'Saturation',
      body: html`<p class="note">A closed loop without think time: the highest rate that the service answers. CPU time per request depends on the load, so compare it only within one table.</p>
${tierComparison(view, tier)}
${saturationNote(view, tier)}
${saturationCharts(view, tier)}`,
    }
  );
}

/** The study's figures beside ours; undefined for a suite without any. */
export function publishedSection(view: RunView): PageSection | undefined {
  const { published } = view.run.suite;
  if (published === undefined) {
    return undefined;
  }
  const services = publishedServices(view);
  const rows = publishedRows(view).map(({ tier, metric, services: pairs }) => ({
    head: `${tier.label}, ${metricLabel(metric)}`,
    cells: pairs.flatMap(({ published: theirs, ours }) => [
      html`<td class="start published">${theirs ?? NO_FIGURE}</td>`,
      html`<td>${ours ?? NO_FIGURE}</td>`,
    ]),
  }));
  return {
    id: 'published',
    title: 'Beside the published figures',
    body: html`<p>Published: <cite>${published.source}</cite>. ${published.note}</p>
${rows.length === 0 ? html`` : publishedTable(services, rows)}`,
  };
}

function publishedTable(services: readonly ServiceView[], rows: Parameters<typeof table>[0]['rows']): Html {
  return html`<p class="note">The machines differ, so the figures stand side by side and are not compared.</p>
${table({
  caption: 'Published figures and this run, all operations',
  groups: [{ text: '' }, ...services.map(({ label }) => ({ text: label, span: 2 }))],
  columns: ['', ...services.flatMap(() => ['published', 'this run'])],
  rows,
})}`;
}

/** Where each service turns, or that it was not seen to, with the rule; undefined for a suite whose tiers are no steps of one load. */
export function turningSection(view: RunView): PageSection | undefined {
  const rows = turningPoints(view.run).map((point) => ({
    head: serviceLabel(view, point.service),
    cells: [
      html`<td class="text">${point.kind === 'turned' ? tierLabel(view, point.tier) : TURNING_WORDS[point.kind]}</td>`,
      html`<td class="text">${turningReason(view, point)}</td>`,
    ],
  }));
  return rows.length === 0
    ? undefined
    : {
        id: 'turning',
        title: 'Turning point',
        body: html`<p class="note">The first tier at which a service answers less than 99 % of the offered rate, or at which its p90 is at least ten times that of the lowest tier and at least 5 ms.</p>
${table({ caption: 'Where each service turns', columns: ['', text('turning point'), text('because')], rows })}`,
      };
}

function text(head: string): Column {
  return { text: head, isText: true };
}

const TURNING_WORDS = { 'none-seen': 'none seen', unmeasured: 'not known' } as const;

/** What failed, what the samples are marked with, and the state of the machine. */
export function trustSection(view: RunView): PageSection {
  const { failures } = view.run;
  const failed = failures.map(
    ({ service, tier, round, message, next }) =>
      html`<li><strong>${serviceLabel(view, service)} at ${tierLabel(view, tier)}, round ${round}:</strong> ${message} ${next}</li>`,
  );
  const meanings = Object.entries(MARK_MEANINGS).map(
    ([mark, meaning]) => html`<dt>${mark}</dt><dd>${capital(meaning)}.</dd>`,
  );
  return {
    id: 'trust',
    title: 'Failures and marks',
    body: html`${failed.length === 0 ? html`<p>No slot failed.</p>` : html`<ul class="failures">${failed}</ul>`}
${requestsTable(view)}
${folded('What the marks mean', html`<dl>${meanings}</dl>`)}`,
  };
}

/** Requests, failed requests by kind, and what else ran on the machine, per service and tier. */
function requestsTable(view: RunView): Html {
  const rows = view.tiers.flatMap((tier) =>
    view.services.flatMap((service) => {
      const cell = cellAt(view, wholeOf(tier), service);
      if (cell === undefined) {
        return [];
      }
      const hosts = cell.samples.map(({ host }) => host);
      const numbers = [
        formatCount(cell.requests),
        formatCount(cell.droppedRequests),
        formatShare(Math.max(...hosts.map(({ foreignCpuShare }) => foreignCpuShare))),
        formatShare(Math.max(...hosts.map(({ stealShare }) => stealShare))),
        formatCount(Math.max(...hosts.map(({ listenOverflows }) => listenOverflows))),
        formatCount(Math.max(...hosts.map(({ timeWaitSockets }) => timeWaitSockets))),
      ];
      const kinds = cell.failures.map(({ kind, count }) => `${kind}: ${formatCount(count)}`);
      return [
        {
          head: `${capital(tier.label)}, ${service.label}`,
          cells: [
            ...numbers.map((text) => html`<td>${text}</td>`),
            html`<td class="text">${kinds.length === 0 ? 'none' : kinds.join(', ')}</td>`,
            html`<td class="text">${cell.marks.length === 0 ? 'none' : cell.marks.map(({ mark }) => mark).join(', ')}</td>`,
          ],
        },
      ];
    }),
  );
  return table({ caption: 'Requests and the state of the machine, all operations', columns: REQUEST_COLUMNS, rows });
}

const REQUEST_COLUMNS = [
  '',
  'requests',
  'never sent',
  'other programs',
  'steal',
  'listen overflows',
  'TIME_WAIT',
  text('failed requests'),
  text('marks'),
];

/** Everything that could have moved a number, folded. */
export function methodSection(view: RunView): PageSection {
  const facts = factsOf(view.run).map(({ name, value }) => html`<dt>${name}</dt><dd>${value}</dd>`);
  return {
    id: 'method',
    title: 'How it was measured',
    body: folded('Profile, services, machine, tools', html`<dl>${joinLines(facts)}</dl>`),
  };
}

function comparisonNote(view: RunView): Html | undefined {
  const [reference, ...others] = view.services;
  if (reference === undefined || others.length === 0) {
    return undefined;
  }
  const ranges = view.rounds > 1 ? ` Median of ${view.rounds} rounds, with the lowest and highest below it.` : '';
  const overlap = view.rounds > 1 ? ' Where the ranges of the rounds overlap, it says so.' : '';
  return html`<p class="note">Changes are against ${reference.label}; lower is better for everything but rates. “Same” is a difference under 2 % or 0.1 ms, too small to matter whatever its per cent.${overlap}${ranges}</p>
`;
}
