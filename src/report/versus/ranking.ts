import { NO_FIGURE } from '../../foundation/numbers.ts';
import type { CellTable } from '../../judge/reading/cells.ts';
import { startUpOf } from '../../judge/study/start-up.ts';
import type { Pairing } from '../../judge/study/versus.ts';
import { formatMetric, SATURATION } from '../../model/metric.ts';
import { ALL_TIERS } from '../../model/policy.ts';
import type { VersusRun } from '../../model/run/comparison.ts';
import { ratioText } from '../comparison/ratios.ts';
import type { Labels } from '../comparison/view.ts';
import type { Table } from '../document.ts';
import { aboutOf } from '../views/about.ts';

interface Ranked {
  readonly run: VersusRun;
  readonly labels: Labels;
  readonly pairings: readonly Pairing[];
  /** The service that all are compared with. */
  readonly reference: string;
  /** For the slots, in which services start one by one; undefined if there were none. */
  readonly slots: CellTable | undefined;
}

/** The services from most to fewest requests per CPU second, the reference among them. */
export function rankingTable(ranked: Ranked): Table {
  const { run, labels, pairings, reference } = ranked;
  const starts = new Map(
    [reference, ...pairings.map(({ service }) => service)].map((name) => [name, startUpText(ranked, name)]),
  );
  const hasStarts = [...starts.values()].some((text) => text !== undefined);
  const row = (service: string, gain: number, figures: readonly string[]) => ({
    gain,
    about: aboutOf(run, { services: [service] }),
    head: labels.service(service),
    cells: [...figures, ...(hasStarts ? [starts.get(service) ?? NO_FIGURE] : [])],
  });
  const rows = pairings.map(({ service, standings, perCpuSecond, capacity }) => {
    const memory = standings.find(({ metric, cell }) => metric === 'peakMemoryMiB' && cell.tier === ALL_TIERS);
    const figures = [perCpuSecond, capacity, memory].map((one) => ratioText(one?.ratio));
    return row(service, perCpuSecond?.ratio.times ?? 0, figures);
  });
  return {
    kind: 'table',
    caption: 'Services by requests per CPU second',
    isCaptionQuiet: true,
    columns: [
      'service',
      'requests per CPU second, ratio [95% CI]',
      'requests/s at saturation',
      'memory',
      ...(hasStarts ? ['start to first answer'] : []),
    ],
    rows: [...rows, row(reference, 1, ['reference', 'reference', 'reference'])].toSorted(
      (left, right) => right.gain - left.gain,
    ),
  };
}

/** "1,900 ms: 12.3 [10.1, 15]". */
function startUpText({ run, reference, slots }: Ranked, service: string): string | undefined {
  const tiers = [...run.suite.tiers.map(({ name }) => name), SATURATION];
  const found = slots && startUpOf({ service, reference }, tiers, slots);
  const own = found && formatMetric('startUpMs', found.medianMs);
  return found?.times === undefined ? own : `${own}: ${ratioText(found.times)}`;
}
