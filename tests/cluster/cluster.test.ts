import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cluster, kubectl } from './test-cluster.ts';

let kubeconfig: string;
beforeAll(() => {
  kubeconfig = cluster('up', '2');
});
afterAll(() => {
  cluster('down');
});

const CGROUPS = ['/sys/fs/cgroup/memory', '/sys/fs/cgroup'].find((place) => existsSync(place)) ?? '';

const podOn = (node: string) => {
  const place = `--overrides={"apiVersion":"v1","spec":{"nodeName":"${node}"}}`;
  return ['run', node, place, '--image=wiregauge.test/pause:1', '--restart=Never', '--image-pull-policy=Never'];
};

test('pods run on each of its nodes for someone with rights in one namespace only', async () => {
  for (const node of ['node-1', 'node-2']) {
    kubectl(kubeconfig, podOn(node));
  }

  const phases = ['get', 'pods', '--output=jsonpath={.items[*].status.phase}'];
  await expect.poll(() => kubectl(kubeconfig, phases)).toBe('Running Running');
  expect(() => kubectl(kubeconfig, ['get', 'pods', '--namespace=default'])).toThrow(/forbidden/);
  expect(() => kubectl(kubeconfig, ['get', 'secrets'])).toThrow(/forbidden/);
});

test('nothing is left of it', () => {
  cluster('down');

  expect(readFileSync('/proc/mounts', 'utf8')).not.toContain('wiregauge-cluster');
  expect(readdirSync('/run/netns').filter((name) => name.startsWith('wiregauge-cluster'))).toEqual([]);
  expect(readdirSync(CGROUPS).filter((name) => /kubepods|wiregauge-node/.test(name))).toEqual([]);
  expect(existsSync('/sys/class/net/wgcluster')).toBe(false);
  expect(existsSync('/tmp/wiregauge-cluster')).toBe(false);
});
