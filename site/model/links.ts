import type { RunFacts } from './runs.ts';

export interface RunLink {
  readonly text: string;
  readonly href: string;
}

/** Address that may become a link: http and https only; undefined for any other text. */
export function safeUrl(text: string | undefined): string | undefined {
  if (text === undefined || !/^https?:\/\//i.test(text)) {
    return undefined;
  }
  try {
    const url = new URL(text);
    const isWeb = url.protocol === 'https:' || url.protocol === 'http:';
    return isWeb && url.username === '' && url.password === '' ? url.href : undefined;
  } catch {
    return undefined;
  }
}

/** Page of the commit of a run; undefined if unknown. */
export function commitUrl(sha: string | undefined, repository: string | undefined): string | undefined {
  const home = homeOf(repository);
  return home === undefined || sha === undefined || !/^[0-9a-f]{7,64}$/i.test(sha)
    ? undefined
    : `${home}/commit/${sha}`;
}

/** Pull request, workflow run and report of a run, as far as known. */
export function runLinks({ pullRequest, links }: RunFacts, repository: string | undefined): readonly RunLink[] {
  const home = homeOf(repository);
  const places: readonly (readonly [string, string | undefined])[] = [
    [`Pull request #${pullRequest}`, home && pullRequest !== undefined ? `${home}/pull/${pullRequest}` : undefined],
    ['Report', safeUrl(links.report)],
    ['Workflow run', safeUrl(links.run)],
  ];
  return places.flatMap(([text, href]) => (href === undefined ? [] : [{ text, href }]));
}

function homeOf(repository: string | undefined): string | undefined {
  return safeUrl(repository)
    ?.replace(/[?#].*$/, '')
    .replace(/\/+$/, '');
}
