import descriptor from 'protobufjs/ext/descriptor/index.js';
import { afterEach, expect, test, vi } from 'vitest';
import { type RequestPart, reflectedFiles } from '../../../../src/protocols/grpc/reflection.ts';

afterEach(() => vi.restoreAllMocks());

const encoded = (file: object) =>
  descriptor.FileDescriptorProto.encode(descriptor.FileDescriptorProto.create(file)).finish();

/** Asks a service that tells the same files of whatever it is asked for; `asked` has the questions. */
function tellingAlways(...files: readonly Uint8Array[]) {
  const requested: object[] = [];
  const ask: RequestPart = async (question) => {
    requested.push(question);
    return question.list_services === undefined
      ? { file_descriptor_response: { file_descriptor_proto: files } }
      : { list_services_response: { service: [{ name: 'shop.v1.Shop' }] } };
  };
  return { ask, requested };
}

/** How often a file is decoded while work is done. */
async function decodingsIn(work: () => Promise<unknown>): Promise<number> {
  const decode = vi.spyOn(descriptor.FileDescriptorProto, 'decode');
  await work();
  return decode.mock.calls.length;
}

const filesIn = (base64: string) =>
  (descriptor.FileDescriptorSet.decode(Buffer.from(base64, 'base64')) as unknown as { file: { name: string }[] }).file;

test('a file that is sent again with each of its 2,700 imports is decoded once', async () => {
  const dependency = Array.from({ length: 2700 }, (_, index) => `f${index}.proto`);
  const { ask, requested } = tellingAlways(encoded({ name: 'a.proto', dependency }));

  expect(await decodingsIn(() => reflectedFiles(ask, 'shop'))).toBe(1);
  expect(requested).toHaveLength(2 + 2700);
});

test('a file of 1 MiB that is sent 41 times counts once towards the limit of 32 MiB', async () => {
  const dependency = Array.from({ length: 40 }, (_, index) => `f${index}.proto`);
  const { ask } = tellingAlways(encoded({ name: 'a.proto', package: 'x'.repeat(2 ** 20), dependency }));

  const { descriptorSet } = await reflectedFiles(ask, 'shop');

  expect(filesIn(descriptorSet).map(({ name }) => name)).toEqual(['a.proto']);
});

test('files with different bytes count separately, even with equal names', async () => {
  const files = Array.from({ length: 33 }, (_, index) =>
    encoded({ name: 'a.proto', package: `${index}${'x'.repeat(2 ** 20)}` }),
  );
  const { ask } = tellingAlways(...files);

  expect(await decodingsIn(() => expect(reflectedFiles(ask, 'shop')).rejects.toThrow('returned too much'))).toBe(32);
});
