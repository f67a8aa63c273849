import type { HistoryChange } from '../store/changes.ts';
import type { HistoryEntry } from '../store/entry.ts';

/** Which runs of a history stay. */
export interface KeepRule {
  /** Younger runs all stay; up to twice this age one a day, and older ones one a week. */
  readonly days: number;
  /** In UTC, in the form of the history. */
  readonly today: string;
  /** Runs at these stay. */
  readonly changes: readonly HistoryChange[];
}

const DAY_MS = 86_400_000;

/** 1970-01-01 was a Thursday: weeks begin on Mondays. */
const MONDAY_OFFSET_DAYS = 3;

const UNITS: Readonly<Record<string, number>> = { d: 1, w: 7, y: 365 };

/** The days of an age like "90d", "26w" or "1y"; undefined for another text. */
export function daysOf(age: string): number | undefined {
  const [, count, unit] = /^(\d{1,5})([dwy])$/.exec(age) ?? [];
  const days = Number(count) * (UNITS[unit ?? ''] ?? Number.NaN);
  return days > 0 ? days : undefined;
}

/**
 * The ids of the runs that stay: of each suite those younger than the rule's age, the last of each day up to twice that age, the
 * last of each week before; and always the newest of each suite, releases, and the first run after a change point.
 */
export function keptRuns(entries: readonly HistoryEntry[], rule: KeepRule): ReadonlySet<string> {
  const atChanges = new Set(rule.changes.map(({ run }) => run));
  const kept = new Set(entries.filter(({ run, tags }) => tags.length > 0 || atChanges.has(run)).map(({ run }) => run));
  const last = new Map<string, HistoryEntry>();
  for (const entry of entries) {
    for (const span of [spanOf(entry, rule), 'newest']) {
      const name = JSON.stringify([entry.suite, span]);
      const known = last.get(name);
      last.set(name, known === undefined || known.at < entry.at ? entry : known);
    }
  }
  for (const { run } of last.values()) {
    kept.add(run);
  }
  return kept;
}

/** Of the runs of one span the last stays: a span is one run, a day or a week. */
function spanOf({ run, at }: HistoryEntry, { days, today }: KeepRule): string {
  const day = Math.floor(Date.parse(at) / DAY_MS);
  const age = (Date.parse(today) - Date.parse(at)) / DAY_MS;
  if (age < days) {
    return `run ${run}`;
  }
  return age < 2 * days ? `day ${day}` : `week ${Math.floor((day + MONDAY_OFFSET_DAYS) / 7)}`;
}

/** The lines of a segment or of its distributions without those of runs that go; columns that nobody names go, too. */
export function withoutRuns(text: string, kept: ReadonlySet<string>): string {
  const lines = text.split('\n').filter((line) => line !== '');
  const parsed = lines.map((line) => ({ line, of: JSON.parse(line) as { run?: string; columns?: number } }));
  const runs = parsed.filter(({ of }) => of.run !== undefined && kept.has(of.run));
  const columns = new Set(runs.map(({ of }) => of.columns));
  const isKept = ({ of }: (typeof parsed)[number]) =>
    of.run === undefined ? columns.has(of.columns) : kept.has(of.run);
  return parsed
    .filter(isKept)
    .map(({ line }) => `${line}\n`)
    .join('');
}
