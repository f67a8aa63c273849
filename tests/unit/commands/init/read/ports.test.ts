import { expect, it } from 'vitest';
import { fixedPort } from '../../../../../src/commands/init/read/ports.ts';
import { proposed, type Texts } from '../services/repositories.ts';

it.each<[string, number | undefined]>([
  ['await app.listen(3000);', 3000],
  ['app.listen({ host: "0.0.0.0", port: 3001 })', 3001],
  ['const PORT = 4000;\nserver.listen(PORT, () => {});', 4000],
  ['const port: number = 4001\nserver.listen({ port })', 4001],
  ['http.ListenAndServe(":8090", nil)', 8090],
  ['e.Start("localhost:1323")', 1323],
  ['net.Listen("tcp", ":50051")', 50_051],
  ['embeddedServer(Netty, port = 8081) { }', 8081],
  ['&http.Server{Addr: "0.0.0.0:8443"}', 8443],
  ['TcpListener::bind("127.0.0.1:3002").await', 3002],
  ['let addr = "[::1]:50052".parse().unwrap();', 50_052],
  ['let addr = SocketAddr::from(([127, 0, 0, 1], 3003));', 3003],
  ['const { DB_PORT } = x; connect(process.env.DB_PORT);\napp.listen(3000)', 3000],
  ['app.listen(process.env.PORT ?? 3000); metrics.listen(9090)', undefined],
  ['const { PORT } = process.env;\napp.listen(3000)', undefined],
  ['viper.GetInt("PORT"); http.ListenAndServe(":8090", nil)', undefined],
  ['app.listen(3000); admin.listen(3001)', undefined],
  ['// app.listen(3000)', undefined],
  ['const port = 3000;\nother.listen(ports)', undefined],
  ['app.listen(99999)', undefined],
])('is the port in the sources that ignore PORT: %s', (text, port) => {
  expect(fixedPort([text, 'x = 1'])).toBe(port);
});

const NODE = JSON.stringify({ scripts: { start: 'node app.js' }, dependencies: { express: '5.0.0' } });

it.each<[string, Texts, object]>([
  [
    'Node.js',
    { 'package.json': NODE, 'app.js': 'app.listen(3210)' },
    { port: 3210, process: { command: ['node', 'app.js'], port: 3210 } },
  ],
  [
    'Go',
    {
      'go.mod': 'module x/shop\n',
      'main.go': 'package main\n\nfunc main() {\n\thttp.ListenAndServe(":8090", nil)\n}\n',
    },
    { port: 8090, process: { command: ['.wiregauge/service'], port: 8090 } },
  ],
  [
    'Rust',
    {
      'Cargo.toml': '[package]\nname = "stock"\n[dependencies]\naxum = "0.8"\n',
      'src/main.rs': 'fn main() { TcpListener::bind("0.0.0.0:3004"); }',
    },
    { port: 3004, process: { command: ['target/release/stock'], port: 3004 } },
  ],
])('is written for a program in %s', (_, texts, required) => {
  const { service, text } = proposed(texts);

  expect(service).toMatchObject(required);
  expect(text).toContain('# As in the sources.');
  expect(text).toContain('if it reads PORT, remove `port` here.');
});

it('is not written for a program that reads its port, and a Dockerfile knows better for its container', () => {
  const reading = proposed({ 'package.json': NODE, 'app.js': 'app.listen(process.env.PORT || 3210)' });
  const contained = proposed({ 'package.json': NODE, 'app.js': 'app.listen(3210)', Dockerfile: 'FROM x\nEXPOSE 80\n' });

  expect(reading.service).toMatchObject({ port: 3000, process: { command: ['node', 'app.js'] } });
  expect(reading.service?.process?.port).toBeUndefined();
  expect(contained.service).toMatchObject({ port: 80, process: { port: 3210 } });
});
