import { expect, test } from 'vitest';
import { ConfigError } from '../../../../src/foundation/errors.ts';
import type { Service } from '../../../../src/model/service.ts';
import { toldMethods } from '../../../../src/protocols/grpc/told.ts';
import { restService } from '../../../support/suite.ts';

const TEXT = 'syntax = "proto3"; message A { } service B { rpc Get(A) returns (A); rpc List(A) returns (stream A); }';

const address = '127.0.0.1:1';
const asked: Service = { ...restService('shop'), protocol: 'grpc', proto: { reflection: true } };

const client = (described: () => Promise<Service>) => ({
  call: () => expect.fail('nothing is called'),
  described,
});

test('the methods of a contract that is told by reflection', async () => {
  const told = client(async () => ({ ...asked, proto: { root: '', file: 'b.proto', texts: { 'b.proto': TEXT } } }));
  const methods = await toldMethods(told, { service: asked, address });

  expect(methods?.map(({ name }) => name)).toEqual(['Get', 'List']);
});

test('none of a service that tells none, or is not to be asked', async () => {
  const refusing = client(async () => {
    throw new ConfigError('it has no reflection', { code: 'WG-310', next: 'Add it.' });
  });

  expect(await toldMethods(refusing, { service: asked, address })).toBeUndefined();
  expect(await toldMethods(refusing, { service: { ...asked, proto: undefined }, address })).toBeUndefined();
});

test('an error of another kind is no answer', async () => {
  const broken = client(async () => {
    throw new TypeError('broken');
  });

  await expect(toldMethods(broken, { service: asked, address })).rejects.toThrow(TypeError);
});
