import { MARK } from '../docker/container.ts';
import { DRIVER } from '../driver/source.ts';
import type { Limits } from '../port.ts';

/** Label of all pods of a run. */
export const RUN = 'wiregauge.run';

export const TOOLS_CONTAINER = 'tools';

export const DRIVER_PATH = `/${DRIVER}`;

/** A pod left by a killed run ends after this: the longest job of GitHub Actions. */
const DEADLINE_SECONDS = 21_600;

const GRACE_SECONDS = 2;

export interface RunPods {
  readonly run: string;
  /** Marks of its owner, by which `isLeft` finds pods that a killed run has left. */
  readonly annotations: Readonly<Record<string, string>>;
  readonly tools: string;
  /** Architecture of the nodes, as Kubernetes names it. */
  readonly architecture: string;
}

/** Pod for the Kubernetes API. */
export interface PodManifest {
  readonly metadata: { readonly name: string; readonly [key: string]: unknown };
  readonly spec: {
    readonly containers: readonly { readonly resources: ReturnType<typeof guaranteed> }[];
    readonly [key: string]: unknown;
  };
  readonly [key: string]: unknown;
}

/** Pod on the node of the services: for its facts, and the control loop. It reserves little, and is idle while services are loaded. */
export function nodePod(pods: RunPods, name: string): PodManifest {
  const resources = {
    requests: quantities({ cpus: 0.05, memoryMiB: 32 }),
    limits: quantities({ cpus: 1, memoryMiB: 64 }),
  };
  return toolsPod(pods, name, resources);
}

/** Pod of a load driver, on a node other than `node`, that of the services, if one has room. Load drivers may share a node. */
export function loadPod(pods: RunPods, name: string, limits: Limits, node: string): PodManifest {
  const preference = { matchFields: [{ key: 'metadata.name', operator: 'NotIn', values: [node] }] };
  return toolsPod(pods, name, guaranteed(limits), {
    affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, preference }] } },
  });
}

function toolsPod(
  pods: RunPods,
  name: string,
  resources: ReturnType<typeof guaranteed>,
  more: object = {},
): PodManifest {
  const containers = [{ ...toolsContainer(pods, TOOLS_CONTAINER), resources }];
  return podOf(pods, { name, containers, volumes: [TEMPORARY], ...more });
}

/** Pod whose removal removes other objects. */
export interface PodOwner {
  readonly name: string;
  readonly uid: string;
}

/** Metadata of objects that the cluster removes with a pod. */
export function ownedBy(run: string, { name, uid }: PodOwner) {
  return { labels: { [MARK]: '1', [RUN]: run }, ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name, uid }] };
}

/** Lets the pods of a run communicate only with each other, where the cluster enforces that. It is removed with the pod that owns it. */
export function networkPolicy({ run }: RunPods, owner: PodOwner) {
  const pods = { podSelector: { matchLabels: { [RUN]: run } } };
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: owner.name, ...ownedBy(run, owner) },
    spec: { ...pods, policyTypes: ['Ingress', 'Egress'], ingress: [{ from: [pods] }], egress: [{ to: [pods] }] },
  };
}

export const RESTRICTED = {
  allowPrivilegeEscalation: false,
  privileged: false as const,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
};

const TEMPORARY = { name: 'temporary', emptyDir: { sizeLimit: '2Gi' } };

/** Container that waits for a driver, on a standard input without a writer. */
export function toolsContainer({ tools }: RunPods, name: string) {
  return {
    name,
    image: tools,
    imagePullPolicy: 'IfNotPresent',
    command: [DRIVER_PATH],
    stdin: true,
    securityContext: { ...RESTRICTED, runAsNonRoot: true, runAsUser: 65_534, runAsGroup: 65_534 },
    volumeMounts: [{ name: TEMPORARY.name, mountPath: '/tmp' }],
  };
}

export function podOf(
  { run, annotations, architecture }: RunPods,
  { name, ...spec }: { readonly name: string } & PodManifest['spec'],
): PodManifest {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { [MARK]: '1', [RUN]: run }, annotations },
    spec: {
      restartPolicy: 'Never',
      activeDeadlineSeconds: DEADLINE_SECONDS,
      terminationGracePeriodSeconds: GRACE_SECONDS,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      nodeSelector: { 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': architecture },
      ...spec,
    },
  };
}

/** Requests equal to limits: the resources are reserved (quality of service "Guaranteed"); cores are exclusive only with a static CPU manager. */
export function guaranteed(limits: Limits, more: Readonly<Record<string, string>> = {}) {
  const amounts: Readonly<Record<string, string>> = { ...quantities(limits), ...more };
  return { requests: amounts, limits: amounts };
}

export function quantities({ cpus, memoryMiB }: Limits) {
  return { cpu: `${Math.round(cpus * 1000)}m`, memory: `${memoryMiB}Mi` };
}

const UNITS: Readonly<Record<string, number>> = {
  ...{ '': 1, n: 1e-9, u: 1e-6, m: 1e-3, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15 },
  ...{ Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50 },
};

/** A quantity of Kubernetes: "500m", "1Gi", "2e3". */
export function quantity(text: string): number {
  const [, number, unit = ''] = /^([+-]?[\d.]+(?:[eE][+-]?\d+)?)([A-Za-z]{0,2})$/.exec(text) ?? [];
  return Number(number) * (UNITS[unit] ?? Number.NaN);
}
