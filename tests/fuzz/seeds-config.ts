import { readFileSync } from 'node:fs';
import { manifestOf, manifestsIn } from '../../src/project/manifests.ts';

/** A contract with every kind of field. */
export const PROTO = `syntax = "proto3";
package shop.v1;
import "google/protobuf/timestamp.proto";
import "other.proto";

// An item, of some kind.
message Item {
  enum Kind { UNKNOWN = 0; TOOL = 1; }
  int32 id = 1;
  string name = 2;
  repeated double prices = 3;
  map<string, Item> parts = 4;
  oneof size { uint64 grams = 5; bytes picture = 6; }
  Kind kind = 7;
  optional bool is_new = 8;
  google.protobuf.Timestamp since = 9;
  other.v1.Place place = 10;
}
service Shop {
  rpc Find(Item) returns (Item);
  rpc Fill(stream Item) returns (stream Item) { option deprecated = true; }
}
`;

/** The same with an edition, and features of it. */
export const EDITION = PROTO.replace('syntax = "proto3"', 'edition = "2023"')
  .replace('optional ', '')
  .replace('id = 1', 'id = 1 [features.field_presence = LEGACY_REQUIRED]')
  .replace('prices = 3', 'prices = 3 [features.repeated_field_encoding = EXPANDED]')
  .replace('enum Kind {', 'enum Kind { option features.enum_type = CLOSED;');

export const OTHER_PROTO = 'syntax = "proto3"; package other.v1; message Place { sint64 x = 1; fixed32 y = 2; }';

/** A message of that contract. */
export const MESSAGE = JSON.stringify({
  id: 1,
  name: 'Saw',
  prices: [1.5, '2', 'NaN'],
  parts: { blade: { id: 2, kind: 'TOOL', picture: 'AAE=' } },
  grams: '18446744073709551615',
  kind: 1,
  isNew: true,
  since: '2026-11-21T10:00:00.5Z',
  place: { x: '-1', y: 4294967295 },
});

/** A wiregauge.yml with almost every key. */
const PROJECT = `# yaml-language-server: $schema=wiregauge.schema.json
name: shop
title: Our shop
services:
  api: &api
    title: API
    protocol: rest
    port: 8080
    image: { context: ., dockerfile: Dockerfile, target: api, args: { LEVEL: 2 } }
    process: { build: [[npm, ci]], command: [node, server.js] }
    environment: { DB: "postgres://\${needs.db.host}:\${needs.db.port}/x", TOKEN: "\${env.TOKEN}", WORKERS: 2 }
    limits: { cpus: 0.5, memoryMiB: 256 }
    ready: { path: /health, timeoutSeconds: 5 }
    http: "2"
    tls: { ca: ca.pem, serverName: api.test, certificate: own.pem, key: "\${env.KEY}" }
    headers: { authorization: "Bearer \${env.TOKEN}", x-n: 1 }
    needs:
      db: { image: "postgres:17", port: 5432, user: "999:999", tmpfs: [/run], environment: { A: b } }
      cache: { port: 6379, process: { command: [redis] }, needs: [db], fresh: slot, ready: { command: [ping] } }
  old: *api
  plain: { protocol: rest, address: "127.0.0.1:8081" }
  calls:
    protocol: grpc
    port: 50051
    image: calls:1
    command: [serve, -v]
    files: { /srv: site }
    proto: { root: proto, file: shop.proto }
    metadata: { tenant: a, key-bin: AAE= }
operations:
  - name: Find
    weight: 3
    arguments: [{ id: 1 }, { id: "two", name: null }]
    rest: GET /items/{id}?q={id}
    grpc: { call: shop.v1.Shop/Find, deadlineMs: 100, message: { id: "{id}" } }
  - name: Fill
    feed: { file: users.csv, order: cycle }
    verify: status
    rest:
      method: POST
      path: /items
      headers: { Content-Type: application/json }
      body: { name: "{id}", deep: [{ a: 1.5 }] }
      expect: { status: [201, 2xx], contentType: application/json, contains: ok }
    grpc: { call: shop.v1.Shop/Fill, messages: [{ id: 1 }, {}] }
  - { name: Text, ignore: [$.id, '$["a b"][*].at[0]'], rest: { path: /t, method: PUT, body: { text: "a {b}" } }, arguments: [{ b: 1 }] }
  - { name: Count, rest: { path: "/c/{count}", deadlineMs: 9000 }, arguments: [{ count: 9 }] }
  - { name: File, rest: { path: /f, method: PUT, body: { file: body.bin } } }
tiers:
  - { name: low, users: 10, spawnPerSecond: 5, thinkSeconds: 0.3 }
  - { name: full, users: 10, requestsPerUser: 7, rampSeconds: 1, limitSeconds: 5, operations: [Find] }
  - { name: text, users: 10, limitSeconds: 5, operations: [Count] }
saturation: { workers: 20 }
sweep: { argument: count, title: things, panels: [{ title: Both, services: [api, plain] }] }
policy:
  alpha: 2%
  floor: 1%
  proof: strict
  inconclusive: warn
  thresholds: [{ cell: "*/Find/low", threshold: 5% }, { service: api, metric: latencyP95Ms, gate: false }]
  budgets: [{ operation: Find, metric: latencyP99Ms, atMost: 20 }, { metric: achievedRps, atLeast: 100 }]
`;

const files = (...paths: readonly string[]): readonly string[] => paths.map((path) => readFileSync(path, 'utf8'));

export const PROJECTS = [PROJECT, ...files('examples/own-service/wiregauge.yml')];

export const SUITES = files(
  'suites/users.yml',
  'suites/payload.yml',
  'suites/payload-stress.yml',
  'suites/hops.yml',
  'suites/layers.yml',
  'suites/users-study.yml',
  'suites/protocols.yml',
);

export const FAMILIES = files(
  'services/users/services.yml',
  'services/payload/services.yml',
  'services/hops/services.yml',
);

const described = manifestsIn('.');
// JSON is YAML, too.
export const MANIFESTS = ['rest', 'grpc', 'hops-nats'].map((name) =>
  JSON.stringify(manifestOf('.', described, name).placed?.content),
);

export const POLICIES = [
  'alpha: 1%\nfloor: 0.5%\nthresholds:\n  - { cell: rest/GetUser/low, metric: latencyP95Ms, threshold: 7.5% }\naccepted: []\n',
];

export const ACCEPTED = [
  '- metric: cpuMicrosPerRequest\n  cell: rest/all/low\n  upTo: 8%\n  until: 2027-01-31\n  why: The new cache\n',
];

export const SAMPLES_CSV = [
  `round,side,position,service,operation,tier,metric,value,better,gate
${[1, 2, 3].map((round) => `${round},base,1,rest,Get,low,latencyP50Ms,10.${round},,\n${round},head,2,rest,Get,low,latencyP50Ms,11,,`).join('\n')}
1,base,1,rest,Get,low,"my, metric",1e3,higher,true
`,
];

export const FEED_CSV = ['id,name\r\n1,"Zoë, 2"\r\n2,\r\n3,"a ""b"""\r\n'];
export const FEED_JSON = ['[{"id":1,"tags":["a",null,1.5]},{"id":"x","deep":{"a":[{}]}}]'];

export const HISTORY_CSV = [
  `run,at,suite,commit,branch,service,operation,tier,metric,unit,better,value,spread,rounds
r1,2026-11-21T10:00:00Z,users,abc,main,rest,all,low,latencyP50Ms,ms,lower,1.5,0.01,3
,2026-11-22T10:00:00+01:00,users,abd,,rest,all,low,own,s,higher,2,,
`,
];

/** A pod template, with a ConfigMap that it uses and something that it does not. */
export const KUBERNETES = [
  `kind: Deployment
metadata: { name: shop }
spec:
  template:
    spec:
      containers:
        - name: app
          image: r/shop:1
          env: [{ name: A, valueFrom: { configMapKeyRef: { name: own, key: a } } }]
          resources: { requests: { cpu: 100m }, limits: { memory: 1Gi } }
          securityContext: { capabilities: { add: [CHOWN] } }
        - { name: proxy, image: envoy }
      volumes: [{ name: own, configMap: { name: own } }]
---
kind: ConfigMap
metadata: { name: own }
---
kind: Service
`,
];
