/** Series in tests/fixtures/histories. */
interface StoredSeries {
  readonly suite: string;
  readonly name: string;
  readonly unit: string;
  readonly tool: string;
  readonly points: readonly (readonly [ms: number, commit: string, value: number])[];
}

interface Run {
  readonly commit: { readonly id: string };
  readonly date: number;
  readonly tool: string;
  readonly benches: { readonly name: string; readonly unit: string; readonly value: number }[];
}

/** Stored series of another project as the data of github-action-benchmark: a run for each commit, with all of its measurements. */
export function benchmarkData(text: string): string {
  const { repo, series }: { repo: string; series: readonly StoredSeries[] } = JSON.parse(text);
  const runs = new Map<string, Run>();
  const entries: Record<string, Run[]> = {};
  for (const { suite, name, unit, tool, points } of series) {
    for (const [date, id, value] of points) {
      const key = JSON.stringify([suite, date, id]);
      const run = runs.get(key) ?? { commit: { id }, date, tool, benches: [] };
      if (!runs.has(key)) {
        runs.set(key, run);
        entries[suite] = [...(entries[suite] ?? []), run];
      }
      run.benches.push({ name, unit, value });
    }
  }
  return JSON.stringify({ repoUrl: `https://github.com/${repo}`, entries });
}
