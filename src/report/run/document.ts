import { withCode } from '../../foundation/errors.ts';
import { counted, formatCount, formatShare } from '../../foundation/numbers.ts';
import { median } from '../../foundation/statistics.ts';
import { type CountedValue, countedValues } from '../../judge/counts/figures.ts';
import { headCalls } from '../../judge/counts/need-calls.ts';
import { ALL_OPERATIONS, formatMetric, type MetricName } from '../../model/metric.ts';
import { isClosed } from '../../model/suite/suite.ts';
import {
  type Block,
  claimBlocks,
  type Document,
  joinedSection,
  list,
  methodSection,
  noted,
  paragraph,
  type Section,
  type Table,
  type TableRow,
} from '../document.ts';
import { baselineSections, storedStatus, storedVerdictBlocks } from '../stored/against.ts';
import type { Studies } from '../studies.ts';
import { DIFFERENCES_ONLY, roundSections, viewRounds } from '../versus/view.ts';
import { aboutOf, filtersOf } from '../views/about.ts';
import { commitText, factsOf, placeTexts, startOf } from '../views/facts.ts';
import type { Judgment } from '../views/judgment.ts';
import { notesOnWarmUps } from '../views/notes.ts';
import { type RunView, viewRun } from '../views/run-view.ts';
import { capital, cellsAt, metricText } from '../views/service-comparison.ts';
import { cautions, trustSentences } from '../views/trust.ts';
import { chartSection } from './charts.ts';
import { memberSection } from './members.ts';
import { microBenchmarkSection } from './micro-benchmarks.ts';
import { ownSection } from './own.ts';
import { soakSection, soakSentences } from './soak.ts';
import { stagesSection } from './stages.ts';
import { operationSection, saturationSection, tierSection } from './tiers.ts';
import { tilesOf } from './tiles.ts';

/**
 * Report of a run: the comparison with stored ones, the summary, then for a main job the results of its rounds, then its tiers, their interpretation,
 * and the limits of trust in them.
 */
export function runDocument(judgment: Judgment, studies: Studies): Document {
  const { run, against } = judgment;
  const view = viewRun(run);
  const rounds = viewRounds(judgment, studies);
  const study =
    rounds === undefined && run.samples.length > 0 ? studies.reading(run, { slots: view.cells }) : undefined;
  const slots = studies.slots(view);
  const isEmpty = run.samples.length === 0;
  return {
    title: run.suite.title,
    facts: [
      startOf(view.run),
      `commit ${commitText(view.run)}`,
      `${run.plan.profile.name} profile${run.versus === undefined ? `, ${counted(view.rounds, 'round')}` : ''}`,
      ...placeTexts(view.run),
    ],
    summary: [
      ...storedVerdictBlocks(view, against),
      ...claimBlocks([...soakSentences(view), ...(rounds?.claims ?? study?.claims ?? [])]),
      ...(isEmpty ? [paragraph('Nothing was measured.', 'strong')] : []),
      tilesOf(view, judgment.compared),
      list(isEmpty ? [] : cautions(view)),
    ],
    status: against && storedStatus(against),
    sections: [
      failureSection(view),
      soakSection(view),
      chartSection(view),
      ...baselineSections(view, against),
      joinedSection('services', view.services.length > 1 ? 'Services against each other' : 'The study', [
        ...(rounds === undefined ? [] : roundSections(rounds)),
        ...(study?.sections ?? []),
        ...(isEmpty ? [] : slots.sweep),
        slots.findings,
      ]),
      joinedSection('tiers', 'Figures at each load', [
        ...(isEmpty ? [] : [tierSection(view), stagesSection(view), memberSection(view)]),
        { id: 'instructions', title: 'Instructions per request', blocks: countsBlocks(view) },
        queriesSection(view),
        ...(isEmpty ? [] : [operationSection(view), saturationSection(view), closedSection(view), ownSection(view)]),
        slots.published,
        slots.cost,
        microBenchmarkSection(run),
      ]),
      joinedSection('limits', 'What limits it', [
        { id: '', title: '', blocks: [list(trustSentences(view))] },
        {
          id: 'trust',
          title: 'Requests and marks',
          blocks: [...(view.run.failures.length === 0 ? [paragraph('Nothing failed.')] : []), requestsTable(view)],
          isFolded: true,
          only: ['markdown', 'html'],
        },
      ]),
      methodSection(factsOf(run), {
        id: 'rounds',
        title: 'How the rounds were measured',
        blocks: [{ kind: 'facts', facts: rounds?.facts ?? [] }],
        isFolded: true,
        only: ['markdown', 'html'],
      }),
    ],
    filters: filtersOf(run, DIFFERENCES_ONLY),
    origin: run,
  };
}

function failureSection(view: RunView): Section {
  const items = view.run.failures.map(({ service, tier, round, message, code, next }) => {
    const place = `${view.labels.service(service)} at ${view.labels.tier(tier)}, round ${round}:`;
    return [{ strong: place }, ` ${withCode(message, code)}${next === undefined ? '' : ` ${next}`}`];
  });
  return { id: 'failures', title: 'Failures', blocks: [list(items, 'worse')] };
}

function requestsTable(view: RunView): Table {
  const rows = cellsAt(view).map(({ tier, service, cell, about }) => {
    const most = (figure: 'foreignCpuShare' | 'stealShare' | 'listenOverflows' | 'timeWaitSockets') =>
      Math.max(...cell.samples.map(({ host }) => host[figure]));
    const cells = [
      formatCount(cell.requests),
      formatCount(cell.droppedRequests),
      formatShare(most('foreignCpuShare')),
      formatShare(most('stealShare')),
      formatCount(most('listenOverflows')),
      formatCount(most('timeWaitSockets')),
      cell.failures.map(({ kind, count }) => `${kind}: ${formatCount(count)}`).join(', ') || 'none',
      cell.marks.map(({ mark }) => mark).join(', ') || 'none',
    ];
    return { head: `${capital(tier.label)}, ${service.label}`, about, cells };
  });
  const caption = 'Requests and the state of the machine, all operations';
  return { kind: 'table', isCaptioned: true, caption, columns: REQUEST_COLUMNS, rows };
}

const REQUEST_COLUMNS = [
  '',
  'requests',
  'never sent',
  'other programs',
  'steal',
  'listen overflows',
  'TIME_WAIT',
  { text: 'failed requests', isText: true },
  { text: 'marks', isText: true },
];

const FIGURES = [
  ['mean', 'latencyMeanMs'],
  ['standard deviation', 'latencySdMs'],
  ['within one std. dev.', 'withinSdShare'],
  ['maximum', 'latencyMaxMs'],
  ['requests/s', 'achievedRps'],
] as const satisfies readonly (readonly [string, MetricName])[];

/** Results of closed loops in the form of wrk, for each service; empty if all users have think time. */
function closedSection(view: RunView): Section {
  const names = view.run.suite.tiers.filter(isClosed).map(({ name }) => name);
  const tiers = view.tiers.filter(({ name, isSaturation }) => !isSaturation && names.includes(name));
  const note =
    'Users who send their next request as soon as the last one is answered, all operations: the mean and the standard deviation of latency, and the share of the requests whose latency is within one standard deviation of the mean.';
  const table: Table = {
    ...{ kind: 'table', caption: 'Latency of users at full rate' },
    columns: ['', ...FIGURES.map(([title]) => title), 'requests'],
    rows: cellsAt(view, tiers).map(({ tier, service, cell, about }) => {
      const figures = FIGURES.map(([, metric]) => metricText(metric, cell.figures[metric]?.median));
      const cells = [...figures, formatCount(cell.requests)];
      return { group: capital(tier.label), head: service.label, about, cells };
    }),
  };
  return { id: 'full-rate', title: 'Users at full rate', blocks: noted(note, table), isFolded: true };
}

/** Counted queries of operations to the needs of their services; empty if they were not counted. */
function queriesSection(view: RunView): Section {
  const rows = headCalls(view.run).map(({ cell: { service, operation }, metric, values }) => ({
    head: `${capital(view.labels.service(service))}, ${view.labels.operation(operation)}`,
    about: aboutOf(view.run, { services: [service] }),
    cells: [formatMetric(metric, median(values) ?? 0)],
  }));
  const caption = 'Queries per request, to all needs together';
  const table: Block = { kind: 'table', isCaptioned: true, caption, columns: ['', 'queries'], rows };
  return { id: 'queries', title: 'Queries per request', blocks: [table] };
}

function countsBlocks(view: RunView): readonly Block[] {
  if (view.run.instructions === undefined) {
    return [];
  }
  const { counter, starts, failures } = view.run.instructions;
  const values = countedValues(view.run, starts);
  const rows = values
    .filter(({ metric }) => metric === 'instructionsPerRequest')
    .map((one) => rowOf(view, one, values));
  const note = `Counted by Valgrind ${counter.version} (${counter.architecture}) with one user, without kernel time. The machine and its load hardly affect counts: compare them with counts of the same Valgrind.`;
  const columns = ['', 'instructions', 'system calls', 'allocations', 'starts', 'spread'];
  const caption = 'Instructions, system calls and allocations per request';
  const lost = failures.map(({ service, message, brief = message }) => `${view.labels.service(service)}: ${brief}`);
  return [
    ...noted(note, { kind: 'table', isCaptioned: true, caption, columns, rows }),
    list(notesOnWarmUps(starts, view.labels.service)),
    ...(lost.length === 0 ? [] : [paragraph('Not counted:'), list(lost)]),
  ];
}

function rowOf(view: RunView, counted: CountedValue, values: readonly CountedValue[]): TableRow {
  const { service, operation } = counted.cell;
  const part = operation === ALL_OPERATIONS ? '' : `, ${view.labels.operation(operation)}`;
  const otherCell = (metric: CountedValue['metric']) => {
    const isSame = ({ cell }: CountedValue) => cell.service === service && cell.operation === operation;
    return metricText(metric, values.find((one) => one.metric === metric && isSame(one))?.value);
  };
  const spread = (Math.max(...counted.means) - Math.min(...counted.means)) / counted.value;
  return {
    head: `${capital(view.labels.service(service))}${part}`,
    about: aboutOf(view.run, { services: [service] }),
    cells: [
      formatMetric('instructionsPerRequest', counted.value),
      otherCell('syscallsPerRequest'),
      otherCell('allocationsPerRequest'),
      String(counted.means.length),
      formatShare(spread),
    ],
  };
}
