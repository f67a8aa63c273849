import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../src/foundation/errors.ts';
import { GENERATORS, generatorFor } from '../../../src/load/generators.ts';
import type { OpenLoad, SaturatingLoad, Target, ToolLoad } from '../../../src/model/load.ts';
import { PROTOCOLS } from '../../../src/protocols/protocols.ts';

const HTTP: Target = {
  address: '127.0.0.1:15000',
  requests: [
    { call: 'GET /user/1', body: undefined },
    { call: 'POST /user', body: undefined, content: { text: '{"name":"Zoë"}' } },
  ],
  proto: undefined,
};

const GRPC: Target = {
  address: '127.0.0.1:15001',
  requests: [
    { call: 'user.v1.UserService/GetUser', body: { id: 1 } },
    { call: 'user.v1.UserService/GetUser', body: undefined },
  ],
  proto: {
    root: 'proto',
    file: 'user/v1/user.proto',
    texts: { 'user/v1/user.proto': 'import "age.proto";', 'age.proto': 'x' },
  },
};

function open(target: Target, changes: Partial<OpenLoad> = {}): ToolLoad {
  return { kind: 'open', target, ratePerSecond: 250, seconds: 3, workers: 75, timeoutSeconds: 30, ...changes };
}

function saturate(target: Target, changes: Partial<SaturatingLoad> = {}): ToolLoad {
  return { kind: 'saturate', target, seconds: 3, workers: 12, timeoutSeconds: 30, ...changes };
}

/** The value behind a flag. */
function flag(args: readonly string[], name: string): string | undefined {
  return args[args.indexOf(name) + 1];
}

describe.each([[GENERATORS.vegeta, HTTP] as const, [GENERATORS.ghz, GRPC] as const])(
  'every load generator: %o',
  (generator, target) => {
    it('is found by a protocol that its transport carries', () => {
      const [protocol] = Object.values(PROTOCOLS).filter(({ transport }) => transport === generator.drives);

      expect(protocol && generatorFor(protocol.name)).toBe(generator);
      expect(GENERATORS[generator.name]).toBe(generator);
    });

    it.each([open(target), saturate(target)])('keeps the files of two commands apart (%o)', (load) => {
      const one = generator.command(load, 'steady-0');
      const other = generator.command(load, 'steady-1');

      const files = [one, other].flatMap(({ inputs, output }) => [...Object.keys(inputs), output]);
      expect(new Set(files).size).toBe(files.length);
    });

    it.each([open(target), saturate(target)])('reads the files that it is given and writes its output (%o)', (load) => {
      const { arguments: args, output } = generator.command(load, 'steady-0');

      expect(args).toContain(output);
    });

    it('keeps to one core, and leaves the last requests of a load the time that they may take', () => {
      const { arguments: args, limitSeconds } = generator.command(open(target), 'x');

      expect(args.slice(0, 2)).toEqual([expect.stringMatching(/^--?cpus$/), '1']);
      expect(limitSeconds).toBeGreaterThan(3 + 30);
    });

    it('gives every command the same for the same load', () => {
      expect(generator.command(open(target), 'x')).toEqual(generator.command(open(target), 'x'));
    });
  },
);

describe('vegeta', () => {
  it('keeps a rate with at most so many requests in flight', () => {
    const { arguments: args } = GENERATORS.vegeta.command(open(HTTP), 'steady-0');

    expect(flag(args, '-rate')).toBe('250/1s');
    expect(flag(args, '-duration')).toBe('3050ms');
    expect([flag(args, '-workers'), flag(args, '-max-workers'), flag(args, '-connections')]).toEqual([
      '75',
      '75',
      '75',
    ]);
  });

  it('sends as fast as its workers can in a closed loop', () => {
    const { arguments: args } = GENERATORS.vegeta.command(saturate(HTTP), 'steady-0');

    expect([flag(args, '-rate'), flag(args, '-duration'), flag(args, '-max-workers')]).toEqual(['0', '3000ms', '12']);
  });

  it('takes the requests in turn, with their bodies', () => {
    const { inputs, arguments: args } = GENERATORS.vegeta.command(open(HTTP), 'steady-0');

    const text = inputs[flag(args, '-targets') ?? ''] ?? '';
    const targets = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(targets[0]).toEqual({ method: 'GET', url: 'http://127.0.0.1:15000/user/1' });
    expect(targets[1]).toMatchObject({ method: 'POST', url: 'http://127.0.0.1:15000/user' });
    expect(JSON.parse(Buffer.from(targets[1].body, 'base64').toString())).toEqual({ name: 'Zoë' });
  });

  it.each(['user.v1.UserService/GetUser', 'GET user/1', 'GET /a b', ''])('refuses %j, which is no request', (call) => {
    const target = { ...HTTP, requests: [{ call, body: undefined }] };

    expect(() => GENERATORS.vegeta.command(open(target), 'x')).toThrow(ConfigError);
  });
});

describe('ghz', () => {
  it('keeps a rate with at most so many requests in flight, over few connections', () => {
    const { arguments: args } = GENERATORS.ghz.command(open(GRPC), 'steady-0');

    expect([flag(args, '--rps'), flag(args, '--duration')]).toEqual(['250', '3050ms']);
    expect([flag(args, '--concurrency'), flag(args, '--connections')]).toEqual(['75', '16']);
    expect(flag(args, '--duration-stop')).toBe('wait');
  });

  it('has no more connections than workers, which it refuses', () => {
    const { arguments: args } = GENERATORS.ghz.command(open(GRPC, { workers: 3 }), 'steady-0');

    expect(flag(args, '--connections')).toBe('3');
  });

  it('sends as fast as its workers can in a closed loop', () => {
    const { arguments: args } = GENERATORS.ghz.command(saturate(GRPC), 'steady-0');

    expect(args).not.toContain('--rps');
    expect([flag(args, '--duration'), flag(args, '--duration-stop')]).toEqual(['3000ms', 'wait']);
  });

  it('takes the messages in turn and finds all files of the contract', () => {
    const { inputs, arguments: args } = GENERATORS.ghz.command(open(GRPC), 'steady-0');

    const messages = flag(args, '--data-file') ?? '';
    expect(JSON.parse(inputs[messages] ?? '')).toEqual([{ id: 1 }, {}]);
    expect(flag(args, '--call')).toBe('user.v1.UserService/GetUser');
    expect(flag(args, '--proto')).toBe('user/v1/user.proto');
    expect(Object.keys(inputs)).toEqual([
      ...['user/v1/user.proto', 'age.proto'].map((path) => `${flag(args, '--import-paths')}/${path}`),
      messages,
    ]);
  });

  it('refuses two methods in one operation, none, and a service without a contract', () => {
    const [first] = GRPC.requests;
    const two = { ...GRPC, requests: [...GRPC.requests, { call: 'user.v1.UserService/ListUsers', body: undefined }] };

    expect(first).toBeDefined();
    for (const target of [two, { ...GRPC, requests: [] }, { ...GRPC, proto: undefined }]) {
      expect(() => GENERATORS.ghz.command(open(target), 'x')).toThrow(ConfigError);
    }
  });
});
