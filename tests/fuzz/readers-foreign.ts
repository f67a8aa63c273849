import protobuf from 'protobufjs';
import descriptor from 'protobufjs/ext/descriptor/index.js';
import { proposeServices } from '../../src/commands/init/services/propose.ts';
import { linkedSession } from '../../src/commands/init/traffic/chains.ts';
import { parsedJson } from '../../src/commands/init/traffic/files.ts';
import { accessLogRequest } from '../../src/commands/init/traffic/formats/access-log.ts';
import { brunoRequests, brunoVariables } from '../../src/commands/init/traffic/formats/bruno.ts';
import { harExchanges } from '../../src/commands/init/traffic/formats/har.ts';
import { httpFileRequests } from '../../src/commands/init/traffic/formats/http-file.ts';
import { jsonLogRequest } from '../../src/commands/init/traffic/formats/json-log.ts';
import { postmanRequests } from '../../src/commands/init/traffic/formats/postman.ts';
import { trafficProposal } from '../../src/commands/init/traffic/proposed.ts';
import { FormatError, type ObservedRequest } from '../../src/commands/init/traffic/request.ts';
import { TrafficCollector } from '../../src/commands/init/traffic/traffic.ts';
import { projectText } from '../../src/commands/init/write/project-text.ts';
import { openApiDocument } from '../../src/config/openapi/document.ts';
import { parseProject } from '../../src/config/parse.ts';
import { ConfigError } from '../../src/foundation/errors.ts';
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

const LOG = `shop.test:80 10.0.0.1 - ada [10/Oct/2026:13:55:36 +0000] "GET /items/7?a=1&b[]=%20 HTTP/1.1" 200 5 "-" "x\\"y"
10.0.0.1 - - [10/Oct/2026:13:55:36 +0000] "POST /users/ada@shop.test/orders HTTP/2.0" 201 5
[2026-10-10T13:55:36.012Z] "PUT /a/7b0a2f0e-8d50-4b5e-9a0b-0d3f1c2a4e5f HTTP/2" 204 - 0 226 3 2 "10.0.0.1"
https 2026-10-10T13:55:36.186641Z app/lb/1 10.0.0.1:2 10.0.0.2:80 0.1 0.1 0.1 200 200 0 57 "GET https://shop.test:443/a HTTP/1.1" "x"
{"ts":1760104536.5,"request":{"method":"GET","host":"shop.test","uri":"/a?token={{x}}"},"status":302}
`;

const HAR = {
  log: {
    version: '1.2',
    entries: ['{"password":"x","a":[{"{id}":"{b}"}]}', 'a=1&pin=2', '<a>x</a>'].map((text) => ({
      startedDateTime: '2026-10-10T13:55:36.000Z',
      request: {
        method: 'POST',
        url: 'https://shop.test/a/7?x=1&{y}=2',
        headers: [{ name: 'Content-Type', value: 'text/plain' }],
        postData: { mimeType: '', text, params: [{ name: 'a', value: '1' }] },
      },
      response: { status: 200, content: { text: '{"id":12345}' } },
    })),
  },
};

/** Whatever was requested, the configuration is valid. */
function readRequests(requests: readonly ObservedRequest[]): void {
  const collector = new TrafficCollector(['/items/{id}']);
  for (const request of requests) {
    collector.add(request);
  }
  const [found] = proposeServices({ name: 'shop', files: [] });
  const { proposal, tiers, bodies } = trafficProposal(found, collector.end(), { writes: true, isSet: () => true });
  const text = projectText({ services: [proposal], tiers });
  const base64 = Buffer.from('{}').toString('base64');
  const readFile = (file: string) =>
    Object.hasOwn(bodies, file) ? { text: '{}', isBinary: false, base64 } : { refusal: 'is missing' };
  parseProject({ file: 'wiregauge.yml', text }, { readFile });
}

function readLog(text: string): void {
  readRequests(text.split('\n').flatMap((line) => accessLogRequest(line) ?? jsonLogRequest(line) ?? []));
}

function requestsOfHar(document: unknown): readonly ObservedRequest[] {
  return linkedSession(harExchanges(document)).requests;
}

function readDocument(text: string, requestsIn: (document: unknown) => readonly ObservedRequest[]): void {
  try {
    readRequests(requestsIn(parsedJson(text)));
  } catch (thrown) {
    throw thrown instanceof FormatError ? new ConfigError(thrown.message) : thrown;
  }
}

const HTTP = `@host = https://shop.test
GET {{host}}/items
  ?page={{page}}
Accept: application/json

### second
POST {{host}}/orders/{{id}} HTTP/1.1
Authorization: Bearer {{token}}

{ "item": "{{item}}" }

> {%
  client.log("x");
%}
`;

const BRUNO = `vars {
  host: https://shop.test
}
post {
  url: {{host}}/orders/:id?a=1
  body: form-urlencoded
  auth: basic
}
body:form-urlencoded {
  a: {{b}}
}
`;

const POSTMAN = {
  info: { schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
  item: [
    {
      item: [
        { request: { method: 'PUT', url: { raw: '{{a}}/b/:c' }, body: { mode: 'raw', raw: '{}' } } },
        { request: '/a' },
      ],
    },
  ],
};

async function readCollection(text: string): Promise<void> {
  readRequests(httpFileRequests(text, brunoVariables(text)));
  readRequests(brunoRequests(text, brunoVariables(text)));
  await readOrRefuse(() => readDocument(text, (document) => postmanRequests(document, new Map())));
}

/** Readers of what the code under test, or its contract, says. */
export const FOREIGN_READERS: readonly Reader[] = [
  readerOf('OpenAPI', changedJson([JSON.stringify(OPENAPI)]), readOpenApi),
  readerOf('OpenAPI in YAML', changedText([OPENAPI_YAML]), readOpenApi),
  readerOf('access log', changedText([LOG]), readLog),
  readerOf('collections', changedText([HTTP, BRUNO, JSON.stringify(POSTMAN)]), readCollection),
  readerOf('HAR', changedJson([JSON.stringify(HAR)]), (text) => readDocument(text, requestsOfHar)),
  readerOf('reflection', changedBytes(toldFiles()), readTold),
];
