import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CountingMode, RunningService } from '../../src/runtime/port.ts';
import { answerOf, type DockerBench, makeDockerBench } from '../integration/docker-bench.ts';
import { realLoadTools } from '../integration/load-tools.ts';
import { pythonNeed } from '../integration/needy-service.ts';
import { requires } from '../support/requires.ts';

const REQUESTS = 20;

describe.runIf(requires('docker') && requires('valgrind'))('a container whose instructions are counted', () => {
  let bench: DockerBench;

  beforeAll(async () => {
    bench = await makeDockerBench({ tools: await realLoadTools() });
  });

  afterAll(() => bench?.remove());

  const startCounted = (command: readonly string[], mode?: CountingMode): Promise<RunningService> =>
    bench.runtime.counting.start({ ...bench.service, command }, mode);

  const counted = async (running: RunningService) => {
    for (let request = 0; request < REQUESTS; request += 1) {
      await answerOf(running);
    }
    return await running.counts?.();
  };

  test('reports the functions of its interpreter by their own names, and who called them', async () => {
    await using running = await startCounted(['python3', 'server.py'], { hasFunctions: true });
    await answerOf(running);
    await running.counts?.();
    await counted(running);
    await answerOf(running);
    const { functions = [], calls = [] } = (await running.counts?.('functions')) ?? {};

    expect(functions).toContainEqual(
      expect.objectContaining({ name: expect.stringMatching(/do_GET$/), object: 'server.py' }),
    );
    const requested = calls.find(({ name }) => name.endsWith('do_GET'));
    expect(calls[requested?.parent ?? -1]?.name).toMatch(/handle_one_request$/);
  });

  test('reports what every program of it executed since it was last asked, without more rights than usual', async () => {
    await using running = await startCounted(['sh', '-c', 'python3 server.py; exit 1']);
    const answer = await answerOf(running);
    const start = await running.counts?.();
    await counted(running);

    const [second, third] = [await counted(running), await counted(running)];

    expect(answer).toMatchObject({ user: 10_001, root: 'Read-only file system', tmp: 'written' });
    expect(answer['environment']).toMatchObject({
      PYTHONHASHSEED: '0',
      GODEBUG: 'asyncpreemptoff=1',
      PATH: expect.stringMatching(/^\/wiregauge\/counter\/programs:/),
    });
    expect(start?.instructions).toBe(0);
    expect(second?.instructions).toBeGreaterThan(REQUESTS * 1e5);
    expect(third?.instructions).toBeGreaterThan(0.9 * (second?.instructions ?? 0));
    expect(third?.instructions).toBeLessThan(1.1 * (second?.instructions ?? 0));
    expect(third?.syscalls).toBeGreaterThan(REQUESTS * 3);
    expect(third?.allocations).toBeGreaterThan(REQUESTS);
  });

  test('reports what each member of a service of several programs executed', async () => {
    const waiting = { check: { kind: 'usual' }, timeoutSeconds: 60 } as const;
    const { image, command } = { image: bench.service.image, command: ['python3', 'server.py'] };
    const back = pythonNeed('', { name: 'back', image, process: undefined, command, ready: waiting });
    await using running = await bench.runtime.counting.start({ ...bench.service, entry: 'front', members: [back] });
    await answerOf(running);
    await running.counts?.();

    const { instructions = 0, members = {} } = (await counted(running)) ?? {};

    expect(members['front']?.instructions).toBeGreaterThan(REQUESTS * 1e5);
    expect(instructions).toBe((members['front']?.instructions ?? 0) + (members['back']?.instructions ?? 0));
    // Nobody asks it.
    expect(members['back']?.instructions).toBeLessThan(0.1 * instructions);
  });

  test('has its end reported like any other, and counts nothing after it', async () => {
    await using running = await startCounted(['sh', '-c', 'echo no such table; exit 3']);

    expect(await running.ended).toMatchObject({
      how: expect.stringMatching(/ended with exit code 3$/),
      printed: 'no such table',
    });
    await expect(running.counts?.()).rejects.toThrow('the counts of the service cannot be read');
  });
});
