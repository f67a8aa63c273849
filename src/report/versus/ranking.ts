import { NO_FIGURE } from '../../foundation/numbers.ts';
import type { CellTable } from '../../judge/reading/cells.ts';
import { type StartUp, startUpOf } from '../../judge/study/start-up.ts';
import type { Pairing } from '../../judge/study/versus.ts';
import { formatMetric, SATURATION } from '../../model/metric.ts';
import { ALL_TIERS } from '../../model/policy.ts';
import type { VersusRun } from '../../model/run/comparison.ts';
import { ratioText } from '../comparison/stored-words.ts';
import type { Labels } from '../comparison/view.ts';
import type { Table } from '../document.ts';
import { type About, aboutOf } from '../views/about.ts';

/** A place in the ranking. */
export interface RankRow {
  readonly about: About;
  readonly service: string;
  /** "1.72 [1.66, 1.79]". */
  readonly perCpuSecond: string;
  readonly capacity: string;
  /** At its peak over all loads. */
  readonly memory: string;
  /** Of single starts; undefined if none was seen. */
  readonly startUp: string | undefined;
}

/** What a ranking is made of. */
export interface Ranked {
  readonly run: VersusRun;
  readonly labels: Labels;
  readonly pairings: readonly Pairing[];
  /** The service that all are compared with. */
  readonly reference: string;
  /** Of the slots, in which services start one by one; undefined if there were none. */
  readonly slots: CellTable | undefined;
}

/** The services from most to fewest requests per CPU second, the reference among them. */
export function rankingOf(ranked: Ranked): readonly RankRow[] {
  const { run, labels, pairings, reference } = ranked;
  const rows = pairings.map(({ service, standings, perCpuSecond, capacity }) => {
    const memory = standings.find(({ metric, cell }) => metric === 'peakMemoryMiB' && cell.tier === ALL_TIERS);
    return {
      gain: perCpuSecond?.ratio.times ?? 0,
      row: {
        about: aboutOf(run, { services: [service] }),
        service: labels.service(service),
        perCpuSecond: ratioText(perCpuSecond?.ratio),
        capacity: ratioText(capacity?.ratio),
        memory: ratioText(memory?.ratio),
        startUp: startUpText(ranked, service),
      },
    };
  });
  const own = {
    gain: 1,
    row: {
      about: aboutOf(run, { services: [reference] }),
      service: labels.service(reference),
      ...{ perCpuSecond: 'reference', capacity: 'reference', memory: 'reference' },
      startUp: startUpText(ranked, reference),
    },
  };
  return [...rows, own].toSorted((left, right) => right.gain - left.gain).map(({ row }) => row);
}

/** "1,900 ms: 12.3 [10.1, 15]". */
function startUpText({ run, reference, slots }: Ranked, service: string): string | undefined {
  const tiers = [...run.suite.tiers.map(({ name }) => name), SATURATION];
  const found = slots && startUpOf({ service, reference }, tiers, slots);
  return found && startUpWords(found);
}

function startUpWords({ medianMs, times }: StartUp): string {
  const own = formatMetric('startUpMs', medianMs);
  return times === undefined ? own : `${own}: ${ratioText(times)}`;
}

/** The ranking as a table. */
export function rankingTable(ranking: readonly RankRow[]): Table {
  const hasStarts = ranking.some(({ startUp }) => startUp !== undefined);
  return {
    kind: 'table',
    caption: 'Services by requests per CPU second',
    isCaptionQuiet: true,
    columns: [
      'service',
      'requests per CPU second, times [95% interval]',
      'requests/s at saturation',
      'memory',
      ...(hasStarts ? ['start to first answer'] : []),
    ],
    rows: ranking.map(({ about, service, perCpuSecond, capacity, memory, startUp = NO_FIGURE }) => ({
      about,
      head: service,
      cells: [perCpuSecond, capacity, memory, ...(hasStarts ? [startUp] : [])],
    })),
  };
}
