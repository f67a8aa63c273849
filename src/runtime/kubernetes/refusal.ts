import { EnvironmentError } from '../../foundation/errors.ts';
import { documentAddress, plainText } from '../../foundation/text.ts';

const LONGEST = 800;

/** Next steps for the usual refusals of a cluster, by the words of kubectl. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/exceeded quota/i, 'Raise the ResourceQuota of the namespace, or set lower `limits` for the services.'],
  [
    /violates PodSecurity|podsecurity/i,
    'Let the services run without what the policy forbids, for example as another user.',
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

/** The error for what kubectl printed. */
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
