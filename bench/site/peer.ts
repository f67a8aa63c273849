import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readIndex } from '../../src/history/store/index-file.ts';
import { readSegment } from '../../src/history/store/segment.ts';
import { INDEX_PATH, pathOf } from '../../src/history/store/segments.ts';

/** The other page and the same history as its data.js, under `peer/`; its chart library comes from this machine. */
export async function peerFiles(
  folder: string,
  files: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, string>> {
  const page = await readFile(join(folder, 'index.html'), 'utf8');
  const local = page.replace(/https:\/\/[^"']*chart[^"']*\.js/gi, '/chart.js');
  return new Map([
    ['peer/index.html', local],
    ['peer/data.js', `window.BENCHMARK_DATA = ${JSON.stringify(benchmarkData(files), null, 2)}`],
  ]);
}

function benchmarkData(files: ReadonlyMap<string, string>) {
  const { segments } = readIndex(files.get(INDEX_PATH) ?? '', INDEX_PATH);
  const entries = segments.flatMap(({ file }) => readSegment(files.get(pathOf(file)) ?? '', file));
  const author = { name: 'someone', email: 'someone@example.com', username: 'someone' };
  return {
    lastUpdate: Date.parse(entries.at(-1)?.at ?? ''),
    repoUrl: 'https://github.com/example/shop',
    entries: {
      users: entries.map(({ at, commit, series, values }) => ({
        commit: {
          author,
          committer: author,
          id: commit?.sha ?? '',
          message: commit?.subject ?? '',
          timestamp: at,
          url: `https://github.com/example/shop/commit/${commit?.sha}`,
        },
        date: Date.parse(at),
        tool: 'customSmallerIsBetter',
        benches: series.map(({ service, operation, tier, metric, unit }, place) => ({
          name: `${service}/${operation}/${tier}/${metric}`,
          value: values[place] ?? 0,
          unit,
        })),
      })),
    },
  };
}
