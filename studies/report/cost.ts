import { formatCount, NO_FIGURE } from '../../src/foundation/numbers.ts';
import type { StudyCost } from '../../src/model/run/study.ts';
import { paragraph, type Section, type Table, type TableRow } from '../../src/report/document.ts';
import { memberValuesAt, sumOf } from '../../src/report/run/members.ts';
import { aboutOf } from '../../src/report/views/about.ts';
import type { LabeledName, RunView, TierView } from '../../src/report/views/run-view.ts';
import { cellAt } from '../../src/report/views/service-comparison.ts';

const DAYS = 30;
const DAY_SECONDS = 86_400;

/** Monthly cost of each service by the prices of the study, from its use at one tier; empty for a suite without prices. */
export function costSection(view: RunView): Section {
  const cost = view.run.suite.published?.cost;
  const tier = view.tiers.find(({ name }) => name === cost?.tier);
  return {
    id: 'cost',
    title: 'What a month costs',
    blocks: cost === undefined || tier === undefined ? [] : costBlocks(view, cost, tier),
    isFolded: true,
    only: ['markdown', 'html'],
  };
}

function costBlocks(view: RunView, cost: StudyCost, tier: TierView): Section['blocks'] {
  const rows = view.services.flatMap((service) => costRow(view, cost, tier, service));
  const { requestsPerDay, replicas, prices, source } = cost;
  const load = `${formatCount(requestsPerDay)} requests a day for ${DAYS} days, with the memory of ${replicas} replicas`;
  const each = `${prices.vcpuMonth} for a core, ${prices.gibMonth} for a GiB of memory, ${prices.gbMoved} for a GB between programs, plus ${prices.month} fixed`;
  const table: Table = {
    kind: 'table',
    caption: 'US dollars a month',
    columns: ['', 'CPU', 'memory', 'network', 'fixed', 'total', 'published'],
    rows,
  };
  const note = `In US dollars a month: ${load}, each request as at ${tier.label}. Prices: ${each} (${source}). CPU is what is used, not what is reserved.`;
  return rows.length === 0 ? [] : [paragraph(note, 'note'), table];
}

/** Empty for a service that was not measured there. */
function costRow(view: RunView, cost: StudyCost, tier: TierView, service: LabeledName): readonly TableRow[] {
  const figures = cellAt(view, { tier }, service)?.figures;
  if (figures === undefined) {
    return [];
  }
  const { prices, requestsPerDay, replicas } = cost;
  const moved = sumOf([...memberValuesAt(view, tier, service).values()], 'sentBytesPerRequest');
  const parts = [
    times(figures.cpuMicrosPerRequest?.median, (requestsPerDay / 1e6 / DAY_SECONDS) * prices.vcpuMonth),
    times(figures.peakMemoryMiB?.median, (replicas / 1024) * prices.gibMonth),
    times(moved, ((requestsPerDay * DAYS) / 1e9) * prices.gbMoved),
    prices.month,
  ];
  const together = parts.reduce((sum, part) => (sum === undefined || part === undefined ? undefined : sum + part), 0);
  const published = cost.totals.find((total) => total.service === service.name)?.text ?? NO_FIGURE;
  const cells = [...[...parts, together].map(dollars), { text: published, tone: 'faint' as const }];
  return [{ head: service.label, about: aboutOf(view.run, { services: [service.name], tier: tier.name }), cells }];
}

function times(value: number | undefined, factor: number): number | undefined {
  return value === undefined ? undefined : value * factor;
}

function dollars(value: number | undefined): string {
  return value === undefined ? NO_FIGURE : value.toFixed(2);
}
