import { describe, expect, it } from 'vitest';
import { SCHEMA_ADDRESS } from '../../../../../src/config/parse.ts';
import { restOf } from '../../../../support/suite.ts';
import { proposed, type Texts } from './repositories.ts';

const PACKAGE = JSON.stringify({
  name: '@acme/orders',
  scripts: { start: 'node server.js' },
  dependencies: { express: '^5.0.0' },
});

const PROTO = `syntax = "proto3";
package greet.v1;
import "greet/v1/types.proto";
service Greeter {
  rpc DropGreeting(GreetRequest) returns (Greeting);
  rpc GetGreeting(GreetRequest) returns (Greeting);
  rpc Watch(GreetRequest) returns (stream Greeting);
}`;

const TYPES = `syntax = "proto3";
package greet.v1;
import "google/protobuf/timestamp.proto";
enum Tone { TONE_UNSPECIFIED = 0; FORMAL = 1; }
message GreetRequest {
  string name = 1;
  repeated int32 ids = 2;
  Tone tone = 3;
  google.protobuf.Timestamp at = 4;
  GreetRequest again = 5;
  map<string, string> labels = 6;
  oneof who { string nick = 7; int64 number = 8; }
}
message Greeting { string text = 1; }`;

const COMPOSE = `services:
  web:
    build: { context: ./api, target: prod }
    ports: ["127.0.0.1:8080:\${WEB_PORT:-9000}/tcp"]
    depends_on: { main_db: { condition: service_healthy }, cache: {} }
    environment:
      DATABASE_URL: postgres://app:\${DB_PASSWORD}@main_db:5432/app
      REDIS_HOST: cache
      REDIS_PORT: 6379
      PORT: 9000
      SHOUT: "yes"
  main_db:
    image: postgres:\${PG:-17}
    environment: [POSTGRES_USER=app, "POSTGRES_PASSWORD=\${DB_PASSWORD}"]
  cache: { image: "redis:8" }
  mail: { image: "mailhog/mailhog" }
`;

const OPENAPI = `openapi: 3.1.0
servers: [{ url: "https://api.example.com/v1/" }]
security: [{ key: [] }]
paths:
  /orders: { get: { operationId: listOrders, security: [], parameters: [{ $ref: "#/components/parameters/Page" }] } }
  /orders/{order-id}:
    parameters: [{ name: order-id, in: path, required: true, schema: { type: string, format: uuid } }]
    get: { operationId: getOrder, security: [] }
    delete: { operationId: dropOrder }
  /me: { get: { operationId: getMe } }
  /traced: { get: { operationId: traced, parameters: [{ name: X-Trace, in: header, required: true }] } }
components: { parameters: { Page: { name: page, in: query, required: true, example: 2 } } }
`;

describe('what is written for a repository', () => {
  it('names the schema in its first line', () => {
    expect(proposed({}).text.split('\n')[0]).toBe(`# yaml-language-server: $schema=${SCHEMA_ADDRESS}`);
  });

  it('is a service of Node.js by its package, with the port of its Dockerfile', () => {
    const { service, text } = proposed({
      'package.json': PACKAGE,
      'package-lock.json': '',
      Dockerfile: 'FROM node\nENV PORT=3100\nEXPOSE $PORT/tcp\n',
    });

    expect(service).toMatchObject({
      name: 'orders',
      protocol: 'rest',
      port: 3100,
      image: { context: '.', dockerfile: 'Dockerfile' },
      process: { build: [['npm', 'ci']], command: ['node', 'server.js'] },
    });
    expect(text).toContain('# As in the Dockerfile.');
  });

  it.each([
    ['node --enable-source-maps src/server.js', ['node', '--enable-source-maps', 'src/server.js']],
    ['NODE_ENV=production node server.js', ['npm', 'start']],
    ['node server.js | pino-pretty', ['npm', 'start']],
    ['node server.js --port $PORT', ['npm', 'start']],
    ['nodemon server.js', ['node', 'server.js']],
  ])('is started by npm only where its script wants a shell or a program of npm: %s', (start, command) => {
    const { service } = proposed({ 'package.json': JSON.stringify({ ...JSON.parse(PACKAGE), scripts: { start } }) });

    expect(service?.process?.command).toEqual(command);
  });

  it.each<[string, Texts, object]>([
    [
      'FastAPI without a Dockerfile',
      { 'pyproject.toml': '[project]\nname = "prices"\ndependencies = ["fastapi"]', 'app/main.py': 'app = FastAPI()' },
      {
        name: 'prices',
        port: 8000,
        image: undefined,
        process: {
          build: [
            ['uv', 'venv', '--allow-existing', '.wiregauge/venv'],
            ['uv', 'pip', 'install', '--python', '.wiregauge/venv', '--requirement', 'pyproject.toml'],
          ],
          command: ['sh', '-c', 'exec python3 -m uvicorn app.main:app --host "$HOST" --port "$PORT"'],
        },
      },
    ],
    [
      'FastAPI with a lock file of uv',
      {
        'pyproject.toml': '[project]\nname = "prices"\ndependencies = ["fastapi"]',
        'main.py': 'app = FastAPI()',
        'uv.lock': '',
      },
      { name: 'prices', process: { build: [['uv', 'sync', '--frozen']] } },
    ],
    [
      'Flask by its requirements',
      { 'requirements.txt': 'flask==3.1', 'app.py': 'web = Flask(__name__)' },
      {
        name: 'shop',
        port: 5000,
        process: { command: ['sh', '-c', expect.stringContaining('FLASK_APP=app:web python3 -m flask run')] },
      },
    ],
    [
      'Spring Boot',
      {
        'pom.xml':
          '<project><parent><groupId>org.springframework.boot</groupId><artifactId>parent</artifactId></parent><artifactId>stock</artifactId></project>',
        Dockerfile: 'FROM java\nEXPOSE 8081',
      },
      {
        name: 'stock',
        port: 8081,
        process: { build: [['mvn', '--quiet', '--file', 'pom.xml', '-DskipTests', 'package']] },
      },
    ],
    [
      'Go without gRPC',
      { 'go.mod': 'module example.com/x/gate/v2\nrequire github.com/go-chi/chi/v5 v5.0.0', 'main.go': 'package main' },
      { name: 'gate', port: 8080, process: { command: ['.wiregauge/service'] } },
    ],
    [
      'a folder below the root',
      { 'services/api/Dockerfile': 'FROM scratch\nEXPOSE 7000' },
      { name: 'api', port: 7000, image: { context: 'services/api', dockerfile: 'services/api/Dockerfile' } },
    ],
    ['nothing at all', {}, { name: 'shop', port: 8080, image: { context: '.', dockerfile: 'Dockerfile' } }],
  ])('describes %s', (_, texts, required) => {
    const { service, operations } = proposed(texts);

    expect(service).toMatchObject(required);
    expect(operations).toMatchObject([{ name: 'Index', bindings: { rest: { method: 'GET', path: '/' } } }]);
  });

  it('calls the methods of a contract that read, with a message that fits', () => {
    const { service, operations, text } = proposed({
      'go.mod': 'module example.com/greeter\nrequire google.golang.org/grpc v1.70.0',
      Dockerfile: 'FROM golang\n',
      'api/proto/greet/v1/greet.proto': PROTO,
      'api/proto/greet/v1/types.proto': TYPES,
    });

    expect(service).toMatchObject({
      name: 'greeter',
      protocol: 'grpc',
      port: 50_051,
      proto: { root: 'api/proto', file: 'greet/v1/greet.proto' },
    });
    expect(operations).toMatchObject([
      {
        name: 'GetGreeting',
        bindings: { grpc: { call: 'greet.v1.Greeter/GetGreeting' } },
        arguments: [
          { name: 'example', ids: [1], tone: 'TONE_UNSPECIFIED', at: '2026-01-31T12:00:00Z', nick: 'example' },
        ],
      },
    ]);
    expect(operations[0]?.arguments[0]).not.toHaveProperty('number');
    expect(text).toContain(' Left out: greet.v1.Greeter/DropGreeting, greet.v1.Greeter/Watch.\n');
  });

  it('sends a stream of messages where a contract has nothing else', () => {
    const proto =
      'syntax = "proto3"; service Up { rpc Put(stream Part) returns (Part); } message Part { bytes data = 1; }';

    expect(proposed({ 'up.proto': proto })).toMatchObject({
      service: { proto: { root: '.', file: 'up.proto' } },
      operations: [{ bindings: { grpc: { message: { stream: [{ data: 'ZXhhbXBsZQ==' }] } } } }],
    });
  });

  it('asks the GET operations of an OpenAPI document, with examples, and of those only what needs no credentials', () => {
    const { operations } = proposed({ 'docs.openapi.yaml': '', 'openapi.yaml': OPENAPI, Dockerfile: 'EXPOSE 80' });

    expect(operations.map((one) => [one.name, restOf(one)?.path, one.arguments])).toEqual([
      ['listOrders', '/v1/orders?page={page}', [{ page: 2 }]],
      ['getOrder', '/v1/orders/{order_id}', [{ order_id: '00000000-0000-4000-8000-000000000001' }]],
    ]);
  });

  it('has five operations at most, each with a name of its own', () => {
    const paths = Object.fromEntries(
      ['/a', '/b', '/c', '/d', '/e', '/f', '/g'].map((path) => [
        path,
        { get: { operationId: path < '/c' ? 'all' : undefined } },
      ]),
    );
    const { operations } = proposed({ 'swagger.json': JSON.stringify({ swagger: '2.0', basePath: '/x', paths }) });

    expect(operations.map(({ name }) => name)).toEqual(['get-all', 'get-all-2', 'get-c', 'get-d', 'get-e']);
    expect(restOf(operations[0])?.path).toBe('/x/a');
  });

  it('takes what a service needs out of the compose file, with variables that lead there', () => {
    const { service, text } = proposed({
      'compose.yaml': COMPOSE,
      'api/Dockerfile': 'EXPOSE 1',
      'api/package.json': PACKAGE,
    });

    expect(service).toMatchObject({
      name: 'web',
      port: 9000,
      image: { context: 'api', dockerfile: 'api/Dockerfile', target: 'prod' },
      environment: {
        DATABASE_URL: 'postgres://app:example@${needs.main-db.host}:${needs.main-db.port}/app',
        REDIS_HOST: '${needs.cache.host}',
        REDIS_PORT: '${needs.cache.port}',
        SHOUT: 'yes',
      },
      needs: [
        {
          name: 'main-db',
          image: { reference: 'postgres:17' },
          port: 5432,
          user: '999:999',
          environment: { POSTGRES_USER: 'app', POSTGRES_PASSWORD: 'example' },
        },
        { name: 'cache', image: { reference: 'redis:8' }, port: 6379 },
      ],
    });
    expect(service?.environment).not.toHaveProperty('PORT');
    expect(text).toContain('Placeholder values for variables that come from elsewhere: DB_PASSWORD');
  });

  it('makes a system of the services of a compose file that are built and depend on each other', () => {
    const { service, proposals, text } = proposed({
      'compose.yml': `services:
  orders: { build: orders, environment: { DB: "postgres://db:5432/o", OTHER: "http://gateway:1" }, depends_on: [db] }
  gateway:
    build: gateway
    ports: ["80:3000"]
    environment: { ORDERS_URL: "http://orders:9000/v1", USERS_HOST: users }
    depends_on: { orders: { condition: service_started }, users: {} }
  users: { build: users, environment: [ORDERS=http://orders:9000], depends_on: [orders] }
  db: { image: "postgres:17" }
  lonely: { build: lonely }
`,
      'gateway/Dockerfile': 'FROM x',
      'orders/Dockerfile': 'FROM x\nEXPOSE 9000',
      'users/Dockerfile': 'FROM x',
      'lonely/Dockerfile': 'FROM x',
    });

    expect(service).toMatchObject({
      name: 'gateway',
      entry: 'gateway',
      port: 3000,
      image: { context: 'gateway' },
      environment: {
        ORDERS_URL: 'http://${members.orders.host}:${members.orders.port}/v1',
        USERS_HOST: '${members.users.host}',
      },
      needs: [{ name: 'db' }],
      members: [
        {
          name: 'orders',
          port: 9000,
          environment: { DB: 'postgres://${needs.db.host}:${needs.db.port}/o', OTHER: 'http://gateway:1' },
          needs: [],
        },
        {
          name: 'users',
          port: 8080,
          environment: { ORDERS: 'http://${members.orders.host}:${members.orders.port}' },
          needs: ['orders'],
        },
      ],
    });
    expect(proposals.map(({ name }) => name)).toEqual(['gateway', 'orders', 'users', 'lonely']);
    expect(text).toContain('# A system: started together, fresh for each measurement.');
  });

  describe('a system whose programs share one source', () => {
    const system = (shop: string, stock: string, start = 'node shop.js') =>
      proposed({
        'compose.yml': `services:
  shop: { build: ., ${shop} ports: ["80:3000"], environment: { STOCK: "http://stock:4000" }, depends_on: [stock] }
  stock: { build: ., ${stock} environment: { PORT: 4000 } }
`,
        Dockerfile: 'FROM x\nCMD ["node", "stock.js"]\n',
        'package.json': JSON.stringify({ scripts: { start } }),
        'shop.js': "const app = express()\napp.get('/items', list)\n",
        'stock.js': "const app = express()\napp.get('/stock', list)\n",
      }).service;

    it('starts each as a plain process by the file in its command', () => {
      expect(system('command: node shop.js,', 'command: node stock.js,')).toMatchObject({
        process: { command: ['node', 'shop.js'] },
        environment: { STOCK: 'http://${members.stock.host}:${members.stock.port}' },
        members: [{ name: 'stock', port: 4000, process: { command: ['node', 'stock.js'] } }],
      });
    });

    it.each([
      ['that of a member names none', 'command: node shop.js,', 'command: run-the-stock,', 'node shop.js'],
      ['that of the entry names none', 'command: run-the-shop,', 'command: node stock.js,', 'node stock.js'],
      ['a member has none', 'command: node shop.js,', '', 'node shop.js'],
    ])('needs containers if of its commands %s', (_, shop, stock, start) => {
      const service = system(shop, stock, start);

      expect(service?.members?.map(({ name }) => name)).toEqual(['stock']);
      expect(service?.process).toBeUndefined();
      expect(service?.members?.[0]?.process).toBeUndefined();
    });
  });

  it.each([
    ['gRPC', '@grpc/grpc-js', 'const server = new grpc.Server();\n', 'GRPC_PORT="$PORT" exec npm --prefix stock start'],
    ['HTTP', 'express', "const app = express();\napp.get('/stock', list);\n", 'npm --prefix stock start'],
    [
      'both',
      '@grpc/grpc-js',
      "server = new grpc.Server();\nserver.addService(shop.Stock.service, {});\nconst app = express();\napp.get('/stock', list);\n",
      undefined,
    ],
  ])('starts a member that answers %s as it would start it alone', (_, library, source, line) => {
    const { service } = proposed({
      'compose.yml': `services:
  shop: { build: shop, ports: ["80:3000"], environment: { STOCK: "stock:4000" }, depends_on: [stock] }
  stock: { build: stock, environment: { LEVEL: info } }
`,
      'shop/Dockerfile': 'FROM x',
      'shop/package.json': JSON.stringify({ scripts: { start: 'node shop.js' } }),
      'shop/shop.js': "const app = express()\napp.get('/items', list)\n",
      'stock/Dockerfile': 'FROM x\nENV CURRENCY=EUR LEVEL=debug\nEXPOSE 4000\n',
      'stock/package.json': JSON.stringify({
        scripts: { start: 'node stock.js' },
        dependencies: { [library]: '1' },
      }),
      'stock/stock.js': `${source}listen(process.env.GRPC_PORT);\n`,
      'stock/stock.proto': 'syntax = "proto3"; package shop; message M { } service Stock { rpc Get(M) returns (M); }',
    });
    const [stock] = service?.members ?? [];

    expect(stock?.name).toBe('stock');
    expect(stock?.process?.command.join(' ').replace(/^sh -c /, '')).toBe(line);
    expect(stock?.environment).toEqual({ LEVEL: 'info', ...(line !== undefined && { CURRENCY: 'EUR' }) });
  });

  it('takes a member whose routes are known instead of a system whose are not', () => {
    const { service } = proposed({
      'compose.yml': `services:
  browser: { build: { context: ., dockerfile: web/browser/Dockerfile }, ports: ["9323:9323"], depends_on: [api] }
  api: { build: api, ports: ["80:8000"] }
`,
      'web/browser/Dockerfile': 'FROM x',
      'api/Dockerfile': 'FROM x',
      'api/requirements.txt': 'fastapi',
      'api/main.py': 'app = FastAPI()\n\n@app.get("/items")\ndef items(): ...\n',
    });

    expect(service?.name).toBe('api');
  });

  it.each<[string, Texts]>([
    [
      'ws',
      { 'package.json': JSON.stringify({ name: 'chat', dependencies: { ws: '8.0.0' }, scripts: { start: 'node .' } }) },
    ],
    ['websockets', { 'requirements.txt': 'websockets==15.0', 'main.py': '' }],
    [
      'a module of Go',
      { 'go.mod': 'module chat\nrequire github.com/gorilla/websocket v1.5.3\n', 'main.go': 'package main' },
    ],
  ])('proposes no messages of a WebSocket, and says so: %s', (_what, texts) => {
    expect(proposed(texts).text).toContain(
      '# The repository does not show what it answers: write the requests that matter. It seems to use WebSockets',
    );
    expect(proposed({ 'package.json': PACKAGE }).text).not.toContain('WebSocket');
  });

  it('takes the service of which most is known, and names the others', () => {
    const { proposals } = proposed({
      'compose.yml': 'services: { worker: { build: worker }, api: { build: api, ports: ["80:3000"] } }',
      'worker/Dockerfile': 'FROM x',
      'api/Dockerfile': 'FROM x',
    });

    expect(proposals.map(({ name }) => name)).toEqual(['api', 'worker']);
  });
});
