import { describe, expect, it, test } from 'vitest';
import { ConfigError } from '../../../../src/foundation/errors.ts';
import { vegeta } from '../../../../src/load/vegeta/vegeta.ts';
import type { LoadCommand, Target } from '../../../../src/model/load.ts';
import type { Connection, Tls } from '../../../../src/model/service.ts';

const ADDRESS = '127.0.0.1:15000';

function commandOf(changes: Partial<Target>): LoadCommand {
  const target = { address: ADDRESS, requests: [{ call: 'GET /a', body: undefined }], proto: undefined, ...changes };
  return vegeta.command({ kind: 'saturate', target, seconds: 1, workers: 2, timeoutSeconds: 30 }, 'steady-0');
}

function targetsOf({ inputs }: LoadCommand): Record<string, unknown>[] {
  return (inputs['steady-0-targets.jsonl'] ?? '')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

function over(http: Connection['http'], tls?: Partial<Tls>): LoadCommand {
  const usual = { ca: undefined, insecure: false, serverName: undefined, certificate: undefined, key: undefined };
  return commandOf({ connection: { http, tls: tls && { ...usual, ...tls } } });
}

/** What a command has that one without a connection has not. */
function additionsOf(command: LoadCommand): readonly string[] {
  return command.arguments.slice(commandOf({}).arguments.length);
}

describe('what vegeta is told of a connection', () => {
  it.each([
    [over('1.1'), [], 'http'],
    [over('h2c'), ['-h2c'], 'http'],
    [commandOf({ connection: { http: '1.1', tls: undefined, keepAlive: false } }), ['-keepalive=false'], 'http'],
    // Which vegeta would leave for HTTP/2.
    [over('1.1', {}), ['-http2=false'], 'https'],
    [over('2', {}), [], 'https'],
    [over('2', { insecure: true }), ['-insecure'], 'https'],
  ])('its version and its trust: %#', (command, added, scheme) => {
    expect(additionsOf(command)).toEqual(added);
    expect(targetsOf(command)[0]).toMatchObject({ url: `${scheme}://${ADDRESS}/a` });
  });

  it('certificates and keys lie in files beside the targets, and not in the command', () => {
    const command = over('2', { ca: 'CA TEXT', certificate: 'OWN TEXT', key: 'KEY TEXT' });

    expect(additionsOf(command)).toEqual([
      ...['-root-certs', 'steady-0-root-certs.pem', '-cert', 'steady-0-cert.pem', '-key', 'steady-0-key.pem'],
    ]);
    expect(command.inputs).toMatchObject({
      'steady-0-root-certs.pem': 'CA TEXT',
      'steady-0-cert.pem': 'OWN TEXT',
      'steady-0-key.pem': 'KEY TEXT',
    });
  });

  it('another name in the certificate is that of the URL, and leads to the address all the same', () => {
    const command = over('2', { serverName: 'api.test' });

    expect(additionsOf(command)).toEqual(['-connect-to', `api.test:15000:${ADDRESS}`]);
    expect(targetsOf(command)[0]).toMatchObject({ url: 'https://api.test:15000/a' });
  });
});

test('what vegeta cannot be told is refused: another name of an address with colons', () => {
  const tls = { ca: undefined, insecure: true, serverName: 'api.test', certificate: undefined, key: undefined };

  expect(() => commandOf({ address: '[::1]:8080', connection: { http: '2', tls } })).toThrow(ConfigError);
});

describe('what vegeta sends', () => {
  it('has headers and bodies, texts as UTF-8 and files as they are', () => {
    const requests = [
      { call: 'POST /a', body: undefined, headers: { Accept: '*/*' }, content: { text: 'Zoë' } },
      { call: 'PUT /b', body: undefined, content: { base64: 'AAH/' } },
    ];

    const [text, bytes] = targetsOf(commandOf({ requests }));

    expect(text).toMatchObject({ method: 'POST', header: { Accept: ['*/*'] } });
    expect(Buffer.from(String(text?.['body']), 'base64').toString()).toBe('Zoë');
    expect(bytes).toEqual({ method: 'PUT', url: `http://${ADDRESS}/b`, body: 'AAH/' });
  });

  it('may be long', () => {
    const requests = [{ call: 'POST /a', body: undefined, content: { text: 'x'.repeat(300_000) } }];

    expect(String(targetsOf(commandOf({ requests }))[0]?.['body'])).toHaveLength(400_000);
  });
});
