import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parsePolicy, policyOf } from '../config/schema/policy.ts';
import { ConfigError } from '../foundation/errors.ts';
import { readText } from '../host/files/reader.ts';
import { maskOutput } from '../host/terminal/output.ts';
import { isInWorkflow, isOfWorkflow } from '../host/workflow.ts';
import { changedPolicy, type Policy } from '../model/policy.ts';
import { type Secrets, type SecretUse, secretsFrom } from '../model/secrets/secrets.ts';
import type { Suite } from '../model/suite/suite.ts';
import { sourceIn } from './files.ts';

/** File with the accepted regressions of a repository. */
export const ACCEPTED_FILE = '.wiregauge/accepted.yml';

/**
 * Policy of a comparison: the suite's, with the accepted regressions of the repository and the changes of a file given by `--policy`.
 * Throws ConfigError with file, line and path of a mistake.
 */
export function policyFor(root: string, suite: Pick<Suite, 'policy'>, file: string | undefined): Policy {
  const accepted = existsSync(join(root, ACCEPTED_FILE))
    ? sourceIn(root, ACCEPTED_FILE, 'Fix or remove the file.')
    : undefined;
  const policy = policyOf(suite, accepted);
  if (file === undefined) {
    return policy;
  }
  const text = readText(file, "Pass a YAML file with the keys of a suite's `policy:` block.");
  return changedPolicy(policy, parsePolicy({ file, text }));
}

/**
 * Secrets in a configuration, read from the environment; from now on they are masked in all output. Throws ConfigError with the place if
 * one is missing or belongs to the workflow.
 */
export function takeSecrets(uses: readonly SecretUse[]): Secrets {
  refuseWorkflowVariables(uses);
  refuseUnlisted(uses);
  const secrets = secretsFrom(uses, process.env, (path) => readText(path, 'Use the path of a PEM file.'));
  maskOutput(secrets.mask);
  return secrets;
}

/**
 * Refuses variables of the workflow, since the configuration may be that of a pull request, and the token of a job would give it the job's
 * permissions.
 */
function refuseWorkflowVariables(uses: readonly SecretUse[]): void {
  const found = uses.find(({ variable }) => isOfWorkflow(variable));
  if (found !== undefined) {
    throw new ConfigError(`${found.place}: ${found.variable} belongs to the workflow and is not passed to services`, {
      code: 'WG-109',
      next: 'Use a separate secret with another name: `env: { API_TOKEN: "${{ secrets.API_TOKEN }}" }`.',
    });
  }
}

/** Variable with which a workflow lists the variables that a configuration may use. */
const PERMITTED = 'WIREGAUGE_SECRETS';

/**
 * Refuses unlisted variables in a workflow: any variable may be a secret of another step, and a pull request can change the configuration.
 */
function refuseUnlisted(uses: readonly SecretUse[]): void {
  const permitted = new Set((process.env[PERMITTED] ?? '').split(/[\s,]+/));
  const found = isInWorkflow() ? uses.find(({ variable }) => !permitted.has(variable)) : undefined;
  if (found !== undefined) {
    const names = [...new Set(uses.map(({ variable }) => variable))];
    throw new ConfigError(`${found.place}: the workflow does not list ${found.variable} for services`, {
      code: 'WG-109',
      next: `List it next to its value in the step: \`env: { ${PERMITTED}: "${names.join(', ')}" }\`.`,
    });
  }
}
