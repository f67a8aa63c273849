import { withCode } from '../../foundation/errors.ts';
import { counted, formatCount, formatShare } from '../../foundation/numbers.ts';
import {
  claimBlocks,
  type Document,
  joinedSection,
  list,
  methodSection,
  paragraph,
  type Section,
  type Table,
} from '../document.ts';
import { baselineSections, storedStatus, storedVerdictBlocks } from '../stored/against.ts';
import type { Studies } from '../studies.ts';
import { DIFFERENCES_ONLY, roundSections, viewRounds } from '../versus/view.ts';
import { aboutOf, filtersOf } from '../views/about.ts';
import { commitText, factsOf, placeTexts, startOf } from '../views/facts.ts';
import type { RunJudgment } from '../views/judgment.ts';
import { runReading } from '../views/run-sentences.ts';
import { type RunView, serviceLabel, tierLabel, viewRun } from '../views/run-view.ts';
import { capital, cellAt, wholeOf } from '../views/service-comparison.ts';
import { chartSection } from './charts.ts';
import { closedSection } from './closed.ts';
import { countsSection, queriesSection } from './counts.ts';
import { memberSection } from './members.ts';
import { microBenchmarkSection } from './micro-benchmarks.ts';
import { ownSection } from './own.ts';
import { stagesSection } from './stages.ts';
import { operationSection, saturationSection, tierSection } from './tiers.ts';
import { tilesOf } from './tiles.ts';

/** A run: how it stands against stored ones, the summary, then of a main job the figures of its rounds, then its tiers, what they mean, and what limits trust in them. */
export function runDocument(judgment: RunJudgment, studies: Studies): Document {
  const { run, against } = judgment;
  const view = viewRun(run);
  const rounds = viewRounds(judgment, studies);
  const study =
    rounds === undefined && run.samples.length > 0 ? studies.reading(run, { slots: view.cells }) : undefined;
  const slots = studies.slots(view);
  const reading = runReading(view, (rounds?.study ?? study)?.services ?? []);
  const isEmpty = run.samples.length === 0;
  return {
    title: run.suite.title,
    facts: factTexts(view),
    summary: [
      ...storedVerdictBlocks(view, against),
      ...claimBlocks([...(rounds?.claims ?? study?.claims ?? []), ...reading.summary]),
      tilesOf(view, judgment.versus),
    ],
    status: against && storedStatus(against),
    sections: [
      failureSection(view),
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
        countsSection(view),
        queriesSection(view),
        ...(isEmpty ? [] : [operationSection(view), saturationSection(view), closedSection(view), ownSection(view)]),
        slots.published,
        slots.cost,
        microBenchmarkSection(run),
      ]),
      joinedSection('limits', 'What limits it', [
        { id: '', title: '', blocks: [list(reading.limits)] },
        { id: 'reading', title: 'What it shows', blocks: [list(reading.results)], isFolded: true },
        trustSection(view),
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

function factTexts({ run, rounds }: RunView): readonly string[] {
  return [
    startOf(run),
    `commit ${commitText(run)}`,
    `${run.plan.profile.name} profile, ${counted(rounds, 'round')}`,
    ...placeTexts(run),
  ];
}

function failureSection(view: RunView): Section {
  const items = view.run.failures.map(({ service, tier, round, message, code, next }) => {
    const place = `${serviceLabel(view, service)} at ${tierLabel(view, tier)}, round ${round}:`;
    return [{ strong: place }, ` ${withCode(message, code)}${next === undefined ? '' : ` ${next}`}`];
  });
  return { id: 'failures', title: 'Failures', blocks: [list(items, 'worse')] };
}

function trustSection(view: RunView): Section {
  return {
    id: 'trust',
    title: 'Requests and marks',
    blocks: [...(view.run.failures.length === 0 ? [paragraph('No slot failed.')] : []), requestsTable(view)],
    isFolded: true,
    only: ['markdown', 'html'],
  };
}

/** Requests, failed requests by kind, and what else ran on the machine, per service and tier. */
function requestsTable(view: RunView): Table {
  const rows = view.tiers.flatMap((tier) =>
    view.services.flatMap((service) => {
      const cell = cellAt(view, wholeOf(tier), service);
      if (cell === undefined) {
        return [];
      }
      const hosts = cell.samples.map(({ host }) => host);
      const cells = [
        formatCount(cell.requests),
        formatCount(cell.droppedRequests),
        formatShare(Math.max(...hosts.map(({ foreignCpuShare }) => foreignCpuShare))),
        formatShare(Math.max(...hosts.map(({ stealShare }) => stealShare))),
        formatCount(Math.max(...hosts.map(({ listenOverflows }) => listenOverflows))),
        formatCount(Math.max(...hosts.map(({ timeWaitSockets }) => timeWaitSockets))),
        cell.failures.map(({ kind, count }) => `${kind}: ${formatCount(count)}`).join(', ') || 'none',
        cell.marks.map(({ mark }) => mark).join(', ') || 'none',
      ];
      const about = aboutOf(view.run, { services: [service.name], tier: tier.name });
      return [{ head: `${capital(tier.label)}, ${service.label}`, about, cells }];
    }),
  );
  const caption = 'Requests and the state of the machine, all operations';
  return { kind: 'table', caption, columns: REQUEST_COLUMNS, rows };
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
