import { expect, test } from 'vitest';
import { clusterError } from '../../../../src/runtime/kubernetes/refusal.ts';

test.each([
  [
    'pods is forbidden: User "ci" cannot create resource "pods" in the namespace "perf"',
    /its rights in this namespace/,
  ],
  ['pods "a" is forbidden: exceeded quota: small, requested: cpu=1, used: cpu=1, limited: cpu=1', /ResourceQuota/],
  ['pods "a" is forbidden: violates PodSecurity "restricted:latest"', /policy/],
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
