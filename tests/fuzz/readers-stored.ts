import { readFileSync } from 'node:fs';
import { decodeHistogram } from '../../src/foundation/histogram.ts';
import { commandIn } from '../../src/github/command.ts';
import { readEntries } from '../../src/history/exchange/csv.ts';
import { readCustom, readGab } from '../../src/history/exchange/import.ts';
import { formatChanges, readChanges } from '../../src/history/store/changes.ts';
import { formatIndex, readIndex, readIndexHead } from '../../src/history/store/index-file.ts';
import { appendedAll, appendedHistograms, readHistograms, readSegment } from '../../src/history/store/segment.ts';
import { textInZip } from '../../src/host/files/zip.ts';
import { formatRun, parseRun } from '../../src/model/run/run.ts';
import { relevantLines } from '../../src/model/secrets/printed.ts';
import { hiddenResults, resultsIn } from '../../src/report/comment/state.ts';
import { parseCause, withPending } from '../../src/report/comment/unjudged.ts';
import { CHANGED_ANSWERS } from '../support/sample-answers.ts';
import { GAB_PREFIX, namer } from '../support/sample-gab.ts';
import { sampleEntry, sampleSeries } from '../support/sample-history.ts';
import { sampleRounds } from '../support/sample-rounds.ts';
import { sampleRun } from '../support/sample-run.ts';
import { zipOf } from '../support/zip.ts';
import { changedBytes } from './edits-bytes.ts';
import { changedJson } from './edits-json.ts';
import { changedText } from './edits-text.ts';
import { type Reader, readerOf, readOrRefuse } from './outcome.ts';

/** A run with a few of its samples, so that a change finds what is around them, too. */
function shortened<Found extends { readonly samples: readonly object[] }>(run: Found): Found {
  return { ...run, samples: run.samples.slice(0, 3) };
}

const RUNS = [sampleRun(), sampleRounds({ record: { answers: CHANGED_ANSWERS } })].map(shortened).map(formatRun);

const histograms = sampleRun().samples.map(({ histogram }) => histogram);

const SEGMENT = appendedAll(
  '',
  [
    sampleEntry(),
    sampleEntry({ run: 'b', verdicts: [{ series: 0, verdict: 'regressed', change: 0.1, low: 0.05, high: 0.2 }] }),
    sampleEntry({ run: 'c', series: [sampleSeries({ tier: 'low' })], pullRequest: 7, links: { run: 'https://x' } }),
    sampleEntry({ run: 'd', kind: 'import', imported: { tool: 'cargo', notes: [{ series: 0, range: '± 1' }] } }),
  ],
  'history/2026-11.jsonl',
);

const INDEX = formatIndex({
  wiregauge: '0.1.0',
  repository: 'https://github.com/o/r',
  branch: 'main',
  segments: ['2026-10.jsonl', '2026-11.jsonl', '2026-11-2.jsonl'].map((file) => ({
    file,
    runs: 3,
    bytes: 100,
    from: '2026-10-01T00:00:00.000Z',
    to: '2026-10-02T00:00:00.000Z',
  })),
});

const CHANGES = formatChanges([
  {
    series: sampleSeries(),
    run: 'a',
    at: '2026-10-01T00:00:00.000Z',
    commit: 'abc',
    subject: 'Cache users',
    before: 1,
    after: 2,
    shift: 1,
    p: 0.001,
    runsAfter: 7,
    pending: false,
  },
]);

const DISTRIBUTIONS = appendedHistograms(
  '',
  [{ run: 'a', cells: { 'rest/all/low': histograms[0] ?? '' } }],
  'history/2026-11.histograms.jsonl',
);

const COMMENT = hiddenResults([
  {
    head: 'a'.repeat(40),
    finishedAt: '2026-11-21T10:00:00.000Z',
    outcome: 'passed',
    headline: 'Nothing',
    runUrl: 'https://x',
    shown: {
      at: '2026-11-21T10:01:00.000Z',
      rows: [
        {
          service: 'rest',
          operation: 'all',
          tier: 'saturation',
          metric: 'cpuMicrosPerRequest',
          upTo: 0.08,
          isRed: true,
        },
      ],
    },
  },
]);

const LOG = `panic: \u001b[31mboom\u001b[0m
Authorization: Bearer 0123456789abcdef
postgres://shop:secret@db/shop
-----BEGIN PRIVATE KEY-----
MIIEvQIBADANBg
10%\r20%
`;

const gab = (name: string): string => readFileSync(`tests/fixtures/github-action-benchmark/${name}`, 'utf8');

/** A history of github-action-benchmark without what a script of the page stands behind. */
const GAB = gab('exported.txt').replace(GAB_PREFIX, '');

async function readArtifact(bytes: Uint8Array): Promise<void> {
  parseRun(await textInZip(bytes, 'run.json', { entries: 20, bytes: 2_000_000 }), 'run.json');
}

async function readIndexes(text: string): Promise<void> {
  await readOrRefuse(() => readIndexHead(text, 'history/index.json'));
  readIndex(text, 'history/index.json');
}

const artifact = Buffer.from(
  zipOf([
    { name: 'report.md', text: '# no' },
    { name: 'run.json', text: RUNS[0] ?? '' },
  ]),
);

const custom = {
  tool: 'customSmallerIsBetter',
  suite: 'own',
  at: undefined,
  now: '2026-11-21T10:00:00.000Z',
  commit: 'abc',
  nameRun: namer(),
};

/** Readers of what an earlier job, another tool or a stranger has left. */
export const STORED_READERS: readonly Reader[] = [
  readerOf('run.json', changedJson(RUNS), (text) => parseRun(text, 'run.json')),
  readerOf('an artifact', changedBytes([artifact]), readArtifact),
  readerOf('a distribution', changedText(histograms.slice(0, 3)), (text) => {
    const { quantileMs } = decodeHistogram(text);
    return [0, 0.5, 0.99, 1].map(quantileMs);
  }),
  readerOf('a segment', changedText([SEGMENT]), (text) => readSegment(text, 'history/2026-11.jsonl')),
  readerOf('a line of a segment', changedJson(SEGMENT.trim().split('\n')), (line) =>
    readSegment(`${SEGMENT}${line}\n`, 'history/2026-11.jsonl'),
  ),
  readerOf('an index', changedJson([INDEX]), readIndexes),
  readerOf('change points', changedJson([CHANGES]), (text) => readChanges(text, 'history/changes.json')),
  readerOf('distributions', changedText([DISTRIBUTIONS]), (text) =>
    readHistograms(text, 'history/2026-11.histograms.jsonl'),
  ),
  readerOf('a data.js', changedText([gab('exported.txt'), gab('appended.txt')]), (text) =>
    readGab(text, 'data.js', namer()),
  ),
  readerOf('a data.js as JSON', changedJson([GAB]), (text) => readGab(text, 'data.json', namer())),
  readerOf('exported runs', changedJson([gab('history.json')]), (text) => readEntries(text, 'history.json')),
  readerOf('custom figures', changedJson([gab('bigger.json'), gab('smaller.json')]), (text) =>
    readCustom(text, 'bench.json', custom),
  ),
  readerOf('a comment', changedText([`Text\n${COMMENT}`]), resultsIn),
  readerOf('a comment on top of which a commit is named', changedText([`Marker\nText\n${COMMENT}`]), (body) =>
    withPending(body, { head: 'b'.repeat(40) }),
  ),
  readerOf(
    'a cause',
    changedJson([JSON.stringify({ cause: 'shop cannot be built', printed: LOG, next: 'Run `make`.' })]),
    parseCause,
  ),
  readerOf('a command', changedText(['/wiregauge accept 8%\nSigned answers.', '/wiregauge rerun']), commandIn),
  readerOf('a log', changedText([LOG]), (text) => relevantLines(text, { TOKEN: 'correct-horse' })),
];
