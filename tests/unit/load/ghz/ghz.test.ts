import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../../src/foundation/errors.ts';
import { ghz } from '../../../../src/load/ghz/ghz.ts';
import type { Target, TargetRequest, ToolLoad } from '../../../../src/model/load.ts';

const call = 'shop.v1.Shop/Find';
const PROTO = { root: 'proto', file: 'shop.proto', texts: { 'shop.proto': 'x' } };

function commandOf(changes: Partial<Target>, request: Partial<TargetRequest> = {}) {
  const target: Target = {
    address: '127.0.0.1:15001',
    requests: [{ call, body: { id: 1 }, ...request }],
    proto: PROTO,
    ...changes,
  };
  const load: ToolLoad = { kind: 'saturate', target, seconds: 1, workers: 2, timeoutSeconds: 0.25 };
  const command = ghz.command(load, 'steady-0');
  const flag = (name: string): string | undefined => {
    const at = command.arguments.indexOf(name);
    return at < 0 ? undefined : command.arguments[at + 1];
  };
  return { ...command, flag };
}

describe('the command of ghz', () => {
  it('is the one of always for a service without TLS, metadata and streams', () => {
    const { arguments: args } = commandOf({});

    expect(args).toEqual([
      ...['--cpus', '1', '--insecure', '--import-paths', 'steady-0-proto', '--proto', 'shop.proto', '--call', call],
      ...['--data-file', 'steady-0-messages.json', '--disable-template-functions', '--disable-template-data'],
      ...['--duration', '1000ms', '--duration-stop', 'wait', '--concurrency', '2', '--connections', '2'],
      ...['--timeout', '0.25s', '-O', 'json', '-o', 'steady-0.json', '127.0.0.1:15001'],
    ]);
  });

  it('reads a descriptor set out of a file of its bytes', () => {
    const { flag, binaryInputs, inputs } = commandOf({ proto: { descriptorSet: 'CgA=', origin: 'a.binpb' } });

    expect(flag('--proto')).toBeUndefined();
    expect(binaryInputs).toEqual({ [flag('--protoset') ?? '']: 'CgA=' });
    expect(Object.keys(inputs)).toEqual(['steady-0-messages.json']);
  });

  it('never leaves the contract to reflection within the load tool', () => {
    expect(() => commandOf({ proto: { reflection: true } })).toThrow(ConfigError);
  });

  it.each([
    ['trusts an authority by name', { ca: 'A', serverName: 'api.test' }, { '--cacert': 'A', '--cname': 'api.test' }],
    ['shows a certificate', { certificate: 'C', key: 'K' }, { '--cert': 'C', '--key': 'K' }],
    ['takes any certificate', { insecure: true }, { '--skipTLS': '--import-paths' }],
  ])('%s over TLS', (_, changes, expected) => {
    const tls = { ca: undefined, insecure: false, serverName: undefined, certificate: undefined, key: undefined };

    const { flag, inputs, arguments: args } = commandOf({ connection: { http: '2', tls: { ...tls, ...changes } } });

    const said = Object.keys(expected).map((name) => [name, inputs[flag(name) ?? ''] ?? flag(name)]);
    expect(Object.fromEntries(said)).toEqual(expected);
    expect(args).not.toContain('--insecure');
  });

  it('keeps metadata and messages out of its arguments, which anyone on the machine may see', () => {
    const request = { metadata: { authorization: 'secret' }, body: { password: 'secret' } };

    const { flag, inputs, arguments: args } = commandOf({}, request);

    expect(args.join(' ')).not.toContain('secret');
    expect(JSON.parse(inputs[flag('--metadata-file') ?? ''] ?? '')).toEqual({ authorization: 'secret' });
    expect(JSON.parse(inputs[flag('--data-file') ?? ''] ?? '')).toEqual([{ password: 'secret' }]);
  });

  it('sends the messages of a stream in every call, and refuses two streams', () => {
    const body = [{ id: 1 }, { id: 2 }];

    expect(commandOf({}, { body }).inputs).toMatchObject({ 'steady-0-messages.json': '[{"id":1},{"id":2}]' });
    expect(() =>
      commandOf({
        requests: [
          { call, body },
          { call, body },
        ],
      }),
    ).toThrow(/the same stream/);
  });
});
