import protobuf from 'protobufjs';
import descriptor from 'protobufjs/ext/descriptor/index.js';
import { parseSamples } from '../../src/commands/runs/samples.ts';
import { parseFamily } from '../../src/config/families/family.ts';
import { feedRows } from '../../src/config/operations/feed.ts';
import { parseProject, parseService, parseSuite } from '../../src/config/parse.ts';
import type { ReadFile } from '../../src/config/reader.ts';
import { parsePolicy, policyOf } from '../../src/config/schema/policy.ts';
import { secretUsesIn } from '../../src/config/secret-uses.ts';
import { linesOf } from '../../src/config/yaml/lines.ts';
import type { Json } from '../../src/foundation/json.ts';
import { parseHistoryCsv } from '../../src/history/exchange/csv.ts';
import type { Service } from '../../src/model/service.ts';
import type { Suite } from '../../src/model/suite/suite.ts';
import { withCheckedContracts } from '../../src/project/suite.ts';
import { readContract } from '../../src/protocols/grpc/contract.ts';
import { messagesFor } from '../../src/protocols/grpc/message.ts';
import { PROTOCOLS } from '../../src/protocols/protocols.ts';
import { podTemplateIn } from '../../src/runtime/kubernetes/templates/template.ts';
import { namer } from '../support/sample-gab.ts';
import { usersSuite } from '../support/suite.ts';
import { changedBytes } from './edits-bytes.ts';
import { changedJson } from './edits-json.ts';
import { changedText } from './edits-text.ts';
import { type Reader, readerOf, readOrRefuse } from './outcome.ts';
import {
  ACCEPTED,
  EDITION,
  FAMILIES,
  FEED_CSV,
  FEED_JSON,
  HISTORY_CSV,
  KUBERNETES,
  MANIFESTS,
  MESSAGE,
  OTHER_PROTO,
  POLICIES,
  PROJECTS,
  PROTO,
  SAMPLES_CSV,
  SUITES,
} from './seeds-config.ts';

const FILES: Readonly<Record<string, string>> = {
  'ca.pem': '-----BEGIN CERTIFICATE-----\n',
  'own.pem': '-----BEGIN CERTIFICATE-----\n',
  'users.csv': 'id\n1\n2\n',
  'body.bin': '\u0000',
};

const readFile: ReadFile = (path) => {
  const text = Object.hasOwn(FILES, path) ? FILES[path] : undefined;
  return text === undefined ? { refusal: 'there is no such file' } : { text, base64: btoa(text) };
};

const TEXTS = { 'shop.proto': PROTO, 'other.proto': OTHER_PROTO };
const protoTexts = (): Readonly<Record<string, string>> => TEXTS;

interface Read {
  readonly suite: Suite;
  readonly services: ReadonlyMap<string, Service>;
}

/** What is made of a configuration before anything is started. */
async function use({ suite, services }: Read): Promise<void> {
  await readOrRefuse(() =>
    withCheckedContracts({ root: '/', suite, services, ownServices: suite.services, configHash: '', secrets: [] }),
  );
  for (const service of services.values()) {
    for (const operation of suite.operations) {
      await readOrRefuse(() => PROTOCOLS[service.protocol].target(operation, service, '127.0.0.1:80'));
    }
  }
}

async function readProject(text: string): Promise<void> {
  const source = { file: 'wiregauge.yml', text };
  await readOrRefuse(() => secretUsesIn(source));
  linesOf(text)(['operations', { name: 'Find' }]);
  await use(parseProject(source, { protoTexts, readFile }));
}

async function readSuite(text: string): Promise<void> {
  await use({ suite: parseSuite({ file: 'suites/users.yml', text }, { readFile }), services: new Map() });
}

function readProto(text: string): void {
  const contract = readContract({
    name: 'shop',
    proto: { root: 'p', file: 'a.proto', texts: { ...TEXTS, 'a.proto': text } },
  });
  for (const call of contract.calls) {
    messagesFor(contract.method(call), { call, body: {} });
  }
}

/** What the load tools get has the calls of what it was made of. */
function readEdition(text: string): void {
  const proto = { root: 'p', file: 'a.proto', texts: { ...TEXTS, 'a.proto': text } };
  readContract({ name: 'shop', proto });
}

const shop = readContract({ name: 'shop', proto: { root: 'p', file: 'shop.proto', texts: TEXTS } });

function readMessage(text: string): void {
  const call = 'shop.v1.Shop/Find';
  const body = jsonIn(text);
  if (body !== undefined) {
    messagesFor(shop.method(call), { call, body });
  }
}

const SHOP = { name: 'shop', image: undefined, process: undefined, port: 80, environment: {} };

/** What is no JSON is refused before it gets here. */
function jsonIn(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The contract as `protoc --include_imports --descriptor_set_out` writes it. */
function descriptorSet(): Buffer {
  const root = new protobuf.Root();
  protobuf.parse(OTHER_PROTO, root, { keepCase: true });
  protobuf.parse(PROTO.replace(/import "google.*\n/, '').replace(/.*Timestamp.*\n/, ''), root, { keepCase: true });
  const set = (root.resolveAll() as unknown as { toDescriptor(edition: string): protobuf.Message }).toDescriptor(
    'proto3',
  );
  return Buffer.from(descriptor.FileDescriptorSet.encode(set).finish());
}

function readDescriptorSet(bytes: Buffer): void {
  const proto = { descriptorSet: bytes.toString('base64'), origin: 'shop.binpb' };
  const contract = readContract({ name: 'shop', proto });
  for (const call of contract.calls) {
    messagesFor(contract.method(call), { call, body: JSON.parse(MESSAGE) });
  }
}

const table =
  (file: string, read: (source: { readonly file: string; readonly text: string }) => unknown) => (text: string) =>
    read({ file, text });

/** Readers of what somebody writes into a repository. */
export const CONFIG_READERS: readonly Reader[] = [
  readerOf('wiregauge.yml', changedText(PROJECTS), readProject),
  readerOf('a suite', changedText(SUITES), readSuite),
  readerOf(
    'service.yml',
    changedText(MANIFESTS),
    table('service.yml', (source) => parseService(source, { protoTexts, readFile })),
  ),
  readerOf(
    'services.yml',
    changedText(FAMILIES),
    table('services.yml', (source) => {
      for (const one of parseFamily(source).slice(0, 20)) {
        parseService(one.source, { protoTexts, readFile });
      }
    }),
  ),
  readerOf(
    'Kubernetes manifests',
    changedText(KUBERNETES),
    table('deploy.yml', (source) => podTemplateIn([source], SHOP)),
  ),
  readerOf('a policy', changedText(POLICIES), table('policy.yml', parsePolicy)),
  readerOf(
    'accepted.yml',
    changedText(ACCEPTED),
    table('accepted.yml', (source) => policyOf(usersSuite(), source)),
  ),
  readerOf('a feed of CSV', changedText(FEED_CSV), table('users.csv', feedRows)),
  readerOf('a feed of JSON', changedJson(FEED_JSON), table('users.json', feedRows)),
  readerOf('samples', changedText(SAMPLES_CSV), table('samples.csv', parseSamples)),
  readerOf(
    'a history as CSV',
    changedText(HISTORY_CSV),
    table('history.csv', (source) => parseHistoryCsv(source, namer())),
  ),
  readerOf('a contract', changedText([PROTO]), readProto),
  readerOf('a contract with an edition', changedText([EDITION]), readEdition),
  readerOf('a descriptor set', changedBytes([descriptorSet()]), readDescriptorSet),
  readerOf('a gRPC message', changedJson([MESSAGE]), readMessage),
];
