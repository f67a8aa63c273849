import { expect, test } from 'vitest';
import { proposed } from './repositories.ts';

const program = (folder: string, path: string) => ({
  [`${folder}package.json`]: '{ "scripts": { "start": "node a.js" }, "dependencies": { "express": "5.0.0" } }',
  [`${folder}a.js`]: `app.get('${path}', list);\napp.listen(process.env.PORT);\n`,
  [`${folder}Dockerfile`]: 'FROM node\nCOPY . .\n',
});

test.each([
  ['acme/shop-orders:1', 'orders/'],
  ['shop', ''],
])('an image that is called after a folder is built there: %s', (image, folder) => {
  const compose = `services:\n  web: { image: "${image}", ports: ["80:7001"], depends_on: [db], environment: { DB: "redis://db" } }\n  db: { image: redis }\n`;
  const { proposals, service } = proposed({ ...program(folder, '/orders'), 'compose.yaml': compose });

  expect(service).toMatchObject({ port: 7001, environment: { DB: 'redis://${needs.db.host}:${needs.db.port}' } });
  expect(proposals[0].leftOut).toEqual([]);
});

test('an image of someone else does not belong to the repository', () => {
  const { proposals } = proposed({
    ...program('', '/orders'),
    'proxy/Dockerfile': 'FROM proxy\nCOPY x y\n',
    'compose.yaml': 'services:\n  web: { build: ., depends_on: [proxy] }\n  proxy: { image: proxy }\n',
  });

  expect(proposals[0].leftOut).toEqual([{ name: 'proxy', why: 'init does not know what its image proxy needs' }]);
});

test.each(['FROM prom/prometheus:v3\nCOPY prometheus.yml /etc/prometheus/\n', 'FROM alpine\nRUN apk add prometheus\n'])(
  'a folder called after a public image does not build it: %s',
  (dockerfile) => {
    const { proposals } = proposed({
      ...program('', '/orders'),
      'deploy/prometheus/Dockerfile': dockerfile,
      'compose.yaml':
        'services:\n  web: { build: ., depends_on: [metrics] }\n  metrics: { image: "prom/prometheus:v3", ports: ["9090"] }\n',
    });

    expect(proposals.find(({ name }) => name === 'web')).toMatchObject({
      members: [],
      leftOut: [{ name: 'metrics', why: 'init does not know what its image prom/prometheus:v3 needs' }],
    });
  },
);

test('a store that is built from a known image is a need, and no service', () => {
  const { proposals } = proposed({
    ...program('', '/orders'),
    'db/Dockerfile': 'FROM mysql:9\nCOPY a.sql /docker-entrypoint-initdb.d/\n',
    'compose.yaml': 'services:\n  web: { build: ., depends_on: [db] }\n  db: { build: db }\n',
  });

  expect(proposals.map(({ name, needs }) => [name, needs.map((need) => need.name)])).toEqual([['web', ['db']]]);
});

test('a tool without files of the repository comes after its services', () => {
  const { proposals } = proposed({
    ...program('', '/orders'),
    'mail.Dockerfile': 'FROM node\nRUN npm install -g maildev\n',
    'compose.yaml':
      'services:\n  mail: { build: { context: ., dockerfile: mail.Dockerfile }, ports: ["1080"] }\n  api: { build: . }\n',
  });

  expect(proposals.map(({ name }) => name)).toEqual(['api', 'mail']);
});

test('the only program below a Dockerfile that names it is that of its image', () => {
  const { proposals, service } = proposed({
    Dockerfile: 'FROM sdk\nCOPY . .\nEXPOSE 8080\nENTRYPOINT ["dotnet", "Shop.dll"]\n',
    'src/Shop/Shop.csproj': '<Project Sdk="Microsoft.NET.Sdk.Web" />',
    'src/Shop/Orders.cs': '[Route("orders")]\npublic class OrdersController {\n  [HttpGet]\n  X All() { }\n}',
  });

  expect(proposals).toHaveLength(1);
  expect(proposals[0].operations.map(({ binding }) => binding)).toEqual([{ rest: 'GET /orders' }]);
  expect(service).toMatchObject({ port: 8080, image: { dockerfile: 'Dockerfile' } });
});

test('the port that labels give a proxy comes before one for developers', () => {
  const compose = (labels: string) => `services:\n  web: { build: ., ports: ["9229"], labels: ${labels} }\n`;
  const port = (labels: string) =>
    proposed({ ...program('', '/orders'), 'compose.yaml': compose(labels) }).service?.port;

  expect(port('["traefik.http.services.shop.loadbalancer.server.port=80"]')).toBe(80);
  expect(port('{ traefik.http.services.shop.loadbalancer.server.port: "81" }')).toBe(81);
  expect(port('[traefik.enable=true]')).toBe(9229);
});

test('a proxy next to the contract of others does not use gRPC', () => {
  const { proposals } = proposed({
    'api/orders.proto': 'syntax = "proto3";\npackage a;\nservice Orders { rpc Get (A) returns (A); }\nmessage A {}\n',
    'proxy/Dockerfile': 'FROM envoyproxy/envoy\nCOPY proxy/envoy.yaml /etc/\n',
    'cpp/Dockerfile': 'FROM gcc\nRUN apt-get install -y libgrpc++-dev\nCOPY . .\n',
  });

  expect(proposals.map(({ folder, protocol }) => [folder, protocol])).toEqual([
    ['cpp', 'grpc'],
    ['proxy', 'rest'],
  ]);
});
