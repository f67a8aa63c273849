import { describe, expect, it } from 'vitest';
import { proposed } from './repositories.ts';

describe('what a foreign repository is taken for', () => {
  const ELIZA = `syntax = "proto3";
package connectrpc.eliza.v1;
service ElizaService { rpc Say(SayRequest) returns (SayResponse); }
message SayRequest { string sentence = 1; }
message SayResponse { string sentence = 1; }`;

  it('is gRPC by connect-go, with the contract in its folder and the only program', () => {
    const { service, operations } = proposed({
      'go.mod': 'module connect-examples-go\nrequire connectrpc.com/connect v1.16.2\n',
      'cmd/demoserver/main.go': 'package main',
      'cmd/client/main.go': 'package main',
      'proto/connectrpc/eliza/v1/eliza.proto': ELIZA,
    });

    expect(service).toMatchObject({
      protocol: 'grpc',
      proto: { root: 'proto', file: 'connectrpc/eliza/v1/eliza.proto' },
      process: {
        build: [['go', 'build', '-o', '.wiregauge/service', './cmd/demoserver']],
        command: ['.wiregauge/service'],
      },
      image: undefined,
    });
    expect(operations.map(({ name }) => name)).toEqual(['Say']);
  });

  it('has no program if there are many that are not commands, as in a library', () => {
    const { service } = proposed({
      'go.mod': 'module example.com/grpc\nrequire google.golang.org/grpc v1.70.0\n',
      'benchmark/server/main.go': 'package main',
      'benchmark/client/main.go': 'package main',
    });

    expect(service?.process).toBeUndefined();
  });

  it('is started by its program if its package has no start, and by no Dockerfile that is not there', () => {
    const { service } = proposed({
      'package.json': JSON.stringify({
        bin: { 'json-server': 'lib/bin.js' },
        scripts: { build: 'tsc' },
        dependencies: { '@tinyhttp/app': '3' },
      }),
    });

    expect(service).toMatchObject({
      image: undefined,
      port: 3000,
      process: {
        build: [
          ['npm', 'install'],
          ['npm', 'run', 'build'],
        ],
        command: ['node', 'lib/bin.js'],
      },
    });
  });

  it('is none by the program of a package that serves nothing', () => {
    const { service } = proposed({
      'package.json': JSON.stringify({ bin: 'cli.js', dependencies: { commander: '1' } }),
    });

    expect(service?.process).toBeUndefined();
  });

  it('has its application in a package of Python', () => {
    const { service } = proposed({
      'fastapi/pyproject.toml': '[tool.poetry.dependencies]\nfastapi = "1"',
      'fastapi/main/__init__.py': 'app = FastAPI()\n',
    });

    expect(service?.process?.command.at(-1)).toContain('cd fastapi && exec python3 -m uvicorn main:app');
  });

  it('shows what it was chosen from', () => {
    const protos = Object.fromEntries(
      Array.from({ length: 7 }, (_, index) => [
        `api${index}/service.proto`,
        ELIZA.replaceAll('eliza', `eliza${index}`),
      ]),
    );
    const { text } = proposed(protos);

    expect(text).toContain(
      '# A guess: one of 7 contracts with services. The others: api1/service.proto, api2/service.proto, api3/service.proto, api4/service.proto, api5/service.proto and 1 more\n',
    );
  });
});
