import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type BadProject, badProject, expectOneMessage, runningWith } from '../integration/bad-project.ts';
import { calledIn } from '../support/called-in.ts';

const RUN = ['run', '--profile', 'smoke', '--runtime', 'process'];

let project: BadProject;
beforeEach(() => {
  vi.stubEnv('GITHUB_ACTIONS', undefined);
  project = badProject();
  project.write('proto/shop.proto', PROTO);
  project.write('proto/broken.proto', 'syntax = "proto3";\nmessage {}\n');
  project.write('table.csv', 'id\n1,2\n');
  symlinkSync('/etc/hostname', join(project.root, 'out.txt'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  project.remove();
});

const PROTO = `syntax = "proto3";
package shop.v1;
message Item { int32 id = 1; }
service Shop { rpc Find(Item) returns (Item); }
`;

const api = (keys = '') =>
  `services:\n  api: { protocol: rest, port: 8080, process: { command: [node, faulty.mjs] }${keys} }\n`;
const shop = (file: string) =>
  `services:\n  shop: { protocol: grpc, port: 1, process: { command: [x] }, proto: { root: proto, file: ${file} } }\n`;
const requests = (...operations: readonly string[]) =>
  `operations:\n${operations.map((one) => `  - ${one}\n`).join('')}`;
const GET = requests('{ name: Get, rest: GET / }');

/** What is wrong, the file, the message and what to do. */
const BAD: readonly (readonly [string, string, RegExp, RegExp])[] = [
  [
    'a wrong type',
    api(', limits: { cpus: all }') + GET,
    /wiregauge\.yml:2:\d+: services\.api\.limits\.cpus: must be a number/,
    /docs\/config\.html/,
  ],
  [
    'an unknown key',
    api(', prot: 1') + GET,
    /wiregauge\.yml:2:\d+: services\.api\.prot: is an unknown key; did you mean proto\?/,
    /Fix or remove the key/,
  ],
  [
    'a value that is a part of itself',
    api() + requests('&get { name: Get, rest: GET /, arguments: [*get] }'),
    /wiregauge\.yml:4:\d+: \*get refers to a value that contains it/,
    /Write out/,
  ],
  [
    'a bomb of aliases',
    `a: &a [${'0, '.repeat(99)}0]\nb: &b [${'*a, '.repeat(99)}*a]\nc: &c [${'*b, '.repeat(99)}*b]\n${api()}${GET}`,
    /wiregauge\.yml:3:\d+: with \*b, aliases expand to more than 100000 values/,
    /Write out/,
  ],
  [
    'needs in a circle',
    api(
      ', needs: { a: { port: 1, process: { command: [x] }, needs: [b] }, b: { port: 2, process: { command: [x] }, needs: [a] } }',
    ) + GET,
    /wiregauge\.yml:2:\d+: services\.api\.needs\.a\.needs: cannot be started, because they need each other: a -> b -> a/,
    /docs\/config\.html/,
  ],
  [
    'a service twice',
    `${api()}  api: { protocol: rest, address: "127.0.0.1:1" }\n${GET}`,
    /wiregauge\.yml:3:3: the key "api" is duplicated/,
    /Remove or rename one of them/,
  ],
  [
    'an operation twice',
    api() + requests('{ name: Get, rest: GET / }', '{ name: Get, rest: GET /a }'),
    /wiregauge\.yml:\d+:\d+: operations.*: must not contain duplicate names/,
    /docs\/config\.html/,
  ],
  [
    'two services on one port',
    `services:\n  a: { protocol: rest, address: "127.0.0.1:81" }\n  b: { protocol: rest, address: "localhost:81" }\n${GET}`,
    /wiregauge\.yml:3:\d+: services\.b\.address: has the same port as a: two services cannot share a port/,
    /docs\/config\.html/,
  ],
  [
    'no weight above zero',
    api() + requests('{ name: Get, rest: GET /, weight: 0 }'),
    /wiregauge\.yml:4:\d+: operations\.0\.weight: no operation has a weight above 0/,
    /give one of them a weight/,
  ],
  [
    'a path that leads out',
    api() + requests('{ name: Put, rest: { path: /, body: { file: ../secret } } }'),
    /wiregauge\.yml:4:\d+: operations\.0\.rest\.body\.file: must be a path inside the repository/,
    /docs\/config\.html/,
  ],
  [
    'a link that leads out',
    api() + requests('{ name: Put, rest: { path: /, body: { file: out.txt } } }'),
    /wiregauge\.yml:4:\d+: operations\.0\.rest\.body\.file: out\.txt: points outside the repository/,
    /relative to its root/,
  ],
  [
    'a body that is not there',
    api() + requests('{ name: Put, rest: { path: /, body: { file: none.bin } } }'),
    /wiregauge\.yml:4:\d+: operations\.0\.rest\.body\.file: none\.bin: there is no such file/,
    /relative to its root/,
  ],
  [
    'a feed that is no table',
    api() + requests('{ name: Get, rest: GET /, feed: { file: table.csv } }'),
    /table\.csv:2: has 2 fields, but the header has 1/,
    /one field for each column/,
  ],
  [
    'a variable that is not set',
    api(', headers: { Authorization: "Bearer ${env.WIREGAUGE_TEST_NONE}" }') + GET,
    /wiregauge\.yml:2:\d+: services\.api\.headers\.Authorization: the environment variable WIREGAUGE_TEST_NONE is not set, or empty/,
    /Set WIREGAUGE_TEST_NONE before you start Wiregauge; in a workflow: `env: \{ WIREGAUGE_TEST_NONE/,
  ],
  [
    'a contract that does not compile',
    shop('broken.proto') + requests('{ name: Find, grpc: shop.v1.Shop/Find }'),
    /shop: the contract does not compile: broken\.proto:2: /,
    /Fix the \.proto file/,
  ],
  [
    'a method that there is not',
    shop('shop.proto') + requests('{ name: Find, grpc: shop.v1.Shop/Fnd }'),
    /operation Find: shop\.v1\.Shop\/Fnd is not in the contract of shop \(shop\.proto\)/,
    /Did you mean shop\.v1\.Shop\/Find\?/,
  ],
  [
    'a message that does not fit',
    shop('shop.proto') + requests('{ name: Find, grpc: shop.v1.Shop/Find, arguments: [{ idd: 1 }] }'),
    /operation Find: shop\.v1\.Shop\/Find: message\.idd: is an unknown field of shop\.v1\.Item/,
    /Available fields: id\./,
  ],
];

describe('wiregauge run reports, before anything is started,', () => {
  test.each(BAD)('%s', async (...[, text, words, next]) => {
    project.write('wiregauge.yml', text);

    expectOneMessage(await calledIn(project.root, RUN), words, next);
    expect(runningWith(project.root)).toEqual([]);
  });
});
