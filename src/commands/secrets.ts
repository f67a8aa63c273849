import { readText } from '../adapters/config-files.ts';
import { maskOutput } from '../adapters/masked-output.ts';
import { NO_SECRETS, type Secrets, type SecretUse, secretsFrom } from '../core/secrets.ts';

/**
 * The secrets that a configuration names, out of this program's environment; from now on nothing prints them. Throws ConfigError,
 * naming the place, where one is missing.
 */
export function takeSecrets(uses: readonly SecretUse[]): Secrets {
  if (uses.length === 0) {
    return NO_SECRETS;
  }
  const secrets = secretsFrom(uses, process.env, (path) => readText(path, 'Give the path of a PEM file.'));
  maskOutput([process.stdout, process.stderr], secrets.mask);
  return secrets;
}
