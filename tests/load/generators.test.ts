import { describe, expect, it } from 'vitest';
import type { Load, Records } from '../../src/model/load.ts';
import { grpcTarget, httpTarget, type LoadTarget } from './load-targets.ts';
import { measured } from './run-tool.ts';

function kindsOf({ failure, failureKinds }: Records): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const code of failure) {
    const kind = failureKinds[code - 1] ?? 'ok';
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

describe.each([
  { tool: 'vegeta', serve: httpTarget, kind: 'HTTP 503' },
  { tool: 'ghz', serve: grpcTarget, kind: 'NotFound' },
] as const)('$tool', ({ tool, serve, kind }) => {
  describe.each([
    ['over connections of its own', true],
    ['over open connections', false],
  ])('%s', (_, fresh) => {
    const play = async (service: LoadTarget, pace: { ratePerSecond: number } | undefined) => {
      const common = { target: service.target, seconds: 1, workers: 6, timeoutSeconds: 5, fresh };
      const load: Load = pace === undefined ? { kind: 'saturate', ...common } : { kind: 'open', ...common, ...pace };
      return await measured({ tool, load });
    };

    it('sends all requests of a schedule in turn, and its records are those of the requests', async () => {
      await using service = await serve();

      const records = await play(service, { ratePerSecond: 60 });

      expect(records.startMs.length).toBe(service.requested.length);
      // 60 of the schedule, 6 in the slack behind it, and what the 6 workers had begun when the tool stopped; fewer only if this machine
      // stood still at the very end.
      expect(records.startMs.length).toBeGreaterThanOrEqual(57);
      expect(records.startMs.length).toBeLessThanOrEqual(72);
      const kinds = kindsOf(records);
      expect(Object.keys(kinds).toSorted()).toEqual([kind, 'ok'].toSorted());
      expect(kinds[kind]).toBe(service.requested.filter((id) => id === '3').length);
      expect(kinds[kind]).toBeGreaterThanOrEqual(19);
    });

    it('notes its times by the clock of this machine', async () => {
      await using service = await serve();
      const beforeMs = Date.now();

      const records = await play(service, { ratePerSecond: 30 });

      const firstMs = records.originMs + (records.startMs[0] ?? Number.NaN);
      expect(firstMs).toBeGreaterThan(beforeMs - 5);
      expect(firstMs).toBeLessThan(Date.now());
    });

    it('ends a closed loop without losing or failing the last requests', async () => {
      await using service = await serve();
      const target = { ...service.target, requests: service.target.requests.slice(0, 2) };

      const records = await play({ ...service, target }, undefined);

      expect(records.startMs.length).toBe(service.requested.length);
      expect(records.failureKinds).toEqual([]);
      expect(records.startMs.length).toBeGreaterThan(100);
    });

    it('records refused connections as such', async () => {
      const service = await serve();
      await service[Symbol.asyncDispose]();

      const records = await play(service, { ratePerSecond: 20 });

      expect(records.failureKinds).toEqual(['connection refused']);
      expect(records.failure.every((code) => code === 1)).toBe(true);
    });
  });
});
