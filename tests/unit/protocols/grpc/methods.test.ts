import { expect, test } from 'vitest';
import { ConfigError } from '../../../../src/foundation/errors.ts';
import type { Service } from '../../../../src/model/service.ts';
import { methodsOf } from '../../../../src/protocols/grpc/methods.ts';
import { restService } from '../../../support/suite.ts';

const TEXT = 'syntax = "proto3"; message A { } service B { rpc Get(A) returns (A); rpc List(A) returns (stream A); }';

const address = '127.0.0.1:1';
const service: Service = { ...restService('shop'), protocol: 'grpc', proto: { reflection: true } };

const client = (described: () => Promise<Service>) => ({
  call: () => expect.fail('nothing is called'),
  described,
  learn: () => undefined,
});

test('the methods of a contract of a service with reflection', async () => {
  const answering = client(async () => ({
    ...service,
    proto: { root: '', file: 'b.proto', texts: { 'b.proto': TEXT } },
  }));
  const methods = await methodsOf(answering, { service, address });

  expect(methods?.map(({ name }) => name)).toEqual(['Get', 'List']);
});

test('none of a service without a contract, or whose reflection fails', async () => {
  const refusing = client(async () => {
    throw new ConfigError('it has no reflection', { code: 'WG-310', next: 'Add it.' });
  });

  expect(await methodsOf(refusing, { service, address })).toBeUndefined();
  expect(await methodsOf(refusing, { service: { ...service, proto: undefined }, address })).toBeUndefined();
});

test('those of a contract in files, without a request', async () => {
  const refusing = client(() => expect.fail('nothing is called'));
  const own = { ...service, proto: { root: '', file: 'b.proto', texts: { 'b.proto': TEXT } } };

  expect((await methodsOf(refusing, { service: own, address }))?.map(({ name }) => name)).toEqual(['Get', 'List']);
});

test('an unexpected error is thrown', async () => {
  const broken = client(async () => {
    throw new TypeError('broken');
  });

  await expect(methodsOf(broken, { service, address })).rejects.toThrow(TypeError);
});
