import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Member, Service } from '../../src/model/service.ts';
import { answerOf, containersOf, type DockerBench, makeDockerBench, OWNER } from '../integration/docker-bench.ts';
import { pythonNeed } from '../integration/needy-service.ts';
import { pythonServer } from '../integration/python-server.ts';
import { requires } from '../support/requires.ts';

// As the first process of a container it would else be killed only after some seconds, at each end of a test.
const ENDS_AT_ONCE = 'signal.signal(signal.SIGTERM, lambda *_: os._exit(0))';

// Answers with what the member behind says at a path, so that only whoever reaches it by name knows.
const FRONT = pythonServer("{'need': asked(self.path), 'environment': dict(os.environ)}", ENDS_AT_ONCE);

const BACK = pythonServer("{**os.environ, 'id': socket.gethostname()}", ENDS_AT_ONCE);

const image = { context: '.', dockerfile: 'Dockerfile', target: undefined };

describe.runIf(requires('docker'))('the members of a service in containers', () => {
  let bench: DockerBench;

  beforeAll(async () => {
    bench = await makeDockerBench();
  });

  afterAll(() => bench?.remove());

  const chain = (changes: Partial<Member> = {}): Service => ({
    ...bench.service,
    name: 'shop',
    entry: 'front',
    command: ['python3', '-c', FRONT],
    environment: { URL: 'http://${members.back.host}:${members.back.port}' },
    members: [
      pythonNeed('', {
        name: 'back',
        image,
        process: undefined,
        command: ['python3', '-c', BACK],
        ports: { grpc: 9090 },
        ...changes,
      }),
    ],
  });

  test('find each other by name on the core of the service, and go with it', async () => {
    const running = await bench.runtime.start(chain());

    const answer = await answerOf(running);

    expect(answer['need']).toMatchObject({ HOST: '0.0.0.0', PORT: '5432', PORT_GRPC: '9090' });
    expect(answer['environment']).toMatchObject({ URL: 'http://back:5432', BACK_PORT_GRPC: '9090', PORT: '5000' });
    const coresInUse = async () => {
      const ids = await containersOf(bench.engine, OWNER);
      const found = await Promise.all(ids.map((id) => bench.engine.api.getContainer(id).inspect()));
      return found.map(({ HostConfig: host }) => host.CpusetCpus).sort();
    };
    // The container of the load tools may start after the service answers.
    await expect.poll(coresInUse, { timeout: 20_000 }).toEqual(['0', '0', '1']);
    await running[Symbol.asyncDispose]();
    expect(await containersOf(bench.engine, OWNER)).toEqual([]);
    expect(await bench.engine.api.listNetworks({ filters: { label: [`wiregauge.owner=${OWNER}`] } })).toEqual([]);
  });

  test('are reached by a relay that counts the calls, and that goes with the service', async () => {
    const running = await bench.runtime.start(chain(), undefined, true);
    await answerOf(running, '/a');

    expect(await running.calls?.()).toMatchObject([{ name: 'back', unread: '', commands: { 'GET /a': 1 } }]);
    await running[Symbol.asyncDispose]();
    expect(await containersOf(bench.engine, OWNER)).toEqual([]);
  });

  test('are measured each for itself, with the bytes between them', async () => {
    await using running = await bench.runtime.start(chain());
    await answerOf(running);
    const before = await running.reading();
    await answerOf(running);

    const { service, members = {}, needsCpuSeconds } = await running.reading();

    const { front, back } = members;
    const bytes = (name: string, of: 'receivedBytes' | 'sentBytes') =>
      (members[name]?.[of] ?? 0) - (before.members?.[name]?.[of] ?? 0);
    expect(needsCpuSeconds).toBeUndefined();
    expect(service.cpuSeconds).toBeCloseTo((front?.cpuSeconds ?? 0) + (back?.cpuSeconds ?? 0), 9);
    expect(service.peakMemoryMiB).toBeCloseTo((front?.peakMemoryMiB ?? 0) + (back?.peakMemoryMiB ?? 0), 9);
    // What the one sends, the other receives: requests are shorter than answers here, which hold an environment.
    expect(bytes('back', 'receivedBytes')).toBeGreaterThan(100);
    expect(bytes('back', 'sentBytes')).toBeGreaterThan(bytes('back', 'receivedBytes'));
    expect(bytes('front', 'receivedBytes')).toBeGreaterThanOrEqual(bytes('back', 'sentBytes'));
  });

  test('report their end with their last lines', async () => {
    await using running = await bench.runtime.start(chain());
    await answerOf(running);

    await answerOf(running, '/leave').catch(() => undefined);

    expect(await running.needEnded).toEqual({
      name: 'back',
      family: 'members',
      end: { of: 'container', how: 'back ended with exit code 3', printed: 'leaving now' },
    });
    await expect(running.reading()).resolves.toBeDefined();
  });

  test('are named if they do not get ready', async () => {
    // Long enough for Python to start and to say so on a busy machine.
    const ready = { check: { kind: 'usual' }, timeoutSeconds: 6 } as const;
    const command = ['python3', '-c', 'import time; print("recovering", flush=True); time.sleep(60)'];

    await expect(bench.runtime.start(chain({ command, ready }))).rejects.toThrow(
      /^back \(member of shop\): not ready after 6 s: a connection to port 5432: .*; it printed:\nrecovering$/s,
    );
    expect(await containersOf(bench.engine, OWNER)).toEqual([]);
  });
});
