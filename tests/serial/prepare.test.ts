import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { makeProject, wiregauge } from '../integration/project.ts';

const project = makeProject();
afterAll(() => project.remove());

const TOKEN = 'token-of-this-start-';

/** A service that only answers with the token of a login, which differs from start to start, and tells it to all who have none. */
const SERVER = `import { createServer } from 'node:http';
const token = '${TOKEN}' + Math.random();
createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString();
  const end = (status, json) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
  if (request.url === '/login') {
    return body === '{"password":"right"}' ? end(200, { user: { token } }) : end(401, { message: 'wrong ' + token });
  }
  const isKnown = request.headers.authorization === 'Bearer ' + token;
  return isKnown ? end(200, { mine: true }) : end(403, { message: 'not ' + token });
}).listen(Number(process.env.PORT), process.env.HOST);
`;

const configuration = (password: string): string => `services:
  shop:
    protocol: rest
    port: 8080
    process: { command: [node, shop.mjs] }
    headers: { Authorization: "Bearer \${prepare.token}" }
    prepare:
      - rest: { method: POST, path: /login, body: { password: ${password} } }
        capture: { token: $.user.token }
operations:
  - name: Mine
    rest: GET /mine
  - name: Other
    rest: { path: "/other?t=\${prepare.token}", headers: { X-Token: "\${prepare.token}" } }
tiers: [{ name: low, users: 10, spawnPerSecond: 10, thinkSeconds: 0.1 }]
saturation: { workers: 2 }
`;

const run = async (password: string) => {
  project.write('shop.mjs', SERVER);
  project.write('wiregauge.yml', configuration(password));
  const argv = ['run', '--profile', 'smoke', '--runtime', 'process', '--out', 'out'];
  return await wiregauge(argv, { cwd: project.root });
};

test('a service behind a login is measured with the token of each start, which is in no output', async () => {
  const { exitCode, stdout, stderr } = await run('right');

  expect(stderr).toBe('');
  expect(exitCode).toBe(0);
  expect(stdout).toContain('verified: shop answers 2 requests');
  const record = readFileSync(join(project.root, 'out/run.json'), 'utf8');
  expect(JSON.parse(record).samples.map(({ values }: { values: { errorRate: number } }) => values.errorRate)).toEqual(
    expect.arrayContaining([0]),
  );
  expect(record).not.toContain('failing');
  expect(`${stdout}${record}`).not.toContain(TOKEN);
});

test('a login that is refused ends the run with its place', async () => {
  const { exitCode, stdout, stderr } = await run('wrong');

  expect(exitCode).toBe(2);
  expect(`${stdout}${stderr}`).toMatch(/wiregauge\.yml:8:9: services\.shop\.prepare\S*: POST \/login: answered 401/);
});
