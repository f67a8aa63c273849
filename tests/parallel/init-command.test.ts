import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { askAbout, askYes } from '../../src/commands/init/questions.ts';
import { proposeServices } from '../../src/commands/init/services/propose.ts';
import { runCommandLine } from '../../src/commands/program/program.ts';
import { scanRepository } from '../../src/host/files/scan.ts';
import { type Ask, withQuestions } from '../../src/host/terminal/questions.ts';
import { readSuite, withCheckedContracts } from '../../src/project/suite.ts';
import { currentFolderPerTest } from '../support/current-folder.ts';
import { catchPrinted } from '../support/printed.ts';

const WORKFLOW = '.github/workflows/performance.yml';
const COMMAND = '.github/workflows/performance-command.yml';
const HISTORY = '.github/workflows/history.yml';

const ALL = `syntax = "proto3";
package all.v1;
import "common/money.proto";
import "google/protobuf/timestamp.proto";
import "google/protobuf/duration.proto";
import "google/protobuf/wrappers.proto";
import "google/protobuf/empty.proto";
message All {
  double d = 1; sint64 s = 2; fixed32 f = 3; bool b = 4; bytes raw = 5; string text = 6;
  repeated Inner inners = 7; common.Money price = 8; map<string, Inner> by_name = 9;
  google.protobuf.Timestamp at = 10; google.protobuf.Duration for = 11; google.protobuf.StringValue note = 12;
  optional uint32 maybe = 13; oneof one { Inner left = 14; string right = 15; } All again = 16;
  message Inner { Mood mood = 1; enum Mood { CALM = 0; } }
}
service Everything {
  rpc GetAll(All) returns (google.protobuf.Empty);
  rpc get_all(google.protobuf.Empty) returns (All);
}`;

const folder = currentFolderPerTest();
const printed = catchPrinted();

beforeEach(() => {
  folder.write('Dockerfile', 'FROM scratch\nEXPOSE 7001\n');
  folder.write('package.json', '{ "name": "orders", "scripts": { "start": "node x.js" } }');
});

describe('wiregauge init', () => {
  it('writes a configuration that is read, and workflows, and says what is next and what to switch on', async () => {
    expect(await runCommandLine(['init', folder.root, '--yes', '--no-try'])).toBe(0);

    const { services, suite } = readSuite(folder.root, undefined);
    expect(services.get('orders')).toMatchObject({ port: 7001, protocol: 'rest' });
    expect(suite.operations).toHaveLength(1);
    expect([WORKFLOW, COMMAND, HISTORY].map((path) => existsSync(join(folder.root, path)))).toEqual([
      true,
      true,
      false,
    ]);
    expect(printed.out).toMatch(/takes about 5 to 13 minutes \(6 to 14 billed minutes/);
    expect(printed.out).toMatch(/wiregauge doctor[\s\S]*wiregauge run --profile smoke/);
    // Nobody was asked.
    expect(printed.out).toContain('Add to .gitignore: out/ node_modules/');
    expect(existsSync(join(folder.root, '.gitignore'))).toBe(false);
  });

  it('writes the workflow of the history if it is asked to', async () => {
    expect(await runCommandLine(['init', folder.root, '--yes', '--history', '--no-try'])).toBe(0);

    expect(existsSync(join(folder.root, HISTORY))).toBe(true);
    expect(printed.out).toMatch(/Settings, Pages, "Deploy from a branch", gh-pages/);
  });

  it.each(['wiregauge.yml', WORKFLOW, COMMAND, HISTORY])('overwrites no %s, unless with --force', async (path) => {
    folder.write(path, 'mine');

    expect(await runCommandLine(['init', folder.root, '--yes', '--history', '--no-try'])).toBe(2);
    expect(printed.err).toMatch(new RegExp(`^wiregauge: ${path} already exists\\n.*--force`));
    expect([readFileSync(join(folder.root, path), 'utf8'), existsSync(join(folder.root, 'wiregauge.yml'))]).toEqual([
      'mine',
      path === 'wiregauge.yml',
    ]);
    expect(await runCommandLine(['init', folder.root, '--yes', '--force', '--history', '--no-try'])).toBe(0);
    expect(readFileSync(join(folder.root, path), 'utf8')).not.toBe('mine');
  });

  it('writes the workflows of a folder to the root of the repository, and says so', async () => {
    folder.write('.git/HEAD', '');
    folder.write('.gitignore', 'node_modules/\n');
    folder.write('apps/api/package.json', '{ "name": "api", "scripts": { "start": "node x.js" } }');

    expect(await runCommandLine(['init', join(folder.root, 'apps/api'), '--yes', '--no-try'])).toBe(0);

    const workflow = readFileSync(join(folder.root, '.github/workflows/performance-apps-api.yml'), 'utf8');
    expect(workflow).toContain('directory: "apps/api"');
    expect(printed.out).toContain('wrote ../../.github/workflows/performance-apps-api.yml');
    expect(printed.out).toContain('Add to .gitignore: out/\n');
    expect(readSuite(join(folder.root, 'apps/api'), undefined).suite.name).toBe('apps-api');
  });

  it('prints what it would write, and writes nothing', async () => {
    expect(await runCommandLine(['init', '--dry-run'])).toBe(0);

    expect(printed.out).toMatch(/services:\n {2}orders:[\s\S]*jobs:/);
    expect(existsSync(join(folder.root, 'wiregauge.yml'))).toBe(false);
  });

  it('lists each operation that it left out with its own reason, and the one that returns a token', async () => {
    const guarded = (method: string, more = '') => `${method}: { security: [{ key: [] }], ${more} responses: {} }`;
    folder.write(
      'openapi.yaml',
      `openapi: 3.0.3
components: { securitySchemes: { key: { type: http, scheme: bearer } } }
paths:
  /open: { get: { responses: {} } }
  /items: { ${guarded('get')}, ${guarded('post')}, ${guarded('delete')} }
  /login: { post: { responses: {} } }
`,
    );

    expect(await runCommandLine(['init', folder.root, '--yes', '--no-try'])).toBe(0);

    expect(printed.out).toMatch(/^ {2}orders: GET \/items: needs credentials /m);
    expect(printed.out).toMatch(/^ {2}orders: POST \/items: may change data: `init --writes`/m);
    expect(printed.out).toMatch(/^ {2}orders: DELETE \/items: changes data$/m);
    expect(printed.out).toMatch(/^ {2}orders: POST \/login: seems to return a token: .*API_TOKEN$/m);
    vi.stubEnv('API_TOKEN', 'given');
    expect(await runCommandLine(['init', folder.root, '--yes', '--no-try', '--force'])).toBe(0);
    vi.unstubAllEnvs();
    expect(readSuite(folder.root, undefined).suite.operations.map(({ name }) => name)).toEqual([
      'get-open',
      'get-items',
    ]);
  });

  it('prints as JSON what it wrote', async () => {
    expect(await runCommandLine(['init', '--json', '--no-try'])).toBe(0);

    expect(JSON.parse(printed.out)).toMatchObject({
      command: 'init',
      service: { name: 'orders', port: 7001 },
      operations: [],
      written: ['wiregauge.yml', WORKFLOW, COMMAND],
    });
  });

  it('writes messages that fit the contract, for all kinds of fields', async () => {
    rmSync(join(folder.root, 'package.json'));
    folder.write('proto/all/v1/all.proto', ALL);
    folder.write(
      'proto/common/money.proto',
      'syntax = "proto3"; package common; message Money { int64 units = 1; Kind kind = 2; } enum Kind { NONE = 0; }',
    );

    expect(await runCommandLine(['init', folder.root, '--yes', '--no-try'])).toBe(0);

    const files = readSuite(folder.root, undefined);
    expect(withCheckedContracts(files)).toBe(files);
    expect(files.suite.operations.map(({ name }) => name)).toEqual(['GetAll', 'get_all']);
    expect(Object.keys(files.suite.operations[0]?.arguments[0] ?? {})).toHaveLength(13);
  });

  it('refuses a folder without a service, and says what it looks for', async () => {
    rmSync(join(folder.root, 'Dockerfile'));
    rmSync(join(folder.root, 'package.json'));
    folder.write('Gemfile', "gem 'rails'\n");

    expect(await runCommandLine(['init', '--yes', '--no-try'])).toBe(2);
    expect(printed.err).toMatch(
      /^wiregauge: found no service in .*\n.*any other language, such as .*write a Dockerfile.*`wiregauge demo`/,
    );
    expect(existsSync(join(folder.root, 'wiregauge.yml'))).toBe(false);
  });

  it('refuses what is not a folder', async () => {
    expect(await runCommandLine(['init', join(folder.root, 'Dockerfile')])).toBe(2);
    expect(printed.err).toContain('is not a folder');
  });

  it('looks neither behind links nor at what others wrote, nor at files that are too large', () => {
    folder.write('node_modules/x/openapi.json', '{}');
    folder.write('big.proto', ' '.repeat(2 ** 20 + 1));
    symlinkSync('/etc', join(folder.root, 'etc'));
    symlinkSync('/etc/passwd', join(folder.root, 'openapi.yaml'));

    const { files, unread } = scanRepository(folder.root);

    expect(files.map(({ path }) => path)).toEqual(['Dockerfile', 'package.json']);
    expect(unread).toEqual([expect.stringMatching(/^big\.proto: has \d+ bytes/)]);
  });
});

describe('the questions', () => {
  const paths = Object.fromEntries('abcdef'.split('').map((name) => [`/${name}`, { get: { operationId: name } }]));

  function proposals() {
    folder.write('openapi.json', JSON.stringify({ openapi: '3.1.0', paths }));
    return proposeServices({ name: 'x', files: scanRepository(folder.root).files });
  }

  async function answering<Result>(lines: readonly string[], work: (ask: Ask) => Promise<Result>) {
    const input = new PassThrough();
    const output = new PassThrough();
    const waiting = [...lines];
    let requested = '';
    output.on('data', (chunk) => {
      requested += String(chunk);
      if (String(chunk).endsWith(']: ')) {
        const line = waiting.shift();
        setImmediate(() => (line === undefined ? input.end() : input.write(`${line}\n`)));
      }
    });
    const chosen = await withQuestions(work, input, output);
    return { chosen, requested };
  }
  const choosing = (lines: readonly string[]) => answering(lines, (ask) => askAbout(proposals(), ask));

  it('take what was found for an answer', async () => {
    const { chosen, requested } = await choosing(['', '', '']);

    expect(chosen).toMatchObject({ name: 'orders', port: { number: 7001 } });
    expect(chosen?.operations.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(requested).toContain('Name of the service [orders]: ');
  });

  it('are asked again until an answer will do', async () => {
    const { chosen } = await choosing(['a b', 'shop', '0', '70000', '80', '1,9', '1,2,3,4,5,6', '6, 2']);

    expect(chosen).toMatchObject({ name: 'shop', port: { number: 80 }, operations: [{ name: 'f' }, { name: 'b' }] });
  });

  it.each([[[]], [['shop']], [['shop', '80']]])(
    'come to nothing where the terminal is closed after %j',
    async (lines) => {
      expect((await choosing(lines)).chosen).toBeUndefined();
    },
  );

  it.each([
    [[''], 'y'],
    [['perhaps', 'No'], 'n'],
    [['y'], 'y'],
    [[], undefined],
  ])('add lines to .gitignore, answered by %j: %s', async (lines, expected) => {
    const { chosen, requested } = await answering(lines, (ask) => askYes('Add out/ to .gitignore', ask));

    expect(chosen).toBe(expected);
    expect(requested).toContain('Add out/ to .gitignore (y/n) [y]: ');
  });
});
