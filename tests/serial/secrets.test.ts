import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { gitIn } from '../integration/git-repository.ts';
import { type CommandEnd, wiregauge } from '../integration/project.ts';

const TOKEN = `s3/cr t+va&l"ue'x%9`;
const PASSWORD = 'pa ss/w+rd-99';
const DATABASE_PASSWORD = 'pg-pass/w0rd';

const ENVIRONMENT = {
  SHOP_TOKEN: TOKEN,
  SHOP_BASIC: btoa(`shop:${PASSWORD}`),
  SHOP_DATABASE: `postgres://shop:${encodeURIComponent(DATABASE_PASSWORD)}@127.0.0.1/shop`,
};

const PROJECT = `services:
  shop:
    protocol: rest
    port: 8080
    process: { command: [node, shop.mjs] }
    ready: { timeoutSeconds: 3 }
    headers: { Authorization: "Basic \${env.SHOP_BASIC}", X-Token: "\${env.SHOP_TOKEN}" }
    environment: { TOKEN: "\${env.SHOP_TOKEN}", DATABASE: "\${env.SHOP_DATABASE}" }
operations:
  - name: Find
    arguments: [{ key: "\${env.SHOP_TOKEN}" }]
    rest: { method: POST, path: "/find/{key}?q={key}", body: { token: "{key}" } }
tiers: [{ name: low, users: 10, spawnPerSecond: 10, thinkSeconds: 0.1 }]
saturation: { workers: 2 }
`;

/**
 * A service that answers who knows the token, in the header, the path and the body, and tells all that it knows in every way of writing
 * it: to who does not, and to its log, when it ends after so many requests.
 */
const service = (requests: number, knows = 'request.headers["x-token"]') => `import { createServer } from 'node:http';
const { TOKEN, DATABASE, HOST, PORT } = process.env;
let asked = 0;
const lower = (text) => text.replace(/%../g, (one) => one.toLowerCase());
const ways = (text) => [text, encodeURIComponent(text), lower(encodeURIComponent(text)), new URLSearchParams({ q: text }).toString(),
  JSON.stringify({ text }), btoa(text), Buffer.from('é' + text).toString('base64url'), 'Basic ' + btoa('shop:' + text), 'Basic ' + btoa('abc:' + text)];
const tell = (basic) => [TOKEN, DATABASE, decodeURIComponent(new URL(DATABASE).password), basic, atob(basic)].flatMap(ways).join(' | ');
createServer(async (request, response) => {
  const body = JSON.parse(Buffer.concat(await request.toArray()).toString() || '{}');
  const url = new URL(request.url, 'http://shop');
  const basic = (request.headers.authorization ?? '').replace('Basic ', '');
  const known = [${knows}, decodeURIComponent(url.pathname.slice(6)), url.searchParams.get('q'), body.token];
  asked += 1;
  if (asked > ${requests}) {
    console.error(tell(basic));
    process.exit(1);
  }
  const isKnown = known.every((one) => one === TOKEN);
  response.writeHead(isKnown ? 200 : 401).end(isKnown ? '{"found":1}' : known.map(encodeURIComponent) + tell(basic));
}).listen(Number(PORT), HOST);
process.on('SIGTERM', () => process.exit(0));
`;

let root: string;
let out: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'secrets-'));
  out = mkdtempSync(join(tmpdir(), 'secrets-out-'));
  writeFileSync(join(root, 'wiregauge.yml'), PROJECT);
});
afterEach(() => {
  for (const folder of [root, out]) {
    rmSync(folder, { recursive: true, force: true });
  }
});

const start = (argv: readonly string[]) =>
  wiregauge([...argv, '--profile', 'smoke', '--runtime', 'process', '--out', out], {
    cwd: root,
    environment: { ...ENVIRONMENT, GITHUB_ACTIONS: 'true', WIREGAUGE_SECRETS: Object.keys(ENVIRONMENT).join() },
  });

/** All ways in which a text was told. */
function waysOf(text: string): readonly string[] {
  const escaped = encodeURIComponent(text);
  const form = new URLSearchParams({ q: text }).toString().slice(2);
  const lower = escaped.replace(/%../g, (one) => one.toLowerCase());
  const base64 = [text, `é${text}`, `shop:${text}`, `abc:${text}`].map((one) => Buffer.from(one).toString('base64url'));
  return [text, escaped, lower, form, JSON.stringify(text).slice(1, -1), ...base64.map((one) => one.slice(8))];
}

/** Everything that was printed or written, and what of it nobody may know. */
function leaksOf({ stdout, stderr }: CommandEnd): readonly string[] {
  const files = readdirSync(out, { recursive: true }).map((name) => join(out, String(name)));
  const texts = files.filter((file) => statSync(file).isFile()).map((file) => readFileSync(file, 'utf8'));
  const all = [stdout, stderr, ...texts].join('\n').replaceAll('%25', '%').replaceAll('+', '-').replaceAll('/', '_');
  const secrets = [TOKEN, PASSWORD, DATABASE_PASSWORD, ENVIRONMENT.SHOP_BASIC, ENVIRONMENT.SHOP_DATABASE];
  const ways = secrets.flatMap(waysOf).map((way) => way.replaceAll('+', '-').replaceAll('/', '_'));
  return ways.filter((way) => all.includes(way));
}

describe('no secret is printed or written, for each way in which a service reports it:', () => {
  test('to the log of a run that measures', async () => {
    writeFileSync(join(root, 'shop.mjs'), service(1e9));

    const end = await start(['run', '--mode', 'saturate']);

    expect(end.exitCode).toBe(0);
    expect(end.stdout).toContain('verified: shop answers 1 request');
    expect(leaksOf(end)).toEqual([]);
  });

  test('in its last lines, when it ends under load', async () => {
    writeFileSync(join(root, 'shop.mjs'), service(40));

    const end = await start(['run']);

    expect(end.exitCode).toBe(2);
    expect(end.stdout).toMatch(/not measured: shop exited .*exit code 1; its last output: .*\*\*\*/);
    expect(readFileSync(join(out, 'run.json'), 'utf8')).toContain('***');
    expect(leaksOf(end)).toEqual([]);
  });

  test('in an answer, when it is verified', async () => {
    writeFileSync(join(root, 'shop.mjs'), service(1e9, '"nobody"'));

    const end = await start(['run']);

    expect(end.exitCode).toBe(2);
    expect(end.stderr).toMatch(/answered 401 \(.*\*\*\*/);
    expect(end.stdout).toMatch(/^::error .*\*\*\*/m);
    expect(leaksOf(end)).toEqual([]);
  });

  test('in a comparison of which one version ends', async () => {
    writeFileSync(join(root, 'shop.mjs'), service(1e9));
    gitIn(root, 'init', '--quiet', '--initial-branch=main');
    gitIn(root, 'add', '--all');
    gitIn(root, 'commit', '--quiet', '--message=First');
    writeFileSync(join(root, 'shop.mjs'), service(40));

    const end = await start(['compare', '--base', 'main']);

    expect(end.exitCode).toBeGreaterThan(0);
    expect(readFileSync(join(out, 'run.json'), 'utf8')).toMatch(/shop exited .*\*\*\*/);
    expect(leaksOf(end)).toEqual([]);
  });
});
