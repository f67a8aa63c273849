import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parsePolicy, policyOf } from '../config/schema/policy.ts';
import { readText } from '../host/files/config-files.ts';
import { changedPolicy, type Policy } from '../model/policy.ts';
import type { Suite } from '../model/suite.ts';

/** Where a repository keeps the regressions that it accepts. */
export const ACCEPTED_FILE = '.wiregauge/accepted.yml';

/**
 * The policy of a comparison: the suite's, with what the repository accepts, and what a file given by `--policy` changes of both.
 * Throws ConfigError with file, line and path of what is wrong.
 */
export function policyFor(root: string, suite: Pick<Suite, 'policy'>, file: string | undefined): Policy {
  const path = join(root, ACCEPTED_FILE);
  const accepted = existsSync(path)
    ? { file: ACCEPTED_FILE, text: readText(path, 'Mend or remove the file.') }
    : undefined;
  const policy = policyOf(suite, accepted);
  if (file === undefined) {
    return policy;
  }
  const text = readText(file, "Give a YAML file with the keys of a suite's `policy:` block.");
  return changedPolicy(policy, parsePolicy({ file, text }));
}
