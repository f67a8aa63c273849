import { expect, test } from 'vitest';
import type { Need, Service } from '../../../../src/model/service.ts';
import { clusterError, refuseUnsupported } from '../../../../src/runtime/kubernetes/refusal.ts';
import { restService } from '../../../support/suite.ts';

const SERVICE: Service = { ...restService('shop'), image: { reference: 'shop:1' }, process: undefined, port: 8080 };

const NEED: Need = {
  ...SERVICE,
  name: 'store',
  ready: { check: { kind: 'usual' }, timeoutSeconds: 1 },
  needs: [],
  fresh: 'slot',
};

test.each([
  [
    'pods is forbidden: User "ci" cannot create resource "pods" in the namespace "perf"',
    /its rights in this namespace/,
  ],
  ['pods "a" is forbidden: exceeded quota: small, requested: cpu=1, used: cpu=1, limited: cpu=1', /ResourceQuota/],
  ['pods "a" is forbidden: violates PodSecurity "restricted:latest"', /policy/],
  [
    'pods "a" is forbidden: error looking up service account perf/shop: service account "shop" not found',
    /serviceAccountName/,
  ],
  ['namespaces "perf" not found', /Create the namespace/],
  ['The connection to the server localhost:8080 was refused - did you specify the right host or port?', /KUBECONFIG/],
  ['error: context "prod" does not exist', /WIREGAUGE_KUBERNETES_CONTEXT/],
  ['dial tcp: lookup cluster.example on 10.0.0.1:53: no such host', /KUBECONFIG/],
])('%s', (printed, next) => {
  expect(clusterError(`Error from server: ${printed}\n`, ['create', '--filename=-'])).toMatchObject({
    code: 'WG-214',
    message: `the Kubernetes cluster cannot be used: kubectl create: Error from server: ${printed}`,
    next: expect.stringMatching(next),
  });
});

test('what a cluster says cannot control a terminal', () => {
  expect(clusterError('\u001b[31mno\u202e such host', ['get']).message).toMatch(/^[\p{L}\p{P}\p{Sc} \d]+$/u);
});

test('starts needs and members with an image', () => {
  expect(() => refuseUnsupported([{ ...SERVICE, needs: [NEED], members: [NEED], cores: 'each' }])).not.toThrow();
});

test.each<readonly [Partial<Service>, RegExp]>([
  [{ address: '127.0.0.1:80' }, /`address`/],
  [{ image: undefined }, /^shop: has no `image`, so --runtime kubernetes cannot start it$/],
  [{ needs: [{ ...NEED, image: undefined }] }, /^store: has no `image`/],
  [{ members: [NEED] }, /^shop: has `members` without `cores: each`/],
  [{ members: [{ ...NEED, files: { '/etc/a': 'a' } }], cores: 'each' }, /^store: has `files`/],
  [{ files: { '/etc/a': 'a' } }, /`files`/],
  [{ user: 'nginx' }, /a `user` that is not a number/],
])('refuses what it cannot start: %#', (more, message) => {
  expect(() => refuseUnsupported([SERVICE])).not.toThrow();
  expect(() => refuseUnsupported([{ ...SERVICE, ...more }])).toThrow(
    expect.objectContaining({ code: 'WG-116', message: expect.stringMatching(message) }),
  );
});
