import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GENERATORS } from '../../src/load/generators.ts';
import type { Records, ToolGenerator, ToolLoad } from '../../src/model/load.ts';
import { checkPrograms } from '../../src/runtime/tools/cache.ts';
import { GENERATOR_PROGRAMS } from '../../src/runtime/tools/places.ts';
import { realLoadTools } from '../integration/load-tools.ts';
import { grpcTarget, httpTarget, type LoadTarget } from './load-targets.ts';

const tools = await realLoadTools();

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'wiregauge-load-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the generator's command with the real tool, as a runtime does, and reads what it recorded. */
async function run(generator: ToolGenerator, load: ToolLoad) {
  const command = generator.command(load, 'steady-0');
  for (const [path, text] of Object.entries(command.inputs)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const limits = { cwd: folder, timeout: command.limitSeconds * 1000 };
  await promisify(execFile)(join(tools, command.tool), command.arguments, limits);
  const reader = generator.reader();
  reader.push(readFileSync(join(folder, command.output)));
  return reader.finish();
}

function kindsOf({ failure, failureKinds }: Records): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const code of failure) {
    const kind = failureKinds[code - 1] ?? 'ok';
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

describe('the pinned load tools', () => {
  it('have the pinned versions', async () => {
    await checkPrograms(tools, GENERATOR_PROGRAMS, AbortSignal.timeout(20_000));
  });

  describe.each([
    { generator: GENERATORS.vegeta, serve: httpTarget, kind: 'HTTP 503' },
    { generator: GENERATORS.ghz, serve: grpcTarget, kind: 'NotFound' },
  ])('$generator.name', ({ generator, serve, kind }) => {
    const played = async (service: LoadTarget, pace: { ratePerSecond: number } | undefined) => {
      const common = { target: service.target, seconds: 1, workers: 6, timeoutSeconds: 5 };
      const load: ToolLoad =
        pace === undefined ? { kind: 'saturate', ...common } : { kind: 'open', ...common, ...pace };
      return await run(generator, load);
    };

    it('sends all requests of a schedule in turn, and its records are those of the requests', async () => {
      await using service = await serve();

      const { records, cutOff } = await played(service, { ratePerSecond: 60 });

      expect(cutOff).toBe(false);
      expect(records.startMs.length).toBe(service.asked.length);
      // 60 of the schedule, 6 in the slack behind it, and what the 6 workers had begun when the tool stopped; fewer only if this machine
      // stood still at the very end.
      expect(records.startMs.length).toBeGreaterThanOrEqual(57);
      expect(records.startMs.length).toBeLessThanOrEqual(72);
      const kinds = kindsOf(records);
      expect(Object.keys(kinds).toSorted()).toEqual([kind, 'ok'].toSorted());
      expect(kinds[kind]).toBe(service.asked.filter((id) => id === '3').length);
      expect(kinds[kind]).toBeGreaterThanOrEqual(19);
    });

    it('notes its times by the clock of this machine', async () => {
      await using service = await serve();
      const beforeMs = Date.now();

      const { records } = await played(service, { ratePerSecond: 30 });

      const firstMs = records.originMs + (records.startMs[0] ?? Number.NaN);
      expect(firstMs).toBeGreaterThan(beforeMs - 5);
      expect(firstMs).toBeLessThan(Date.now());
    });

    it('ends a closed loop without losing or failing the last requests', async () => {
      await using service = await serve();
      const target = { ...service.target, requests: service.target.requests.slice(0, 2) };

      const { records, cutOff } = await played({ ...service, target }, undefined);

      expect(cutOff).toBe(false);
      expect(records.startMs.length).toBe(service.asked.length);
      expect(records.failureKinds).toEqual([]);
      expect(records.startMs.length).toBeGreaterThan(100);
    });

    it('records refused connections as such', async () => {
      const service = await serve();
      await service[Symbol.asyncDispose]();

      const { records } = await played(service, { ratePerSecond: 20 });

      expect(records.failureKinds).toEqual(['connection refused']);
      expect(records.failure.every((code) => code === 1)).toBe(true);
    });
  });
});
