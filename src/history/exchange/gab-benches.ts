import { plainLines, plainText } from '../../foundation/plain-text.ts';
import type { EntryCommit, HistoryEntry, ImportedCommit, ImportNote } from '../store/entry.ts';
import { type Fields, fieldsOf, LONGEST_NAME, LONGEST_TEXT, malformed } from '../store/fields.ts';
import type { HistoryPlace } from '../store/history-error.ts';
import { type Series, seriesKey } from '../store/series.ts';
import { directionOf, IMPORTED_METRIC, IMPORTED_PLACE } from './gab.ts';

const MOST_BENCHES = 10_000;

/** A figure of another tool, its texts made harmless. */
export interface ImportedBench {
  readonly name: string;
  readonly unit: string;
  /** null where the other tool had none: JSON has no way to write what is not a number. */
  readonly value: number | null;
  readonly range?: string;
  readonly extra?: string;
}

/** The figures in a list as github-action-benchmark has them; throws HistoryError. */
export function benchesIn(list: unknown, place: HistoryPlace): readonly ImportedBench[] {
  if (!Array.isArray(list) || list.length > MOST_BENCHES) {
    throw malformed(place, `the figures are no list of at most ${MOST_BENCHES}`);
  }
  return list.map((item: unknown) => benchOf(fieldsOf(item, place, 'a figure')));
}

function benchOf(fields: Fields): ImportedBench {
  const { name, unit, value, range, extra } = fields.of;
  if (typeof name !== 'string' || typeof unit !== 'string') {
    throw malformed(fields.place, 'a figure has no name or no unit');
  }
  if (value !== null && (typeof value !== 'number' || !Number.isFinite(value))) {
    throw malformed(fields.place, `the value of "${plainText(name, LONGEST_NAME)}" is no finite number`);
  }
  return {
    name: plainText(name, LONGEST_NAME),
    unit: plainText(unit, LONGEST_NAME),
    value,
    ...(typeof range === 'string' && { range: plainText(range, LONGEST_TEXT) }),
    ...(typeof extra === 'string' && { extra: plainLines(extra, LONGEST_TEXT) }),
  };
}

/** What is known of a run that another tool measured. */
export interface ImportedRun {
  readonly run: string;
  readonly at: string;
  readonly suite: string;
  readonly tool: string;
  readonly benches: readonly ImportedBench[];
  readonly commit?: EntryCommit | undefined;
  readonly original?: ImportedCommit | undefined;
}

/** The entry of a run that another tool measured: a series for each of its figures, whose direction the tool says. */
export function importedEntry(imported: ImportedRun): HistoryEntry {
  const { run, at, suite, tool, benches, commit, original } = imported;
  return {
    run,
    at,
    suite,
    kind: 'import',
    series: seriesOfBenches(benches, suite, tool),
    values: benches.map(({ value }) => value),
    spreads: benches.map(() => null),
    ...(commit !== undefined && { commit }),
    tags: [],
    tools: {},
    rounds: 1,
    verdicts: [],
    links: {},
    imported: { tool, notes: benches.flatMap(noteOf), ...(original !== undefined && { commit: original }) },
  };
}

/** A name that is there twice is another series each time. */
function seriesOfBenches(benches: readonly ImportedBench[], suite: string, tool: string): readonly Series[] {
  const times = new Map<string, number>();
  return benches.map(({ name, unit }) => {
    const first: Series = {
      suite,
      service: tool,
      operation: name,
      tier: IMPORTED_PLACE,
      metric: IMPORTED_METRIC,
      unit,
      better: directionOf(tool),
    };
    const time = (times.get(seriesKey(first)) ?? 0) + 1;
    times.set(seriesKey(first), time);
    return time === 1 ? first : { ...first, tier: `${IMPORTED_PLACE} (${time})` };
  });
}

function noteOf({ range, extra }: ImportedBench, series: number): readonly ImportNote[] {
  return range === undefined && extra === undefined
    ? []
    : [{ series, ...(range !== undefined && { range }), ...(extra !== undefined && { extra }) }];
}
