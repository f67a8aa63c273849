import { expect, test, vi } from 'vitest';
import { EnvironmentError, MeasurementError } from '../../../../../src/foundation/errors.ts';
import { whileItStands } from '../../../../../src/runtime/docker/engine.ts';
import { FakeEngine, type Responder } from '../../../../support/fake-engine.ts';

const engine = new FakeEngine();

/** A build that ends with its abort only, and what it comes to with an engine that this happens to. */
async function building(respond: (question: number) => Responder) {
  let questions = 0;
  const connected = await engine.connected((response) => {
    questions += 1;
    respond(questions)(response);
  });
  const cause = vi.fn();
  const build = (signal: AbortSignal) =>
    new Promise<string>((_resolve, reject) =>
      signal.addEventListener('abort', () => {
        cause(signal.reason);
        reject(new Error('the build was ended'));
      }),
    );
  return { connected, cause, build, questions: () => questions };
}

test('a build is ended if the engine hangs in the middle of it', async () => {
  // No time passes here: a question that is not answered is over at once.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const { connected, cause, build, questions } = await building((question) =>
      question < 3 ? (response) => response.end('{"Version":"28.0.1"}') : () => vi.advanceTimersByTime(60_000),
    );

    const thrown = await whileItStands(
      { engine: connected, signal: new AbortController().signal, pollEveryMs: 5 },
      build,
    ).catch((failure: unknown) => failure);

    expect(thrown).toBeInstanceOf(EnvironmentError);
    expect(thrown).toMatchObject({ code: 'WG-202', message: expect.stringContaining('has stopped answering') });
    expect(cause).toHaveBeenCalledWith(thrown);
    // Twice it answered; then it was asked once more before it was given up.
    expect(questions()).toBe(4);
  } finally {
    vi.useRealTimers();
  }
});

test('a build goes on as long as the engine answers, and ends with the abort from here', async () => {
  const { connected, build, questions } = await building(() => (response) => response.end('{"Version":"28.0.1"}'));
  const abort = new AbortController();
  const ending = whileItStands({ engine: connected, signal: abort.signal, pollEveryMs: 1 }, build);
  await vi.waitFor(() => expect(questions()).toBeGreaterThan(3));

  abort.abort(new Error('interrupted'));

  await expect(ending).rejects.toThrow('interrupted');
});

test('a build that fails is a failure of its own, unless the engine is gone', async () => {
  const { connected } = await building(() => (response) => response.end('{"Version":"28.0.1"}'));
  const long = { engine: connected, signal: new AbortController().signal };
  const fails = () => Promise.reject(FAILED);

  await expect(whileItStands(long, fails)).rejects.toBe(FAILED);
  engine.stop();
  await expect(whileItStands(long, fails)).rejects.toMatchObject({ code: 'WG-202', cause: FAILED });
  await expect(whileItStands(long, async () => 'built')).resolves.toBe('built');
});

const FAILED = new MeasurementError('a step ended with exit code 1');
