import { describe, expect, test } from 'vitest';
import { ConfigError, MeasurementError } from '../../../../../src/foundation/errors.ts';
import { untilItEnds } from '../../../../../src/measure/trial/early-exit.ts';
import { untilReady } from '../../../../../src/measure/trial/ready.ts';
import type { Reply } from '../../../../../src/model/load.ts';
import type { ReadyCheck, Service } from '../../../../../src/model/service.ts';
import { containerEnd, processEnd, processOverLimit } from '../../../../../src/runtime/ended.ts';
import type { RunningService } from '../../../../../src/runtime/port.ts';
import { fakeBench, fakeClock, KILLED, standingService } from '../../../../support/fakes.ts';
import { restService } from '../../../../support/suite.ts';

interface Situation {
  readonly check?: ReadyCheck;
  readonly service?: Partial<Service>;
  readonly running?: Partial<RunningService>;
  readonly clock?: ReturnType<typeof fakeClock>;
  /** What comes back to each request. */
  readonly reply?: (call: string) => Reply;
}

async function waiting({ check, service, running, reply, clock = fakeClock() }: Situation): Promise<readonly string[]> {
  const bench = fakeBench();
  const [operation] = bench.plan.suite.operations;
  if (operation === undefined) {
    throw new Error('the suite has no operation');
  }
  const calls: string[] = [];
  const own: Service = {
    ...restService('shop'),
    ...(check !== undefined && { ready: { check, timeoutSeconds: 3 } }),
    ...service,
  };
  const client = {
    ...bench.client,
    call: async (_service: Service, _address: string, { call }: { readonly call: string }): Promise<Reply> => {
      calls.push(call);
      return reply?.(call) ?? { status: '200', body: {} };
    },
  };
  const { signal } = bench;
  const request = { client, clock, signal, service: own, operation };
  await untilReady(standingService(running), request);
  return calls;
}

describe('untilReady', () => {
  test('waits as long as it may, also if the clock is set back meanwhile', async () => {
    let requested = 0;
    const reply = (): Reply => {
      requested += 1;
      return { status: '503', body: undefined };
    };
    const clock = fakeClock();
    const startedMs = clock.steadyMs();
    const setBack = { ...clock, nowMs: () => clock.nowMs() - (requested > 3 ? 3_600_000 : 0) };

    const refused = waiting({ check: { kind: 'path', path: '/health' }, reply, clock: setBack });

    await expect(refused).rejects.toThrow(/^shop: not ready after 3 s: /);
    expect(clock.steadyMs() - startedMs).toBeLessThan(4000);
  });

  test('sends the first operation of the suite by default', async () => {
    expect(await waiting({})).toEqual(['GET /user/1']);
  });

  test('requests a path until it succeeds, with any body', async () => {
    let requested = 0;
    const reply = (): Reply => {
      requested += 1;
      return { status: requested < 3 ? '503' : '204', body: undefined };
    };

    expect(await waiting({ check: { kind: 'path', path: '/health' }, reply })).toEqual(Array(3).fill('GET /health'));
  });

  test('sends health checks until the service is healthy', async () => {
    const states = ['UNKNOWN', 'NOT_SERVING', 'SERVING'];
    const reply = (): Reply => ({ status: 'OK', body: { status: states.shift() ?? '' } });
    const call = 'grpc.health.v1.Health/Check';

    expect(await waiting({ check: { kind: 'call', call }, reply })).toEqual(Array(3).fill(call));
  });

  test('asks another gRPC method until that is answered with success', async () => {
    const states = ['UNAVAILABLE', 'OK'];
    const reply = (): Reply => ({ status: states.shift() ?? '', body: {} });

    expect(await waiting({ check: { kind: 'call', call: 'a.B/C' }, reply })).toEqual(Array(2).fill('a.B/C'));
  });

  test('gives up at once on what no wait fixes', async () => {
    let requested = 0;
    const reply = (): Reply => {
      requested += 1;
      throw new ConfigError('a.B/C is not in the contract of shop');
    };

    await expect(waiting({ check: { kind: 'call', call: 'a.B/C' }, reply })).rejects.toThrow(/not in the contract/);
    expect(requested).toBe(1);
  });

  test('runs a command until that succeeds, and asks for nothing', async () => {
    const refusals = ['exit code 1', undefined];
    const commands: (readonly string[])[] = [];
    const tries = async (command: readonly string[]) => {
      commands.push(command);
      return refusals.shift();
    };

    const calls = await waiting({ check: { kind: 'command', command: ['check', 'it'] }, running: { tries } });

    expect(calls).toEqual([]);
    expect(commands).toEqual(Array(2).fill(['check', 'it']));
  });

  test.each<[string, Situation, RegExp]>([
    [
      'was told to wait for',
      { check: { kind: 'path', path: '/health' }, reply: () => ({ status: '503', body: {} }) },
      /^shop: not ready after 3 s: GET \/health at 127\.0\.0\.1:5000: answered 503; it printed:\nits last words$/,
    ],
    [
      'does not answer',
      { reply: () => ({ status: '500', body: {} }), running: { logs: async () => '' } },
      /^shop: not ready after 20 s: GetUser at 127\.0\.0\.1:5000: answered 500.*; it printed nothing$/s,
    ],
    [
      'was not started from here',
      { service: { address: '127.0.0.1:5000' }, reply: () => ({ status: '500', body: {} }) },
      /^shop: not ready after 20 s: GetUser at 127\.0\.0\.1:5000: answered 500(?!.*printed)/s,
    ],
  ])('gives up in time on a service that %s', async (_what, situation, message) => {
    const refused = await waiting(situation).catch((thrown: unknown) => thrown);

    expect(refused).toBeInstanceOf(MeasurementError);
    expect(refused).toMatchObject({ message: expect.stringMatching(message) });
  });

  test.each<[string, Partial<RunningService>, string]>([
    ['the service', { ended: Promise.resolve(KILLED) }, 'shop: ended before it was ready: it was killed by SIGKILL'],
    [
      'what it needs',
      { needEnded: Promise.resolve({ name: 'db', end: KILLED }) },
      'db (needed by shop): ended before shop was ready: it was killed by SIGKILL',
    ],
  ])('does not wait where %s has ended', async (_what, running, message) => {
    const refusing = waiting({ running, reply: () => ({ status: '500', body: {} }) });

    await expect(refusing).rejects.toThrow(message);
  });

  test.each<[string, Partial<RunningService>]>([
    ['ended', { ended: Promise.resolve(KILLED) }],
    ['does not get ready', {}],
  ])('says that no shell reads the command of a service that %s', async (_what, running) => {
    const service = { process: { build: [], command: ['nats-server', '--http_port', '$PORT'] } };
    const refusing = waiting({ service, running, reply: () => ({ status: '500', body: {} }) });

    await expect(refusing).rejects.toMatchObject({
      next: expect.stringMatching(
        /^\$PORT is not expanded, .* Use a shell: \[sh, -c, 'exec nats-server --http_port \$PORT'\]\./,
      ),
    });
  });
});

describe('a service that ends before it is ready', () => {
  const traceback = [
    'Traceback (most recent call last):',
    '  File "<frozen importlib._bootstrap>", line 690, in _load_unlocked',
    "ModuleNotFoundError: No module named 'shop'",
  ].join('\n');
  const exit = processEnd(1, 'whatever');
  const refused = async (service: Partial<Service>, running: Partial<RunningService>) =>
    await waiting({ service, running, reply: () => ({ status: '500', body: {} }) }).catch((thrown: unknown) => thrown);

  test('is reported in brief with the most informative line of its log', async () => {
    expect(await refused({}, { ended: Promise.resolve(exit), logs: async () => traceback })).toMatchObject({
      brief:
        "shop: ended before it was ready: it ended with exit code 1; it printed: ModuleNotFoundError: No module named 'shop'",
      printed: expect.stringMatching(/^ModuleNotFoundError/),
    });
  });

  test('is to be started by hand in its folder', async () => {
    expect(await refused({}, { ended: Promise.resolve(exit), folder: '/home/shop' })).toMatchObject({
      next: expect.stringMatching(/by hand in \/home\/shop and check its output: /),
    });
  });
});

describe('a redirect to another path', () => {
  const redirect = (location: string) => (): Reply => ({
    status: '307',
    body: undefined,
    answer: { contentType: undefined, location, text: '', bytes: 0, sha256: '' },
  });

  test.each(['/user/1/', 'http://127.0.0.1:5000/user/1/'])('is not waited for: %s', async (location) => {
    let requested = 0;
    const reply = (): Reply => {
      requested += 1;
      return redirect(location)();
    };
    const refused = await waiting({ reply }).catch((thrown: unknown) => thrown);

    expect(refused).toBeInstanceOf(MeasurementError);
    expect(refused).toMatchObject({
      message: `shop: GetUser at 127.0.0.1:5000: answered 307, a redirect to ${location}; expected: 2xx`,
      next: expect.stringMatching(/^Request \/user\/1\/ instead: /),
    });
    expect(requested).toBe(1);
  });

  test('is not waited for by a check of its own either', async () => {
    const check: ReadyCheck = { kind: 'path', path: '/health' };

    await expect(waiting({ check, reply: redirect('/health/?deep=1') })).rejects.toMatchObject({
      message: 'shop: GET /health at 127.0.0.1:5000: answered 307, a redirect to /health/?deep=1',
      next: 'Set `ready: { path: /health/?deep=1 }`: redirects are not followed.',
    });
  });

  test.each(['/user/1', 'https://127.0.0.1:5001/user/1/', 'http://['])(
    'is waited for if it is not to another path there: %s',
    async (location) => {
      await expect(waiting({ reply: redirect(location) })).rejects.toThrow(/not ready after 20 s/);
    },
  );
});

describe('an end for lack of memory', () => {
  const service = restService('shop');
  const ends = {
    process: processOverLimit(70.4, 64),
    container: containerEnd({ name: 'db', exitCode: 'out-of-memory', limitMiB: 48, log: 'serving' }),
  };

  test('says to give the service more, whether it was ready or not', async () => {
    const running = { ended: Promise.resolve(ends.process) };
    const more = {
      message: expect.stringContaining('ran out of memory (OOM)'),
      next: expect.stringMatching(/^Raise the limit of shop, `limits: \{ memoryMiB: 1024 \}`/),
    };

    await expect(untilItEnds({ service, running: standingService(running) }, 'under load')).rejects.toMatchObject(more);
    await expect(waiting({ running, reply: () => ({ status: '500', body: {} }) })).rejects.toMatchObject(more);
  });

  test('says to give what it needs more, where that ended so', async () => {
    const running = standingService({ needEnded: Promise.resolve({ name: 'db', end: ends.container }) });

    await expect(untilItEnds({ service, running }, 'under load')).rejects.toMatchObject({
      next: expect.stringMatching(/^Raise the limit of db \(needed by shop\)/),
    });
  });

  test('is not taken from what a program printed', async () => {
    const printed = 'the job ran out of memory (OOM)';
    const ended = Promise.resolve(processEnd(1, printed));

    await expect(untilItEnds({ service, running: standingService({ ended }) }, 'under load')).rejects.toMatchObject({
      message: expect.stringContaining(printed),
      next: expect.stringMatching(/^Check the last lines/),
    });
  });
});

test('names what has ended under load: the service, or what it needs', async () => {
  const service = restService('shop');
  const own = untilItEnds({ service, running: standingService({ ended: Promise.resolve(KILLED) }) }, 'under load');
  const needEnded = Promise.resolve({ name: 'db', end: KILLED });
  const need = untilItEnds({ service, running: standingService({ needEnded }) }, 'under load');

  await expect(own).rejects.toThrow('shop exited under load: it was killed by SIGKILL; it printed nothing');
  await expect(need).rejects.toThrow('db (needed by shop) exited under load: it was killed by SIGKILL');
});
