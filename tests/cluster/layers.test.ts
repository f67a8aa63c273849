import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { cluster, kubectl as kubectlWith } from './test-cluster.ts';

/** From the last to the first: there is no DNS here, so that each gets the address of the next one. */
const LAYERS = ['repository', 'service', 'controller'];

let kubeconfig: string;
const kubectl = (args: readonly string[], input?: string) => kubectlWith(kubeconfig, args, input);

beforeAll(() => {
  kubeconfig = cluster('up').replace('tester', 'admin');
  const folder = mkdtempSync(join(tmpdir(), 'layers-'));
  for (const layer of LAYERS) {
    const environment = { ...process.env, CGO_ENABLED: '0' };
    const build = ['build', '-o', join(folder, 'program'), `./cmd/layers-${layer}`];
    execFileSync('go', build, { cwd: 'services/layers/go', env: environment });
    const layout = ['--change', 'CMD ["/program"]', '--change', 'USER 10001:10001', '--change', 'ENV HOST=0.0.0.0'];
    const files = execFileSync('tar', ['--create', '--directory', folder, 'program'], { maxBuffer: 2 ** 28 });
    execFileSync('docker', ['import', ...layout, '-', `layers-${layer}:1`], { input: files });
    cluster('load', `layers-${layer}:1`);
    execFileSync('docker', ['rmi', `layers-${layer}:1`]);
  }
  rmSync(folder, { recursive: true });
});
afterAll(() => {
  cluster('down');
});

interface Resource {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: {
    replicas?: number;
    template: {
      spec: { hostAliases?: object[]; readonly containers: readonly { resources: object; imagePullPolicy?: string }[] };
    };
  };
}

/** An overlay without what the operator of Prometheus reads, and with little of this machine reserved. */
function overlay(way: string): readonly Resource[] {
  const text = execFileSync('kubectl', ['kustomize', resolve(`deploy/kubernetes/overlays/${way}`)], {
    encoding: 'utf8',
  });
  const all: readonly Resource[] = parseAllDocuments(text).map((one) => one.toJS());
  const applied = all.filter(({ kind }) => kind !== 'ServiceMonitor');
  for (const { kind, spec } of applied) {
    if (kind === 'Deployment' && spec !== undefined) {
      spec.replicas = 1;
      for (const container of spec.template.spec.containers) {
        container.resources = { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '300m', memory: '128Mi' } };
        container.imagePullPolicy = 'Never';
      }
    }
  }
  return applied;
}

describe.each(['http', 'grpc'])('the overlay of layers over %s', (way) => {
  const namespace = `--namespace=layers-${way}`;
  const apply = (items: readonly Resource[]): void => {
    const order = ['Namespace', 'ConfigMap', 'Service', 'Deployment'];
    const sorted = items.toSorted((one, other) => order.indexOf(one.kind) - order.indexOf(other.kind));
    kubectl(['apply', '--filename=-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: sorted }));
  };
  /** A page of a pod or a service, by the cluster's own proxy. */
  const page = (path: string) => kubectl(['get', `--raw=/api/v1/namespaces/layers-${way}/${path}`]);
  const podOf = (layer: string) => {
    const args = ['get', 'pods', namespace, `--selector=app.kubernetes.io/name=${layer}`, '--output=json'];
    return JSON.parse(kubectl(args)).items[0];
  };

  test('starts: each layer gets ready and serves a request, and its metrics at the annotated page', async () => {
    const all = overlay(way);
    apply(all.filter(({ kind }) => kind !== 'Deployment'));
    const aliases: object[] = [];
    for (const layer of LAYERS) {
      const deployment = all.filter(({ kind, metadata }) => kind === 'Deployment' && metadata.name === layer);
      for (const { spec } of deployment) {
        Object.assign(spec?.template.spec ?? {}, { hostAliases: [...aliases] });
      }
      apply(deployment);
      kubectl(['wait', namespace, '--for=condition=Available', `deployment/${layer}`, '--timeout=80s']);
      aliases.push({ ip: podOf(layer).status.podIP, hostnames: [layer] });
    }

    for (const layer of LAYERS) {
      // Without DNS, the first call of gRPC takes longer than a layer waits.
      const user = () => page(`services/${layer}:http/proxy/api/v1/users/1`);
      await expect.poll(user, { timeout: 60_000 }).toMatch(/^{"id":"1",/);
      const { annotations, name } = podOf(layer).metadata;
      expect(annotations['prometheus.io/scrape']).toBe('true');
      const metrics = page(
        `pods/${name}:${annotations['prometheus.io/port']}/proxy${annotations['prometheus.io/path']}`,
      );
      expect(metrics).toContain('http_requests_total{operation="GetUser",status="200"}');
    }
    kubectl(['delete', 'namespace', `layers-${way}`, '--wait=false']);
  });
});
