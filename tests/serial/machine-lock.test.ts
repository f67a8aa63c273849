import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { lockHolder, lockMachine, type MachineTurn } from '../../src/host/locks.ts';
import { takeName } from '../../src/host/machine/names.ts';
import { ownerOf } from '../../src/host/machine/proc.ts';

const OWNER = ownerOf(process.pid) ?? '';
const programs: ChildProcess[] = [];
const servers: Server[] = [];
let name = '';

beforeEach(() => {
  // The lock of this machine itself may be somebody's.
  name = `test-${randomUUID()}`;
});

afterEach(() => {
  for (const program of programs.splice(0)) {
    program.kill('SIGKILL');
  }
  for (const server of servers.splice(0)) {
    server.close();
  }
});

const SOURCE = `
  import { spawn } from 'node:child_process';
  import { lockHolder, lockMachine } from '${pathToFileURL(join(import.meta.dirname, '../../src/host/locks.ts')).href}';
  const [name, what] = process.argv.slice(1);
  try {
    await lockMachine({
      ...{ owner: process.pid + ':1', what, name, waitSeconds: 0, signal: new AbortController().signal },
      log: console.log,
    });
    if (what === 'with a child') {
      spawn('sleep', ['60'], { stdio: 'ignore' });
    }
    console.log('locked');
    setInterval(() => undefined, 1000);
  } catch (thrown) {
    console.log(thrown.name + ': ' + thrown.message);
  }`;

/** Another program that takes the lock and keeps it until it is killed; gives its first line. */
async function startProgram(what: string, options: SpawnOptions = {}) {
  const argv = ['--import', 'tsx', '--input-type=module', '-e', SOURCE, name, what];
  const program = spawn(process.execPath, argv, { ...options, stdio: ['ignore', 'pipe', 'inherit'] });
  programs.push(program);
  const [line] = await once(program.stdout ?? expect.fail('no output'), 'data');
  return { program, line: String(line).trim() };
}

async function kill(program: ChildProcess): Promise<void> {
  program.kill('SIGKILL');
  await once(program, 'exit');
}

const take = (turn: Partial<MachineTurn> = {}) =>
  lockMachine({
    ...{ owner: OWNER, what: 'wiregauge compare', waitSeconds: 0, signal: new AbortController().signal, name },
    log: () => expect.fail('nothing is to be told'),
    ...turn,
  });
const attempt = () => take();
const refusal = () =>
  attempt().then(
    () => expect.fail('it was given'),
    (thrown: unknown) => thrown,
  );

describe('lockMachine', () => {
  it('refuses a second measurement and says who measures, since when, and what to do', async () => {
    const lock = await take({ what: 'wiregauge compare --base main' });

    const refused = await refusal();

    const since = new Date().toISOString().slice(0, 10);
    expect(refused).toMatchObject({
      name: 'EnvironmentError',
      message: expect.stringMatching(
        `^this machine is already being measured by process ${process.pid}: \`wiregauge compare --base main\`, since ${since} \\d\\d:\\d\\d:\\d\\d UTC$`,
      ),
      next: expect.stringContaining('Try again when it has ended'),
    });
    await lock[Symbol.asyncDispose]();
    await lock[Symbol.asyncDispose]();
    await (await attempt())[Symbol.asyncDispose]();
  });

  it('waits for its turn, and says once for whom and until when', async () => {
    const lines: string[] = [];
    const first = await take({ what: 'wiregauge compare', mostSeconds: 600 });

    const second = take({ what: 'wiregauge run', waitSeconds: 60, log: (line) => lines.push(line) });
    await vi.waitUntil(() => lines.length > 0, 20_000);
    expect(await lockHolder(name)).toContain('`wiregauge compare`');
    await first[Symbol.asyncDispose]();

    await using _lock = await second;
    expect(await lockHolder(name)).toContain('`wiregauge run`');
    expect(lines).toEqual([
      expect.stringMatching(
        new RegExp(
          `^waiting for this machine: it is being measured by process ${process.pid}: \`wiregauge compare\`, since .* UTC; it measures for at most .*, plus builds$`,
        ),
      ),
    ]);
  });

  it('waits no longer than its limit, and no longer than it is wanted', async () => {
    await using _lock = await take();
    const ended = new AbortController();

    const stopped = take({ waitSeconds: 60, log: () => ended.abort(new Error('Ctrl-C')), signal: ended.signal });

    await expect(stopped).rejects.toThrow('Ctrl-C');
    await expect(take({ waitSeconds: 0.1, log: () => undefined })).rejects.toMatchObject({
      name: 'EnvironmentError',
      message: expect.stringMatching(/ UTC \(waited 0\.1 s\)$/),
      next: expect.stringContaining('--wait'),
    });
  });

  it('is given to the one that waits longest', async () => {
    const order: number[] = [];
    const holder = await take();
    const all = [];
    for (let number = 0; number < 6; number += 1) {
      const log = vi.fn();
      const turn = async () => {
        await using _lock = await take({ waitSeconds: 60, log });
        order.push(number);
      };
      all.push(turn());
      await vi.waitUntil(() => log.mock.calls.length > 0, 20_000);
    }

    await holder[Symbol.asyncDispose]();
    await Promise.all(all);

    expect(order).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('passes over one that is first in the queue and does not take it', async () => {
    const stopped = await takeName(`${name}-queue-${'0'.repeat(16)}-stopped`, '');

    await using _lock = await take({ waitSeconds: 60, log: () => undefined });

    expect(await lockHolder(name)).toContain('`wiregauge compare`');
    await stopped?.[Symbol.asyncDispose]();
  });

  it('is reported without being acquired', async () => {
    expect(await lockHolder(name)).toBeUndefined();
    const lock = await take({ what: 'wiregauge run' });

    expect(await lockHolder(name)).toMatch(new RegExp(`^by process ${process.pid}: \`wiregauge run\`, since `));

    await lock[Symbol.asyncDispose]();
    expect(await lockHolder(name)).toBeUndefined();
  });

  it('is given to one of many that start at once, also after the one that had it was killed', async () => {
    for (let time = 1; time <= 2; time += 1) {
      const all = await Promise.all(Array.from({ length: 8 }, () => startProgram('wiregauge calibrate')));

      const holders = all.filter(({ line }) => line === 'locked');
      expect(holders).toHaveLength(1);
      const [holder = expect.fail('nobody has it')] = holders;
      const others = all.filter(({ line }) => line !== 'locked').map(({ line }) => line);
      expect(new Set(others).size).toBe(1);
      expect(others[0]).toContain(`by process ${holder.program.pid}: \`wiregauge calibrate\``);
      await kill(holder.program);
    }
  });

  it('is given once among many attempts of one program', async () => {
    const all = await Promise.allSettled(Array.from({ length: 100 }, attempt));

    const given = all.filter((result) => result.status === 'fulfilled');
    expect(given).toHaveLength(1);
    await given[0]?.value[Symbol.asyncDispose]();
  });

  it('is released if the program was killed while its children live on', async () => {
    const { program } = await startProgram('with a child');
    expect(await refusal()).toMatchObject({ message: expect.stringContaining('with a child') });

    await kill(program);

    await (await attempt())[Symbol.asyncDispose]();
  });

  it('is the same one for every user', async ({ skip }) => {
    skip(process.getuid?.() !== 0, 'only root can start a program as another user');
    const { line } = await startProgram('mine', { uid: 65534, gid: 65534 });
    expect(line).toBe('locked');

    expect(await refusal()).toMatchObject({ message: expect.stringContaining('`mine`') });
  });

  it('has a name that every version of Node.js gives the same length', async () => {
    const lock = await attempt();

    const line = readFileSync('/proc/net/unix', 'latin1')
      .split('\n')
      .find((text) => text.includes(`@${name}`));

    expect(line?.split(' ').at(-1)).toBe(`@${name.padEnd(107, '.')}`);
    await lock[Symbol.asyncDispose]();
  });
});

describe('a holder that is not to be trusted', () => {
  async function hold(serve: (socket: Socket, server: Server) => void): Promise<void> {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      serve(socket, server);
    });
    servers.push(server);
    server.listen({ path: `\0${name.padEnd(107, '.')}` });
    await once(server, 'listening');
  }

  const answer = (holder: object) => hold((socket) => socket.end(JSON.stringify(holder)));
  const unknown = { message: expect.stringContaining('by an unknown program') };

  it('cannot steer the terminal or fill it', async () => {
    await answer({ pid: 7, sinceMs: 0, what: `\u001b[2J\n\u202e${'x'.repeat(2000)}` });

    const refused = await refusal();

    expect(refused).toMatchObject({
      message: `this machine is already being measured by process 7 of another container: \` [2J ${'x'.repeat(195)}\`, since 1970-01-01 00:00:00 UTC`,
    });
  });

  it.each([
    'nonsense',
    '{}',
    '{"pid":"1","sinceMs":0,"what":"x"}',
    '{"pid":-1,"sinceMs":0,"what":"x"}',
    '{"pid":1,"sinceMs":1e300,"what":"x"}',
    '{"pid":1,"sinceMs":0,"what":["x"]}',
    `{"pid":1,"sinceMs":0,"what":"${'x'.repeat(1_000_000)}"}`,
  ])('is refused without its words where they make no sense: %.40s', async (text) => {
    await hold((socket) => socket.end(text));

    expect(await refusal()).toMatchObject(unknown);
  });

  it('does not keep the program waiting by saying nothing, or too much', async () => {
    await hold((socket) => socket.write('{'));
    expect(await refusal()).toMatchObject(unknown);

    name = `test-${randomUUID()}`;
    await hold((socket) => {
      const flood = () => socket.write('x'.repeat(65_536), () => setImmediate(flood));
      flood();
    });
    expect(await refusal()).toMatchObject(unknown);
  });

  it('has the lock no more when it goes away while it is asked', async () => {
    await hold((socket, server) => {
      server.close();
      socket.destroy();
    });

    await (await attempt())[Symbol.asyncDispose]();
  });

  it('has the lock although it does not respond', async () => {
    const bind = `import socket, sys, time
taken = socket.socket(socket.AF_UNIX)
taken.bind(b"\\0" + sys.argv[1].encode())
print("bound", flush=True)
time.sleep(60)`;
    const program = spawn('python3', ['-c', bind, name.padEnd(107, '.')], { stdio: ['ignore', 'pipe', 'inherit'] });
    programs.push(program);
    await once(program.stdout, 'data');

    expect(await refusal()).toMatchObject(unknown);
    await kill(program);
    await (await attempt())[Symbol.asyncDispose]();
  });
});
