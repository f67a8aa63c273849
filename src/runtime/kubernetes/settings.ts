import { ConfigError } from '../../foundation/errors.ts';

/** Cluster, and how images get to its nodes. The kubeconfig is kubectl's own: KUBECONFIG, or the account of the pod. */
export interface ClusterSettings {
  /** Undefined: the current context of the kubeconfig. */
  readonly context: string | undefined;
  /** Undefined: that of the context. */
  readonly namespace: string | undefined;
  /** Name of all images that are pushed: "ghcr.io/acme/perf". */
  readonly registry: string;
  /** Command that takes an image from the local Docker engine to where nodes find it; its last argument is the image name. */
  readonly push: readonly string[];
  /** Number of pods that send load; `auto`: as many as the rates need. */
  readonly generators: number | 'auto';
}

type Variables = Readonly<Record<string, string | undefined>>;

export function hasClusterSettings(variables: Variables): boolean {
  return Boolean(variables['WIREGAUGE_KUBERNETES_REGISTRY']);
}

const REGISTRY = /^[a-z0-9][a-z0-9.-]*(:\d+)?(\/[a-z0-9]+([._-]+[a-z0-9]+)*)+$/;

/** Settings in the variables that begin with WIREGAUGE_KUBERNETES; throws ConfigError for a missing registry and invalid values. */
export function clusterSettings(variables: Variables): ClusterSettings {
  const setting = (name: string): string | undefined => variables[`WIREGAUGE_KUBERNETES_${name}`]?.trim() || undefined;
  const registry = setting('REGISTRY');
  if (registry === undefined || !REGISTRY.test(registry)) {
    const why = registry === undefined ? 'is not set' : `is ${JSON.stringify(registry)}, which is not an image name`;
    throw new ConfigError(`--runtime kubernetes: WIREGAUGE_KUBERNETES_REGISTRY ${why}`, {
      code: registry === undefined ? 'WG-109' : 'WG-105',
      next: 'Set it to an image name, without a tag, that you may push and the nodes can pull: ghcr.io/acme/perf.',
    });
  }
  return {
    context: setting('CONTEXT'),
    namespace: setting('NAMESPACE'),
    registry,
    push: (setting('PUSH') ?? 'docker push').split(/\s+/),
    generators: generatorsOf(setting('GENERATORS') ?? '1'),
  };
}

function generatorsOf(text: string): ClusterSettings['generators'] {
  if (text !== 'auto' && !/^[1-9]\d{0,2}$/.test(text)) {
    throw new ConfigError(`--runtime kubernetes: WIREGAUGE_KUBERNETES_GENERATORS is ${JSON.stringify(text)}`, {
      code: 'WG-105',
      next: 'Set it to a number of pods from 1 to 999, or to auto.',
    });
  }
  return text === 'auto' ? text : Number(text);
}
