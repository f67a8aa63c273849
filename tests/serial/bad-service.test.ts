import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseRun } from '../../src/model/run/run.ts';
import { type BadProject, badProject, expectOneMessage, runningWith } from '../integration/bad-project.ts';
import { newIdentity } from '../support/certificates.ts';

let project: BadProject;
beforeEach(() => {
  project = badProject();
});
afterEach(() => project.remove());

/** A project whose service does what FAULT says where it is asked for /item. The root is an argument, to find it by. */
function write(fault: string, keys = '', operation = ''): void {
  const service = `{ protocol: rest, port: 8080, process: { command: [node, faulty.mjs, "${project.root}"] }, environment: { FAULT: ${fault}${keys} }`;
  project.write(
    'wiregauge.yml',
    `services:
  shop: ${service}, ready: { path: /ok, timeoutSeconds: 4 }, limits: { memoryMiB: 160 } }
operations:
  - { name: Item, rest: { path: /item${operation} } }
tiers: [{ name: low, users: 10, spawnPerSecond: 10, thinkSeconds: 0.1 }]
saturation: { workers: 2 }
`,
  );
}

describe('wiregauge run reports a service', () => {
  test.each([
    [
      'redirect',
      '',
      /Item: answered 302, a redirect to \/elsewhere; expected: 2xx/,
      /request the path that it redirects to/,
    ],
    ['error', '', /Item: answered 503 \(\{"error":"no database"\}\); expected: 2xx/, /fix the service, or the path/],
    [
      'page',
      ', expect: { contentType: application/json }',
      /answered with text\/html; expected: application\/json/,
      /Fix the service, or `expect\.contentType`/,
    ],
    [
      'page',
      ', expect: { contains: a name }',
      /the answer does not contain "a name": <h1>Closed today<\/h1>/,
      /Fix the service, or `expect\.contains`/,
    ],
    ['reset', '', /it closed the connection before the answer was complete/, /Check (its output|what it printed)/],
    ['late', '', /timeout: no answer within 5 s/, /./],
    ['damaged', '', /Z_DATA_ERROR/, /./],
    ['strange', '', /the answer is compressed with zstd, which was not requested/, /./],
    ['long', '', /longer than 4194304 bytes|4 MiB/, /Request less data/],
    ['deep', '', /its answer is nested too deeply to be compared/, /./],
  ])('that answers with FAULT=%s%s', async (...[fault, operation, words, next]) => {
    write(fault, '', operation);

    expectOneMessage(await project.run(), words, next);
    expect(runningWith(project.root)).toEqual([]);
  });

  test('with an untrusted certificate', async () => {
    const { certificate, key } = newIdentity('IP:127.0.0.1');
    const pem = (text: string): string => JSON.stringify(text);
    write('tls', `, CERTIFICATE: ${pem(certificate)}, KEY: ${pem(key)} }, tls: {`);

    const end = await project.run();

    expectOneMessage(
      end,
      /shop: not ready after 4 s: GET \/ok at .*: its certificate is self-signed/,
      /Set the certificate to trust, `tls: \{ ca: <file> \}`/,
    );
    expect(runningWith(project.root)).toEqual([]);
  });

  test('that answers differently after each start', async () => {
    write('restless');

    const end = await project.run();

    expectOneMessage(
      end,
      /shop answers Item \{\} differently from start to start at \$\S*: \d+, before that: \d+/,
      /ignore this place in the operation: `ignore: \["\$\.pid"\]`/,
    );
    expect(runningWith(project.root)).toEqual([]);
  });

  test('that uses more memory than it may', async () => {
    write('hog');

    const end = await project.run();

    expect(end.exitCode).toBe(2);
    expect(end.stdout).toMatch(
      /shop (?:tier low|saturation) .*: not measured: shop exited under .*: it ran out of memory \(OOM\): it was stopped when its memory reached \d+ MiB, over the limit of 160 MiB/,
    );
    expect(end.stderr).not.toMatch(/^\s+at /m);
    const { failures } = parseRun(readFileSync(join(project.root, 'out/run.json'), 'utf8'), 'run.json');
    expect(failures[0]?.next).toBe(
      'Raise the limit of shop, `limits: { memoryMiB: 1024 }`, or check what it keeps in memory.',
    );
    expect(runningWith(project.root)).toEqual([]);
  });
});

test('wiregauge run measures a service that answers compressed, in chunks, the first of them late', async () => {
  write('odd');

  const { exitCode, stdout, stderr } = await project.run(['--mode', 'saturate']);

  expect(stderr).toBe('');
  expect(stdout).toMatch(/verified: shop answers 1 request/);
  expect(exitCode).toBe(0);
  const { samples } = parseRun(readFileSync(join(project.root, 'out/run.json'), 'utf8'), 'run.json');
  expect(samples.flatMap(({ failures }) => failures)).toEqual([]);
});
