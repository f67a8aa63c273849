import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { makeProject, wiregauge } from '../integration/project.ts';

const project = makeProject();
afterAll(() => project.remove());

/** A service with a login, which keeps items under identifiers that differ from start to start. */
const SERVER = `import { createServer } from 'node:http';
const token = 'tok-' + Math.random().toString().slice(2, 12);
const items = new Map();
createServer(async ({ method, url, headers, ...request }, response) => {
  const end = (status, json) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
  if (url === '/login') {
    return end(200, { user: { token } });
  }
  if (headers.authorization !== 'Bearer ' + token) {
    return end(401, {});
  }
  if (method === 'POST') {
    const id = Math.floor(100000 + Math.random() * 900000);
    items.set(String(id), { id, name: 'x' });
    return end(201, { item: { id } });
  }
  const item = items.get(url.slice('/items/'.length));
  return item === undefined ? end(404, {}) : end(200, item);
}).listen(Number(process.env.PORT), process.env.HOST);
`;

const at = 'https://shop.test';

const entry = (method: string, path: string, body: object | undefined, answer: object, token?: string) => ({
  request: {
    ...{ method, url: `${at}${path}` },
    headers: token === undefined ? [] : [{ name: 'Authorization', value: `Bearer ${token}` }],
    ...(body && { postData: { mimeType: 'application/json', text: JSON.stringify(body) } }),
  },
  response: { status: 200, content: { text: JSON.stringify(answer) } },
});

const withCookie = {
  ...entry('GET', '/items', undefined, {}),
  request: { method: 'GET', url: `${at}/items`, headers: [{ name: 'Cookie', value: 'sid=1' }] },
};

const SESSION = {
  log: {
    version: '1.2',
    entries: [
      entry('POST', '/login', { password: 'p' }, { user: { token: 'tok-81726354' } }),
      entry('POST', '/items', { name: 'x' }, { item: { id: 987654 } }, 'tok-81726354'),
      entry('GET', '/items/987654', undefined, { id: 987654, name: 'x' }, 'tok-81726354'),
    ],
  },
};

test('init lists no variable of a cookie that the service does not need', async () => {
  const files = {
    'open/package.json': '{ "name": "open", "type": "module", "scripts": { "start": "node server.js" } }',
    'open/server.js': SERVER.replace("headers.authorization !== 'Bearer ' + token", "method === 'GET'").replace(
      '401',
      '200',
    ),
    'open/a.har': JSON.stringify({ log: { entries: [withCookie] } }),
  };
  for (const [path, text] of Object.entries(files)) {
    project.write(path, text);
  }

  const { stdout } = await wiregauge(['init', '--yes', '--from', 'a.har', '--runtime', 'process'], {
    cwd: join(project.root, 'open'),
  });

  expect(stdout).toContain('without headers, because it answers without credentials');
  expect(stdout).not.toContain('COOKIE');
});

test('the session of a browser becomes a configuration that logs in, and is measured without an edit', async () => {
  project.write('package.json', '{ "name": "shop", "type": "module", "scripts": { "start": "node server.js" } }');
  project.write('server.js', SERVER);
  project.write('session.har', JSON.stringify(SESSION));
  const options = { cwd: project.root, environment: { PASSWORD: 'p' } };

  const tried = await wiregauge(['init', '--yes', '--from', 'session.har', '--runtime', 'process'], options);

  const text = readFileSync(join(project.root, 'wiregauge.yml'), 'utf8');
  expect(tried.stdout).toMatch(/GET \/items\/\S+: answered 200/);
  expect(text).toContain('id: ${prepare.itemId}');
  expect(text).not.toMatch(/987654|81726354/);

  const argv = ['run', '--profile', 'smoke', '--runtime', 'process', '--mode', 'saturate', '--out', 'out'];
  const measured = await wiregauge(argv, options);

  expect(measured.stderr).toBe('');
  expect(measured.exitCode).toBe(0);
  expect(measured.stdout).toContain('verified: shop answers 1 request');
  expect(readFileSync(join(project.root, 'out/run.json'), 'utf8')).not.toMatch(/tok-\d/);
});
