import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseRun } from '../../src/model/run/run.ts';
import { gitIn } from '../integration/git-repository.ts';
import { type CommandEnd, wiregauge } from '../integration/project.ts';

const PYTHON = {
  'app.py': `import http.server, json, os
import prices
PAGE = open('page.md').read()
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    def do_GET(self):
        body = json.dumps({'page': PAGE, 'price': prices.PRICE}).encode()
        self.send_response(200)
        self.send_header('Content-Type', 'application/json')
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)
http.server.ThreadingHTTPServer((os.environ['HOST'], int(os.environ['PORT'])), Handler).serve_forever()
`,
  'prices.py': 'PRICE = 3\n',
  'page.md': '# A page\n',
};

const NODE = {
  'server.mjs': `import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
createServer((_, response) => {
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ text: readFileSync('text.md', 'utf8') }));
}).listen(Number(process.env.PORT), process.env.HOST);
`,
  'text.md': 'A text.\n',
};

const GO = {
  'go/go.mod': 'module example.com/go\n\ngo 1.22\n',
  'go/main.go': `package main

import (
	"net/http"
	"os"
)

func main() {
	http.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("{}")) })
	http.ListenAndServe(os.Getenv("HOST")+":"+os.Getenv("PORT"), nil)
}
`,
};

const service = (name: string, source: string) => `  ${name}: { protocol: rest, process: ${source} }\n`;

const SERVICES = {
  python: service('python', '{ command: [python3, app.py] }'),
  node: service('node', '{ command: [node, server.mjs] }'),
  go: service('go', '{ build: [[go, build, -C, go, -o, ../bin/server, .]], command: [bin/server] }'),
};

const operations = "operations:\n  - { name: Get, rest: 'GET /' }\n";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'identical-'));
  gitIn(root, 'init', '--quiet', '--initial-branch=main');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

function commit(names: readonly (keyof typeof SERVICES)[], files: Readonly<Record<string, string>>): void {
  const services = names.map((name) => SERVICES[name]).join('');
  write({
    'README.md': 'A repository.\n',
    '.gitignore': 'bin\n',
    'wiregauge.yml': `services:\n${services}${operations}`,
  });
  write(files);
  gitIn(root, 'add', '--all');
  gitIn(root, 'commit', '--quiet', '--message=First');
}

/** A comparison that is ended as soon as it plays a round, since that is not what is asked here. */
async function compared(...argv: readonly string[]): Promise<CommandEnd> {
  let isSent = false;
  const usual = ['compare', '--base', 'main', '--profile', 'smoke', '--runtime', 'process', '--profiler', 'off'];
  return await wiregauge([...usual, '--out', join(root, '.git/out'), ...argv], {
    cwd: root,
    onOutput(output, kill) {
      if (!isSent && /opens \/|attempt 1|round 1 of/.test(output)) {
        isSent = true;
        kill('SIGINT');
      }
    },
  });
}

const written = () => parseRun(readFileSync(join(root, '.git/out/run.json'), 'utf8'), 'run.json').rounds;

const NOTHING = /^Nothing to measure: both versions run the same files\.$/m;

describe('a service in Python', () => {
  beforeEach(() => commit(['python'], PYTHON));

  test('passes at once with other documents, tests and workflows, which the run lists', async () => {
    write({ 'README.md': 'More.\n', 'tests/test_app.py': 'pass\n', '.github/workflows/ci.yml': 'on: push\n' });

    const end = await compared();

    expect(end.stdout, end.stderr).toMatch(NOTHING);
    expect(end.exitCode).toBe(0);
    expect(written()).toMatchObject({
      rounds: [],
      identical: [{ service: 'python', unopened: ['/.github/workflows/ci.yml', '/README.md', '/tests/test_app.py'] }],
    });
  });

  test.each([
    ['a template with the ending of a document', { 'page.md': '# Another page\n' }, '/page.md'],
    ['a module', { 'prices.py': 'PRICE = 4\n' }, '/prices.py'],
  ])('is measured with another version of %s', async (_, files, opened) => {
    write(files);

    const end = await compared();

    expect(end.stdout + end.stderr).toContain(`python: base opens ${opened}, which differs between the versions`);
    expect(end.stdout).not.toMatch(NOTHING);
  });

  test('is measured with a module that only the head has, and with --always', async () => {
    write({ 'prices/__init__.py': 'PRICE = 3\n' });
    const added = await compared();
    expect(added.stdout + added.stderr).toContain('python: head opens /prices/__init__.py');

    rmSync(join(root, 'prices'), { recursive: true });
    const always = await compared('--always');
    expect(always.stdout + always.stderr).toMatch(/round 1 of 8: kept|attempt 1/);
    expect(always.stdout).not.toMatch(NOTHING);
  });
});

test('a service in Node.js passes with another README, and not with another text that it reads for each request', async () => {
  commit(['node'], NODE);
  write({ 'README.md': 'More.\n' });
  expect((await compared()).stdout).toMatch(NOTHING);

  write({ 'text.md': 'Another text.\n' });
  const end = await compared();
  expect(end.stdout + end.stderr).toContain('node: base opens /text.md');
});

describe('with a service in Go', () => {
  test('only the service that differs is measured, and a comment makes no difference', async () => {
    commit(['node', 'go'], { ...GO, ...NODE });
    write({ 'go/main.go': `// A comment.\n${GO['go/main.go']}`, 'go/main_test.go': 'package main\n' });
    expect((await compared()).stdout).toMatch(NOTHING);

    write({ 'go/main.go': GO['go/main.go'].replace('{}', '[]') });
    const end = await compared();
    expect(end.stdout).toContain('go: base opens /bin/server');
    expect(end.stdout).toMatch(/^- Not measured: node runs the same files in both versions\.$/m);
    expect(written()?.head.services).toEqual(['go']);
  });
});
