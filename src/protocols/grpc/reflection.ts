import { createHash } from 'node:crypto';
import { type Client, type ClientDuplexStream, status } from '@grpc/grpc-js';
import protobuf from 'protobufjs';
import descriptor from 'protobufjs/ext/descriptor/index.js';
import { ConfigError, MeasurementError, messageOf } from '../../foundation/errors.ts';
import { plainText } from '../../foundation/text.ts';
import type { DescriptorSet } from '../../model/service.ts';
import { LIMIT_MS, type Running } from '../call.ts';
import { failedReply, isServiceError, metadataOf, openChannel } from './channel.ts';

/** The newer name first; older libraries know only the other. */
const VERSIONS = ['v1', 'v1alpha'];

// Both versions have the same messages.
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

const QUESTION = root.lookupType('Question');

const ANSWER = root.lookupType('Answer');

interface Question {
  readonly file_by_filename?: string;
  readonly file_containing_symbol?: string;
  readonly list_services?: string;
}

interface Answer {
  readonly file_descriptor_response?: { readonly file_descriptor_proto: readonly Uint8Array[] };
  readonly list_services_response?: { readonly service: readonly { readonly name: string }[] };
  readonly error_response?: { readonly error_message: string };
}

export type RequestPart = (question: Question) => Promise<Answer>;

/** Contract of a running service by server reflection, with imports. Throws ConfigError if it has no reflection. */
export async function reflectedSet(place: Running): Promise<DescriptorSet> {
  const channel = openChannel(place);
  try {
    for (const version of VERSIONS) {
      const set = await setBy(channel, version, place).catch(unlessUnimplemented(place));
      if (set !== undefined) {
        return set;
      }
    }
  } finally {
    channel.close();
  }
  throw new ConfigError(`${place.service.name} has no server reflection, so its contract is unknown`, {
    code: 'WG-310',
    next: `Add it to the service (Go: reflection.Register(server); Python: grpcio-reflection; Java: ProtoReflectionServiceV1; Node: @grpc/reflection), or set \`proto: { root: proto, file: ... }\` or \`proto: { descriptorSet: ... }\`.`,
  });
}

function unlessUnimplemented({ service, address }: Running): (thrown: unknown) => undefined {
  return (thrown) => {
    if (isServiceError(thrown) && thrown.code === status.UNIMPLEMENTED) {
      return undefined;
    }
    const { status: refusal } = failedReply(thrown, { request: REQUEST, address });
    throw new MeasurementError(`${service.name} at ${address}: server reflection answered ${refusal}`, {
      code: 'WG-310',
      cause: thrown,
      next: 'Check whether it needs `metadata`, or set its contract: `proto: { root: proto, file: ... }`.',
    });
  };
}

const GIVE_CONTRACT = 'Set the contract: `proto: { root: proto, file: ... }` or `proto: { descriptorSet: ... }`.';

const LONGEST_REFUSAL = 500;

const REQUEST = { call: 'grpc.reflection.v1.ServerReflection/ServerReflectionInfo', body: undefined };

async function setBy(channel: Client, version: string, { service }: Running): Promise<DescriptorSet> {
  const stream = channel.makeBidiStreamRequest(
    `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`,
    (question: Question) => Buffer.from(QUESTION.encode(question).finish()),
    (bytes): Answer => ANSWER.toObject(ANSWER.decode(bytes), { arrays: true }),
    metadataOf(service.metadata),
    { deadline: Date.now() + LIMIT_MS },
  );
  // Errors are read from the iterator; later ones concern the end of the stream and are ignored.
  stream.on('error', () => undefined);
  try {
    return await reflectedFiles(requesterOf(stream, service.name), service.name);
  } finally {
    stream.end();
  }
}

/** Contract that a service provides by reflection. Throws MeasurementError if it is invalid or too large. */
export async function reflectedFiles(request: RequestPart, service: string): Promise<DescriptorSet> {
  const { list_services_response: list } = await request({ list_services: '*' });
  const received: Received = { service, files: new Map(), known: new Set(), bytes: 0, imports: new Set() };
  for (const { name } of list?.service ?? []) {
    if (!name.startsWith('grpc.reflection.')) {
      await addFiles(request, { file_containing_symbol: name }, received);
    }
  }
  return { descriptorSet: setOf(received.files), origin: 'by reflection' };
}

function requesterOf(stream: ClientDuplexStream<Question, Answer>, service: string): RequestPart {
  const answers: AsyncIterator<Answer> = stream[Symbol.asyncIterator]();
  return async (question) => {
    stream.write(question);
    const { value, done } = await answers.next();
    const refusal: string | undefined = done === true ? 'it ended early' : value.error_response?.error_message;
    if (refusal !== undefined) {
      const words = plainText(`answered ${JSON.stringify(question)} with: ${refusal}`, LONGEST_REFUSAL);
      throw new MeasurementError(`${service}: server reflection ${words}`, { code: 'WG-310', next: GIVE_CONTRACT });
    }
    return value;
  };
}

interface Received {
  readonly service: string;
  readonly files: Map<string, Uint8Array>;
  /** Hashes of the files, to skip those that are sent again with each request. */
  readonly known: Set<string>;
  bytes: number;
  readonly imports: Set<string>;
}

/** Far above the largest public contracts, which have a few thousand files. */
const MAX_FILES = 5000;

const MAX_BYTES = 32 * 2 ** 20;

/** Some services send a single file, others also its imports. */
async function addFiles(request: RequestPart, first: Question, received: Received): Promise<void> {
  for (const questions = [first]; questions.length > 0; ) {
    const question = questions.pop() ?? first;
    if (question.file_by_filename !== undefined && received.files.has(question.file_by_filename)) {
      continue;
    }
    const { file_descriptor_response: found } = await request(question);
    const imports = (found?.file_descriptor_proto ?? []).flatMap((bytes) => dependenciesOf(bytes, received));
    for (const name of imports.filter((one) => !received.imports.has(one))) {
      received.imports.add(name);
      questions.push({ file_by_filename: name });
    }
    refuseTooMuch(received);
  }
}

/** Adds a file and returns its imports; none for a known file. Throws MeasurementError if it is invalid or too large. */
function dependenciesOf(bytes: Uint8Array, received: Received): readonly string[] {
  const hash = createHash('sha256').update(bytes).digest('base64');
  if (received.known.has(hash)) {
    return [];
  }
  received.known.add(hash);
  const { name, dependency } = fileIn(bytes, received);
  received.files.set(name, bytes);
  received.bytes += bytes.length;
  refuseTooMuch(received);
  return dependency;
}

function fileIn(bytes: Uint8Array, { service }: Received) {
  try {
    return descriptor.FileDescriptorProto.decode(bytes) as unknown as { name: string; dependency: readonly string[] };
  } catch (cause) {
    throw new MeasurementError(`${service}: server reflection returned an unreadable file: ${messageOf(cause)}`, {
      code: 'WG-310',
      cause,
      next: GIVE_CONTRACT,
    });
  }
}

function refuseTooMuch({ service, files, bytes, imports }: Received): void {
  if (files.size > MAX_FILES || imports.size > MAX_FILES || bytes > MAX_BYTES) {
    throw new MeasurementError(
      `${service}: server reflection returned too much: more than ${MAX_FILES} files or ${MAX_BYTES / 2 ** 20} MiB`,
      { code: 'WG-310', next: GIVE_CONTRACT },
    );
  }
}

function setOf(files: ReadonlyMap<string, Uint8Array>): string {
  const writer = protobuf.Writer.create();
  for (const bytes of files.values()) {
    // The `file` field of a FileDescriptorSet.
    writer.uint32((1 << 3) | 2).bytes(bytes);
  }
  return Buffer.from(writer.finish()).toString('base64');
}
