import { counted } from '../../foundation/numbers.ts';
import type { ReadHistory } from './changes.ts';
import type { HistoryEntry } from './entry.ts';
import { HistoryError, malformed } from './fields.ts';
import type { HistoryIndex, LostRuns, SegmentRow } from './index-file.ts';
import { type HistogramsOfRun, readHistograms, readSegment } from './segment.ts';

/** Folder of the segments and their index, below that of the history. */
export const SEGMENTS_FOLDER = 'history';

export const INDEX_PATH = `${SEGMENTS_FOLDER}/index.json`;

export const CHANGES_PATH = `${SEGMENTS_FOLDER}/changes.json`;

/** Maximum number of runs in a segment, so that no commit rewrites much. */
export const RUNS_PER_SEGMENT = 100;

export function pathOf(file: string): string {
  return `${SEGMENTS_FOLDER}/${file}`;
}

export function histogramsPath(file: string): string {
  return pathOf(file.replace(/\.jsonl$/, '.histograms.jsonl'));
}

/** Month of a time, the prefix of its segments. */
export function monthOf(at: string): string {
  return at.slice(0, 'YYYY-MM'.length);
}

/** Segments that may have a run of this time. */
export function segmentsAround({ segments }: HistoryIndex, at: string): readonly string[] {
  return segments.filter(({ from, to }) => from <= at && at <= to).map(({ file }) => file);
}

/** Newest segment of the month of a time, or the next one if it is full. */
export function openSegment({ segments }: HistoryIndex, at: string): string {
  const month = monthOf(at);
  const last = segments
    .filter(({ file }) => monthOf(file) === month)
    .sort(byPlace)
    .at(-1);
  if (last === undefined) {
    return `${month}.jsonl`;
  }
  return last.runs < RUNS_PER_SEGMENT ? last.file : `${month}-${numberOf(last.file) + 1}.jsonl`;
}

/** Text of a segment that the index lists; throws HistoryError if it is missing. */
export async function segmentText(read: ReadHistory, file: string): Promise<string> {
  const text = await read(pathOf(file));
  if (text === undefined) {
    throw malformed({ file: INDEX_PATH, line: 1 }, `names ${file}, which is missing`);
  }
  return text;
}

/** Runs of a segment in the index. Throws HistoryError, `truncated` also if the index states more runs or bytes. */
export function readNamedSegment(text: string, row: SegmentRow): readonly HistoryEntry[] {
  const entries = readSegment(text, pathOf(row.file));
  refuseLoss(segmentLoss(text, entries.length, row));
  return entries;
}

/** Distributions of a segment in the index, which may have none. Throws HistoryError like `readNamedSegment`. */
export function readNamedHistograms(text: string | undefined, row: SegmentRow): readonly HistogramsOfRun[] {
  const found = readHistograms(text ?? '', histogramsPath(row.file));
  refuseLoss(distributionsLoss(text, row));
  return found;
}

export function refuseLoss(loss: HistoryError | undefined): void {
  if (loss !== undefined) {
    throw loss;
  }
}

/** Error for a segment with fewer runs or bytes than the index states: truncation at the end of a line leaves no other trace. */
export function segmentLoss(text: string, found: number, { file, runs, bytes }: SegmentRow): HistoryError | undefined {
  const size = bytesIn(text);
  if (found >= runs && size >= bytes) {
    return undefined;
  }
  const [have, named, noun] = found < runs ? [found, runs, 'run'] : [size, bytes, 'byte'];
  const many = named === 1 ? noun : `${noun}s`;
  return cutShort(pathOf(file), text, `has ${have} of the ${named} ${many} that the index names, so it was cut short`);
}

/** Error for fewer distributions of a segment than the index states. */
export function distributionsLoss(
  text: string | undefined,
  { file, distributions = 0 }: SegmentRow,
): HistoryError | undefined {
  const found = linesIn(text ?? '');
  if (found >= distributions) {
    return undefined;
  }
  const runs = counted(distributions, 'run');
  return text === undefined
    ? cutShort(histogramsPath(file), '', `is missing, and the index names distributions of ${runs}`)
    : cutShort(
        histogramsPath(file),
        text,
        `has distributions of ${found} of the ${runs} that the index names, so it was cut short`,
      );
}

function cutShort(path: string, text: string, why: string): HistoryError {
  return new HistoryError(
    'truncated',
    { file: path, line: Math.max(1, linesIn(text)) },
    {
      why,
      next:
        `Restore its last good version: \`git log --all -- '*${path}'\` lists the commits that wrote it. Only if ` +
        'the rest may stay lost, rebuild the index from what is there with `wiregauge history repair --yes`. Nothing was written.',
    },
  );
}

/** Number of lost runs, and since when. */
export function lostText({ runs, from, to, noticed }: LostRuns): string {
  const [are, were] = runs === 1 ? ['is', 'was'] : ['are', 'were'];
  const days = [from, to].map(dayOf);
  const span = days[0] === days[1] ? `on ${days[0]}` : `from ${days[0]} to ${days[1]}`;
  const since = noticed === undefined ? '' : `, since before the run of ${dayOf(noticed)} was published`;
  return `${counted(runs, 'run')} that ${were} in this history ${are} gone${since}: measured ${span}`;
}

function dayOf(at: string): string {
  return at.slice(0, 'YYYY-MM-DD'.length);
}

/** Latest time of any run in the index; empty without runs. */
export function newestTime({ segments }: HistoryIndex): string {
  const times = segments.map(({ to }) => to).sort();
  return times.at(-1) ?? '';
}

/** Size of a text in UTF-8. */
export function bytesIn(text: string): number {
  return new TextEncoder().encode(text).length;
}

function linesIn(text: string): number {
  return text.split('\n').length - 1;
}

/** Index with the row of a segment rebuilt from its texts; without the row if it has no runs. */
export function withSegment(index: HistoryIndex, file: string, text: string, distributions: string = ''): HistoryIndex {
  const times = readSegment(text, pathOf(file))
    .map(({ at }) => at)
    .sort();
  const [from] = times;
  const to = times.at(-1);
  const others = index.segments.filter((row) => row.file !== file);
  if (from === undefined || to === undefined) {
    return { ...index, segments: others };
  }
  const counted = linesIn(distributions);
  const row = {
    ...{ file, runs: times.length, bytes: bytesIn(text) },
    ...(counted > 0 && { distributions: counted }),
    ...{ from, to },
  };
  return { ...index, segments: [...others, row].sort(byPlace) };
}

function byPlace(left: SegmentRow, right: SegmentRow): number {
  const [month, other] = [monthOf(left.file), monthOf(right.file)];
  return month === other ? numberOf(left.file) - numberOf(right.file) : month < other ? -1 : 1;
}

/** The first segment of a month has no number. */
function numberOf(file: string): number {
  return Number(file.slice('YYYY-MM-'.length, -'.jsonl'.length)) || 1;
}
