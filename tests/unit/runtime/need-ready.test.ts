import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import type { Need } from '../../../src/model/service.ts';
import { containerEnd, type Ended } from '../../../src/runtime/ended.ts';
import { type RunningNeed, unreadVariable, untilNeedReady } from '../../../src/runtime/ready.ts';

const never = new Promise<never>(() => undefined);

/** A need whose check fails; it has the given commands. */
function failing(command: readonly string[], check: readonly string[], ended: Promise<Ended> = never): RunningNeed {
  const need: Need = {
    name: 'db',
    image: undefined,
    port: 5432,
    environment: {},
    needs: [],
    fresh: 'slot',
    process: { build: [], command },
    ready: { check: { kind: 'command', command: check }, timeoutSeconds: 0.05 },
  };
  return {
    need,
    place: { name: 'db', host: '127.0.0.1', port: 5432 },
    ownPort: 5432,
    ended,
    used: async () => ({ cpuSeconds: 0, peakMemoryMiB: 0 }),
    logs: async () => '',
    tries: async () => 'ended with exit code 1',
    [Symbol.asyncDispose]: async () => undefined,
  };
}

test.each([
  ['redis-server --port $PORT', ['redis-server', '--port', '$PORT'], ['true']],
  ['pg_isready --port $PORT', ['./database'], ['pg_isready', '--port', '$PORT']],
])('says that no shell reads %s', async (reported, command, check) => {
  const next = `$PORT is not expanded, because no shell runs the command. Use a shell: [sh, -c, 'exec ${reported}'].`;

  await expect(untilNeedReady(failing(command, check), 'shop')).rejects.toMatchObject({ next });
});

test('says that no shell reads the command of a need that has ended', async () => {
  const end = containerEnd({ name: 'db', exitCode: 1, limitMiB: 48, log: '' });
  const ended = failing(['redis-server', '--port', '$PORT'], ['true'], Promise.resolve(end));

  await expect(untilNeedReady(ended, 'shop')).rejects.toMatchObject({
    message: 'db (needed by shop): ended before it was ready: db ended with exit code 1; it printed nothing',
    next: expect.stringMatching(/^\$PORT is not expanded/),
  });
});

test('sends to the description of any other need', async () => {
  const next = 'Check its output, and `needs.db.ready` of shop.';

  await expect(untilNeedReady(failing(['./database'], ['true']), 'shop')).rejects.toMatchObject({ next });
});

test('does not believe a proxy that takes connections if nothing listens behind it', async () => {
  const proxy = createServer((connection) => connection.unref());
  const port = await new Promise<number>((resolve) => {
    proxy.listen(0, '127.0.0.1', () => resolve(Number(Object(proxy.address()).port)));
  });
  const { need, ...others } = failing(['./database'], []);
  const ready = (timeoutSeconds: number) => ({ check: { kind: 'usual' }, timeoutSeconds }) as const;
  const waited = (isThere: boolean, seconds: number) =>
    untilNeedReady(
      { ...others, need: { ...need, ready: ready(seconds) }, ownPort: port, listens: () => isThere },
      'shop',
    );

  await expect(waited(true, 5)).resolves.toBeUndefined();
  await expect(waited(false, 0.3)).rejects.toThrow('a connection to port 5432: nothing listens there');
  proxy.close();
});

test.each([
  [['nats-server', '--port', '$PORT'], '$PORT'],
  [['./server', '--listen=${HOST}:${PORT}'], '$HOST'],
  [['initdb', '$DATA'], '$DATA'],
])('says that no shell reads %j', (command, name) => {
  expect(unreadVariable(command)).toContain(
    `${name} is not expanded, because no shell runs the command. Use a shell: [sh, -c, 'exec ${command[0]} `,
  );
});

test.each([
  [['sh', '-c', 'exec nats-server --port $PORT']],
  [['/bin/bash', '-c', 'exec nats-server --port "${PORT}"']],
  [['env', '-S', 'nats-server --port ${PORT}']],
  [['taskset', '-c', '0', 'sh', '-c', 'exec ./server $PORT']],
  [['node', 'server.js', '$PORTAL', '$HOME']],
  [[]],
])('has nothing to say of %j', (command) => {
  expect(unreadVariable(command)).toBeUndefined();
});
