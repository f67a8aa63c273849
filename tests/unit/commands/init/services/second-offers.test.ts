import { describe, expect, test } from 'vitest';
import { grpcCommand } from '../../../../../src/commands/init/read/ports.ts';
import { servicesWithChosen } from '../../../../../src/commands/init/services/others.ts';
import { proposed } from './repositories.ts';

const ROUTES = "app.get('/orders', a);\napp.get('/carts', b);\napp.get('/users', c);\n";
const server = (library: string) => ({
  'package.json': JSON.stringify({
    scripts: { start: 'node a.js' },
    dependencies: { express: '5.0.0', [library]: '1' },
  }),
});

describe('a program with GraphQL and routes', () => {
  test('is two services at one port', () => {
    const { proposals } = proposed({
      ...server('mercurius'),
      'a.js': ROUTES,
      'a.graphql': 'type Query { shops: Int }',
    });

    expect(proposals.map(({ name, protocol }) => [name, protocol])).toEqual([
      ['shop', 'graphql'],
      ['shop-http', 'rest'],
    ]);
  });

  test('is asked for its routes first if no schema describes it', () => {
    const { proposals } = proposed({ ...server('mercurius'), 'a.js': ROUTES });

    expect(proposals.map(({ name, protocol }) => [name, protocol])).toEqual([
      ['shop', 'rest'],
      ['shop-graphql', 'graphql'],
    ]);
  });

  test('is one of GraphQL if it has a page besides', () => {
    const { proposals } = proposed({ ...server('mercurius'), 'a.js': "app.get('/', page);\n" });

    expect(proposals.map(({ protocol }) => protocol)).toEqual(['graphql']);
  });
});

const PROTO = 'syntax = "proto3";\npackage a;\nservice Orders { rpc Get (A) returns (A); }\nmessage A {}\n';
const JAVA = `@GrpcService\nclass Orders extends OrdersGrpc.OrdersImplBase {}\n`;
const WEB = '@Path("/hello")\nclass Hello {\n @GET\n @Path("/all")\n X all() { }\n}\n';

test.each([
  ['<artifactId>quarkus-grpc</artifactId>io.quarkus', 'quarkus.http.port', 'quarkus.grpc.server.port', 9000],
  ['net.devh org.springframework.boot', 'server.port', 'grpc.server.port', 9090],
  ['org.springframework.grpc org.springframework.boot', 'server.port', 'spring.grpc.server.port', 9090],
])('gRPC on a JVM has a port of its own: %s', (libraries, http, property, port) => {
  const { proposals } = proposed({
    'pom.xml': `<project><artifactId>shop</artifactId>grpc-server spring-boot-starter-web ${libraries}</project>`,
    'src/main/proto/a.proto': PROTO,
    'src/main/java/Orders.java': JAVA,
    'src/main/java/Hello.java': WEB,
  });
  const commands = proposals.map(({ process }) => process?.command.join(' '));

  expect(proposals.map((one) => one.protocol)).toEqual(['grpc', 'rest']);
  expect(proposals[0].port.number).toBe(port);
  expect(commands[0]).toContain(`-D${http}=0 -D${property}="$PORT"`);
  expect(commands[1]).toContain(`-D${http}="$PORT" -D${property}=0`);
});

test('a program that starts otherwise has gRPC at its variable, for any folder name', () => {
  const command = ['sh', '-c', 'HTTP_PORT="$PORT" exec ./orders'];
  const sources = ['<artifactId>quarkus-grpc</artifactId>', 'os.Getenv("GRPC_PORT") + os.Getenv("HTTP_PORT")'];

  expect(grpcCommand(command, sources)).toEqual(['sh', '-c', 'GRPC_PORT="$PORT" HTTP_PORT=0 exec ./orders']);
  expect(grpcCommand(command, sources.slice(0, 1))).toBe(command);
});

test('gRPC on the server of HTTP has its port', () => {
  const { service } = proposed({
    'pom.xml': '<project>io.quarkus quarkus-grpc io.grpc</project>',
    'src/main/resources/application.properties': 'quarkus.grpc.server.use-separate-server=false\n',
    'src/main/proto/a.proto': PROTO,
    'src/main/java/Orders.java': JAVA,
  });

  expect(service?.process?.command?.join(' ')).not.toContain('grpc');
});

test('programs with the same route in folders of their own are two services', () => {
  const page = (folder: string) => ({
    [`${folder}/package.json`]: `{ "name": "${folder}", "scripts": { "start": "node a.js" }, "dependencies": { "express": "5" } }`,
    [`${folder}/a.js`]: "app.get('/', page);\n",
  });
  const [chosen, ...others] = proposed({ ...page('vote'), ...page('result') }).proposals;

  expect(servicesWithChosen(chosen, others)).toMatchObject({ written: [{ name: 'vote' }], leftOut: [] });
});
