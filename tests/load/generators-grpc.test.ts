import { describe, expect, it } from 'vitest';
import type { Target } from '../../src/model/load.ts';
import type { Service } from '../../src/model/service.ts';
import { protocolClient } from '../../src/protocols/client.ts';
import { encodedTarget } from '../../src/protocols/grpc/message.ts';
import { STREAM_PROTO, streamService, streamSet } from '../integration/grpc-streams.ts';
import { pythonService } from '../integration/plain-service.ts';
import { newIdentity } from '../support/certificates.ts';
import { NO_SECRETS } from '../support/secrets.ts';
import { measured as playLoad } from './run-tool.ts';

const call = (method: string) => `streams.v1.Streams/${method}`;

describe.each([
  ['over connections of its own', true],
  ['over open connections', false],
])('over gRPC, %s', (_, fresh) => {
  /** Plays a short load. */
  async function measured({ proto = STREAM_PROTO, ...target }: Target & Partial<Pick<Service, 'proto'>>) {
    const service = pythonService('', { protocol: 'grpc', proto });
    const records = await playLoad({
      tool: 'ghz',
      load: {
        kind: 'open',
        target: encodedTarget(target, service),
        ratePerSecond: 40,
        seconds: 0.5,
        workers: 4,
        timeoutSeconds: 5,
        fresh,
      },
    });
    expect(records.startMs.length).toBeGreaterThanOrEqual(17);
    return records;
  }

  it.each([
    ['Download', { text: 'a' }, ['a']],
    ['Upload', [{ text: 'a' }, { text: 'b' }], ['a', 'b']],
    ['Chat', [{ text: 'a' }, { text: 'b' }], ['a', 'b']],
  ])('runs %s with the whole stream in every call', async (method, body, heard) => {
    await using service = await streamService();

    const { failureKinds, startMs } = await measured({
      address: service.address,
      requests: [{ call: call(method), body }],
    });

    expect(failureKinds).toEqual([]);
    expect(service.heard).toHaveLength(startMs.length);
    expect(new Set(service.heard.map((one) => one.join()))).toEqual(new Set([heard.join()]));
  });

  it('sends metadata, texts and bytes', async () => {
    await using service = await streamService();
    const metadata = { authorization: 'Bearer {{.RequestNumber}}', 'trace-bin': 'AAE=' };

    await measured({ address: service.address, requests: [{ call: call('Echo'), body: {}, metadata }] });

    expect(service.metadata()?.get('authorization')).toEqual(['Bearer {{.RequestNumber}}']);
    expect(service.metadata()?.get('trace-bin')).toEqual([Buffer.from([0, 1])]);
  });

  it('finds a call in a descriptor set', async () => {
    await using service = await streamService();
    const proto = { descriptorSet: streamSet(), origin: 'streams.binpb' };

    const { failureKinds } = await measured({
      address: service.address,
      proto,
      requests: [{ call: call('Echo'), body: {} }],
    });

    expect(failureKinds).toEqual([]);
  });

  it('loads a contract with an edition as it is verified', async () => {
    await using service = await streamService();
    const { texts, file } = STREAM_PROTO;
    const edition = Object.fromEntries(
      Object.entries(texts).map(([path, text]) => [path, text.replace(/syntax = "proto3";/, 'edition = "2023";')]),
    );
    const proto = { root: 'proto', file, texts: edition };

    const requests = [{ call: call('Echo'), body: { text: 'a', count: 2, by_name: { a: 1 } } }];
    const { failureKinds } = await measured({ address: service.address, proto, requests });

    expect(failureKinds).toEqual([]);
    expect(service.heard[0]).toEqual(['a']);
  });

  it('finds a call by server reflection', async () => {
    await using service = await streamService({ reflection: true });
    const plain = pythonService('', { protocol: 'grpc', proto: { reflection: true } });
    const { proto } = await protocolClient(NO_SECRETS).described(plain, service.address);

    const requests = [{ call: call('Echo'), body: { by_name: { a: 1 } } }];
    const { failureKinds } = await measured({ address: service.address, proto, requests });

    expect(failureKinds).toEqual([]);
    expect(service.reflections()).toBe(1);
  });

  it('takes messages that are longer than an argument may be', async () => {
    await using service = await streamService();
    const long = 'x'.repeat(200_000);

    await measured({ address: service.address, requests: [{ call: call('Echo'), body: { text: long } }] });

    expect(service.heard[0]).toEqual([long]);
  });

  it('speaks TLS with a certificate of its own, and records refusals', async () => {
    const [own, client] = [newIdentity('DNS:service.test'), newIdentity('DNS:service.test')];
    await using service = await streamService({ tls: { own, knows: client.certificate } });
    const trusting = { ca: own.certificate, insecure: false, serverName: 'service.test' };
    const requests = [{ call: call('Echo'), body: {} }];
    const over = async (tls: object) =>
      await measured({
        address: service.address,
        requests,
        connection: { http: '2', tls: { ...trusting, certificate: undefined, key: undefined, ...tls } },
      });

    expect((await over(client)).failureKinds).toEqual([]);
    expect((await over({})).failureKinds).not.toEqual([]);
    expect((await over({ ...client, ca: client.certificate })).failureKinds).not.toEqual([]);
  });
});
