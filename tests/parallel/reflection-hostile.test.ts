import { Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js';
import protobuf from 'protobufjs';
import descriptor from 'protobufjs/ext/descriptor/index.js';
import { afterEach, expect, test } from 'vitest';
import { reflectedSet } from '../../src/protocols/grpc/reflection.ts';
import { pythonService } from '../integration/plain-service.ts';

let server: Server | undefined;
afterEach(() => server?.forceShutdown());

const { root } = protobuf.parse(
  `syntax = "proto3";
  message Question { string file_by_filename = 3; string file_containing_symbol = 4; string list_services = 7; }
  message Answer { Files file_descriptor_response = 4; Services list_services_response = 6; Refusal error_response = 7; }
  message Files { repeated bytes file_descriptor_proto = 1; }
  message Services { repeated Service service = 1; }
  message Service { string name = 1; }
  message Refusal { int32 error_code = 1; string error_message = 2; }`,
  { keepCase: true },
);

type Text = Readonly<Record<string, unknown>>;

/** A service whose server reflection answers what a function makes of a question; gives its address. */
async function reflecting(answer: (question: Text) => object): Promise<string> {
  const service = new Server();
  server = service;
  const method = {
    path: '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
    requestStream: true,
    responseStream: true,
    requestSerialize: (value: Buffer) => value,
    requestDeserialize: (bytes: Buffer) =>
      root.lookupType('Question').toObject(root.lookupType('Question').decode(bytes)),
    responseSerialize: (value: object) => Buffer.from(root.lookupType('Answer').encode(value).finish()),
    responseDeserialize: (bytes: Buffer) => bytes,
  };
  service.addService(
    { Ask: method },
    {
      Ask: (stream: ServerDuplexStream<Text, object>) => {
        stream.on('data', (question: Text) => void stream.write(answer(question)));
        stream.on('end', () => stream.end());
      },
    },
  );
  const port = await new Promise<number>((resolve, reject) => {
    service.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, found) =>
      error ? reject(error) : resolve(found),
    );
  });
  return `127.0.0.1:${port}`;
}

const listed = { list_services_response: { service: [{ name: 'shop.Shop' }] } };

/** So many files in one answer, each of which imports the next one, and as long as they may be. */
function endless(question: Text, { filler, files }: Readonly<Record<'filler' | 'files', number>>): object {
  if (question['list_services'] !== undefined) {
    return listed;
  }
  const first = Number(/\d+/.exec(String(question['file_by_filename'] ?? 'f0'))?.[0] ?? 0);
  const answer = Array.from({ length: files }, (_, place) => {
    const number = first + place;
    return encoded({ name: `f${number}.proto`, dependency: [`f${number + 1}.proto`], package: 'x'.repeat(filler) });
  });
  return { file_descriptor_response: { file_descriptor_proto: answer } };
}

test.each([
  ['of large files', { filler: 1_000_000, files: 1 }],
  // One by one a slow machine would not read 5000 of them before its time is over.
  ['of small ones', { filler: 10, files: 50 }],
])('a chain of imports without an end %s is not read for as long as it goes on', async (_, chain) => {
  const address = await reflecting((question) => endless(question, chain));

  const reading = reflectedSet({ service: pythonService('', { protocol: 'grpc' }), address });

  await expect(reading).rejects.toThrow(/server reflection returned too much: more than 5000 files or 32 MiB/);
});

/** A service that tells the same bytes of whatever it is asked for. */
const options = (bytes: Uint8Array) => (question: Text) =>
  question['list_services'] === undefined ? { file_descriptor_response: { file_descriptor_proto: [bytes] } } : listed;

const encoded = (file: object) =>
  descriptor.FileDescriptorProto.encode(descriptor.FileDescriptorProto.create(file)).finish();

test('a file that imports hundreds of thousands is not asked for all of them', async () => {
  const dependency = Array.from({ length: 400_000 }, (_, index) => index.toString(36));
  const address = await reflecting(options(encoded({ name: 'a.proto', dependency })));

  await expect(reflectedSet({ service: pythonService('', { protocol: 'grpc' }), address })).rejects.toThrow(
    /server reflection returned too much/,
  );
});

test('a file that cannot be read is refused in words', async () => {
  const address = await reflecting(options(Buffer.from([0xc7, 0x3e])));

  await expect(reflectedSet({ service: pythonService('', { protocol: 'grpc' }), address })).rejects.toMatchObject({
    name: 'MeasurementError',
    message: expect.stringMatching(/^plain: server reflection returned an unreadable file: /),
    next: expect.stringContaining('Set the contract'),
  });
});

test('a refusal of any length is a line', async () => {
  const address = await reflecting((question) =>
    question['list_services'] === undefined
      ? { error_response: { error_code: 5, error_message: `\u001b[2J${'x'.repeat(1_000_000)}` } }
      : listed,
  );

  const thrown = await reflectedSet({ service: pythonService('', { protocol: 'grpc' }), address }).catch(String);

  expect(thrown).toMatch(/server reflection answered .*x…$/);
  expect(String(thrown).length).toBeLessThan(700);
});
