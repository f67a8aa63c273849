import { ConfigError, EnvironmentError } from '../../foundation/errors.ts';
import { documentAddress, plainText } from '../../foundation/text.ts';
import { programsOf, type Service } from '../../model/service.ts';

const LONGEST = 800;

/** Next steps for common refusals of a cluster, by kubectl's message. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/exceeded quota/i, 'Raise the ResourceQuota of the namespace, or set lower `limits` for the services.'],
  [
    /violates PodSecurity|podsecurity/i,
    'Let the services run without what the policy forbids, for example as another user.',
  ],
  [
    /service ?account \S+ not found/i,
    'Create the service account of the pod template in the namespace, or remove `serviceAccountName` from the manifests.',
  ],
  [/namespaces? "[^"]*" not found/i, 'Create the namespace, or set WIREGAUGE_KUBERNETES_NAMESPACE to one that exists.'],
  [
    /forbidden|Unauthorized|must be logged in/i,
    `Log in, and give the account its rights in this namespace: ${documentAddress('docs/how-to/kubernetes.md')}`,
  ],
  [
    /context .* does not exist|no configuration|connection refused|was refused|no such host|i\/o timeout|unable to connect|no answer within|tls:|x509/i,
    'Check KUBECONFIG and WIREGAUGE_KUBERNETES_CONTEXT: `kubectl version` must show the server.',
  ],
];

/** Error for kubectl's output. */
export function clusterError(printed: string, args: readonly string[]): EnvironmentError {
  const words = plainText(printed.replaceAll(/\s+/g, ' ').trim(), LONGEST);
  const [verb = ''] = args;
  const next =
    ADVICE.find(([refusal]) => refusal.test(printed))?.[1] ??
    'Run the command yourself to see all that kubectl prints.';
  return new EnvironmentError(`the Kubernetes cluster cannot be used: kubectl ${verb}: ${words}`, {
    code: 'WG-214',
    next,
  });
}

/** Throws ConfigError for a service with a feature that this runtime does not support. */
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
      [program, 'a `user` that is not a number', user !== undefined && !/^\d+(:\d+)?$/.test(user)] as const,
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
