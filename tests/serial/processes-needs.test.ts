import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConfigError, MeasurementError } from '../../src/foundation/errors.ts';
import { readProc } from '../../src/host/files/reader.ts';
import { isOwnerAlive, ownerOf } from '../../src/host/machine/proc.ts';
import type { Need } from '../../src/model/service.ts';
import { processEnd } from '../../src/runtime/ended.ts';
import type { RunningService } from '../../src/runtime/port.ts';
import { processRuntime } from '../../src/runtime/process/runtime.ts';
import { pythonNeed, STORE } from '../integration/needy-service.ts';
import {
  answer,
  benchPerTest,
  HTTP_SERVER,
  marked,
  ownedFolders,
  pythonService,
} from '../integration/plain-service.ts';

const bench = benchPerTest();

const needing = (...needs: readonly Need[]) =>
  pythonService(HTTP_SERVER, { needs, environment: { URL: 'http://${needs.db.host}:${needs.db.port}' } });

/** What the need `db` of a service answers at a path. */
async function askNeed(running: RunningService, path = '/'): Promise<Record<string, string>> {
  const { URL: url } = await answer(running);
  const answered = await fetch(`${url}${path}`);
  return Object.fromEntries(Object.entries<string>(Object(await answered.json())));
}

describe('what a service needs', () => {
  it('is ready before the service, on the core of the load tool, and found by its environment', async () => {
    await using runtime = await processRuntime(bench.options);
    await using running = await runtime.start(needing(pythonNeed(STORE, { environment: { LEVEL: '2' } })));

    const service = await answer(running);
    const need = await askNeed(running);

    expect(service).toMatchObject({ DB_HOST: '127.0.0.1', DB_PORT: need['PORT'] });
    expect(service['URL']).toBe(`http://127.0.0.1:${need['PORT']}`);
    expect(service['DATA']).toBeUndefined();
    expect(need).toMatchObject({ LEVEL: '2', HOST: '127.0.0.1', WIREGAUGE_OWNER: bench.options.owner });
    expect(readProc(`/proc/${need['pid']}/status`)).toMatch(/^Cpus_allowed_list:\s+1$/m);
  });

  it('has an empty folder of its own, which goes with it', async () => {
    await using runtime = await processRuntime(bench.options);
    const running = await runtime.start(needing(pythonNeed(STORE)));
    const { DATA: data = '' } = await askNeed(running);
    expect(readFileSync(join(data, 'made'), 'utf8')).toBe('');

    await running[Symbol.asyncDispose]();

    expect(existsSync(data)).toBe(false);
    expect([marked(bench.options.owner), ownedFolders(bench.options.owner)]).toEqual([[], []]);
  });

  it('is started in order, with the addresses of its own needs', async () => {
    await using runtime = await processRuntime(bench.options);
    const cache = pythonNeed(STORE, { name: 'my-cache' });
    const environment = { CACHE: '${needs.my-cache.host}:${needs.my-cache.port}' };
    await using running = await runtime.start(needing(cache, pythonNeed(STORE, { needs: ['my-cache'], environment })));

    const need = await askNeed(running);

    expect(need['CACHE']).toBe(`${need['MY_CACHE_HOST']}:${need['MY_CACHE_PORT']}`);
    expect(await answer(running)).toMatchObject({ MY_CACHE_PORT: need['MY_CACHE_PORT'] });
  });

  it('is new at each start, or kept until the end of the run', async () => {
    await using runtime = await processRuntime(bench.options);
    const pids: (string | undefined)[] = [];
    for (const fresh of ['slot', 'slot', 'run', 'run'] as const) {
      await using running = await runtime.start(needing(pythonNeed(STORE, { fresh })));
      pids.push((await askNeed(running))['pid']);
    }

    expect(new Set(pids.slice(0, 3)).size).toBe(3);
    expect(pids[3]).toBe(pids[2]);
    const owner = ownerOf(Number(pids[3])) ?? '';
    expect(isOwnerAlive(owner)).toBe(true);
    await runtime[Symbol.asyncDispose]();
    expect(isOwnerAlive(owner)).toBe(false);
  });

  it('is counted next to the service, whose bytes include those to it', async () => {
    await using runtime = await processRuntime(bench.options);
    await using running = await runtime.start(needing(pythonNeed(STORE)));
    await askNeed(running);

    const { service, needsCpuSeconds } = await running.reading();

    expect(needsCpuSeconds).toBeGreaterThan(0);
    expect(service.cpuSeconds).toBeGreaterThan(0);
    expect(service.wireBytes).toBeUndefined();
  });

  it.each<[string, Need['ready']['check']]>([
    ['a path', { kind: 'path', path: '/' }],
    ['a command that has its environment', { kind: 'command', command: ['sh', '-c', 'test -e "$DATA/made"'] }],
  ])('is ready by %s', async (_what, check) => {
    await using runtime = await processRuntime(bench.options);
    await using running = await runtime.start(needing(pythonNeed(STORE, { ready: { check, timeoutSeconds: 20 } })));

    expect((await askNeed(running))['PORT']).toBeDefined();
  });

  it('reports its end, and is restarted afterwards if it is kept', async () => {
    await using runtime = await processRuntime(bench.options);
    const service = needing(pythonNeed(STORE, { fresh: 'run' }));
    await using first = await runtime.start(service);
    const { pid } = await askNeed(first);

    await askNeed(first, '/leave').catch(() => undefined);

    expect(await first.needEnded).toEqual({
      name: 'db',
      end: processEnd(3, 'leaving now'),
    });
    await using second = await runtime.start(service);
    expect((await askNeed(second))['pid']).not.toBe(pid);
  });

  it('is ended over its own limit of memory', async () => {
    await using runtime = await processRuntime(bench.options);
    await using running = await runtime.start(needing(pythonNeed(STORE, { limits: { memoryMiB: 100 } })));

    await askNeed(running, '/eat').catch(() => undefined);

    const ended = await running.needEnded;
    expect(ended?.end).toMatchObject({
      kind: 'out-of-memory',
      how: expect.stringMatching(/over the limit of 100 MiB$/),
    });
  });
});

describe('what does not get ready', () => {
  const waiting = 'import time; print("recovering", flush=True); time.sleep(60)';
  // Long enough for Python to start and to say so on a busy machine.
  const never = (check: Need['ready']['check'], timeoutSeconds = 2.5) => ({ ready: { check, timeoutSeconds } });

  it.each<[string, Need, RegExp]>([
    [
      'listens nowhere',
      pythonNeed(waiting, never({ kind: 'usual' })),
      /^db \(needed by plain\): not ready after 2\.5 s: a connection to port 5432: .*ECONNREFUSED.*; it printed:\nrecovering$/,
    ],
    [
      'answers with a failure',
      pythonNeed(STORE.replace('(200)', '(503)'), never({ kind: 'path', path: '/health' })),
      /^db \(needed by plain\): not ready after 2\.5 s: GET \/health on port 5432: it answered 503; it printed nothing$/,
    ],
    [
      'fails its own check',
      pythonNeed(STORE, never({ kind: 'command', command: ['sh', '-c', 'echo no disk >&2; exit 4'] }, 1)),
      /: sh -c echo no disk >&2; exit 4: ended with exit code 4: no disk; it printed nothing$/,
    ],
    [
      'has a check that cannot be run',
      pythonNeed(STORE, never({ kind: 'command', command: ['no-such-program'] }, 1)),
      /: no-such-program: .*no-such-program/,
    ],
    [
      'ends',
      pythonNeed('import sys; print("no disk"); sys.exit(3)'),
      /^db \(needed by plain\): ended before it was ready: it ended with exit code 3; its last output: no disk$/,
    ],
  ])('is named where it %s, and nothing is left', async (_what, need, message) => {
    await using runtime = await processRuntime(bench.options);

    const refused = await runtime.start(needing(pythonNeed(STORE, { name: 'other' }), need)).catch((thrown) => thrown);

    expect(refused).toBeInstanceOf(MeasurementError);
    expect(refused).toMatchObject({
      message: expect.stringMatching(message),
      next: expect.stringContaining('needs.db'),
    });
    expect([marked(bench.options.owner), ownedFolders(bench.options.owner)]).toEqual([[], []]);
  });

  it('is waited for no longer after an abort, and nothing is left', async () => {
    await using runtime = await processRuntime(bench.options);
    const stop = new AbortController();

    const starting = runtime.start(needing(pythonNeed(waiting)), stop.signal);
    await expect.poll(() => marked(bench.options.owner).length, { timeout: 20_000 }).toBe(1);
    stop.abort(new Error('enough'));

    await expect(starting).rejects.toThrow('enough');
    expect([marked(bench.options.owner), ownedFolders(bench.options.owner)]).toEqual([[], []]);
  });

  it('is said to have no command where it has an image alone', async () => {
    await using runtime = await processRuntime(bench.options);

    const starting = runtime.start(needing(pythonNeed('', { process: undefined })));

    await expect(starting).rejects.toThrow(ConfigError);
    await expect(starting).rejects.toThrow('db: has no command to start it as a plain process');
  });
});
