import { describe, expect, test } from 'vitest';
import type { Service } from '../../../../src/model/service.ts';
import { loadPod, networkPolicy, nodePod } from '../../../../src/runtime/kubernetes/manifests.ts';
import { IMAGE_ONLY, servicePod } from '../../../../src/runtime/kubernetes/templates/service-pod.ts';
import { restService } from '../../../support/suite.ts';

const PODS = { run: 'abc', annotations: { 'wiregauge.owner': '1:2' }, tools: 'r/tools:1', architecture: 'amd64' };

const SERVICE: Service = { ...restService('shop'), image: { reference: 'shop:1' }, process: undefined, port: 8080 };

const START = {
  name: 'wiregauge-1',
  program: SERVICE,
  template: IMAGE_ONLY,
  image: 'r/shop:1',
  limits: { cpus: 0.5, memoryMiB: 256 },
  environment: { GREETING: 'a$$b costs $(PRICE)' },
  node: 'n1',
  places: [
    { name: 'cache', host: '10.0.0.2', direct: '10.0.0.8', port: 6379 },
    { name: 'store', host: '[fd00::8]', port: 80 },
  ],
};

interface Container {
  readonly name: string;
  readonly resources: { readonly requests: unknown; readonly limits: unknown };
  readonly securityContext: Record<string, unknown>;
}

interface Spec extends Record<string, unknown> {
  readonly containers: readonly Container[];
  readonly volumes: readonly object[];
}

const specOf = (pod: Record<string, unknown>) => pod['spec'] as Spec;

describe('every pod', () => {
  const all = [servicePod(PODS, START), nodePod(PODS, 'a'), loadPod(PODS, 'b', { cpus: 1, memoryMiB: 512 }, 'n1')];

  test('can be found by its run and its owner, and ends by itself', () => {
    for (const pod of all) {
      expect(pod.metadata).toMatchObject({
        labels: { wiregauge: '1', 'wiregauge.run': 'abc' },
        annotations: { 'wiregauge.owner': '1:2' },
      });
      expect(specOf(pod)).toMatchObject({ activeDeadlineSeconds: 21_600, restartPolicy: 'Never' });
    }
  });

  test('has no rights: not in the cluster, on its node, or over its files', () => {
    for (const spec of all.map(specOf)) {
      expect(spec).toMatchObject({ automountServiceAccountToken: false });
      expect(spec).not.toHaveProperty('hostNetwork');
      expect(spec.volumes.flatMap((volume) => Object.keys(volume))).not.toContain('hostPath');
      for (const { securityContext } of spec.containers) {
        expect(securityContext).toMatchObject({
          privileged: false,
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
      }
    }
  });

  test('that is loaded or loads has all that it requests for itself', () => {
    const [service, , load] = all.map(specOf);
    for (const { resources } of [...(service?.containers ?? []), ...(load?.containers ?? [])]) {
      expect(resources.requests).toEqual(resources.limits);
    }
    expect(service?.containers[0]?.resources.limits).toEqual({ cpu: '500m', memory: '256Mi' });
  });
});

test('a service runs on the chosen node, with a reader that sees its processes, and its variables are not expanded', () => {
  const spec = specOf(
    servicePod(PODS, {
      ...START,
      program: { ...SERVICE, tmpfs: ['/cache', '/tmp', '/cache'], user: '1000:50', command: ['-v', '$(X)'] },
    }),
  );

  expect(JSON.stringify(spec['affinity'])).toContain('"metadata.name","operator":"In","values":["n1"]');
  expect(spec['shareProcessNamespace']).toBe(true);
  expect(spec['hostAliases']).toEqual([
    { ip: '10.0.0.8', hostnames: ['cache'] },
    { ip: 'fd00::8', hostnames: ['store'] },
  ]);
  expect(spec.containers.map(({ name }) => name)).toEqual(['service', 'wiregauge-reader']);
  expect(spec.containers[0]).toMatchObject({
    args: ['-v', '$$(X)'],
    env: expect.arrayContaining([
      { name: 'GREETING', value: 'a$$$$b costs $$(PRICE)' },
      { name: 'HOST', value: '0.0.0.0' },
      { name: 'PORT', value: '8080' },
    ]),
    securityContext: { runAsUser: 1000, runAsGroup: 50 },
    volumeMounts: [{ mountPath: '/tmp' }, { mountPath: '/cache' }],
  });
});

test('pods of a run can talk with each other only, as long as the pod on the node of the services is there', () => {
  const pods = { podSelector: { matchLabels: { 'wiregauge.run': 'abc' } } };

  expect(networkPolicy(PODS, { name: 'wiregauge-1', uid: 'u' })).toMatchObject({
    metadata: { ownerReferences: [{ kind: 'Pod', name: 'wiregauge-1', uid: 'u' }] },
    spec: { ...pods, policyTypes: ['Ingress', 'Egress'], ingress: [{ from: [pods] }], egress: [{ to: [pods] }] },
  });
});

test('the load driver is kept off the node of the services if there is another', () => {
  expect(JSON.stringify(specOf(loadPod(PODS, 'b', { cpus: 1, memoryMiB: 512 }, 'n1'))['affinity'])).toMatch(
    /^{"nodeAffinity":{"preferred.*"operator":"NotIn","values":\["n1"\]/,
  );
});
