import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cluster, kubectl } from './test-cluster.ts';

let kubeconfig: string;
beforeAll(() => {
  kubeconfig = cluster('up');
});
afterAll(() => {
  cluster('down');
});

const POD = ['run', 'one', '--image=wiregauge.test/pause:1', '--restart=Never', '--image-pull-policy=Never'];

test('a pod runs on its node for somebody with rights in one namespace only', async () => {
  kubectl(kubeconfig, POD);

  await expect
    .poll(() => kubectl(kubeconfig, ['get', 'pod', 'one', '--output=jsonpath={.status.phase}']))
    .toBe('Running');
  expect(() => kubectl(kubeconfig, ['get', 'pods', '--namespace=default'])).toThrow(/forbidden/);
  expect(() => kubectl(kubeconfig, ['get', 'secrets'])).toThrow(/forbidden/);
});

test('nothing is left of it', () => {
  cluster('down');

  expect(readFileSync('/proc/mounts', 'utf8')).not.toContain('wiregauge-cluster');
  expect(existsSync('/run/netns/wiregauge-cluster')).toBe(false);
  expect(existsSync('/sys/class/net/wgcluster')).toBe(false);
  expect(existsSync('/tmp/wiregauge-cluster')).toBe(false);
});
