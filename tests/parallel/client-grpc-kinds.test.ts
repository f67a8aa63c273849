import { describe, expect, it } from 'vitest';
import { ConfigError, MeasurementError } from '../../src/foundation/errors.ts';
import type { Json } from '../../src/foundation/json.ts';
import type { TargetRequest } from '../../src/model/load.ts';
import type { Secrets } from '../../src/model/secrets/secrets.ts';
import type { Connection, Contract } from '../../src/model/service.ts';
import { protocolClient } from '../../src/protocols/client.ts';
import { STREAM_PROTO, type StreamService, streamService, streamSet } from '../integration/grpc-streams.ts';
import { pythonService } from '../integration/plain-service.ts';
import { newIdentity } from '../support/certificates.ts';
import { NO_SECRETS } from '../support/secrets.ts';

const NAME = 'service.test';
const SET: Contract = { descriptorSet: streamSet(), origin: 'streams.binpb' };

const requested = (proto: Contract, changes: object = {}) => pythonService('', { protocol: 'grpc', proto, ...changes });

const request = (method: string, body: Json, more: Partial<TargetRequest> = {}): TargetRequest => ({
  call: `streams.v1.Streams/${method}`,
  body,
  ...more,
});

const text = (value: string, count = 0) => ({ text: value, count, by_name: {} });

describe.each([
  ['of .proto files', STREAM_PROTO],
  ['of a descriptor set', SET],
  ['by reflection', { reflection: true } as const],
])('a contract %s', (_, proto) => {
  const ask = async (service: StreamService, ...parts: Parameters<typeof request>) =>
    await protocolClient(NO_SECRETS).call(requested(proto), service.address, request(...parts));

  it.each<[string, Json, Json]>([
    ['Echo', { text: 'a', by_name: { b: 1 } }, { ...text('a'), by_name: { b: 1 } }],
    ['Download', { text: 'a' }, [text('a', 0), text('a', 1), text('a', 2)]],
    ['Download', { text: 'none' }, []],
    ['Upload', [{ text: 'a' }, { text: 'b' }], text('ab')],
    ['Chat', [{ text: 'a' }, { text: 'b' }], [text('a'), text('b')]],
  ])('lets one ask %s with %j', async (method, body, answer) => {
    await using service = await streamService({ reflection: true });

    expect(await ask(service, method, body)).toEqual({ status: 'OK', body: answer });
  });

  it.each<[string, Json]>([
    ['Echo', { text: 'refuse' }],
    ['Upload', [{ text: 'refuse' }]],
  ])('gives a refusal of %s as a reply', async (method, body) => {
    await using service = await streamService({ reflection: true });

    expect(await ask(service, method, body)).toMatchObject({
      status: 'INVALID_ARGUMENT',
      body: undefined,
      detail: expect.any(String),
    });
  });

  it.each<[string, Json, RegExp]>([
    ['Gone', {}, /Streams\/Gone is not in the contract of plain/],
    ['Echo', { txt: 'a' }, /Streams\/Echo: message\.txt: is an unknown field of streams\.v1\.Text/],
    ['Echo', [{}], /takes one message/],
    ['Upload', {}, /takes a stream of messages/],
  ])('refuses %s with %j before it is sent', async (method, body, message) => {
    await using service = await streamService({ reflection: true });

    const refused = ask(service, method, body);

    await expect(refused).rejects.toThrow(ConfigError);
    await expect(ask(service, method, body)).rejects.toThrow(message);
    expect(service.heard).toEqual([]);
  });
});

describe('server reflection', () => {
  it('is asked once, and gives the load tools a descriptor set that says the same', async () => {
    await using service = await streamService({ reflection: true });
    const client = protocolClient(NO_SECRETS);
    const plain = requested({ reflection: true });

    await client.call(plain, service.address, request('Echo', {}));
    const described = await client.described(plain, service.address);
    await client.described(plain, service.address);

    expect(service.reflections()).toBe(1);
    await service[Symbol.asyncDispose]();
    await using next = await streamService();
    expect(await client.call(described, next.address, request('Echo', { text: 'b' }))).toMatchObject({
      body: text('b'),
    });
  });

  it('leaves services alone that have their contract', async () => {
    const plain = requested(STREAM_PROTO);

    expect(await protocolClient(NO_SECRETS).described(plain, '127.0.0.1:1')).toBe(plain);
  });

  it('says what to add where a service has none, and that it did not answer', async () => {
    await using service = await streamService();
    const client = protocolClient(NO_SECRETS);

    const refusal = await client.described(requested({ reflection: true }), service.address).catch((thrown) => thrown);

    expect(refusal).toBeInstanceOf(ConfigError);
    expect(refusal).toMatchObject({
      message: 'plain has no server reflection, so its contract is unknown',
      next: expect.stringContaining('proto: { root: proto, file'),
    });
    const nobody = client.described(requested({ reflection: true }), '127.0.0.1:1');
    await expect(nobody).rejects.toThrow(MeasurementError);
  });
});

describe('a call over gRPC', () => {
  const ask = async (service: StreamService, more: Partial<TargetRequest>, secrets: Secrets = NO_SECRETS) =>
    await protocolClient(secrets).call(requested(STREAM_PROTO), service.address, request('Echo', {}, more));

  it('has its metadata, with secrets and bytes', async () => {
    await using service = await streamService();
    const secrets = { ...NO_SECRETS, resolve: (value: string) => value.replace('${env.TOKEN}', 'x1') };

    await ask(service, { metadata: { authorization: 'Bearer ${env.TOKEN}', 'trace-bin': 'AAE=' } }, secrets);

    expect(service.metadata()?.get('authorization')).toEqual(['Bearer x1']);
    expect(service.metadata()?.get('trace-bin')).toEqual([Buffer.from([0, 1])]);
  });

  it('is given up at its deadline', async () => {
    await using service = await streamService();
    const late = request('Echo', { text: 'never' }, { deadlineMs: 100 });

    const refused = protocolClient(NO_SECRETS).call(requested(STREAM_PROTO), service.address, late);

    await expect(refused).rejects.toThrow(/DEADLINE_EXCEEDED/);
  });

  it('is cut where its answers have no end', async () => {
    await using service = await streamService();

    const reply = protocolClient(NO_SECRETS).call(
      requested(STREAM_PROTO),
      service.address,
      request('Download', { text: 'endless' }, { deadlineMs: 60_000 }),
    );

    await expect(reply).resolves.toMatchObject({
      status: 'OK',
      body: undefined,
      cut: 'longer than 10000 messages or 4194304 bytes',
    });
  });

  it('is cut where a message is longer than what is kept', async () => {
    await using service = await streamService();
    const half = { text: 'a'.repeat(3 * 2 ** 20) };

    const reply = protocolClient(NO_SECRETS).call(
      requested(STREAM_PROTO),
      service.address,
      request('Upload', [half, half]),
    );

    await expect(reply).resolves.toMatchObject({
      status: 'OK',
      body: undefined,
      cut: expect.stringContaining('4194304'),
    });
  });

  it('is a refusal where the service takes no message of that length', async () => {
    await using service = await streamService();
    const long = request('Echo', { text: 'a'.repeat(5 * 2 ** 20) });

    const reply = await protocolClient(NO_SECRETS).call(requested(STREAM_PROTO), service.address, long);

    expect(reply).toMatchObject({ status: 'RESOURCE_EXHAUSTED', body: undefined, detail: expect.any(String) });
  });

  it('may be that of the health service, which need not be in the contract', async () => {
    await using service = await streamService();

    const reply = await protocolClient(NO_SECRETS).call(requested(STREAM_PROTO), service.address, {
      call: 'grpc.health.v1.Health/Check',
      body: {},
    });

    expect(reply).toMatchObject({ status: 'UNIMPLEMENTED', body: undefined, detail: expect.any(String) });
  });
});

describe('gRPC over TLS', () => {
  const [own, client] = [newIdentity(`DNS:${NAME}`), newIdentity(`DNS:${NAME}`)];
  const usual = { ca: undefined, insecure: false, serverName: undefined, certificate: undefined, key: undefined };
  const trusting = { ca: own.certificate, serverName: NAME };
  const ask = async (service: StreamService, tls: object) => {
    const connection: Connection = { http: '2', tls: { ...usual, ...tls } };
    const secured = requested({ reflection: true }, { connection });
    return await protocolClient(NO_SECRETS).call(secured, service.address, request('Echo', { text: 'a' }));
  };

  it.each([
    ['an authority that is trusted', {}, trusting],
    ['any certificate', {}, { insecure: true }],
    ['a certificate of the client', { knows: client.certificate }, { ...trusting, ...client }],
  ])('works with %s', async (_, server, tls) => {
    await using service = await streamService({ tls: { own, ...server }, reflection: true });

    expect(await ask(service, tls)).toMatchObject({ status: 'OK' });
  });

  it.each([
    [
      'an authority that is not known',
      { tls: { ca: client.certificate, serverName: NAME }, next: 'tls: { ca: <file> }' },
    ],
    ['another name in the certificate', { tls: { ca: own.certificate }, next: 'tls: { serverName: <name> }' }],
    ['no certificate of the client', { knows: client.certificate, tls: trusting, next: 'tls: { certificate: <file>' }],
  ])('is refused with %s, and what to do', async (_, { tls, next, ...server }) => {
    await using service = await streamService({ tls: { own, ...server }, reflection: true });

    const refusal = await ask(service, tls).catch((thrown: unknown) => thrown);

    expect(refusal).toBeInstanceOf(MeasurementError);
    expect(refusal).toMatchObject({ next: expect.stringContaining(next) });
  });

  it('takes the address for the name where none is given', async () => {
    const here = newIdentity('IP:127.0.0.1');
    await using service = await streamService({ tls: { own: here }, reflection: true });

    expect(await ask(service, { ca: here.certificate })).toMatchObject({ status: 'OK' });
  });

  it('says so where the service speaks none', async () => {
    await using service = await streamService();

    await expect(ask(service, trusting)).rejects.toMatchObject({ next: expect.stringContaining('Remove `tls`') });
  });

  it('names a key that is not that of the certificate', async () => {
    await using service = await streamService({ tls: { own } });

    await expect(ask(service, { certificate: own.certificate, key: client.key })).rejects.toThrow(
      /plain: its `tls` cannot be used/,
    );
  });
});
