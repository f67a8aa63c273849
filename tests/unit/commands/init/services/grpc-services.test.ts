import { describe, expect, test } from 'vitest';
import { proposeServices } from '../../../../../src/commands/init/services/propose.ts';
import { proposed } from './repositories.ts';

const contract = (name: string): string =>
  `syntax = "proto3"; package shop; service ${name} { rpc Get${name}(${name}Id) returns (${name}Id); } message ${name}Id { int32 id = 1; }`;
const PROTOS = { 'protos/cart.proto': contract('Cart'), 'protos/orders.proto': contract('Orders') };
const GO = 'module x/orders\nrequire google.golang.org/grpc v1.70.0\n';

describe('a service of a monorepo with gRPC', () => {
  test.each([
    [
      'Go',
      {
        'go.mod': GO,
        'main.go': 'package main\nfunc main() {\n\ts := grpc.NewServer()\n\tpb.RegisterOrdersServer(s, x)\n}\n',
      },
    ],
    [
      'Python',
      {
        'requirements.txt': 'grpcio\n',
        'server.py': 'server = grpc.server(x)\nadd_OrdersServicer_to_server(s, server)\n',
      },
    ],
    [
      'Node.js',
      {
        'package.json': '{ "scripts": { "start": "node a.js" }, "dependencies": { "@grpc/grpc-js": "1" } }',
        'a.js':
          "const grpc = require('@grpc/grpc-js');\nserver = new grpc.Server();\nserver.addService(shop.Orders.service, {});\n",
      },
    ],
    [
      '.NET',
      {
        'orders.csproj': '<Project Sdk="Microsoft.NET.Sdk.Web" />',
        'Program.cs': 'app.MapGrpcService<OrdersService>();\napp.MapGet("/", () => "a gRPC service");\n',
        'OrdersService.cs': 'public class OrdersService : Orders.OrdersBase {}\n',
      },
    ],
    [
      'Java',
      { 'pom.xml': '<artifactId>grpc-netty</artifactId>', 'A.java': 'class A extends OrdersGrpc.OrdersImplBase {}\n' },
    ],
    [
      'Rust',
      {
        'Cargo.toml': '[package]\nname = "orders"\n[dependencies]\ntonic = "1"\n',
        'src/main.rs': 'use tonic::transport::Server;\nfn main() { OrdersServer::new(x); }\n',
      },
    ],
  ])('in %s has its own calls', (_language, sources) => {
    const own = Object.fromEntries(Object.entries(sources).map(([path, text]) => [`src/orders/${path}`, text]));
    const { service, operations } = proposed({ ...PROTOS, ...own, 'src/orders/Dockerfile': 'FROM scratch\n' });

    expect(service).toMatchObject({ protocol: 'grpc', proto: { root: 'protos', file: 'orders.proto' } });
    expect(operations.map(({ name }) => name)).toEqual(['GetOrders']);
  });

  test('that only calls others is one of HTTP', () => {
    const { service } = proposed({
      ...PROTOS,
      'web/go.mod': 'module x/web\nrequire google.golang.org/grpc v1.70.0\nrequire github.com/gorilla/mux v1.8.0\n',
      'web/main.go':
        'package main\nfunc main() {\n\tr := mux.NewRouter()\n\tr.HandleFunc("/items", x).Methods("GET")\n}\n',
    });

    expect(service?.protocol).toBe('rest');
  });
});

test.each([
  ['rest', 'use dav_server::{DavConfig, DavHandler};\nfn main() { HttpServer::new(x); }\n'],
  ['rest', 'use mock_server::{MockServer, OneshotHandler};\nfn main() { HttpServer::new(x); }\n'],
  ['grpc', 'use tonic::{transport::Server, Request};\nfn main() { Server::builder(); }\n'],
])('only a server of tonic is one of gRPC: %s', (protocol, text) => {
  const { service } = proposed({
    'Cargo.toml': '[package]\nname = "files"\n[dependencies]\nactix-web = "4"\n',
    'src/main.rs': text,
  });

  expect(service?.protocol).toBe(protocol);
});

test.each([
  ['main.go', 'func main() {\n\tport := flag.Int("port", 7001, "x")\n\tgrpc.NewServer()\n}\n', 7001],
  ['main.go', 'func main() {\n\tnet.Listen("tcp", ":7002")\n\tgrpc.NewServer()\n}\n', 7002],
  [
    'main.go',
    'const port = ":7005"\nfunc main() {\n\tgo http.ListenAndServe("localhost:6060", nil)\n\tnet.Listen("tcp", port)\n\tgrpc.NewServer()\n}\n',
    7005,
  ],
  [
    'main.go',
    'const port = ":7006"\nfunc main() {\n\tgo http.ListenAndServe(":6060", nil)\n\tnet.Listen("tcp", port)\n\tgrpc.NewServer()\n}\n',
    7006,
  ],
  ['main.go', 'func main() {\n\thttp.ListenAndServe(":7007", h2c)\n\tconnect.WithInterceptors(x)\n}\n', 7007],
  ['main.py', 'parser.add_argument("--port", type=int, default=7003)\nserver = grpc.server(x)\n', 7003],
  ['main.py', 'server = grpc.server(x)\nserver.add_insecure_port("[::]:7004")\n', 7004],
])('the port of a service of gRPC is that of its flag or its listener: %s %s', (path, text, port) => {
  const manifest = path.endsWith('.go') ? { 'go.mod': GO } : { 'requirements.txt': 'grpcio\n' };
  const { service } = proposed({
    ...manifest,
    [path]: path.endsWith('.go') ? `package main\n${text}` : text,
    Dockerfile: 'FROM x\n',
    ...PROTOS,
  });

  expect(service).toMatchObject({ protocol: 'grpc', port });
});

test('the port in the command of a compose file counts', () => {
  const { service } = proposed({
    'go.mod': GO,
    'main.go': 'package main\nfunc main() { grpc.NewServer() }\n',
    'compose.yaml': 'services:\n  orders: { build: ., command: ["--verbose", "--port", "7005"] }\n',
    Dockerfile: 'FROM x\n',
    ...PROTOS,
  });

  expect(service?.port).toBe(7005);
});

test('a server of gRPC in Python is started by its module, after what its Dockerfile generates', () => {
  const { service } = proposed({
    'requirements.txt': 'grpcio\n',
    'serve.py':
      'server = grpc.server(x)\nserver.add_insecure_port("[::]:7004")\nif __name__ == "__main__":\n    serve()\n',
    Dockerfile:
      'FROM x\nRUN python -m grpc_tools.protoc -Iprotos --python_out=. \\\n --grpc_python_out=. protos/cart.proto\n',
    ...PROTOS,
  });

  expect(service?.process).toMatchObject({ command: ['sh', '-c', 'exec python3 serve.py'], port: 7004 });
  expect(service?.process?.build.at(-1)).toEqual([
    ...['python3', '-m', 'grpc_tools.protoc', '-Iprotos', '--python_out=.', '--grpc_python_out=.', 'protos/cart.proto'],
  ]);
});

test('a contract may lie in a folder above', () => {
  const files = Object.entries({
    'go.mod': GO,
    'main.go': 'package main\nfunc main() {\n\ts := grpc.NewServer()\n\tpb.RegisterOrdersServer(s, x)\n}\n',
  }).map(([path, text]) => ({ path, text }));
  const above = Object.entries(PROTOS).map(([path, text]) => ({ path: `../../${path}`, text }));
  const [found] = proposeServices({ name: 'orders', files, above });

  expect(found).toMatchObject({ protocol: 'grpc', proto: { root: '../../protos', file: 'orders.proto' } });
});

const BOTH = `package main
func main() {
\ts := grpc.NewServer()
\tpb.RegisterOrdersServer(s, x)
\tr := chi.NewRouter()
\tr.Get("/orders", list)
\tgo http.ListenAndServe(":"+envOr("HTTP_PORT", "8080"), r)
\tgrpcPort := env("GRPC_PORT", "9090")
}
`;

test('one program with HTTP and gRPC becomes two services, each with its port and its variable', () => {
  const { proposals } = proposed({
    ...PROTOS,
    'go.mod': 'module x/orders\nrequire google.golang.org/grpc v1.70.0\nrequire github.com/go-chi/chi v5.0.0\n',
    'main.go': BOTH,
    Dockerfile: 'FROM scratch\nEXPOSE 8080\n',
  });

  expect(proposals.map(({ name, protocol, port }) => [name, protocol, port.number]).toSorted()).toEqual([
    ['orders', 'grpc', 9090],
    ['orders-http', 'rest', 8080],
  ]);
  const commands = Object.fromEntries(proposals.map(({ protocol, process }) => [protocol, process?.command.at(-1)]));
  expect(commands['grpc']).toBe('GRPC_PORT="$PORT" HTTP_PORT=0 exec .wiregauge/service');
  expect(commands['rest']).toBe('HTTP_PORT="$PORT" GRPC_PORT=0 exec .wiregauge/service');
});

test.each([
  ['{ HTTP_PORT: 8000, GRPC_PORT: 9000 }', 9000],
  ['{ CATALOG_GRPC_PORT: 9002, GRPC_PORT: 9000 }', 9000],
  ['{ GRPC_ADDR: "0.0.0.0:9000" }', 9000],
  ['{ ORDERS_GRPC_PORT: 9003 }', 9003],
  // Those of services that it calls: the port in the sources counts.
  ['{ USER_GRPC_ADDR: "user:9001" }', 9090],
  ['{ USER_GRPC_HOST: user, USER_GRPC_PORT: 9001 }', 9090],
  ['{ USER_GRPC_PORT: 9001, CATALOG_GRPC_PORT: 9002 }', 9090],
])('a listener for gRPC has the port that compose gives it: %s', (environment, port) => {
  const { service } = proposed({
    ...PROTOS,
    'go.mod': 'module x/orders\nrequire google.golang.org/grpc v1.70.0\n',
    'main.go': BOTH,
    Dockerfile: 'FROM scratch\n',
    'compose.yaml': `services: { orders: { build: ., environment: ${environment} } }\n`,
  });

  expect(service).toMatchObject({ protocol: 'grpc', port });
});

test('a program of Go is started in its folder, whose files it reads', () => {
  const { service } = proposed({ ...PROTOS, 'src/orders/go.mod': GO, 'src/orders/main.go': BOTH });

  expect(service?.process?.command.at(-1)).toBe(
    'cd src/orders && GRPC_PORT="$PORT" HTTP_PORT=0 exec .wiregauge/service',
  );
});

test.each([
  ['buf.yaml', /buf export/],
  ['README.md', /add the folder/],
])('imports that a repository does not have are named, with what to do (%s)', (file, words) => {
  const { proposals } = proposed({
    [file]: '',
    'go.mod': GO,
    'main.go': 'package main\nfunc main() { grpc.NewServer() }\n',
    'a.proto': `${contract('Orders')} message Rule { buf.validate.Rule rule = 1; }\n`.replace(
      ';',
      ';\nimport "google/protobuf/empty.proto";\nimport "buf/validate/validate.proto";\n',
    ),
  });

  expect(proposals[0]?.leftOut).toEqual([
    { name: 'imports buf/validate/validate.proto', why: expect.stringMatching(words) },
  ]);
});

test('calls that change something are left out where others are', () => {
  const calls = ['allUser', 'share', 'Register', 'remove'].map((name) => `rpc ${name}(A) returns (A);`).join(' ');
  const { operations } = proposed({
    'go.mod': GO,
    'main.go': 'package main\nfunc main() {\n\ts := grpc.NewServer()\n}\n',
    'a.proto': `syntax = "proto3"; package shop; service Users { ${calls} } message A { int32 id = 1; }`,
  });
  expect(operations.map(({ name }) => name)).toEqual(['allUser']);
});
