import packageFile from '../../package.json' with { type: 'json' };
import type { Publication } from '../../src/history/publish.ts';
import { entryOf } from '../../src/history/store/run-entry.ts';
import type { Run } from '../../src/model/run/run.ts';
import { sampleRun } from '../support/sample-run.ts';

/** A run that differs from others by its number. */
export function numberedRun(number: number): Run {
  const startedAt = new Date(Date.UTC(2026, 10, 1, 0, number)).toISOString();
  return sampleRun({ services: ['rest'], change: { startedAt } });
}

/** What is published of a run. */
export function publicationOf(run: Run, page: Publication['page'] = []): Publication {
  const id = `run-${run.startedAt.replace(/\W/g, '-')}`;
  return {
    addition: { entry: entryOf(run, { run: id, subject: 'Cache users', branch: 'main' }) },
    about: { wiregauge: packageFile.version, repository: 'https://github.com/one/service', branch: 'main' },
    page,
  };
}

/** The same with latency distributions. */
export function distributedPublicationOf(run: Run): Publication {
  const { addition, ...rest } = publicationOf(run);
  return { addition: { ...addition, histograms: { 'rest/all/low': 'AAAA' } }, ...rest };
}
