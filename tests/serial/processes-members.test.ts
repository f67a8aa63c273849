import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readProc } from '../../src/host/files/reader.ts';
import type { Member } from '../../src/model/service.ts';
import { processEnd } from '../../src/runtime/ended.ts';
import type { RunningService } from '../../src/runtime/port.ts';
import { processRuntime } from '../../src/runtime/process/runtime.ts';
import { realLoadTools } from '../integration/load-tools.ts';
import { pythonNeed, STORE } from '../integration/needy-service.ts';
import { answer, benchPerTest, HTTP_SERVER, pythonService } from '../integration/plain-service.ts';
import { requires } from '../support/requires.ts';

const bench = benchPerTest();

/** The interpreter itself: one that is found on the PATH may be a script that starts several programs first, each of them counted. */
const PYTHON = realpathSync(join(import.meta.dirname, '../../.venv/bin/python'));

/** It imports nothing that is written in Python, since all that happens before it is ready takes long when it is counted. */
const LIGHT = `import _socket, posix

listener = _socket.socket()
listener.bind((posix.environ[b'HOST'].decode(), int(posix.environ[b'PORT'])))
listener.listen()
while True:
    connection = _socket.socket(fileno=listener._accept()[0])
    try:
        if connection.recv(65536):
            connection.sendall(b'HTTP/1.1 200 OK\\r\\ncontent-length: 2\\r\\nconnection: close\\r\\n\\r\\n{}')
    except OSError:
        pass  # A client that leaves early must not end the server.
    connection.close()
`;

const URL_OF_BACK = 'http://${members.back.host}:${members.back.port}';

/** A service whose entry knows where its member `back` is. */
const chain = (...members: readonly Member[]) =>
  pythonService(HTTP_SERVER, { entry: 'front', members, environment: { URL: URL_OF_BACK } });

const back = (changes: Partial<Member> = {}) => pythonNeed(STORE, { name: 'back', ...changes });

/** What the member `back` answers at a path. */
async function askBack(running: RunningService, path = '/'): Promise<Record<string, string>> {
  const { URL: url } = await answer(running);
  const answered = await fetch(`${url}${path}`);
  return Object.fromEntries(Object.entries<string>(Object(await answered.json())));
}

describe('the members of a service', () => {
  it('are ready before the entry, on the core of the service, and found by its environment', async () => {
    await using runtime = await processRuntime(bench.options);
    await using running = await runtime.start(chain(back({ ports: { grpc: 9090 } })));

    const [entry, member] = [await answer(running), await askBack(running)];

    expect(entry).toMatchObject({
      BACK_HOST: '127.0.0.1',
      BACK_PORT: member['PORT'],
      BACK_PORT_GRPC: member['PORT_GRPC'],
    });
    expect(member['PORT_GRPC']).toMatch(/^\d+$/);
    expect(member['PORT_GRPC']).not.toBe(member['PORT']);
    expect(readProc(`/proc/${member['pid']}/status`)).toMatch(/^Cpus_allowed_list:\s+0$/m);
  });

  it('have a core each, if the service says so and there are enough', async () => {
    const cores = { service: 0, load: 1, further: [1] };
    await using runtime = await processRuntime({ ...bench.options, cores });
    await using running = await runtime.start({ ...chain(back()), cores: 'each' });

    const { pid } = await askBack(running);

    expect(readProc(`/proc/${pid}/status`)).toMatch(/^Cpus_allowed_list:\s+1$/m);
  });

  it('find those that they wait for, and what the service needs', async () => {
    await using runtime = await processRuntime(bench.options);
    const environment = { WAY: '${members.bus.port} ${needs.db.port}' };
    const members = [pythonNeed(STORE, { name: 'bus' }), back({ needs: ['bus'], environment })];
    await using running = await runtime.start({ ...chain(...members), needs: [pythonNeed(STORE)] });

    const member = await askBack(running);

    expect(member['WAY']).toBe(`${member['BUS_PORT']} ${member['DB_PORT']}`);
    expect(await answer(running)).toMatchObject({ BUS_PORT: member['BUS_PORT'] });
  });

  it.skipIf(!requires('valgrind'))(
    'are counted each for itself, and the service is all of them together',
    async () => {
      bench.renew({ tools: await realLoadTools() });
      await using runtime = await processRuntime(bench.options);
      const ready = { check: { kind: 'usual' }, timeoutSeconds: 60 } as const;
      const process = { build: [], command: [PYTHON, '-S', '-c', LIGHT] };
      // Called like a folder that is made beside its counts.
      const member = pythonNeed('', { name: 'programs', process, ready });
      await using running = await runtime.counting.start(
        pythonService('', { entry: 'front', process, members: [member] }),
      );
      const ask = async () => {
        const failed = async (thrown: unknown) => `${String(thrown)}; it printed: ${await running.logs()}`;
        return await fetch(`http://${running.address}/`).then(({ status }) => status, failed);
      };
      await expect.poll(ask, { timeout: 60_000 }).toBe(200);
      await running.counts?.();
      await ask();

      const { instructions = 0, members = {} } = (await running.counts?.()) ?? {};

      const [front = 0, behind = 0] = [members['front']?.instructions, members['programs']?.instructions];
      expect(front).toBeGreaterThan(1e3);
      // Nobody asks it.
      expect(behind).toBeLessThan(front);
      expect(instructions).toBe(front + behind);
    },
    90_000,
  );

  it('are measured each for itself, and the service is all of them together', async () => {
    await using runtime = await processRuntime(bench.options);
    await using running = await runtime.start(chain(back()));
    await askBack(running);

    const { service, members = {}, needsCpuSeconds } = await running.reading();

    expect(Object.keys(members)).toEqual(['front', 'back']);
    const all = Object.values(members);
    expect(all.every(({ cpuSeconds, peakMemoryMiB }) => cpuSeconds > 0 && peakMemoryMiB > 1)).toBe(true);
    expect(service.cpuSeconds).toBeCloseTo(
      all.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
      9,
    );
    expect(service.peakMemoryMiB).toBeCloseTo(
      all.reduce((sum, one) => sum + one.peakMemoryMiB, 0),
      9,
    );
    expect([service.wireBytes, needsCpuSeconds, all[1]?.receivedBytes]).toEqual([undefined, undefined, undefined]);
  });

  it('are new at each start', async () => {
    await using runtime = await processRuntime(bench.options);
    const pids: (string | undefined)[] = [];
    for (const _start of [1, 2]) {
      await using running = await runtime.start(chain(back()));
      pids.push((await askBack(running))['pid']);
    }

    expect(new Set(pids).size).toBe(2);
  });

  it('report their end with their last lines', async () => {
    await using runtime = await processRuntime(bench.options);
    await using running = await runtime.start(chain(back()));

    await askBack(running, '/leave').catch(() => undefined);

    expect(await running.needEnded).toEqual({
      name: 'back',
      family: 'members',
      end: processEnd(3, 'leaving now'),
    });
  });

  it('are named if they hang', async () => {
    await using runtime = await processRuntime(bench.options);
    const ready = { check: { kind: 'path', path: '/' }, timeoutSeconds: 20 } as const;
    await using running = await runtime.start(chain(back({ ready })));
    const { pid } = await askBack(running);
    expect(await running.ailing?.()).toBeUndefined();

    process.kill(Number(pid), 'SIGSTOP');

    expect(await running.ailing?.()).toMatch(
      /^back \(member of plain\) is no longer ready: GET \/ on port 5432: .*timeout.*; it printed nothing$/,
    );
    process.kill(Number(pid), 'SIGCONT');
  });

  it('are named if they do not get ready, and nothing of the others is left', async () => {
    await using runtime = await processRuntime(bench.options);
    // Long enough for Python to start and to say so on a busy machine.
    const ready = { check: { kind: 'usual' }, timeoutSeconds: 2.5 } as const;
    const silent = pythonNeed('import time; print("recovering", flush=True); time.sleep(60)', { name: 'bus', ready });

    await expect(runtime.start(chain(back(), silent))).rejects.toThrow(
      /^bus \(member of plain\): not ready after 2\.5 s: a connection to port 5432: .*; it printed:\nrecovering$/,
    );
  });
});
