import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseRun } from '../../src/model/run/run.ts';
import { gitIn } from '../integration/git-repository.ts';
import { wiregauge } from '../integration/project.ts';

/** Answers any command of Redis with OK; the service sends the number of commands that a file has. */
const STORE = `import os, socketserver
class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        while line := self.rfile.readline():
            for _ in range(int(line[1:])):
                self.rfile.read(int(self.rfile.readline()[1:]) + 2)
            self.wfile.write(b'+OK\\r\\n')
class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True
Server((os.environ['HOST'], int(os.environ['PORT'])), Handler).serve_forever()
`;

/** Service that does some work in Python for each request, and answers `{}`. */
const serviceOf = (modules: string, work: string): string => `import http.server, os, ${modules}
from queries import QUERIES
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
${work}
        self.send_response(200)
        self.send_header('Content-Type', 'application/json')
        self.send_header('Content-Length', '2')
        self.end_headers()
        self.wfile.write(b'{}')
    def log_message(self, *_): pass
http.server.ThreadingHTTPServer((os.environ['HOST'], int(os.environ['PORT'])), Handler).serve_forever()
`;

const SERVICE = serviceOf(
  'socket',
  `        with socket.create_connection((os.environ['STORE_HOST'], int(os.environ['STORE_PORT']))) as store:
            for _ in range(QUERIES):
                store.sendall(b'*2\\r\\n$3\\r\\nGET\\r\\n$6\\r\\nsecret\\r\\n')
                store.recv(100)`,
);

const CONFIGURATION = `services:
  shop:
    protocol: rest
    process: { command: [python3, app.py] }
    needs:
      store: { port: 6379, process: { command: [python3, store.py] } }
operations:
  - { name: Get, rest: 'GET /' }
`;

/** Sends its member `prices`, if its environment has one, as many requests as a file says. */
const CALLER = serviceOf(
  'urllib.request',
  `        for _ in range(QUERIES if 'PRICES' in os.environ else 0):
            urllib.request.urlopen(os.environ['PRICES'] + '/prices/17?currency=EUR').read()`,
);

const CHAIN = `services:
  shop:
    protocol: rest
    members:
      gateway:
        entry: true
        process: { command: [python3, caller.py] }
        environment: { PRICES: 'http://\${members.prices.host}:\${members.prices.port}' }
      prices: { process: { command: [python3, caller.py] } }
operations:
  - { name: Get, rest: 'GET /' }
`;

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'relay-'));
  gitIn(root, 'init', '--quiet', '--initial-branch=main');
  const files = { 'app.py': SERVICE, 'store.py': STORE, 'queries.py': 'QUERIES = 1\n', 'wiregauge.yml': CONFIGURATION };
  for (const [path, text] of Object.entries(files)) {
    writeFileSync(join(root, path), text);
  }
  gitIn(root, 'add', '--all');
  gitIn(root, 'commit', '--quiet', '--message=First');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Output of a comparison with main, up to the counted queries, and its record of them. */
async function comparedCalls() {
  let isSent = false;
  const flags = ['--base', 'main', '--profile', 'smoke', '--runtime', 'process', '--out', join(root, '.git/out')];
  const end = await wiregauge(['compare', ...flags], {
    cwd: root,
    onOutput(output, kill) {
      if (!isSent && output.includes('queries/request')) {
        isSent = true;
        kill('SIGINT');
      }
    },
  });
  const text = readFileSync(join(root, '.git/out/run.json'), 'utf8');
  return { printed: end.stdout + end.stderr, text, calls: parseRun(text, 'run.json').calls };
}

test('a comparison finds a query in a loop before its first round, with its command and without its key', async () => {
  writeFileSync(join(root, 'queries.py'), 'QUERIES = 4\n');

  const { printed, text, calls } = await comparedCalls();

  expect(printed).toContain('shop Get: 1 → 4 queries/request');
  const { starts = [], failures } = calls ?? {};
  expect(failures).toEqual([]);
  expect(starts.map(({ side, start }) => `${side} ${start}`)).toEqual(['head 1', 'base 1', 'head 2', 'base 2']);
  expect(starts[0]?.operations).toMatchObject([
    {
      operation: 'Get',
      need: 'store',
      requests: 10,
      commands: { GET: [40, 40, 40, 40, 40] },
      connections: [10, 10, 10, 10, 10],
    },
  ]);
  expect(text).not.toContain('secret');
});

test('a comparison finds a call of another member in a loop, with its path', async () => {
  for (const [path, text] of Object.entries({ 'caller.py': CALLER, 'wiregauge.yml': CHAIN })) {
    writeFileSync(join(root, path), text);
  }
  gitIn(root, 'add', '--all');
  gitIn(root, 'commit', '--quiet', '--message=Chain');
  writeFileSync(join(root, 'queries.py'), 'QUERIES = 6\n');

  const { printed, calls } = await comparedCalls();

  expect(printed).toContain('shop Get: 1 → 6 queries/request');
  expect(calls?.failures).toEqual([]);
  expect(calls?.starts[0]?.operations).toMatchObject([
    { operation: 'Get', need: 'prices', commands: { 'GET /prices/?': [60, 60, 60, 60, 60] } },
  ]);
});

test('a run without a base holds the queries of an operation against its budget', async () => {
  const run = async (atMost: number) => {
    const policy = `policy: { budgets: [{ metric: queries, operation: Get, atMost: ${atMost} }] }\n`;
    writeFileSync(
      join(root, 'wiregauge.yml'),
      `${CONFIGURATION}tiers: [{ name: few, users: 2, requestsPerUser: 5, limitSeconds: 9 }]\n${policy}`,
    );
    writeFileSync(join(root, 'queries.py'), 'QUERIES = 4\n');
    const flags = ['--profile', 'smoke', '--mode', 'open', '--runtime', 'process', '--out', join(root, '.git/out')];
    const { exitCode, stdout, stderr } = await wiregauge(['run', ...flags], { cwd: root });
    return { exitCode, printed: stdout + stderr };
  };
  const over = await run(3);
  const within = await run(4);

  expect(over.exitCode, over.printed).toBe(1);
  expect(over.printed).toContain('over budget: shop Get: queries/request 4, at most 3');
  expect(within.exitCode, within.printed).toBe(0);
});
