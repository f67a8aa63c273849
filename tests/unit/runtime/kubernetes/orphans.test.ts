import { readFileSync, writeFileSync } from 'node:fs';
import { beforeEach, expect, test, vi } from 'vitest';
import { ownerPlace } from '../../../../src/host/machine/proc.ts';
import { removeOrphanPods } from '../../../../src/runtime/kubernetes/runtime.ts';
import { fakeKubectl } from './fake-kubectl.ts';

const { inFolder, kubectlThat } = fakeKubectl();
beforeEach(() => void vi.stubEnv('WIREGAUGE_KUBERNETES_REGISTRY', 'r/perf'));

const pod = (name: string, owner: string, place: string, { phase = 'Running', createdAt = Date.now() } = {}) => ({
  metadata: {
    name,
    creationTimestamp: new Date(createdAt).toISOString(),
    annotations: { 'wiregauge.owner': owner, 'wiregauge.place': place },
  },
  spec: {},
  status: { phase },
});

test('pods of owners that are gone, and old ended ones of unknown owners, are removed; one that stays is not a failure', async () => {
  const old = { createdAt: Date.now() - 2 * 3_600_000 };
  const items = [
    pod('left', '1:1', ownerPlace()),
    pod('used', '2:2', ownerPlace()),
    pod('ended', '1:1', 'other/machine/1', { phase: 'Failed', ...old }),
    pod('ended-now', '1:1', 'other/machine/1', { phase: 'Failed' }),
    pod('runs', '1:1', 'other/machine/1', old),
  ];
  writeFileSync(inFolder('pods'), JSON.stringify({ metadata: { resourceVersion: '1' }, items }));
  kubectlThat(
    `if [ "$1" = get ]; then cat ${inFolder('pods')}; else echo "$*" >${inFolder('asked')}; echo 'timed out' >&2; exit 1; fi`,
  );
  const lines: string[] = [];

  await removeOrphanPods(
    (owner) => owner === '2:2',
    '2:2',
    (line) => void lines.push(line),
  );

  expect(readFileSync(inFolder('asked'), 'utf8')).toMatch(/^delete pods left ended --/);
  expect(lines).toEqual([
    'removing the pod left, left over from an earlier run',
    'removing the pod ended, left over from an earlier run',
    expect.stringMatching(/^not all pods were removed: .*timed out/),
  ]);
});
