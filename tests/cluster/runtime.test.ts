import { describe, expect, test } from 'vitest';
import { clusterProject, configuration, measuring } from './project.ts';

const { action, asAdmin, kubectl, podOf, podsLeft, run, wiregauge, write } = clusterProject();

/** The service answers only with what it finds in its ConfigMap, its Secret and its volume. */
const MANIFESTS = `apiVersion: apps/v1
kind: Deployment
metadata: { name: work }
spec:
  replicas: 3
  template:
    metadata: { labels: { app: work } }
    spec:
      initContainers:
        - { name: check, image: "example.test/work:0", command: [/server, check] }
      containers:
        - name: web
          image: example.test/work:0
          env:
            - { name: PORT, value: "8080" }
            - { name: GREETING, valueFrom: { configMapKeyRef: { name: settings, key: greeting } } }
          envFrom: [{ secretRef: { name: keys } }]
          readinessProbe: { httpGet: { path: /work, port: 8080 }, periodSeconds: 1 }
          resources: { requests: { cpu: 100m }, limits: { cpu: 300m, memory: 128Mi } }
          volumeMounts: [{ name: files, mountPath: /etc/work }]
      volumes: [{ name: files, configMap: { name: settings } }]
---
apiVersion: v1
kind: ConfigMap
metadata: { name: settings }
data: { greeting: hello }
---
apiVersion: v1
kind: Secret
metadata: { name: keys }
stringData: { KEY: secret }
---
apiVersion: v1
kind: Service
metadata: { name: work }
spec: { selector: { app: work }, ports: [{ port: 80, targetPort: 8080 }] }
`;

/** Evicts a pod as `kubectl drain` does. */
function evict(pod: string): void {
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: pod } };
  const path = `/api/v1/namespaces/perf/pods/${pod}/eviction`;
  asAdmin(['create', `--raw=${path}`, '--filename=-'], JSON.stringify(eviction));
}

interface Pod {
  readonly spec: { readonly containers: readonly { readonly name: string }[] };
}

describe('services in pods', () => {
  test('are run, and the machine of the run is their node', async () => {
    const { exitCode, stderr } = await wiregauge(measuring('run', '--no-versus'));

    expect([exitCode, stderr]).toEqual([0, expect.any(String)]);
    const { runtime, runner, samples } = run();
    expect(runtime.name).toBe('kubernetes');
    expect(runner.engine).toBe('kubernetes v1.34.4');
    const [sample] = samples.filter(({ cell }) => cell.tier === 'low');
    expect(sample?.values).toMatchObject({
      cpuMicrosPerRequest: expect.any(Number),
      peakMemoryMiB: expect.any(Number),
      wireBytesPerRequest: expect.any(Number),
    });
    expect(podsLeft()).toBe('');
  });

  test('have needs in pods, which are ready before them, and only pods of the run reach them', async () => {
    const store = '{ store: { image: { dockerfile: Dockerfile }, port: 9000, limits: { cpus: 0.2, memoryMiB: 64 } } }';
    write('wiregauge.yml', configuration(`needs: ${store}`));
    let most = 0;

    const { exitCode, stderr } = await wiregauge(measuring('run', '--no-versus'), {}, () => {
      most = Math.max(most, podsLeft().split('\n').length);
    });

    expect([exitCode, stderr]).toEqual([0, expect.any(String)]);
    expect([run().failures, run().calls?.failures]).toEqual([[], []]);
    expect(run().calls?.starts).toMatchObject([
      { operations: [{ operation: 'Work', need: 'store', commands: { 'GET /work': [10, 10, 10, 10, 10] } }] },
    ]);
    expect(most).toBe(4);
    expect(podsLeft()).toBe('');
    await expect.poll(() => asAdmin(['get', 'networkpolicies', '--output=name']), { timeout: 60_000 }).toBe('');
  });

  test('of several programs have each in a pod', async () => {
    const program = 'image: { dockerfile: Dockerfile }, limits: { cpus: 0.3, memoryMiB: 128 }';
    write(
      'wiregauge.yml',
      configuration().replace(
        /work:.*?operations/s,
        `work:\n    protocol: rest\n    cores: each\n    members:\n      front: { entry: true, ${program}, port: 8080 }\n      store: { ${program}, port: 9000 }\noperations`,
      ),
    );

    const { exitCode, stderr } = await wiregauge(measuring('run', '--no-versus'));

    expect([exitCode, stderr]).toEqual([0, expect.any(String)]);
    const [sample] = run().samples.filter(({ cell }) => cell.tier === 'low');
    expect(sample?.members).toMatchObject({
      front: { cpuMicrosPerRequest: expect.any(Number) },
      store: { peakMemoryMiB: expect.any(Number), receivedBytesPerRequest: expect.any(Number) },
    });
    expect(podsLeft()).toBe('');
  });

  test('that need something that does not get ready are not measured', async () => {
    const store =
      '{ store: { image: { dockerfile: Dockerfile }, port: 9000, ready: { path: /none, timeoutSeconds: 3 } } }';
    write(
      'wiregauge.yml',
      configuration(`needs: ${store.replace('port', 'limits: { cpus: 0.2, memoryMiB: 64 }, port')}`),
    );

    const { stdout, stderr } = await wiregauge(measuring('run', '--no-versus'));

    expect(`${stdout}${stderr}`.replaceAll(/\s+/g, ' ')).toMatch(
      /store \(needed by work\): not ready after 3 s: GET \/none on port 9000: it answered 404/,
    );
    expect(podsLeft()).toBe('');
  });

  test('get their pods from manifests, with the image of the version, and ConfigMaps for the run', async () => {
    write('deploy/app.yml', MANIFESTS);
    const from = configuration('manifests: deploy').replace('limits: { cpus: 0.3, memoryMiB: 128 }', '');
    write('wiregauge.yml', from);
    let [pods, left] = ['', ''];

    const { exitCode, stdout, stderr } = await wiregauge(measuring('run', '--no-versus'), {}, (output) => {
      if (pods === '' && /measuring/.test(output)) {
        pods = kubectl(['get', 'pods', '--output=json']);
        left = asAdmin(['get', 'configmaps,secrets', '--output=name']);
      }
    });

    expect([exitCode, stderr]).toEqual([0, expect.any(String)]);
    expect(`${stdout}${stderr}`).toContain('work: left out of deploy: Service work');
    expect(left.match(/(configmap|secret)\/wiregauge-[0-9a-f]{12}/g)).toHaveLength(2);
    const { items } = JSON.parse(pods);
    const [pod] = items.filter((one: Pod) => one.spec.containers.some(({ name }) => name === 'web'));
    expect(pod.status.qosClass).toBe('Guaranteed');
    expect(pod.spec.containers[0]).toMatchObject({ image: expect.stringMatching(/^wiregauge\.test\/perf:/) });
    expect(run().failures).toEqual([]);
    expect(podsLeft()).toBe('');
    const configs = () => asAdmin(['get', 'configmaps,secrets', '--selector=wiregauge=1', '--output=name']);
    await expect.poll(configs, { timeout: 60_000 }).toBe('');
  });

  test('are compared with each other by `versus`', async () => {
    const more = (one: string) => `${one}${one.replace('work:', 'more:')}    environment: { MORE: x }\n`;
    write('wiregauge.yml', configuration().replace(/ {2}work:.*?(?=operations)/s, more));

    const { exitCode, stdout, stderr } = await wiregauge(measuring('versus', 'work', 'more'));

    expect([exitCode, stderr]).toEqual([0, expect.any(String)]);
    expect(stdout).toMatch(/^work serves .* times as many requests per CPU second as more/m);
    expect(run()).toMatchObject({ runtime: { name: 'kubernetes' }, rounds: { versus: { reference: 'work' } } });
    expect(podsLeft()).toBe('');
  });

  test('are loaded with rising rates by `saturate`', async () => {
    const options = ['--step', '1s', '--runtime', 'kubernetes', '--out', 'out', '--json'];

    const { stdout } = await wiregauge(['saturate', ...options]);

    const { complete, services } = JSON.parse(stdout);
    expect({ complete, services }).toMatchObject({ complete: true, services: [{ name: 'work' }] });
    expect(services[0].steps.length).toBeGreaterThan(1);
    expect(podsLeft()).toBe('');
  });

  test('of an unchanged pull request are compared by the action', async () => {
    write('README.md', 'No program.\n');

    const ended = await action({ args: '--runtime kubernetes --always', profile: 'smoke', comment: 'never' });

    expect(ended).toMatchObject({
      exitCode: 0,
      outputs: expect.stringMatching(/^outcome<<.*\n(?:passed|inconclusive)$/m),
    });
    expect(ended.log).toContain('runtime: kubernetes');
    expect(podsLeft()).toBe('');
  });

  test('that a killed run has left are removed by the next start', async () => {
    const killed = await wiregauge(measuring('run'), {}, (output, kill) => /measuring/.test(output) && kill('SIGKILL'));
    const left = podsLeft().split('\n');

    const { stdout } = await wiregauge(['cache', 'clean']);

    expect([killed.exitCode, left.length]).toEqual([null, 3]);
    expect(stdout.match(/removing the pod wiregauge-/g)).toHaveLength(3);
    expect(podsLeft()).toBe('');
  });

  test('are removed at Ctrl-C', async () => {
    const ended = await wiregauge(
      measuring('run'),
      {},
      (output, kill) => /verified: work/.test(output) && kill('SIGINT'),
    );

    expect([ended.exitCode, podsLeft()]).toEqual([130, '']);
  });
});

describe('what a cluster refuses, with what helps', () => {
  test.each<readonly [string, Readonly<Record<string, string>>, RegExp]>([
    ['no cluster', { KUBECONFIG: '/dev/null' }, /WG-214|KUBECONFIG/],
    ['no right', { WIREGAUGE_KUBERNETES_NAMESPACE: 'default' }, /forbidden[\s\S]*rights in this namespace/],
    ['no image', { WIREGAUGE_KUBERNETES_PUSH: 'true' }, /cannot be pulled by the node[\s\S]*imagePullSecrets/],
    ['no registry', { WIREGAUGE_KUBERNETES_REGISTRY: '' }, /WIREGAUGE_KUBERNETES_REGISTRY is not set/],
    [
      'a push that fails',
      { WIREGAUGE_KUBERNETES_PUSH: 'false' },
      /cannot be pushed[\s\S]*false wiregauge\.invalid\/perf:/,
    ],
  ])('%s', async (_what, more, message) => {
    // Another registry, so that no image of an earlier test is on the node.
    const registry = { WIREGAUGE_KUBERNETES_REGISTRY: 'wiregauge.invalid/perf' };

    const { exitCode, stderr } = await wiregauge(measuring('run'), {
      ...('WIREGAUGE_KUBERNETES_PUSH' in more && registry),
      ...more,
    });

    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(message)]);
    expect(podsLeft()).toBe('');
  });

  test('a quota without room, before anything is started', async () => {
    asAdmin(['create', 'quota', 'small', '--hard=pods=10,limits.cpu=1500m']);
    await expect.poll(() => asAdmin(['get', 'quota', 'small', '--output=jsonpath={.status.hard.pods}'])).toBe('10');

    const { exitCode, stderr } = await wiregauge(measuring('run', '--no-versus'));

    asAdmin(['delete', 'quota', 'small']);
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringMatching(/do not fit into the ResourceQuota small .*limits\.cpu: 2\.4 needed, 1\.5 left/),
    ]);
    expect(podsLeft()).toBe('');
  });

  test('a right that is missing, before anything is started', async () => {
    const role = asAdmin(['get', 'role', 'wiregauge', '--output=json']);
    asAdmin(['patch', 'role', 'wiregauge', '--type=json', '--patch=[{"op":"remove","path":"/rules/1"}]']);

    const { exitCode, stderr } = await wiregauge(measuring('run', '--no-versus'));

    asAdmin(['replace', '--filename=-', '--force'], role);
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringMatching(/lacks rights in this namespace: create pods\/exec, create pods\/portforward/),
    ]);
  });

  test('a service that no node has room for', async () => {
    write('wiregauge.yml', configuration().replace('memoryMiB: 128', 'memoryMiB: 99999999'));

    const { exitCode, stderr } = await wiregauge(measuring('run', '--no-versus'));

    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/Insufficient memory[\s\S]*add a larger node/)]);
    expect(podsLeft()).toBe('');
  });

  test('a service that takes more memory than its limit', async () => {
    write('wiregauge.yml', configuration("environment: { HOLDS: 'xxxx' }"));

    const { stdout, stderr } = await wiregauge(measuring('run', '--no-versus'));

    expect(`${stdout}${stderr}`).toMatch(/work ran out of memory \(OOM\): it was killed at its limit of 128 MiB/);
    expect(podsLeft()).toBe('');
  });

  test.each<readonly [string, (pod: string) => void, string]>([
    ['deletes', (pod) => kubectl(['delete', 'pod', pod, '--wait=false']), 'it was deleted'],
    ['evicts', evict, 'Eviction API: evicting'],
  ])('a service whose pod someone %s', async (_what, remove, reason) => {
    let isRemoved = false;

    const { stdout, stderr } = await wiregauge(measuring('run', '--no-versus'), {}, (output) => {
      if (!isRemoved && /measuring/.test(output)) {
        isRemoved = true;
        remove(podOf('service'));
      }
    });

    expect(`${stdout}${stderr}`.replaceAll(/\s+/g, ' ')).toContain(`the cluster has lost work: ${reason}`);
    expect(podsLeft()).toBe('');
  });

  test('a service with something that it cannot start yet', async () => {
    write('wiregauge.yml', configuration('user: nobody'));

    expect((await wiregauge(measuring('run'))).stderr).toMatch(
      /work: has a `user` that is not a number, so .* cannot start it/,
    );
  });
});
