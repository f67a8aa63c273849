import { expect, test } from 'vitest';
import { ConfigError } from '../../../../src/foundation/errors.ts';
import type { Service } from '../../../../src/model/service.ts';
import { reflectedMethods } from '../../../../src/protocols/grpc/methods.ts';
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
  const methods = await reflectedMethods(answering, { service, address });

  expect(methods?.map(({ name }) => name)).toEqual(['Get', 'List']);
});

test('none of a service without reflection, or with a contract of its own', async () => {
  const refusing = client(async () => {
    throw new ConfigError('it has no reflection', { code: 'WG-310', next: 'Add it.' });
  });

  expect(await reflectedMethods(refusing, { service, address })).toBeUndefined();
  expect(await reflectedMethods(refusing, { service: { ...service, proto: undefined }, address })).toBeUndefined();
});

test('an unexpected error is thrown', async () => {
  const broken = client(async () => {
    throw new TypeError('broken');
  });

  await expect(reflectedMethods(broken, { service, address })).rejects.toThrow(TypeError);
});
