import * as z from 'zod';
import { EnvironmentError } from '../../foundation/errors.ts';
import { parsedJson } from '../../foundation/json.ts';
import { documentAddress, plainText } from '../../foundation/text.ts';
import type { Kubectl } from './kubectl.ts';
import { type PodManifest, quantity } from './manifests.ts';
import { clusterError } from './refusal.ts';

const RIGHTS = [
  ...['create pods', 'get pods', 'list pods', 'watch pods', 'delete pods'],
  ...['create pods/exec', 'create pods/portforward', 'get pods/log'],
];

/** Throws EnvironmentError with all permissions that the account lacks in the namespace. */
export async function refuseMissingRights(
  kubectl: Kubectl,
  created: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const missing = await Promise.all(
    [...RIGHTS, ...created.map((kind) => `create ${kind}`)].map(async (right) => {
      const [verb = '', kind = '', subresource] = right.split(/[ /]/);
      // "pods/exec" would be a pod with that name.
      const args = ['auth', 'can-i', verb, kind, ...(subresource ? [`--subresource=${subresource}`] : [])];
      const { exitCode, out, complaint } = await kubectl.call(args, { signal });
      if (exitCode !== 0 && !out.startsWith('no')) {
        throw clusterError(complaint || out, args);
      }
      return exitCode === 0 ? [] : [right];
    }),
  );
  if (missing.flat().length > 0) {
    throw new EnvironmentError(`the account of kubectl lacks rights in this namespace: ${missing.flat().join(', ')}`, {
      code: 'WG-214',
      next: `Give it the role of ${documentAddress('docs/how-to/kubernetes.md')}`,
    });
  }
}

const amounts = z.record(z.string(), z.string()).default({});

const quotasSchema = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string() }),
      spec: z.object({ scopes: z.array(z.string()).optional(), scopeSelector: z.object({}).optional() }),
      status: z.object({ hard: amounts, used: amounts }).prefault({}),
    }),
  ),
});

/**
 * Throws EnvironmentError if a ResourceQuota of the namespace has no room for pods and the largest of alternatives. Without permission to read
 * quotas, the cluster refuses a pod when it is started.
 */
export async function refuseFullQuota(
  kubectl: Kubectl,
  pods: readonly PodManifest[],
  alternatives: readonly (readonly PodManifest[])[],
): Promise<void> {
  const { exitCode, out } = await kubectl.call(['get', 'resourcequotas', '--output=json']);
  const quotas = exitCode === 0 ? quotasSchema.parse(parsedJson(out)).items : [];
  for (const { metadata, spec, status } of quotas) {
    const isForAll = spec.scopes === undefined && spec.scopeSelector === undefined;
    for (const [resource, hard] of Object.entries(isForAll ? status.hard : {})) {
      const needed = amountOf(resource, pods) + Math.max(0, ...alternatives.map((one) => amountOf(resource, one)));
      const left = quantity(hard) - quantity(status.used[resource] ?? '0');
      // Use beyond a limit does not matter for a resource that no pod needs.
      if (needed > 0 && needed > left) {
        const name = plainText(`${metadata.name} of this namespace: ${resource}`, LONGEST);
        throw new EnvironmentError(
          `the pods do not fit into the ResourceQuota ${name}: ${shown(resource, needed)} needed, ${shown(resource, left)} left`,
          {
            code: 'WG-214',
            next: 'Raise it, remove other pods, or set lower `limits` for the services or fewer load generators.',
          },
        );
      }
    }
  }
}

const LONGEST = 200;

function shown(resource: string, amount: number): string {
  return resource.endsWith('memory') ? `${Math.round(amount / 2 ** 20)} MiB` : String(Math.round(amount * 1000) / 1000);
}

function amountOf(resource: string, pods: readonly PodManifest[]): number {
  if (/^(count\/)?pods$/.test(resource)) {
    return pods.length;
  }
  const [, kind = 'requests', name = ''] = /^(?:(requests|limits)\.)?(cpu|memory)$/.exec(resource) ?? [];
  const containers = pods.flatMap(({ spec }) => spec.containers);
  return containers.reduce(
    (sum, { resources }) => sum + quantity(resources[kind === 'limits' ? 'limits' : 'requests'][name] ?? '0'),
    0,
  );
}
