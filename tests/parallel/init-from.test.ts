import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { runCommandLine } from '../../src/commands/program/program.ts';
import { readSuite } from '../../src/project/suite.ts';
import { currentFolderPerTest } from '../support/current-folder.ts';
import { catchPrinted } from '../support/printed.ts';

const folder = currentFolderPerTest();
const printed = catchPrinted();

const logged = (request: string, status = 200, minute = 0): string =>
  `10.0.0.1 - - [10/Oct/2026:13:${String(minute).padStart(2, '0')}:36 +0000] "${request} HTTP/1.1" ${status} 5 "-" "curl"\n`;

const LOG = [
  ...Array.from({ length: 8 }, (_, place) => logged(`GET /items/${place}`)),
  logged('POST /orders', 201),
  logged('GET /items?page=2'),
  logged('GET /app.css'),
].join('');

const entry = (method: string, url: string, text?: string) => ({
  startedDateTime: '2026-10-10T13:55:36.000Z',
  request: {
    method,
    url,
    headers: [],
    ...(text !== undefined && { postData: { mimeType: 'application/json', text } }),
  },
  response: { status: 200 },
});

const harOf = (...entries: readonly object[]): string => JSON.stringify({ log: { version: '1.2', entries } });

const init = (...argv: readonly string[]) => runCommandLine(['init', folder.root, '--yes', '--no-try', ...argv]);

const written = (path = 'wiregauge.yml'): string => readFileSync(join(folder.root, path), 'utf8');

beforeEach(() => {
  folder.write('package.json', '{ "name": "shop", "scripts": { "start": "node x.js" } }');
});

describe('wiregauge init --from', () => {
  it('writes the requests of a log with their shares, and without those that write', async () => {
    folder.write('access.log', LOG);

    expect(await init('--from', 'access.log')).toBe(0);

    const { suite } = readSuite(folder.root, undefined);
    expect(suite.operations.map(({ name, share }) => [name, share.toFixed(2)])).toEqual([
      ['ItemsById', '0.89'],
      ['Items', '0.11'],
    ]);
    expect(written()).toMatch(/name: PostOrders\n {4}weight: 0\n/);
    expect(printed.out).toContain('static files: 1 request');
  });

  it('sends those that write with --writes', async () => {
    folder.write('access.log', LOG);

    expect(await init('--from', 'access.log', '--writes')).toBe(0);

    expect(readSuite(folder.root, undefined).suite.operations).toHaveLength(3);
  });

  it('writes long bodies next to the configuration, and reads several files', async () => {
    const body = JSON.stringify({ lines: Array.from({ length: 500 }, (_, place) => `line ${place}`) });
    folder.write('a.har', harOf(entry('POST', 'https://shop.test/orders', body)));
    folder.write('access.log', LOG);

    expect(await init('--from', 'a.har', '--from', 'access.log', '--writes')).toBe(0);

    expect(written('bodies/PostOrders.json')).toBe(body);
    expect(readSuite(folder.root, undefined).suite.operations.map(({ name }) => name)).toContain('PostOrders');
  });

  it('makes the observed rates its loads', async () => {
    const lines = Array.from({ length: 6 }, (_, minute) =>
      logged('GET /items', 200, minute).repeat(minute === 5 ? 1200 : 600),
    );
    folder.write('access.log', lines.join(''));

    expect(await init('--from', 'access.log')).toBe(0);

    expect(readSuite(folder.root, undefined).suite.tiers).toMatchObject([
      { name: 'median', requestsPerSecond: 10 },
      { name: 'peak', requestsPerSecond: 20 },
    ]);
  });

  it('lists the variables for secrets, and none of these', async () => {
    folder.write(
      'a.har',
      harOf(entry('GET', 'https://shop.test/items?token=hunter2secret'), entry('GET', 'https://shop.test/')),
    );

    expect(await init('--from', 'a.har', '--json')).toBe(0);

    expect(JSON.parse(printed.out).variables).toEqual(['TOKEN']);
    expect(printed.out + written()).not.toContain('hunter2secret');
  });

  it.each<[string, Buffer]>([
    ['gzip', gzipSync(LOG)],
    ['much of gzip', gzipSync(LOG.repeat(2000), { level: 0 })],
    ['UTF-16', Buffer.from(`\ufeff${LOG}`, 'utf16le')],
    ['a line that is none', Buffer.from(`started\n${LOG}`)],
    ['a log of Envoy', Buffer.from('[2026-10-10T13:55:36.012Z] "GET /items HTTP/2" 200 - 0 226 3 2 "-" "curl"\n')],
  ])('reads %s', async (_, bytes) => {
    writeFileSync(join(folder.root, 'access.log'), bytes);

    expect(await init('--from', 'access.log')).toBe(0);
  });

  it.each([
    [
      'a truncated HAR',
      harOf(entry('GET', 'https://shop.test/a')).slice(0, -20),
      /a\.txt: 1:\d+: ends inside of the JSON/,
    ],
    ['a HAR that ends with a line', '{"log":{\n', /a\.txt: 2:1: ends inside of the JSON/],
    ['broken JSON', '{\n "log": { "version": x } }', /a\.txt: 2:22: is not valid JSON/],
    [
      'another version',
      '{"log":{"version":"2.0","entries":[]}}',
      /a\.txt: has HAR version 2\.0; only 1\.2 is supported/,
    ],
    ['a wrong entry', harOf({ request: { method: 1 } }), /a\.txt: log\.entries\[0\]\.request\.method/],
    ['JSON of nobody', '{\n "a": 1 }', /a\.txt: is JSON of an unknown form/],
    ['a list of JSON', '[\n { "a": 1 } ]', /a\.txt: is JSON of an unknown form/],
    [
      'another log',
      `${'2026-10-10 started\n'.repeat(200)}`,
      /a\.txt: 1:1: is not a line of an access log: 2026-10-10 started/,
    ],
    ['a long line', 'x'.repeat(2_000_000), /a\.txt: 1:1: is a line of more than 1048576 characters/],
    ['an empty file', '', /a\.txt: no request can be used: it is empty/],
    ['bytes', '\u001b]0;x\u0007\u001b[31m', /a\.txt: 1:1: is not a line of an access log: \]0;x \[31m/],
    ['nothing but writes', logged('POST /orders'), /each request of the traffic may change data[\s\S]*Add --writes/],
    ['what is no load', LOG.split('\n').at(-2) ?? '', /a\.txt: no request can be used: 1 static files/],
  ])('refuses %s, and writes nothing', async (_, text, message) => {
    folder.write('a.txt', text);

    expect(await init('--from', 'a.txt')).toBe(2);

    expect(printed.err).toMatch(message);
    expect(readdirSync(folder.root).toSorted()).toEqual(['a.txt', 'package.json']);
  });

  it('refuses a file that is missing', async () => {
    expect(await init('--from', 'gone.log')).toBe(2);
    expect(printed.err).toContain('gone.log: there is no such file\n');
  });

  it('is proposed for files with requests in the repository', async () => {
    folder.write('requests.http', 'GET /items\n');
    folder.write('api/bruno/bruno.json', '{}');

    expect(await init()).toBe(0);
    expect(printed.out).toMatch(
      /requests\.http, api\/bruno: has requests that clients send: `wiregauge init --force --from/,
    );
  });

  it('writes what delivers the values that later requests carry', async () => {
    const answered = (request: ReturnType<typeof entry>, answer: object) => ({
      ...request,
      response: { status: 200, content: { text: JSON.stringify(answer) } },
    });
    const own = (request: ReturnType<typeof entry>) => ({
      ...request,
      request: { ...request.request, headers: [{ name: 'Authorization', value: 'Bearer tok-81726354' }] },
    });
    const at = 'https://shop.test';
    folder.write(
      'a.har',
      harOf(
        answered(entry('POST', `${at}/login`, '{"email":"a@b.test","password":"p"}'), {
          user: { token: 'tok-81726354', email: 'a@b.test' },
        }),
        own(answered(entry('POST', `${at}/items`, '{"name":"x"}'), { item: { id: 987654 } })),
        own(entry('GET', `${at}/items/987654`)),
        own(entry('PUT', `${at}/items/987654`, '{"of":987654,"by":"tok-81726354"}')),
        answered(entry('GET', `${at}/lists`), { lists: [{ id: 112233 }] }),
        entry('GET', `${at}/lists/112233`),
      ),
    );

    expect(await init('--from', 'a.har', '--writes')).toBe(0);

    const text = written();
    expect(text).toContain('Authorization: Bearer ${prepare.token}');
    expect(text).toMatch(
      /path: \/login\n\s+body:\n\s+json:\n\s+email: \$\{env\.EMAIL\}\n\s+password: \$\{env\.PASSWORD\}\n/,
    );
    expect(text).toMatch(/capture:\n\s+token: \$\.user\.token\n/);
    expect(text).toMatch(/capture:\n\s+itemId: \$\.item\.id\n/);
    expect(text).toContain('id: ${prepare.itemId}');
    expect(text).toContain('of: ${prepare.itemId}');
    expect(text).not.toMatch(/81726354|987654|a@b/);
    expect(readSuite(folder.root, undefined).services.get('shop')?.prepare).toHaveLength(2);
    expect(printed.out).toContain('in place of secrets of the traffic: EMAIL, PASSWORD\n');
    expect(printed.out).toContain('GET /lists/{id} carries $.lists[*].id of GET /lists: the arguments are those');
  });

  it('is compared with other traffic by `doctor --traffic`', async () => {
    folder.write('access.log', LOG);
    expect(await init('--from', 'access.log')).toBe(0);
    folder.write('today.log', `${LOG}${logged('GET /users').repeat(10)}`);
    const check = (...argv: readonly string[]) => runCommandLine(['doctor', '--traffic', 'today.log', ...argv]);

    expect(await check()).toBe(0);
    expect(await check('--at-least', '40%')).toBe(0);
    expect(await check('--at-least', '80%')).toBe(1);
    expect(await check('--at-least', '80')).toBe(2);
    expect(printed.out).toMatch(/45% of 20 requests are of measured operations[\s\S]*GET \/users: 50%/);
  });

  it('overwrites no body', async () => {
    folder.write('bodies/PostOrders.json', 'mine');
    folder.write(
      'a.har',
      harOf(entry('POST', 'https://shop.test/orders', JSON.stringify({ a: 'long '.repeat(1000) }))),
    );

    expect(await init('--from', 'a.har', '--writes')).toBe(2);

    expect(printed.err).toContain('bodies/PostOrders.json already exists');
    expect(existsSync(join(folder.root, 'wiregauge.yml'))).toBe(false);
  });

  it('writes nothing of hostile text into comments or a terminal', async () => {
    const hostile = 'https://shop.test/a%0a%23b/\u001b[31m<img src=x>/"}]:%20-%20x?%5B%5D=%7Bx%7D&{y}=`z`';
    folder.write('a.har', harOf(entry('GET', hostile), entry('GET', 'https://shop.test/b')));

    expect(await init('--from', 'a.har')).toBe(0);

    expect(readSuite(folder.root, undefined).suite.operations).toHaveLength(2);
    expect(written() + printed.out).not.toContain('\u001b');
  });
});
