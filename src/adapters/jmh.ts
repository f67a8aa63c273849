import { eachNamed, Gathering, jsonAdapter, numberIn, numbersIn, recordOf, textIn } from './tool-run.ts';
import type { Direction } from './units.ts';

type Item = Readonly<Record<string, unknown>>;

/** Adapter of JMH (`-rf json`): the score of each benchmark, by mode, parameters and threads, and the figures of its profilers. */
export const jmh = jsonAdapter((document) => {
  if (!Array.isArray(document)) {
    return 'must be a list';
  }
  const gathering = new Gathering();
  eachNamed(gathering, document, (item, benchmark) => readOne(gathering, item, benchmark));
  const isOfJmh = document.length === 0 || document.some((one) => 'primaryMetric' in (recordOf(one) ?? {}));
  return isOfJmh ? gathering.run() : 'has no result with a primaryMetric';
});

function readOne(gathering: Gathering, item: Item, benchmark: string): void {
  const mode = textIn(item['mode']) ?? '';
  const name = nameOf(item, `${benchmark} ${mode}`.trim());
  const primary = recordOf(item['primaryMetric']);
  if (primary === undefined) {
    gathering.leaveOut({ name, why: 'has no primaryMetric', kind: 'unread' });
    return;
  }
  const failed = failedForks(item, primary);
  if (failed !== undefined) {
    gathering.fail(name, failed);
    return;
  }
  const isRate = mode === 'thrpt';
  figureOf(gathering, primary, { name, metric: isRate ? 'throughput' : 'time', better: isRate ? 'higher' : 'lower' });
  for (const [metric, found] of Object.entries(recordOf(item['secondaryMetrics']) ?? {})) {
    figureOf(gathering, recordOf(found) ?? {}, { name, metric, better: directionOfProfiler(metric) });
  }
}

function nameOf(item: Item, name: string): string {
  const { params, threads } = item;
  const given = Object.entries(recordOf(params) ?? {}).map(([key, value]) => `${key}=${String(value)}`);
  const parallel = typeof threads === 'number' && threads > 1 ? [`threads=${threads}`] : [];
  return [name, ...given, ...parallel].join(' ');
}

/** A fork that failed has no data, and JMH goes on with the others. */
function failedForks({ forks }: Item, { rawData, score }: Item): string | undefined {
  const planned = typeof forks === 'number' ? forks : 0;
  const done = Array.isArray(rawData) ? rawData.length : planned;
  if (planned > 0 && done < planned) {
    return `${planned - done} of ${planned} forks failed`;
  }
  return Array.isArray(rawData) && done === 0 && typeof numberIn(score) === 'string'
    ? 'has no data of any fork'
    : undefined;
}

/** The rate at which a garbage collector works says nothing of what is better; its time and counts do. */
function directionOfProfiler(metric: string): Direction | undefined {
  return /gc\.alloc\.rate$|gc\.churn\..*(?<!\.norm)$/.test(metric) ? 'unknown' : undefined;
}

interface Of {
  readonly name: string;
  readonly metric: string;
  readonly better: Direction | undefined;
}

function figureOf(gathering: Gathering, { score, scoreUnit, rawData }: Item, { better, ...of }: Of): void {
  const unit = textIn(scoreUnit) ?? '';
  const repetitions = numbersIn(Array.isArray(rawData) ? rawData.flat() : undefined);
  const ofCollector = /gc\.(?:count|time)$/.test(of.metric) ? ('lower' as const) : undefined;
  gathering.figure({ ...of, unit, value: score, repetitions, better: better ?? ofCollector });
}
