import { ConfigError } from '../../foundation/errors.ts';
import { type NeedPlace, type Program, portVariables, programsOf, type Service } from '../../model/service.ts';
import { MARK } from '../docker/container.ts';
import { DRIVER } from '../driver/source.ts';
import type { Limits, RuntimeOptions } from '../port.ts';

/** The label of all pods of a run. */
export const RUN = 'wiregauge.run';

/** Containers of pods. */
export const SERVICE = 'service';
export const READER = 'reader';
export const TOOLS_CONTAINER = 'tools';

/** Path of the driver in its image. */
export const DRIVER_PATH = `/${DRIVER}`;

/** A pod left by a killed run ends after this: the longest job of GitHub Actions. */
const DEADLINE_SECONDS = 21_600;

/** Time to end after SIGTERM. */
const GRACE_SECONDS = 2;

const READER_LIMITS: Limits = { cpus: 0.1, memoryMiB: 64 };

/** Settings that all pods of a run share. */
export interface RunPods {
  readonly run: string;
  /** Marks of its owner, by which `isLeft` finds what a killed run has left. */
  readonly annotations: Readonly<Record<string, string>>;
  /** Image of the driver. */
  readonly tools: string;
  /** Architecture of the nodes, in their words. */
  readonly architecture: string;
}

/** A pod for the API of Kubernetes. */
export interface PodManifest {
  readonly metadata: { readonly name: string; readonly [key: string]: unknown };
  readonly [key: string]: unknown;
}

/** Pod on the node of the services: for its facts, and the control loop. It reserves little, and is idle while services are loaded. */
export function nodePod(pods: RunPods, name: string): PodManifest {
  const resources = {
    requests: quantities({ cpus: 0.05, memoryMiB: 32 }),
    limits: quantities({ cpus: 1, memoryMiB: 64 }),
  };
  return podOf(pods, {
    name,
    containers: [{ ...toolsContainer(pods, TOOLS_CONTAINER), resources }],
    volumes: [TEMPORARY],
  });
}

/** Pod of the load driver, on another node than the services if there is one. */
export function loadPod(pods: RunPods, name: string, limits: Limits): PodManifest {
  const apart = {
    weight: 100,
    podAffinityTerm: { labelSelector: { matchLabels: { [RUN]: pods.run } }, topologyKey: 'kubernetes.io/hostname' },
  };
  return podOf(pods, {
    name,
    containers: [{ ...toolsContainer(pods, TOOLS_CONTAINER), resources: guaranteed(limits) }],
    volumes: [TEMPORARY],
    affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [apart] } },
  });
}

/** Start of the pod of a service, one of its members, or a need. */
export interface ServicePod {
  readonly name: string;
  readonly program: Program;
  readonly image: string;
  readonly limits: Limits;
  readonly environment: Readonly<Record<string, string>>;
  readonly node: string;
  /** Reached by their names, too. */
  readonly places: readonly NeedPlace[];
}

/** Pod of a program, on that node and with all that it requests reserved, and a reader that sees its processes. */
export function servicePod(pods: RunPods, start: ServicePod): PodManifest {
  const { name, program, image, limits, environment, node, places } = start;
  const variables = { ...environment, HOST: '0.0.0.0', ...portVariables(program, environment) };
  const folders = [...new Set(['/tmp', ...(program.tmpfs ?? [])])].map((path, index) => ({
    path,
    name: `memory-${index}`,
  }));
  const container = {
    name: SERVICE,
    image,
    imagePullPolicy: 'IfNotPresent',
    env: Object.entries(variables).map(([variable, value]) => ({ name: variable, value: unexpanded(value) })),
    ...(program.command !== undefined && { args: program.command.map(unexpanded) }),
    ports: [{ containerPort: program.port }],
    resources: guaranteed(limits),
    securityContext: { ...RESTRICTED, ...userOf(program) },
    volumeMounts: folders.map((folder) => ({ name: folder.name, mountPath: folder.path })),
  };
  const reader = { ...toolsContainer(pods, READER), volumeMounts: [], resources: guaranteed(READER_LIMITS) };
  const onNode = { matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] };
  return podOf(pods, {
    name,
    containers: [container, reader],
    volumes: folders.map((folder) => ({ name: folder.name, emptyDir: { medium: 'Memory' } })),
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [onNode] } } },
    shareProcessNamespace: true,
    hostAliases: places.map(({ name, host }) => ({ ip: host.replace(/^\[|\]$/g, ''), hostnames: [name] })),
  });
}

/** All pods that run at once for a service, as far as they can be known before. */
export function servicePods(
  pods: RunPods,
  options: Pick<RuntimeOptions, 'limits'>,
  service: Service,
): readonly PodManifest[] {
  const unknown = { name: '', image: '', environment: {}, node: '', places: [] };
  return programsOf([service]).map((program) =>
    servicePod(pods, { ...unknown, program, limits: limitsFor(options, program) }),
  );
}

/** CPUs of a service are those of all cores that it may use its share of. */
export function limitsFor(
  { limits: usual }: Pick<RuntimeOptions, 'limits'>,
  { limits, cores }: Program & Pick<Service, 'cores'>,
): Limits {
  const cpus = limits?.cpus ?? usual.cpus;
  return { cpus: typeof cores === 'number' ? cores * cpus : cpus, memoryMiB: limits?.memoryMiB ?? usual.memoryMiB };
}

/** Lets the pods of a run talk with each other only, where the cluster enforces that. It goes with the pod that owns it. */
export function networkPolicy({ run }: RunPods, owner: { readonly name: string; readonly uid: string }) {
  const pods = { podSelector: { matchLabels: { [RUN]: run } } };
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: {
      name: owner.name,
      labels: { [MARK]: '1', [RUN]: run },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', ...owner }],
    },
    spec: { ...pods, policyTypes: ['Ingress', 'Egress'], ingress: [{ from: [pods] }], egress: [{ to: [pods] }] },
  };
}

const RESTRICTED = {
  allowPrivilegeEscalation: false,
  privileged: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
};

const TEMPORARY = { name: 'temporary', emptyDir: { sizeLimit: '2Gi' } };

/** Waits for a driver, on a standard input without a writer. */
function toolsContainer({ tools }: RunPods, name: string) {
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

function podOf(
  { run, annotations, architecture }: RunPods,
  { name, ...spec }: { readonly name: string; readonly [key: string]: unknown },
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

/** Requests equal to limits: the resources are reserved (quality of service "Guaranteed"); cores are exclusive only by a static CPU manager. */
function guaranteed(limits: Limits) {
  return { requests: quantities(limits), limits: quantities(limits) };
}

function quantities({ cpus, memoryMiB }: Limits) {
  return { cpu: `${Math.round(cpus * 1000)}m`, memory: `${memoryMiB}Mi` };
}

/** Kubernetes expands `$(NAME)`, and makes one dollar sign of two. */
function unexpanded(value: string): string {
  return value.replaceAll('$', '$$$$');
}

function userOf({ user }: Program) {
  const [, uid, gid] = /^(\d+)(?::(\d+))?$/.exec(user ?? '') ?? [];
  return uid === undefined ? {} : { runAsUser: Number(uid), ...(gid !== undefined && { runAsGroup: Number(gid) }) };
}

/** Throws ConfigError for a service with something that this runtime does not start yet. */
export function refuseUnsupported(services: readonly Service[]): void {
  const named = services.flatMap((service) => {
    const { name, address, plant, members = [], cores } = service;
    const own = [
      [name, '`address`', address !== undefined],
      [name, 'a planted slowdown', plant !== undefined],
      [name, '`members` without `cores: each`', members.length > 0 && cores !== 'each'],
    ] as const;
    const programs = programsOf([service]).flatMap(({ name: program, image, files = {}, user }) => [
      [program, '`files`', Object.keys(files).length > 0] as const,
      [program, 'a `user` that is no number', user !== undefined && !/^\d+(:\d+)?$/.test(user)] as const,
      [program, 'no `image`', image === undefined] as const,
    ]);
    return [...own, ...programs];
  });
  const obstacle = named.find(([, , isThere]) => isThere);
  if (obstacle !== undefined) {
    throw new ConfigError(`${obstacle[0]}: has ${obstacle[1]}, so --runtime kubernetes cannot start it`, {
      code: 'WG-116',
      next: 'Measure it with --runtime docker or process, or select other services with --services.',
    });
  }
}
