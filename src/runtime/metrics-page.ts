import { fetchFailure } from '../foundation/errors.ts';
import { bytesUpTo } from '../host/body.ts';
import type { ProgramPage } from '../model/sample/own-figures.ts';
import type { Program, Service } from '../model/service.ts';
import type { RunningNeed } from './ready.ts';

/** Reads the pages of a service at `host:port` and its members; undefined if none of them has one. The function never rejects. */
export function metricsPages(
  service: Service,
  address: string,
  members: readonly Pick<RunningNeed, 'need' | 'ownPort'>[] = [],
): (() => Promise<readonly ProgramPage[]>) | undefined {
  const programs = [
    { program: service as Program, name: service.entry ?? service.name, address },
    ...members.map(({ need, ownPort }) => ({ program: need, name: need.name, address: `127.0.0.1:${ownPort}` })),
  ];
  const pages = programs.flatMap(({ program: { metrics }, name, address: at }) =>
    metrics === undefined ? [] : [{ name, names: metrics.names, url: `http://${at}${metrics.path}` }],
  );
  return pages.length === 0
    ? undefined
    : () => Promise.all(pages.map(async ({ name, names, url }) => ({ program: name, names, ...(await pageAt(url)) })));
}

const LIMIT_MS = 2000;

/** Larger than any page that is scraped every 15 s. */
const MAX_BYTES = 4 * 2 ** 20;

async function pageAt(url: string): Promise<Pick<ProgramPage, 'text' | 'refusal'>> {
  const refused = (refusal: string) => ({ text: '', refusal });
  try {
    // A persistent connection would still exist when the load begins.
    const headers = { accept: 'text/plain;version=0.0.4', connection: 'close' };
    const answer = await fetch(url, { redirect: 'manual', headers, signal: AbortSignal.timeout(LIMIT_MS) });
    if (!answer.ok) {
      await answer.body?.cancel();
      return refused(`it answered ${answer.status}`);
    }
    const { bytes, isCut } = await bytesUpTo(MAX_BYTES, answer.body);
    return isCut ? refused(`it is larger than ${MAX_BYTES / 2 ** 20} MiB`) : { text: bytes.toString('utf8') };
  } catch (thrown) {
    return refused(fetchFailure(thrown));
  }
}
