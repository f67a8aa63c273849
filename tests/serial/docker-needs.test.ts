import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ConfigError, MeasurementError } from '../../src/foundation/errors.ts';
import { ownerOf } from '../../src/host/machine/proc.ts';
import type { Need, Service } from '../../src/model/service.ts';
import { containerLabels } from '../../src/runtime/docker/container.ts';
import { needContainers } from '../../src/runtime/docker/needs.ts';
import { removeOrphanContainers } from '../../src/runtime/docker/runtime.ts';
import type { RunningService } from '../../src/runtime/port.ts';
import { processRuntime } from '../../src/runtime/process/runtime.ts';
import { answerOf, containersOf, type DockerBench, makeDockerBench, OWNER } from '../integration/docker-bench.ts';
import { pythonNeed } from '../integration/needy-service.ts';
import { ownedFolders } from '../integration/plain-service.ts';
import { pythonServer } from '../integration/python-server.ts';
import { requires } from '../support/requires.ts';

// As the first process of a container it would else be killed only after some seconds, at each end of a test.
const ENDS_AT_ONCE = 'signal.signal(signal.SIGTERM, lambda *_: os._exit(0))';

// Answers with what a need says at a path, so that only whoever reaches it by name knows.
const FRONT = pythonServer("{'need': asked(self.path), 'environment': dict(os.environ)}", ENDS_AT_ONCE);

// Answers with its own environment, and what it sees of files.
const BACK = pythonServer(
  "{**os.environ, 'id': socket.gethostname(), 'user': os.getuid(), 'file': seen('/srv/file'), " +
    "'over': write('/srv/file'), 'run': write('/run/x'), 'root': write('/app/x')}",
  ENDS_AT_ONCE,
);

const image = { context: '.', dockerfile: 'Dockerfile', target: undefined };
const never = new AbortController().signal;

function need(changes: Partial<Need> = {}): Need {
  return pythonNeed('', { image, command: ['python3', '-c', BACK], process: undefined, ...changes });
}

describe.runIf(requires('docker'))('what a service in a container needs', () => {
  let bench: DockerBench;

  beforeAll(async () => {
    bench = await makeDockerBench();
    mkdirSync(join(bench.options.root, 'data'));
    writeFileSync(join(bench.options.root, 'data', 'file'), 'from the repository');
  });

  afterAll(() => bench?.remove());

  const needing = (...needs: readonly Need[]): Service => ({
    ...bench.service,
    name: 'shop',
    command: ['python3', '-c', FRONT],
    environment: { URL: 'http://${needs.db.host}:${needs.db.port}' },
    needs,
  });

  const askNeed = async (running: RunningService, path = '/') => Object((await answerOf(running, path))['need']);

  async function left(): Promise<readonly unknown[]> {
    const filters = { label: [`wiregauge.owner=${OWNER}`] };
    return [
      await containersOf(bench.engine, OWNER),
      await bench.engine.api.listNetworks({ filters }),
      ownedFolders(OWNER),
    ];
  }

  test('is reached by a relay that counts the calls, and that goes with the service', async () => {
    const running = await bench.runtime.start(needing(need()), undefined, true);
    await answerOf(running, '/a');
    const [calls] = (await running.calls?.()) ?? [];
    await answerOf(running, '/b');
    const [more] = (await running.calls?.()) ?? [];

    expect(calls).toMatchObject({ name: 'db', protocol: 'http1', unread: '', commands: { 'GET /a': 1 } });
    expect(more).toMatchObject({ commands: { 'GET /b': 1 } });
    await running[Symbol.asyncDispose]();
    expect(await left()).toEqual([[], [], []]);
  });

  test('is found by its name, on the core of the load tool, and goes with the service', async () => {
    const running = await bench.runtime.start(needing(need({ environment: { LEVEL: '2' } })));

    const answer = await answerOf(running);

    expect(answer['need']).toMatchObject({ LEVEL: '2', HOST: '0.0.0.0', PORT: '5432' });
    expect(answer['environment']).toMatchObject({
      URL: 'http://db:5432',
      DB_HOST: 'db',
      DB_PORT: '5432',
      PORT: '5000',
    });
    // The container of the load tools is started meanwhile, and read here.
    const { needsCpuSeconds, service } = await running.reading();
    const ids = await containersOf(bench.engine, OWNER);
    const found = await Promise.all(ids.map((id) => bench.engine.api.getContainer(id).inspect()));
    expect(found.map(({ HostConfig: host }) => host.CpusetCpus).sort()).toEqual(['0', '1', '1']);
    expect(found.every(({ HostConfig: host }) => host.ReadonlyRootfs && host.CapDrop?.[0] === 'ALL')).toBe(true);
    expect(needsCpuSeconds).toBeGreaterThan(0);
    expect(service.wireBytes).toBeGreaterThan(0);
    await running[Symbol.asyncDispose]();
    expect(await left()).toEqual([[], [], []]);
  });

  test('is reached by a plain process too, at its address, and goes with the runtime', async () => {
    const containers = await needContainers(bench.options);
    await using runtime = await processRuntime(bench.options, containers);
    const process = { build: [], command: ['python3', '-c', FRONT] };
    const cache = need({ name: 'cache', fresh: 'run' });
    const service = { ...needing(cache, need({ needs: ['cache'] })), process };
    await runtime.prepare([service], never);
    const running = await runtime.start(service);

    const answer = await answerOf(running);
    const { needsCpuSeconds } = await running.reading();

    const { DB_HOST: host, CACHE_HOST: other } = Object(answer['environment']);
    expect(host).toMatch(/^\d+\.\d+\.\d+\.\d+$/);
    expect(answer['environment']).toMatchObject({ URL: `http://${host}:5432`, DB_PORT: '5432', HOST: '127.0.0.1' });
    expect(answer['need']).toMatchObject({ CACHE_HOST: other, CACHE_PORT: '5432' });
    expect(needsCpuSeconds).toBeGreaterThan(0);
    await running[Symbol.asyncDispose]();
    expect(await containersOf(bench.engine, OWNER)).toHaveLength(1);
    await runtime[Symbol.asyncDispose]();
    expect(await left()).toEqual([[], [], []]);
  });

  test('sees files that it cannot change, and may write to configured folders as the configured user', async () => {
    const files = { '/srv': 'data' };
    await using named = await bench.runtime.start(needing(need({ files, tmpfs: ['/run'], user: '1234:1234' })));
    await using unnamed = await bench.runtime.start(needing(need({ files, tmpfs: ['/run'] })));

    const seen = { file: 'from the repository', over: 'Read-only file system', run: 'written' };
    const root = 'Read-only file system';

    expect(await askNeed(named)).toMatchObject({ ...seen, root, user: 1234 });
    expect(await askNeed(unnamed)).toMatchObject({ ...seen, root, user: 10_001 });
  });

  test('is new at each start, or kept until the end of the run, also next to another start', async () => {
    const ids: unknown[] = [];
    for (const fresh of ['slot', 'slot', 'run', 'run'] as const) {
      await using running = await bench.runtime.start(needing(need({ fresh })));
      ids.push((await askNeed(running))['id']);
    }
    await using first = await bench.runtime.start(needing(need({ fresh: 'run' })));
    await using second = await bench.runtime.start(needing(need({ fresh: 'run' })));

    expect(new Set(ids.slice(0, 3)).size).toBe(3);
    expect([ids[3], (await askNeed(first))['id'], (await askNeed(second))['id']]).toEqual(Array(3).fill(ids[2]));
  });

  test('is started in order, and reaches what it needs itself', async () => {
    const reach = `import os, socket; socket.create_connection((os.environ['CACHE'], 1234), 2)\n${BACK}`;
    const cache = need({ name: 'my-cache', port: 1234, fresh: 'run' });
    const db = need({
      needs: ['my-cache'],
      command: ['python3', '-c', reach],
      environment: { CACHE: '${needs.my-cache.host}' },
    });
    await using running = await bench.runtime.start(needing(cache, db));

    expect(await askNeed(running)).toMatchObject({ CACHE: 'my-cache', MY_CACHE_PORT: '1234' });
  });

  test('is ready by a command inside of its container', async () => {
    const check = { kind: 'command' as const, command: ['sh', '-c', 'test "$PORT" = 5432'] };
    await using running = await bench.runtime.start(needing(need({ ready: { check, timeoutSeconds: 20 } })));

    expect((await askNeed(running))['PORT']).toBe('5432');
  });

  test('reports its end, and a memory limit that it reached', async () => {
    await using left = await bench.runtime.start(needing(need()));
    await using full = await bench.runtime.start(needing(need({ limits: { memoryMiB: 48 } })));
    await Promise.all([askNeed(left), askNeed(full)]);

    await Promise.all([askNeed(left, '/leave'), askNeed(full, '/eat')]);

    expect(await left.needEnded).toEqual({
      name: 'db',
      end: { of: 'container', how: 'db ended with exit code 3', printed: 'leaving now' },
    });
    expect((await full.needEnded)?.end).toMatchObject({
      kind: 'out-of-memory',
      how: expect.stringMatching(/^db .* 48 MiB$/),
    });
    await expect(full.reading()).resolves.toBeDefined();
  });

  test.each<[string, Partial<Need>, RegExp]>([
    [
      'fails its own check',
      { ready: { check: { kind: 'command', command: ['sh', '-c', 'echo no disk; exit 4'] }, timeoutSeconds: 1 } },
      /: sh -c echo no disk; exit 4: ended with exit code 4: no disk; it printed nothing$/,
    ],
    [
      'has a check that is not there',
      { ready: { check: { kind: 'command', command: ['no-such-program'] }, timeoutSeconds: 1 } },
      /: no-such-program: .*no-such-program/s,
    ],
    [
      'ends',
      { command: ['python3', '-c', 'import sys; print("no disk"); sys.exit(3)'] },
      /^db \(needed by shop\): ended before it was ready: db ended with exit code 3; its last output: no disk$/,
    ],
  ])('is named where it %s, and nothing is left', async (_what, changes, message) => {
    await using runtime = await bench.another();
    const service = needing(need({ name: 'other' }), need(changes));
    const before = await left();

    const refused = await runtime.start(service).catch((thrown: unknown) => thrown);

    expect(refused).toBeInstanceOf(MeasurementError);
    expect(refused).toMatchObject({ message: expect.stringMatching(message) });
    expect(await left()).toEqual(before);
  });

  test('leaves nothing behind with the runtime, kept ones neither', async () => {
    const before = await left();
    const runtime = await bench.another();
    await runtime.start(needing(need({ fresh: 'run' })));
    expect(await left()).not.toEqual(before);

    await runtime[Symbol.asyncDispose]();

    expect(await left()).toEqual(before);
  });

  test('is refused where its files are not there, or lead out of the repository', async () => {
    await using runtime = await bench.another();

    const preparing = runtime.prepare([needing(need({ files: { '/srv': 'missing' } }))], never);

    await expect(preparing).rejects.toThrow(ConfigError);
    await expect(preparing).rejects.toThrow('db: files./srv: there is no missing');
  });

  test('is removed with its network when its run was killed', async () => {
    // For everybody else it lives: what runs beside these tests would remove its network.
    const dead = ownerOf(process.ppid) ?? '';
    const { api } = bench.engine;
    const network = await api.createNetwork({ Name: 'wiregauge-0123456789ab', Labels: containerLabels(dead) });
    const lines: string[] = [];

    await removeOrphanContainers(
      (owner) => owner !== dead,
      (line) => lines.push(line),
    );

    await expect(network.inspect()).rejects.toThrow();
    expect(lines).toEqual(['removing the network wiregauge-0123456789ab, left over from an earlier run']);
  });
});
