import {
  type NeedPlace,
  type Program,
  portVariables,
  programsOf,
  type Service,
  withPrograms,
} from '../../../model/service.ts';
import type { Limits, RuntimeOptions } from '../../port.ts';
import {
  guaranteed,
  type PodManifest,
  podOf,
  quantities,
  quantity,
  RESTRICTED,
  type RunPods,
  toolsContainer,
} from '../manifests.ts';
import type { Container } from './pod-spec.ts';
import type { PodTemplate } from './template.ts';

export const READER = 'wiregauge-reader';

const READER_LIMITS: Limits = { cpus: 0.1, memoryMiB: 64 };

/** Limits of sidecars and init containers that have none. */
const SIDECAR_LIMITS: Limits = { cpus: 0.1, memoryMiB: 128 };

export interface ServicePod {
  readonly name: string;
  readonly program: Program;
  readonly template: PodTemplate;
  readonly image: string;
  readonly limits: Limits;
  readonly environment: Readonly<Record<string, string>>;
  readonly node: string;
  /** Also reached by name. */
  readonly places: readonly NeedPlace[];
}

/** Pod of a program, on that node and with all requested resources reserved, and a reader that sees its processes. */
export function servicePod(pods: RunPods, start: ServicePod): PodManifest {
  const { name, program, template, image, limits, node, places } = start;
  const { containers, initContainers, volumes, hostAliases, ...spec } = template.spec;
  const measured = containers.find((one) => one.name === template.container);
  const mounted = measured?.volumeMounts.map(({ mountPath }) => mountPath);
  const folders = [...new Set(program.tmpfs)]
    .filter((path) => !mounted?.includes(path))
    .map((path, index) => ({ path, name: `wiregauge-${index}` }));
  const filled = (one: Container) => ({
    ...one,
    ...(one.image === measured?.image && { image, imagePullPolicy: 'IfNotPresent' }),
    resources: guaranteed(SIDECAR_LIMITS, one.resources.limits),
  });
  const service = (one: Container) => ({
    ...filled(one),
    env: variablesOf(one, start),
    ...(program.command !== undefined && { args: program.command.map(unexpanded) }),
    ports: one.ports ?? [{ containerPort: program.port }],
    resources: guaranteed(limits, { ...one.resources.limits, ...quantities(limits) }),
    securityContext: { ...one.securityContext, ...userOf(program) },
    volumeMounts: [...one.volumeMounts, ...folders.map((folder) => ({ name: folder.name, mountPath: folder.path }))],
  });
  const reader = { ...toolsContainer(pods, READER), volumeMounts: [], resources: guaranteed(READER_LIMITS) };
  const onNode = { matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] };
  const own = places.map(({ name: alias, host, direct = host }) => ({
    ip: direct.replace(/^\[|\]$/g, ''),
    hostnames: [alias],
  }));
  return podOf(pods, {
    automountServiceAccountToken: spec.serviceAccountName !== undefined,
    ...spec,
    name,
    containers: [...containers.map((one) => (one === measured ? service : filled)(one)), reader],
    initContainers: initContainers.map((one) => ({
      ...filled(one),
      // Runs before the service, so the pod reserves no more for it.
      resources: guaranteed(limits, one.resources.limits),
      // Only the last output of a failed one remains.
      terminationMessagePolicy: 'FallbackToLogsOnError',
    })),
    volumes: [...volumes, ...folders.map((folder) => ({ name: folder.name, ...IN_MEMORY }))],
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [onNode] } } },
    shareProcessNamespace: true,
    hostAliases: [...own, ...hostAliases],
  });
}

/** Variables of the configuration precede those of a template, which may refer to them. */
function variablesOf({ env }: Container, { program, environment }: ServicePod): Container['env'] {
  const usual = { HOST: '0.0.0.0', ...portVariables(program, environment) };
  const given = new Set(env.map(({ name }) => name).filter((name) => !Object.hasOwn(environment, name)));
  const variables = Object.entries({ ...environment, ...usual }).filter(([name]) => !given.has(name));
  const names = new Set(variables.map(([name]) => name));
  return [
    ...variables.map(([name, value]) => ({ name, value: unexpanded(value) })),
    ...env.filter(({ name }) => !names.has(name)),
  ];
}

/** All pods that run at once for a service, as far as known in advance. */
export function servicePods(
  pods: RunPods,
  options: Pick<RuntimeOptions, 'limits'> & TemplatePlace,
  service: Service,
): readonly PodManifest[] {
  const unknown = { name: '', image: '', environment: {}, node: '', places: [] };
  return programsOf([service]).map((program) => {
    const template = options.templateOf(program);
    return servicePod(pods, { ...unknown, program, template, limits: limitsFor(options, program, template) });
  });
}

export interface TemplatePlace {
  readonly templateOf: (program: Program) => PodTemplate;
}

/** CPUs of a service are those of its template, or of all cores that it may use its share of. */
export function limitsFor(
  { limits: usual }: Pick<RuntimeOptions, 'limits'>,
  { limits, cores }: Program & Pick<Service, 'cores'>,
  { spec, container }: PodTemplate,
): Limits {
  const { cpu, memory } = spec.containers.find(({ name }) => name === container)?.resources.limits ?? {};
  const share = (limits?.cpus ?? usual.cpus) * (typeof cores === 'number' ? cores : 1);
  return {
    cpus: limits?.cpus !== undefined || cpu === undefined ? share : quantity(cpu),
    memoryMiB: limits?.memoryMiB ?? (memory === undefined ? usual.memoryMiB : Math.ceil(quantity(memory) / 2 ** 20)),
  };
}

/** Service with the limits of its pod templates, for it and everything that is started for it. */
export function withLimits(options: Pick<RuntimeOptions, 'limits'> & TemplatePlace, service: Service): Service {
  const limited = <One extends Program & Pick<Service, 'cores'>>(program: One): One => {
    if (program.manifests === undefined) {
      return program;
    }
    const { cpus, memoryMiB } = limitsFor(options, program, options.templateOf(program));
    const share = typeof program.cores === 'number' ? cpus / program.cores : cpus;
    return { ...program, limits: { cpus: share, memoryMiB } };
  };
  return withPrograms(service, limited);
}

const IN_MEMORY = { emptyDir: { medium: 'Memory' } };

/** Template of a program with only an image: a read-only file system, except for `/tmp`. */
export const IMAGE_ONLY: PodTemplate = {
  container: 'service',
  objects: [],
  spec: {
    containers: [
      {
        name: 'service',
        env: [],
        resources: { limits: {} },
        securityContext: RESTRICTED,
        volumeMounts: [{ name: 'memory', mountPath: '/tmp' }],
      },
    ],
    initContainers: [],
    volumes: [{ name: 'memory', ...IN_MEMORY }],
    imagePullSecrets: [],
    hostAliases: [],
    enableServiceLinks: false,
  },
};

/** Kubernetes expands `$(NAME)`, and turns two dollar signs into one. */
function unexpanded(value: string): string {
  return value.replaceAll('$', '$$$$');
}

function userOf({ user }: Program) {
  const [, uid, gid] = /^(\d+)(?::(\d+))?$/.exec(user ?? '') ?? [];
  return uid === undefined ? {} : { runAsUser: Number(uid), ...(gid !== undefined && { runAsGroup: Number(gid) }) };
}
