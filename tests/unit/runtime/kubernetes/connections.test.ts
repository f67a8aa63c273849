import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { BlockLoad } from '../../../../src/model/load.ts';
import { EngineLost } from '../../../../src/runtime/ended.ts';
import { Kubectl } from '../../../../src/runtime/kubernetes/kubectl.ts';
import { openReader } from '../../../../src/runtime/kubernetes/pod-reader.ts';
import { remoteLoad } from '../../../../src/runtime/kubernetes/service.ts';
import { httpLoad } from '../../../integration/plain-service.ts';

let root: string;
let folder: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'kubectl-'));
  folder = join(root, 'records');
  mkdirSync(folder);
  vi.stubEnv('PATH', `${root}:${process.env['PATH']}`);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true, force: true });
});

function kubectlThat(script: string): Kubectl {
  const path = join(root, 'kubectl');
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return new Kubectl({ context: undefined, namespace: undefined }, '1:1');
}

const RECORDS = '{"output":"block-1-0","records":"YWI="}';
const ANSWER = '{"id":1,"startedNs":1,"endedNs":2,"results":[{"error":""}]}';

const never = new AbortController().signal;
const block = httpLoad({ loadAddress: '10.0.0.7:80' }, { seconds: 2 });
const loads = [block];

test('records are put together of all their lines', async () => {
  const kubectl = kubectlThat(`read -r _; printf '%s\\n' '${RECORDS}' '${RECORDS}' '${ANSWER}'; read -r _`);
  await using remote = remoteLoad({ kubectl, load: 'pod' }, folder, 80);

  const [end] = await remote.play(loads, never);

  expect(Buffer.from((await end?.records()) ?? []).toString()).toBe('abab');
});

test('records that are cut off are a lost pod, not a failure of the service', async () => {
  const kubectl = kubectlThat(`read -r _; printf '{"output":"block-1-0","rec'; echo 'lost connection' >&2; exit 1`);
  await using remote = remoteLoad({ kubectl, load: 'pod' }, folder, 80);

  const sending = remote.play(loads, never);

  await expect(sending).rejects.toThrow(EngineLost);
  await expect(sending).rejects.toThrow('lost connection');
});

test('records that cannot be written end the measurement, with the reason', async () => {
  const kubectl = kubectlThat(`read -r _; printf '%s\\n' '${RECORDS}' '${ANSWER}'; read -r _`);
  await using remote = remoteLoad({ kubectl, load: 'pod' }, join(folder, 'missing'), 80);

  await expect(remote.play(loads, never)).rejects.toMatchObject({ code: 'WG-207' });
});

test('a reading that is cut off is a lost pod', async () => {
  await using reader = await openReader(kubectlThat(`read -r _; printf '{"atNs":1'; exit 137`), {
    pod: 'pod',
    container: 'reader',
  });

  await expect(reader.read()).rejects.toThrow(EngineLost);
});

test.each<readonly [string, object, object]>([
  ['the Host', {}, { requests: [{ headers: { Host: '127.0.0.1:80' } }] }],
  [
    'the Host that the user set',
    { headers: { Host: 'shop.test' } },
    { requests: [{ headers: { Host: 'shop.test' } }] },
  ],
  ['the name in its certificate', { tls: {} }, { connection: { tls: { serverName: '127.0.0.1' } } }],
  ['the name that the user set', { tls: { serverName: 'a.test' } }, { connection: { tls: { serverName: 'a.test' } } }],
])(
  'load of a pod has %s of other requests',
  async (_what, { headers, tls }: { headers?: object; tls?: object }, sent) => {
    const kubectl = kubectlThat(`read -r line; printf %s "$line" >${root}/sent; printf '%s\\n' '${ANSWER}'; read -r _`);
    await using remote = remoteLoad({ kubectl, load: 'pod' }, folder, 80);
    const { target } = block.load;
    const requests = target.requests.map((one) => ({ ...one, ...(headers && { headers }) }));
    const connection = tls && { connection: { http: '1.1', tls } };

    await remote.play(
      [{ ...block, load: { ...block.load, target: { ...target, requests, ...connection } } } as BlockLoad],
      never,
    );

    const [{ load }] = JSON.parse(readFileSync(join(root, 'sent'), 'utf8')).loads;
    expect(load.target).toMatchObject({ address: '10.0.0.7:80', ...sent });
  },
);
