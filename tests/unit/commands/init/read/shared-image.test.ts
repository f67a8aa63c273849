import { expect, test } from 'vitest';
import { plainCommand } from '../../../../../src/commands/init/read/shared-image.ts';
import { servicesWithChosen } from '../../../../../src/commands/init/services/others.ts';
import { proposed } from '../services/repositories.ts';

const server = (path: string): string =>
  `const app = require('express')();\napp.get('${path}', (request, response) => response.json([]));\napp.listen(process.env.PORT);\n`;

const FILES = {
  Dockerfile: 'FROM node:24\nCOPY . .\nCMD ["node", "server.js"]\n',
  'package.json': '{ "scripts": { "start": "node server.js" }, "dependencies": { "express": "4.21.2" } }',
  'server.js': server('/items'),
  'admin.js': server('/stats'),
  'worker.js': 'setInterval(() => {}, 1000);\n',
};

const compose = (admin: string): string => `services:
  web: { build: ., ports: ["3000:3000"] }
  worker: { build: ., command: node worker.js }
  admin: { build: ., command: ${admin}, ports: ["3001:3001"] }
`;

test('services with one source and other commands are asked for what their files answer', () => {
  const { proposals } = proposed({ ...FILES, 'compose.yml': compose('node admin.js') });
  const [web, ...others] = proposals;
  const { written, leftOut } = servicesWithChosen(web, others);

  expect(
    [web, ...written].map(({ name, operations, process }) => [name, operations[0]?.name, process?.command]),
  ).toEqual([
    ['web', 'Items', ['node', 'server.js']],
    ['admin', 'Stats', ['node', 'admin.js']],
  ]);
  expect(leftOut).toEqual([{ name: 'worker', why: expect.stringContaining('does not show') }]);
});

test('the command of an image may take several lines', () => {
  const dockerfile = 'FROM node:24\nCOPY . .\nCMD ["node", \\\n  "server.js"]\n';
  const { proposals } = proposed({ ...FILES, Dockerfile: dockerfile, 'compose.yml': compose('node admin.js') });
  const admin = proposals.find(({ name }) => name === 'admin');

  expect(admin?.operations.map(({ name }) => name)).toEqual(['Stats']);
});

test('services of one program answer what lies in folders of their names', () => {
  const { proposals } = proposed({
    'compose.yml':
      'services:\n  web: { build: ., entrypoint: shop web, ports: ["80:8080"], depends_on: [geo] }\n  geo: { build: ., entrypoint: shop geo }\n',
    Dockerfile: 'FROM golang\nCOPY . .\nRUN go install ./...\n',
    'go.mod': 'module x/shop\nrequire google.golang.org/grpc v1.70.0\n',
    'main.go': 'package main\n\nfunc main() {\n\trun(os.Args[1])\n}\n',
    'services/web/web.go': 'package web\n\nfunc Run() {\n\thttp.HandleFunc("/hotels", list)\n}\n',
    'services/geo/geo.go': 'package geo\n\nfunc Run() {\n\ts := grpc.NewServer()\n\tpb.RegisterGeoServer(s, geo)\n}\n',
    'services/geo/geo.proto': 'syntax = "proto3"; service Geo { rpc Get (A) returns (A); } message A {}',
  });
  const web = proposals.find(({ name }) => name === 'web');

  expect([web?.protocol, web?.operations.map(({ name }) => name)]).toEqual(['rest', ['Hotels']]);
});

test.each([
  ['npm run admin', [['worker', 'the repository does not show what it answers']]],
  [
    './start admin',
    [
      ['admin', 'it has the same source as web'],
      ['worker', 'it has the same source as web'],
    ],
  ],
])('its command %s is read as far as it names a file', (command, left) => {
  const scripts = { start: 'node server.js', admin: 'node admin.js' };
  const text = JSON.stringify({ scripts, dependencies: { express: '4.21.2' } });
  const { proposals } = proposed({ ...FILES, 'package.json': text, 'compose.yml': compose(command) });
  const web = proposals.find(({ name }) => name === 'web') ?? expect.fail('no web');
  const { leftOut } = servicesWithChosen(
    web,
    proposals.filter((one) => one !== web),
  );

  expect(leftOut.map(({ name, why }) => [name, why]).toSorted()).toEqual(left);
});

test.each([
  [['uvicorn', 'admin:app', '--host', '0.0.0.0', '--port', '8001'], 'uvicorn admin:app --host "$HOST" --port "$PORT"'],
  [['gunicorn', '-b', '0.0.0.0:8001', 'admin:app'], 'gunicorn -b "$HOST:$PORT" admin:app'],
])('the address in %j is that of the measurement', (command, line) => {
  const started = (folder: string, ...like: readonly string[]) => plainCommand(command, { port: 8001, folder, like });

  expect(started('', 'node', 'a.js')).toEqual(['sh', '-c', `exec ${line}`]);
  expect(started('api', 'node', 'api/a.js')).toEqual(['sh', '-c', `cd api && exec ${line}`]);
  expect(started('api', 'sh', '-c', 'cd api && A=b exec flask run')).toEqual([
    'sh',
    '-c',
    `cd api && A=b exec ${line}`,
  ]);
});

test('a command of the image alone makes no plain process', () => {
  const like = { port: 8001, folder: '', like: ['node', 'a.js'] };

  expect(plainCommand(['/srv/admin', '--fast'], like)).toBeUndefined();
  expect(plainCommand(['node', 'admin.js'], like)).toEqual(['node', 'admin.js']);
});
