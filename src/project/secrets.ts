import { ConfigError } from '../foundation/errors.ts';
import { readText } from '../host/files/config-files.ts';
import { maskOutput } from '../host/terminal/masked-output.ts';
import { isOfWorkflow } from '../host/workflow-variables.ts';
import { NO_SECRETS, type Secrets, type SecretUse, secretsFrom } from '../secrets/secrets.ts';

/**
 * The secrets that a configuration names, out of this program's environment; from now on nothing prints them. Throws ConfigError,
 * naming the place, where one is missing, or is a workflow's own.
 */
export function takeSecrets(uses: readonly SecretUse[]): Secrets {
  if (uses.length === 0) {
    return NO_SECRETS;
  }
  refuseWorkflowVariables(uses);
  const secrets = secretsFrom(uses, process.env, (path) => readText(path, 'Give the path of a PEM file.'));
  maskOutput([process.stdout, process.stderr], secrets.mask);
  return secrets;
}

/** A configuration may be that of a pull request, and with the token of a job it could do whatever the job may. */
function refuseWorkflowVariables(uses: readonly SecretUse[]): void {
  const found = uses.find(({ variable }) => isOfWorkflow(variable));
  if (found !== undefined) {
    throw new ConfigError(`${found.place}: no service is given ${found.variable}, which is the workflow's own`, {
      next: 'Give it a secret of its own, by another name: `env: { API_TOKEN: "${{ secrets.API_TOKEN }}" }`.',
    });
  }
}
