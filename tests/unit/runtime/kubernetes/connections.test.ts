import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
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
const loads = [httpLoad({ loadAddress: '127.0.0.1:8080' }, { seconds: 2 })];

test('records are put together of all their lines', async () => {
  const kubectl = kubectlThat(`read -r _; printf '%s\\n' '${RECORDS}' '${RECORDS}' '${ANSWER}'; read -r _`);
  await using remote = remoteLoad({ kubectl, load: 'pod' }, folder);

  const [end] = await remote.play(loads, never);

  expect(Buffer.from((await end?.records()) ?? []).toString()).toBe('abab');
});

test('records that are cut off are a lost pod, not a failure of the service', async () => {
  const kubectl = kubectlThat(`read -r _; printf '{"output":"block-1-0","rec'; echo 'lost connection' >&2; exit 1`);
  await using remote = remoteLoad({ kubectl, load: 'pod' }, folder);

  const sending = remote.play(loads, never);

  await expect(sending).rejects.toThrow(EngineLost);
  await expect(sending).rejects.toThrow('lost connection');
});

test('records that cannot be written end the measurement, with the reason', async () => {
  const kubectl = kubectlThat(`read -r _; printf '%s\\n' '${RECORDS}' '${ANSWER}'; read -r _`);
  await using remote = remoteLoad({ kubectl, load: 'pod' }, join(folder, 'missing'));

  await expect(remote.play(loads, never)).rejects.toMatchObject({ code: 'WG-207' });
});

test('a reading that is cut off is a lost pod', async () => {
  await using reader = await openReader(kubectlThat(`read -r _; printf '{"atNs":1'; exit 137`), {
    pod: 'pod',
    container: 'reader',
  });

  await expect(reader.read()).rejects.toThrow(EngineLost);
});
