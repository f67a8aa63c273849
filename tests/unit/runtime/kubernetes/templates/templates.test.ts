import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Manifests, Service } from '../../../../../src/model/service.ts';
import { servicePod, withLimits } from '../../../../../src/runtime/kubernetes/templates/service-pod.ts';
import { podTemplates, templateKey, withConfigs } from '../../../../../src/runtime/kubernetes/templates/templates.ts';
import { restService } from '../../../../support/suite.ts';
import { fakeKubectl } from '../fake-kubectl.ts';

const { inFolder, kubectlThat } = fakeKubectl();
const never = new AbortController().signal;

let root: string;
let left: string[];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'manifests-'));
  left = [];
  return () => rmSync(root, { recursive: true, force: true });
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

/** A program first on PATH. */
function program(name: string, script: string): void {
  writeFileSync(inFolder(name), `#!/bin/sh\n${script}\n`);
  chmodSync(inFolder(name), 0o755);
}

const service = (manifests: Partial<Manifests> = {}, more: Partial<Service> = {}): Service => ({
  ...restService('shop'),
  port: 8080,
  manifests: { path: 'deploy', values: [], container: undefined, ...manifests },
  ...more,
});

const templatesOf = (...services: readonly Service[]) =>
  podTemplates({ root, services, log: (line) => void left.push(line) }, never);

const templateOf = async (one: Service) => {
  const found = (await templatesOf(one)).get(templateKey(one));
  if (found === undefined) {
    throw new Error('no template');
  }
  return found;
};

const deployment = (spec: string, name = 'shop') => `apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name}, namespace: production }
spec:
  replicas: 3
  template:
    metadata: { labels: { app: shop } }
    spec: { ${spec} }
`;

const ONE = deployment('containers: [{ name: app, image: "r/acme:1" }]');

const WHOLE = deployment(
  `serviceAccountName: shop, nodeSelector: { disk: ssd }, priorityClassName: high, terminationGracePeriodSeconds: 60,
      initContainers: [{ name: migrate, image: "r/shop:1", args: [migrate] }],
      containers: [
        { name: envoy, image: "envoy:1", resources: { limits: { cpu: 100m, memory: 64Mi } } },
        { name: app, image: "r/shop:1", resources: { requests: { cpu: 250m }, limits: { memory: 1Gi, cpu: null } },
          livenessProbe: { httpGet: { path: /live, port: 8080 } },
          env: [{ name: PORT, value: "9" }, { name: STORE_HOST, value: store.production },
                { name: KEY, valueFrom: { secretKeyRef: { name: keys, key: a } } },
                { name: URL, value: "http://$(STORE_HOST)" }],
          envFrom: [{ configMapRef: { name: settings } }, { secretRef: { name: elsewhere } }],
          readinessProbe: { httpGet: { path: /ready, port: 8080 } },
          volumeMounts: [{ name: conf, mountPath: /etc/shop }] } ],
      volumes: [{ name: conf, configMap: { name: settings, items: [{ key: a, path: name }] } }]`,
);

const CONFIGS = `
---
apiVersion: v1
kind: ConfigMap
metadata: { name: settings, labels: { app: shop } }
data: { a: b }
--- # Of the same file
apiVersion: v1
kind: Secret
metadata: { name: keys }
stringData: { a: secret }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: other }
---
apiVersion: v1
kind: Service
metadata: { name: shop }
`;

describe('a pod template', () => {
  test('becomes the pod, with the image, what it needs, and all that it uses reserved', async () => {
    write('deploy/app.yml', WHOLE + CONFIGS);
    const one = service({}, { environment: { LEVEL: 'info' } });
    const template = await templateOf(one);
    const pods = { run: 'abc', annotations: {}, tools: 'r/tools:1', architecture: 'amd64' };

    const { metadata, spec } = servicePod(pods, {
      ...{ name: 'wiregauge-1', program: one, template, image: 'r/perf:2', node: 'n1' },
      limits: { cpus: 0.25, memoryMiB: 1024 },
      environment: { STORE_HOST: '10.0.0.8', LEVEL: 'info' },
      places: [],
    });

    expect(metadata).toEqual({
      name: 'wiregauge-1',
      labels: { wiregauge: '1', 'wiregauge.run': 'abc' },
      annotations: {},
    });
    const own = { cpu: '250m', memory: '1024Mi' };
    expect(spec).toMatchObject({
      restartPolicy: 'Never',
      serviceAccountName: 'shop',
      automountServiceAccountToken: true,
      terminationGracePeriodSeconds: 2,
      nodeSelector: { 'kubernetes.io/arch': 'amd64' },
      initContainers: [
        {
          name: 'migrate',
          image: 'r/perf:2',
          args: ['migrate'],
          resources: { requests: own },
        },
      ],
      containers: [
        { name: 'envoy', image: 'envoy:1', resources: { requests: { cpu: '100m', memory: '64Mi' } } },
        {
          name: 'app',
          image: 'r/perf:2',
          resources: { requests: own, limits: own },
          env: [
            { name: 'STORE_HOST', value: '10.0.0.8' },
            { name: 'LEVEL', value: 'info' },
            { name: 'HOST', value: '0.0.0.0' },
            { name: 'PORT', value: '9' },
            { name: 'KEY' },
            { name: 'URL', value: 'http://$(STORE_HOST)' },
          ],
          volumeMounts: [{ mountPath: '/etc/shop' }],
        },
        { name: 'wiregauge-reader' },
      ],
    });
    expect(spec).not.toHaveProperty('priorityClassName');
    expect(JSON.stringify(spec)).not.toContain('Probe');
    expect(left).toEqual(['shop: left out of deploy: ConfigMap other, Service shop']);
  });

  test.each<readonly [string, Partial<Service>, object]>([
    ['limits: { cpu: 2, memory: 1Gi }', {}, { cpus: 2, memoryMiB: 1024 }],
    ['limits: { cpu: 2 }', { limits: { cpus: 0.5 } }, { cpus: 0.5, memoryMiB: 512 }],
    ['limits: { cpu: 3 }', { cores: 2 }, { cpus: 1.5, memoryMiB: 512 }],
    ['requests: { cpu: 100m, memory: 64Mi }', {}, { cpus: 1, memoryMiB: 512 }],
  ])('limits the service: %s, %j', async (resources, more, limits) => {
    write('deploy/app.yml', deployment(`containers: [{ name: app, resources: { ${resources} } }]`));
    const one = service({}, more);
    const template = await templateOf(one);
    const options = { limits: { cpus: 1, memoryMiB: 512 }, templateOf: () => template };
    const ready = { check: { kind: 'usual' as const }, timeoutSeconds: 60 };
    const { members } = withLimits(options, { ...one, members: [{ ...one, ready, needs: [], fresh: 'slot' }] });

    expect(withLimits(options, one).limits).toEqual(limits);
    expect(withLimits(options, withLimits(options, one)).limits).toEqual(limits);
    expect(members?.[0]?.limits).toEqual(limits);
    expect(withLimits(options, { ...one, manifests: undefined }).limits).toBe(more.limits);
  });

  test('gets ConfigMaps and Secrets of its own for each version, which end with the run', async () => {
    write('deploy/app.yml', WHOLE + CONFIGS);
    const one = service();
    const templates = await templatesOf(one);
    const kubectl = kubectlThat(`[ "$1" = create ] && cat >${inFolder('created')}`);
    const common = { run: 'abc', annotations: {}, tools: '', architecture: '' };
    const cluster = { kubectl, common, node: { pod: { name: 'n', uid: 'u' }, name: 'n1', host: '' } };

    const created = (await withConfigs(templates, cluster, never)).get(templateKey(one));

    const { items } = JSON.parse(readFileSync(inFolder('created'), 'utf8'));
    expect(items).toMatchObject([
      { kind: 'ConfigMap', data: { a: 'b' } },
      { kind: 'Secret', stringData: { a: 'secret' } },
    ]);
    const names = items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
    expect(items[0].metadata).toEqual({
      name: expect.stringMatching(/^wiregauge-[0-9a-f]{12}$/),
      labels: { wiregauge: '1', 'wiregauge.run': 'abc' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'n', uid: 'u' }],
    });
    const text = JSON.stringify(created?.spec);
    expect(text).toContain(`"configMap":{"name":"${names[0]}","items":[{"key":"a","path":"name"}]}`);
    expect(text).toContain(`[{"configMapRef":{"name":"${names[0]}"}},{"secretRef":{"name":"elsewhere"}}]`);
    expect(text).toContain(`"secretKeyRef":{"name":"${names[1]}"`);
  });
});

describe('manifests are', () => {
  test('all files of a folder', async () => {
    write('deploy/a/app.yaml', ONE);
    write('deploy/config.json', '{ "kind": "ConfigMap", "metadata": { "name": "c" } }');
    write('deploy/README.md', '# kind: Service');

    expect((await templateOf(service())).container).toBe('app');
    expect(left).toEqual(['shop: left out of deploy: ConfigMap c']);
  });

  test('items of a list, with their places', async () => {
    const items = [{ kind: 'ConfigMap', metadata: { name: 'c' } }, null, { kind: 'Deployment', spec: { template: 1 } }];
    write('deploy/list.json', JSON.stringify({ kind: 'List', items }));
    write('deploy/app.yml', ONE);

    expect((await templateOf(service())).container).toBe('app');
    expect(left).toEqual(['shop: left out of deploy: ConfigMap c, Deployment']);

    rmSync(join(root, 'deploy/app.yml'));
    write(
      'deploy/list.json',
      `{"kind":"List","items":[{"kind":"Deployment","spec":{"template":{"spec":{
      "hostPID":true,"containers":[{"name":"app"}]}}}}]}`,
    );
    await expect(templatesOf(service())).rejects.toThrow('list.json:2:7: items.0.spec.template.spec.hostPID: needs');
  });

  test.each(['kustomize', 'kubectl'])('what %s prints, without variables of this machine', async (name) => {
    vi.stubEnv('TOKEN', 'secret');
    write('deploy/kustomization.yml', '');
    write('rendered', ONE);
    program(
      name,
      'echo warning >&2; [ -z "$TOKEN" ] && case "$*" in "build ./deploy"|"kustomize ./deploy") cat rendered;; esac',
    );
    vi.stubEnv('PATH', `${inFolder('')}:/usr/bin:/bin`);

    expect((await templateOf(service())).container).toBe('app');
  });

  test('what helm prints', async () => {
    write('deploy/Chart.yaml', '');
    write('perf.yml', '');
    write('rendered', ONE);
    program('helm', '[ "$*" = "template wiregauge ./deploy --values ./perf.yml" ] && cat rendered');

    expect((await templateOf(service({ values: ['perf.yml'] }))).container).toBe('app');
  });
});

describe('the container with the image is', () => {
  const several = (...images: readonly string[]) =>
    deployment(`containers: [${images.map((image, index) => `{ name: c${index}, image: "${image}" }`)}]`);

  test.each<readonly [string, string, Service, string]>([
    ['the only one', several('other:1'), service(), 'c0'],
    ['that with the name of the service', several('r:5000/envoy', 'r:5000/acme/shop:1'), service(), 'c1'],
    ['that of a variant', several('envoy', 'shop'), service({}, { name: 'shop.fast' }), 'c1'],
    [
      'that with its image',
      several('envoy', 'r/store@sha256:00'),
      service({}, { image: { reference: 'r/store:2' } }),
      'c1',
    ],
    ['the named one', several('envoy', 'shop'), service({ container: 'shop/c0' }), 'c0'],
  ])('%s', async (_what, text, one, container) => {
    write('deploy/app.yml', text);

    expect((await templateOf(one)).container).toBe(container);
  });

  test.each<readonly [string, Partial<Manifests>, RegExp]>([
    [several('envoy', 'app:1'), {}, /several containers may be meant: shop\/c0 \(envoy\), shop\/c1 \(app\)$/],
    [several('shop:1', 'shop:2'), {}, /meant: shop\/c0 \(shop\), shop\/c1 \(shop\)$/],
    [ONE, { container: 'web' }, /there is no container web: shop\/app \(r\/acme\)$/],
  ])('an error with the choices: %#', async (text, manifests, message) => {
    write('deploy/app.yml', text);

    await expect(templatesOf(service(manifests))).rejects.toMatchObject({
      code: 'WG-116',
      message: expect.stringMatching(message),
      next: expect.stringContaining('container: <Deployment>/<container>'),
    });
  });
});

describe('refused is', () => {
  test('what needs more than the namespace, all at once with file and line', async () => {
    write(
      'deploy/a.yml',
      '# A comment\n---\nkind: Service\n---\n' +
        deployment(`hostNetwork: true, hostPID: true,
      volumes: [{ name: a, hostPath: { path: / } }, { name: b, persistentVolumeClaim: { claimName: b } }],
      containers: [{ name: app, ports: [{ containerPort: 80, hostPort: 80 }], securityContext: {
        privileged: true, capabilities: { add: [CHOWN, SYS_ADMIN] }, seccompProfile: { type: Unconfined } } }]`),
    );
    write('other/a.yml', 'a: [');

    const refused = templatesOf(service(), service({ path: 'other' }, { name: 'other' }));

    await expect(refused).rejects.toMatchObject({ code: 'WG-105' });
    const { message } = await refused.catch((thrown) => thrown);
    const pod = 'spec.template.spec';
    for (const line of [
      `deploy/a.yml:12:13: ${pod}.hostNetwork: needs more rights`,
      `deploy/a.yml:12:32: ${pod}.hostPID: needs`,
      `deploy/a.yml:13:28: ${pod}.volumes.0.hostPath: must not be`,
      `${pod}.volumes.1.persistentVolumeClaim: must not be`,
      `deploy/a.yml:14:62: ${pod}.containers.0.ports.0.hostPort: needs`,
      `deploy/a.yml:15:9: ${pod}.containers.0.securityContext.privileged: needs`,
      `${pod}.containers.0.securityContext.capabilities.add.1: needs`,
      `${pod}.containers.0.securityContext.seccompProfile.type: needs`,
      'other/a.yml:1:5: is not valid YAML',
    ]) {
      expect(message).toContain(line);
    }
  });

  test.each([
    'seLinuxOptions: { type: spc_t }',
    'windowsOptions: { hostProcess: true }',
    'sysctls: [{ name: kernel.msgmax, value: "1" }]',
  ])('a pod or container with %s', async (options) => {
    write(
      'deploy/app.yml',
      deployment(`securityContext: { ${options} }, containers: [{ securityContext: { ${options} }, name: app }]`),
    );

    const { message } = await templatesOf(service()).catch((thrown) => thrown);

    const [key] = options.split(':');
    expect(message).toContain(`spec.template.spec.securityContext.${key}: needs more rights`);
    expect(message).toContain(`spec.template.spec.containers.0.securityContext.${key}: needs more rights`);
  });

  test('a folder without a Deployment', async () => {
    write('deploy/app.yml', 'kind: Job');

    await expect(templatesOf(service())).rejects.toMatchObject({
      code: 'WG-116',
      message: 'shop: manifests: there is no Deployment or StatefulSet with a container in deploy',
      next: 'Set `path` to a file or folder with a Deployment or StatefulSet.',
    });
  });

  test('two objects of a name, with both places', async () => {
    write('deploy/a.yml', WHOLE + CONFIGS);
    write('deploy/b.yml', 'kind: ConfigMap\nmetadata: { name: settings }\n');

    await expect(templatesOf(service())).rejects.toThrow(
      /b\.yml:2:13: metadata\.name: ConfigMap settings is also at deploy\/a\.yml:\d+:\d+: metadata\.name$/,
    );
  });

  test.each([
    ['a: [', '6:1: is not valid YAML'],
    ['a: 1\na: 2', '6:1: '],
    [`a: ${'['.repeat(300)}`, '5: is nested too deeply'],
  ])('a later document that is not valid, with its line: %s', async (text, message) => {
    write('deploy/app.yml', `kind: Service\n---\nkind: Job\n---\n${text}\n`);

    await expect(templatesOf(service())).rejects.toThrow(`deploy/app.yml:${message}`);
  });

  test('a file of thousands of documents', async () => {
    write('deploy/app.yml', '---\n'.repeat(2000));

    await expect(templatesOf(service())).rejects.toThrow('deploy/app.yml: has 2001 documents; the limit is 2000');
  });

  test('a chart with a link to a folder', async () => {
    write('deploy/Chart.yaml', '');
    write('shared/key', '');
    symlinkSync('../shared', join(root, 'deploy/x'));

    await expect(templatesOf(service())).rejects.toMatchObject({
      code: 'WG-108',
      message: 'shop: manifests: deploy/x is a link to a folder',
    });
  });

  test('a StatefulSet with volumes of its own', async () => {
    const text = ONE.replace('Deployment', 'StatefulSet').replace('replicas: 3', 'volumeClaimTemplates: [{}]');
    write('deploy/app.yml', text);

    await expect(templatesOf(service())).rejects.toThrow(/app\.yml:5:3: spec\.volumeClaimTemplates: must be empty/);
  });

  test('a chart that reads files of this machine', async () => {
    write('deploy/Chart.yaml', '');
    symlinkSync('/etc/hostname', join(root, 'deploy/name'));

    await expect(templatesOf(service())).rejects.toMatchObject({ code: 'WG-108' });
  });

  test.each<readonly [string, Partial<Manifests>, object]>([
    ['a path that is not there', { path: 'none' }, { code: 'WG-107', message: 'shop: manifests: there is no none' }],
    ['values without a chart', { values: ['a.yml'] }, { code: 'WG-105' }],
  ])('%s', async (_what, manifests, error) => {
    write('deploy/app.yml', ONE);

    await expect(templatesOf(service(manifests))).rejects.toMatchObject(error);
  });

  test('a chart that does not render, with what helm says', async () => {
    write('deploy/Chart.yaml', '');
    program('helm', 'echo "Error: no template \\"x\\"" >&2; exit 1');

    await expect(templatesOf(service())).rejects.toMatchObject({
      code: 'WG-116',
      message: 'helm template wiregauge ./deploy: ended with exit code 1: Error: no template "x"',
    });
  });

  test('a chart without helm', async () => {
    write('deploy/Chart.yaml', '');
    vi.stubEnv('PATH', inFolder(''));

    await expect(templatesOf(service())).rejects.toMatchObject({
      code: 'WG-213',
      message: expect.stringMatching(/^helm cannot be started: /),
      next: 'Install helm, and put it on PATH.',
    });
  });
});
