import type { Container } from 'dockerode';
import { expect, test } from 'vitest';
import { EnvironmentError, MeasurementError } from '../../../../src/foundation/errors.ts';
import {
  connectEngine,
  dockerAnswers,
  engineNoAnswer,
  engineRefusalOf,
  isEngineRefusal,
  whileItAnswers,
} from '../../../../src/runtime/docker/engine.ts';
import { watched } from '../../../../src/runtime/docker/runtime.ts';
import { containerEnd, type Ended, EngineLost, lostContainer } from '../../../../src/runtime/ended.ts';
import type { RunningService } from '../../../../src/runtime/port.ts';
import { FakeEngine } from '../../../support/fake-engine.ts';

const engine = new FakeEngine();

test('gives the version of an engine that answers', async () => {
  const socket = await engine.start((response) => response.end('{"Version":"28.0.1"}'));

  expect(await dockerAnswers({ DOCKER_HOST: socket })).toEqual({ ok: true, version: '28.0.1' });
});

test('names the socket that is not there', async () => {
  const answer = await dockerAnswers({ DOCKER_HOST: `unix://${engine.folder}/none.sock` });

  expect(answer).toMatchObject({
    ok: false,
    why: `there is no Docker socket at ${engine.folder}/none.sock (DOCKER_HOST)`,
  });
});

test('says that nothing listens where the engine has ended and left its socket', async () => {
  // A socket file whose listener is gone cannot be made in Node, which removes it; a plain file is refused alike.
  const answer = await dockerAnswers({ DOCKER_HOST: 'unix:///dev/null' });

  expect(answer).toMatchObject({ ok: false, why: 'nothing listens on the Docker socket /dev/null' });
});

test('says what an engine that fails answered', async () => {
  const socket = await engine.start((response) => response.writeHead(500).end('{"message":"the storage is broken"}'));

  const answer = await dockerAnswers({ DOCKER_HOST: socket });

  expect(answer).toMatchObject({ ok: false, why: expect.stringContaining('the storage is broken') });
});

test('says what to do where the engine goes away after it was connected to', async () => {
  const connected = await engine.connected();
  const version = await whileItAnswers(connected, () => connected.api.version());
  engine.stop();

  const refused = whileItAnswers(connected, () => connected.api.version());

  expect(version.Version).toBe('28.0.1');
  await expect(refused).rejects.toThrow(EnvironmentError);
  await expect(refused).rejects.toThrow(/the Docker engine has stopped answering/);
});

test('does not wait for an engine that never answers', async () => {
  const socket = await engine.start(() => undefined);

  const answer = await dockerAnswers({ DOCKER_HOST: socket });

  expect(answer).toMatchObject({ ok: false, why: expect.stringContaining('no answer within 3 s') });
});

test.each<[string, (container: Container) => Promise<unknown>]>([
  ['the end of a container', (container) => container.wait()],
  ['the state of a container', (container) => container.inspect()],
])('hears that the engine was killed in the middle of an answer about %s', async (_what, ask) => {
  // The engine begins its answer at once, and ends it when the container ends.
  const container = await engine.container((response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).write('{"StatusCode"');
    setTimeout(() => response.destroy(), 20);
  });

  await expect(ask(container)).rejects.toThrow('aborted');
});

test('returns non-JSON as bytes, and the words of a refusal', async () => {
  const log = await engine.container((response) => response.end('listening'));
  expect(String(await log.logs({ stdout: true, follow: false }))).toBe('listening');
  engine.answer((response) => {
    response.writeHead(404).end('{"message":"No such container: shop"}');
  });

  const refused = log.inspect().catch((thrown: unknown) => thrown);

  expect(isEngineRefusal(await refused, 404)).toBe(true);
  expect(engineRefusalOf(await refused)).toBe('No such container: shop');
});

test('takes no engine of another machine', async () => {
  const answer = await dockerAnswers({ DOCKER_HOST: 'tcp://build.example:2376' });

  expect(answer).toMatchObject({ ok: false, why: expect.stringContaining('tcp://build.example:2376') });
});

test('takes no engine of other containers than those of Linux', async () => {
  const socket = await engine.start((response) => response.end('{"Version":"28.0.1","Os":"windows"}'));

  const answer = await dockerAnswers({ DOCKER_HOST: socket, GITHUB_ACTIONS: 'true' });

  expect(answer).toMatchObject({
    ok: false,
    why: 'the Docker engine runs windows containers, but the services need Linux containers',
    next: expect.stringContaining('`runs-on: ubuntu-24.04`'),
  });
});

test.each([
  ['the engine of another machine', 'tcp://build.example:2376', 'env: { DOCKER_HOST: "" }'],
  ['a socket that is not there', 'unix:///nowhere/docker.sock', 'runs-on: ubuntu-24.04'],
  ['a socket on which nothing listens', 'unix:///dev/null', '- run: sudo systemctl start docker'],
])('fixes %s with lines of YAML in a workflow, and with a flag elsewhere', async (_what, DOCKER_HOST, yaml) => {
  const inWorkflow = await dockerAnswers({ DOCKER_HOST, GITHUB_ACTIONS: 'true' });
  const elsewhere = await dockerAnswers({ DOCKER_HOST });

  expect(inWorkflow).toMatchObject({ ok: false, next: expect.stringContaining(`\`${yaml}\``) });
  expect(inWorkflow).toMatchObject({ next: expect.stringContaining('`with: { args: --runtime process }`') });
  expect(elsewhere).toMatchObject({ ok: false, next: expect.stringContaining('--runtime process') });
});

test.each(['EACCES', 'EPERM'])('says who may open a socket that this user may not: %s', (code) => {
  // Tests run as root, who may open any.
  const thrown = Object.assign(new Error(`connect ${code} /run/docker.sock`), { code });

  const refusal = engineNoAnswer(
    { socket: '/run/docker.sock', thrown, words: thrown.message },
    { GITHUB_ACTIONS: 'true' },
  );

  expect(refusal).toMatchObject({
    why: 'this user cannot open the Docker socket /run/docker.sock; only members of the group docker can',
    next: expect.stringMatching(/usermod --append --groups docker.*`with: \{ args: --runtime process \}`/),
  });
});

test('throws what cannot be used, with a way out', async () => {
  const connecting = connectEngine({ DOCKER_HOST: `unix://${engine.folder}/none.sock` });

  await expect(connecting).rejects.toThrow(EnvironmentError);
  await expect(connecting).rejects.toMatchObject({
    message: expect.stringContaining(`${engine.folder}/none.sock`),
    next: expect.stringContaining('--runtime process'),
  });
});

test('recognizes a refusal by its status and words', () => {
  const thrown = Object.assign(new Error('(HTTP code 404) no such container - No such container: abc '), {
    statusCode: 404,
  });

  expect(isEngineRefusal(thrown, 404, 409)).toBe(true);
  expect(isEngineRefusal(thrown, 409)).toBe(false);
  expect(isEngineRefusal(new Error('404'), 404)).toBe(false);
  expect(engineRefusalOf(thrown)).toBe('No such container: abc');
});

const FAILED = new MeasurementError('the driver ended with its container');

/** A service whose loads fail, and what asking for one comes to, of an engine that has this answer in the middle of it. */
async function failing(ended: Promise<Ended>, meanwhile: () => unknown = () => undefined): Promise<unknown> {
  const connected = await engine.connected();
  const play = async () => {
    meanwhile();
    throw FAILED;
  };
  const running = { ended, play } as Partial<RunningService> as RunningService;
  return await watched(running, connected)
    .play([], new AbortController().signal)
    .catch((thrown: unknown) => thrown);
}

const never = new Promise<never>(() => undefined);

test('an engine that goes away in the middle of a load is not a failure of the service', async () => {
  const thrown = await failing(never, () => {
    engine.stop();
  });

  expect(thrown).toBeInstanceOf(EnvironmentError);
  expect(thrown).toMatchObject({
    message: expect.stringContaining('the Docker engine has stopped answering'),
    // Before the first round there is no run.json.
    next: expect.stringContaining('Complete rounds and slots are in run.json'),
  });
});

test('nor is one that was restarted by the time of the question', async () => {
  const thrown = await failing(Promise.resolve(lostContainer('shop', 'socket hang up')));

  expect(thrown).toBeInstanceOf(EngineLost);
  expect(thrown).toMatchObject({
    message: 'the Docker engine has lost shop: socket hang up',
    next: expect.stringContaining('was restarted'),
  });
});

test.each([
  ['goes on', never],
  ['has ended', Promise.resolve(containerEnd({ name: 'shop', exitCode: 1, limitMiB: 48, log: '' }))],
])('a load that fails while the engine stands is a failure of the service, which %s', async (_, ended) => {
  expect(await failing(ended)).toBe(FAILED);
});
