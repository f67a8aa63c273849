import protobuf from 'protobufjs';
import descriptor from 'protobufjs/ext/descriptor/index.js';
import { openApiDocument } from '../../src/config/openapi/document.ts';
import { readContract } from '../../src/protocols/grpc/contract.ts';
import { reflectedFiles } from '../../src/protocols/grpc/reflection.ts';
import { requestsFrom } from '../support/from-project.ts';
import { changedBytes } from './edits-bytes.ts';
import { changedJson } from './edits-json.ts';
import { changedText } from './edits-text.ts';
import { type Reader, readerOf, readOrRefuse } from './outcome.ts';
import { OTHER_PROTO, PROTO } from './seeds-config.ts';

const reference = (name: string) => ({ $ref: `#/components/${name}` });

const OPENAPI = {
  openapi: '3.1.0',
  servers: [{ url: 'https://{a}.example.com/v1', variables: { a: { default: 'b' } } }],
  security: [{ key: [] }, {}],
  paths: {
    '/a/{id}': {
      parameters: [reference('parameters/Id'), { name: 'q', in: 'query', examples: { one: { value: 1 } } }],
      get: { operationId: 'a', responses: { 200: {}, '4XX': {} } },
      post: {
        operationId: 'b',
        requestBody: { required: true, content: { 'application/json': { schema: reference('schemas/A') } } },
      },
    },
  },
  components: {
    parameters: { Id: { name: 'id', in: 'path', required: true, schema: reference('schemas/Id') } },
    schemas: {
      Id: { type: 'string', pattern: '^[a-z]{3}(?:-[0-9]+)*$', maxLength: 8, format: 'uuid' },
      A: { allOf: [reference('schemas/B')], oneOf: [{ properties: { d: { const: 1 } } }], required: ['b'] },
      B: {
        type: 'object',
        properties: {
          b: { type: 'array', minItems: 1, items: reference('schemas/Id') },
          c: { type: ['integer', 'null'], minimum: 2, multipleOf: 3 },
        },
      },
    },
    securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } },
  },
};

const OPENAPI_YAML = `openapi: 3.0.3
paths:
  /users/{id}: &users
    get: &get
      operationId: a
      parameters: [{ name: id, in: path, required: true, example: 7 }]
  /people/{id}: *users
  /more: { get: { <<: *get, operationId: c, parameters: [] } }
`;

const ENTRIES = [
  '{ from: a.yml }',
  ...['a', 'b'].map((id) => `{ from: a.yml, operationId: ${id}, arguments: [{ id: x }] }`),
];

async function readOpenApi(text: string): Promise<void> {
  for (const entry of ENTRIES) {
    await readOrRefuse(() => requestsFrom([entry], { files: { 'a.yml': text } }));
  }
  openApiDocument({ file: 'a.yml', text });
}

/** The files of a contract, as a service tells them. */
function toldFiles(): readonly Buffer[] {
  const root = new protobuf.Root();
  protobuf.parse(OTHER_PROTO, root, { keepCase: true });
  protobuf.parse(PROTO.replace(/import "google.*\n/, '').replace(/.*Timestamp.*\n/, ''), root, { keepCase: true });
  const set = (root.resolveAll() as unknown as { toDescriptor(edition: string): { file: object[] } }).toDescriptor(
    'proto3',
  );
  return set.file.map((file) => Buffer.from(descriptor.FileDescriptorProto.encode(file as never).finish()));
}

/** A service that tells these bytes of every file that it is asked for. */
async function readTold(bytes: Buffer): Promise<void> {
  const set = await reflectedFiles(async (question) => {
    return question.list_services === undefined
      ? { file_descriptor_response: { file_descriptor_proto: [bytes] } }
      : { list_services_response: { service: [{ name: 'shop.v1.Shop' }] } };
  }, 'shop');
  readContract({ name: 'shop', proto: set });
}

/** Readers of what the code under test, or its contract, says. */
export const FOREIGN_READERS: readonly Reader[] = [
  readerOf('OpenAPI', changedJson([JSON.stringify(OPENAPI)]), readOpenApi),
  readerOf('OpenAPI in YAML', changedText([OPENAPI_YAML]), readOpenApi),
  readerOf('reflection', changedBytes(toldFiles()), readTold),
];
