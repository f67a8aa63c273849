import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { refuseFullQuota, refuseMissingRights } from '../../../../src/runtime/kubernetes/checks.ts';
import { loadPod, nodePod, quantity } from '../../../../src/runtime/kubernetes/manifests.ts';
import { fakeKubectl } from './fake-kubectl.ts';

const { inFolder, kubectlThat } = fakeKubectl();

const never = new AbortController().signal;

describe('rights', () => {
  test('that are missing are all named', async () => {
    const kubectl = kubectlThat('case "$4$5" in *--subresource=*|secrets) echo no; exit 1;; *) echo yes;; esac');

    await expect(refuseMissingRights(kubectl, ['secrets'], never)).rejects.toMatchObject({
      code: 'WG-214',
      message: expect.stringMatching(/: create pods\/exec, create pods\/portforward, get pods\/log, create secrets$/),
      next: expect.stringContaining('docs/how-to/kubernetes'),
    });
  });

  test('that cannot be asked for are a cluster that cannot be used', async () => {
    const kubectl = kubectlThat('echo "dial tcp: lookup c: no such host" >&2; exit 1');

    await expect(refuseMissingRights(kubectl, ['secrets'], never)).rejects.toThrow(
      /cluster cannot be used: .*no such host/,
    );
  });

  test('that are there need no more', async () => {
    await expect(refuseMissingRights(kubectlThat('echo yes'), ['configmaps'], never)).resolves.toBeUndefined();
  });
});

describe('a quota', () => {
  const pods = { run: 'abc', annotations: {}, tools: '', architecture: 'amd64' };
  const load = loadPod(pods, 'b', { cpus: 1, memoryMiB: 1024 }, 'n1');
  const all = [nodePod(pods, 'a'), load];
  const refuse = (hard: object, used: object = {}, spec: object = {}) => {
    const items = [{ metadata: { name: 'small' }, spec, status: { hard, used } }];
    writeFileSync(inFolder('quotas'), JSON.stringify({ items }));
    return refuseFullQuota(kubectlThat(`cat ${inFolder('quotas')}`), all, [[], [load, load]]);
  };

  test.each([
    [{ pods: '4' }, { pods: '1' }, /small of this namespace: pods: 4 needed, 3 left$/],
    [{ 'requests.cpu': '4' }, { 'requests.cpu': '1500m' }, /requests\.cpu: 3\.05 needed, 2\.5 left$/],
    [{ cpu: '3' }, {}, /cpu: 3\.05 needed, 3 left$/],
    [{ 'limits.memory': '2Gi' }, {}, /limits\.memory: 3136 MiB needed, 2048 MiB left$/],
  ])('that is too small is named: %j', async (hard, used, message) => {
    await expect(refuse(hard, used)).rejects.toMatchObject({
      code: 'WG-214',
      message: expect.stringMatching(message),
      next: expect.stringContaining('fewer load generators'),
    });
  });

  test.each([
    ['has room', { pods: '4', 'limits.cpu': '4', 'requests.memory': '3104Mi' }, {}],
    ['is about something else', { 'count/secrets': '0', 'requests.storage': '0' }, {}],
    ['is for other pods', { pods: '0' }, { scopes: ['BestEffort'] }],
  ])('that %s refuses nothing', async (_what, hard, spec) => {
    await expect(refuse(hard, {}, spec)).resolves.toBeUndefined();
  });

  test('that is exceeded by what no pod needs refuses nothing', async () => {
    await expect(refuse({ configmaps: '5' }, { configmaps: '6' })).resolves.toBeUndefined();
  });

  test('that may not be read refuses nothing', async () => {
    await expect(refuseFullQuota(kubectlThat('echo forbidden >&2; exit 1'), all, [])).resolves.toBeUndefined();
  });
});

test.each([
  ['2', 2],
  ['1500m', 1.5],
  ['1Gi', 1_073_741_824],
  ['1.5M', 1_500_000],
  ['2e3', 2000],
])('the quantity %s', (text, amount) => {
  expect(quantity(text)).toBe(amount);
});
