import { describe, expect, it } from 'vitest';
import { endSentence, processEnd } from '../../src/runtime/ended.ts';
import { processRuntime } from '../../src/runtime/process/runtime.ts';
import { answer, benchPerTest, HTTP_SERVER, marked, printed, pythonService } from '../integration/plain-service.ts';

const bench = benchPerTest();

describe('ended', () => {
  it('says how a service ended in the middle and what it printed last', async () => {
    await using runtime = await processRuntime(bench.options);
    await using running = await runtime.start(
      pythonService('import sys; print("first"); print("out of luck", file=sys.stderr); sys.exit(3)'),
    );

    expect(endSentence(await running.ended)).toMatch(/^it ended with exit code 3; its last output: .*out of luck/);
  });

  it('names the signal', async () => {
    await using runtime = await processRuntime(bench.options);
    await using running = await runtime.start(pythonService('import os; os.kill(os.getpid(), 9)'));

    expect(await running.ended).toEqual(processEnd('SIGKILL', ''));
  });

  it('says that the port was taken', async () => {
    await using runtime = await processRuntime(bench.options);
    const twice = `import os, socket
for _ in range(2):
    listener = globals().setdefault('l%d' % _, socket.socket())
    listener.bind((os.environ['HOST'], int(os.environ['PORT'])))
    listener.listen()`;
    await using running = await runtime.start(pythonService(twice));

    expect(await running.ended).toMatchObject({
      how: `it ended with exit code 1, because port ${running.address.split(':')[1]} was in use`,
      printed: expect.stringContaining('Address already in use'),
    });
  });

  it('says that the program is missing', async () => {
    await using runtime = await processRuntime(bench.options);
    const source = { build: [], command: ['no-such-program'] };
    await using running = await runtime.start(pythonService('', { process: source }));

    expect(await running.ended).toMatchObject({
      how: expect.stringContaining('ended with exit code 127'),
      printed: expect.stringContaining('no-such-program'),
    });
  });

  it('stays open when the service was stopped by us', async () => {
    await using runtime = await processRuntime(bench.options);
    const running = await runtime.start(pythonService(HTTP_SERVER));
    await answer(running);

    await running[Symbol.asyncDispose]();

    const later = new Promise((resolve) => setTimeout(resolve, 300, 'open'));
    expect(await Promise.race([running.ended, later])).toBe('open');
  });

  it('ends a service that uses more memory than it may, and says so', async () => {
    bench.renew({ limits: { cpus: 1, memoryMiB: 64 } });
    await using runtime = await processRuntime(bench.options);
    await using running = await runtime.start(
      pythonService('import time; held = bytearray(100 * 2**20); print("held", flush=True); time.sleep(60)'),
    );

    expect(endSentence(await running.ended)).toMatch(
      /^it ran out of memory \(OOM\): it was stopped when its memory reached 1\d\d MiB, over the limit of 64 MiB$/,
    );
  });
});

describe('disposal', () => {
  it('ends a service that ignores SIGTERM, with its children', async () => {
    await using runtime = await processRuntime(bench.options);
    const stubborn = `import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
os.fork()
print("ready", flush=True)
time.sleep(60)`;
    const running = await runtime.start(pythonService(stubborn));
    await printed(running, 'ready\nready');
    expect(marked(bench.options.owner)).toHaveLength(2);

    await running[Symbol.asyncDispose]();

    expect(marked(bench.options.owner)).toEqual([]);
  });

  it('of the runtime ends what is still running, also what left its process group', async () => {
    const runtime = await processRuntime(bench.options);
    const escaping = `import os, time
if os.fork() == 0:
    os.setsid()
    print("escaped", flush=True)
time.sleep(60)`;
    const running = await runtime.start(pythonService(escaping));
    await printed(running, 'escaped');
    expect(marked(bench.options.owner)).toHaveLength(2);

    await runtime[Symbol.asyncDispose]();

    expect(marked(bench.options.owner)).toEqual([]);
  });

  it('of a runtime leaves what another one of the same owner started, and the last one leaves nothing', async () => {
    const first = await processRuntime(bench.options);
    const second = await processRuntime(bench.options);
    const other = await second.start(pythonService(HTTP_SERVER));
    await first.start(pythonService(HTTP_SERVER));
    await answer(other);

    await first[Symbol.asyncDispose]();
    await first[Symbol.asyncDispose]();
    await answer(other);
    expect(marked(bench.options.owner)).toHaveLength(1);

    await second[Symbol.asyncDispose]();
    expect(marked(bench.options.owner)).toEqual([]);
  });
});
