export const GAB_PREFIX = 'window.BENCHMARK_DATA = ';

/** Ids that tell the identities apart, whatever is in them. */
export function namer(): (identity: string) => string {
  const names = new Map<string, string>();
  return (identity) => {
    const name = names.get(identity) ?? `run-${names.size}`;
    names.set(identity, name);
    return name;
  };
}

/** As github-action-benchmark reads its file: so many characters are dropped, the rest is parsed. */
export function gabReads(script: string) {
  return JSON.parse(script.slice(GAB_PREFIX.length));
}

/** As it adds a run and writes its file. */
export function gabAppends(script: string, suite: string, run: unknown): string {
  const data = gabReads(script);
  data.lastUpdate = 1;
  data.entries[suite] = [...(data.entries[suite] ?? []), run];
  return GAB_PREFIX + JSON.stringify(data, null, 2);
}

export function gabRun(change: Record<string, unknown> = {}) {
  return {
    commit: {
      author: { email: 'a@example.com', name: 'A', username: 'a' },
      committer: { email: 'a@example.com', name: 'A', username: 'a' },
      distinct: true,
      id: 'b'.repeat(40),
      message: 'Faster\n\nBecause.',
      timestamp: '2019-11-09T23:58:17+09:00',
      tree_id: 'c'.repeat(40),
      url: 'https://github.com/o/n/commit/bbb',
    },
    date: 1573312140323,
    tool: 'cargo',
    benches: [
      { name: 'fib 10', value: 254, range: '± 24', unit: 'ns/iter' },
      { name: 'fib 20', value: 0.1 + 0.2, unit: 'ns/iter', extra: 'mean: 3\nrounds: 23' },
    ],
    ...change,
  };
}

export function gabFile(entries: Record<string, unknown>): string {
  return GAB_PREFIX + JSON.stringify({ lastUpdate: 5, repoUrl: 'https://github.com/o/n', entries }, null, 2);
}
