import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseSuitePolicy } from '../../config/parse.ts';
import { cleanText } from '../../foundation/escape.ts';
import { standingInHistory } from '../../history/baseline.ts';
import type { ReadHistory } from '../../history/ports.ts';
import { namesIn, readText } from '../../host/files/config-files.ts';
import type { HistoryResult } from '../../judge/stored/comparison.ts';
import { DEFAULT_POLICY, type Policy } from '../../model/policy.ts';
import type { Run } from '../../model/run/run.ts';
import type { Suite } from '../../model/suite.ts';
import { OWN_ROOT } from '../../project/own-root.ts';
import { policyFor } from '../../project/policy.ts';
import { PROJECT_FILE, readSuite, suiteRoot } from '../../project/suite.ts';

/**
 * How a single run stands against the published ones before it, by the policy of its suite as the checkout has it; where there are
 * any with its configuration, a line of the log says which that is. Undefined for a comparison, which has a verdict of its own. Throws ConfigError where the suite cannot be read,
 * since the usual policy might say something else, and HistoryError where the history cannot.
 */
export async function historyStanding(
  run: Run,
  read: ReadHistory,
  log: (line: string) => void,
): Promise<HistoryResult | undefined> {
  if (run.rounds !== undefined) {
    return undefined;
  }
  const { policy, name } = policyOfSuite(suiteRoot(process.cwd(), OWN_ROOT), run.suite.name);
  const result = await standingInHistory(read, run, policy);
  if (result.past.configured > 0) {
    log(`held against the published runs by ${name}`);
  }
  return result;
}

interface NamedPolicy {
  readonly policy: Policy;
  /** What the log calls it. */
  readonly name: string;
}

function policyOfSuite(root: string, name: string): NamedPolicy {
  const found = suiteIn(root, name);
  return found === undefined
    ? { policy: DEFAULT_POLICY, name: `the usual policy, since there is no suite "${cleanText(name)}" here` }
    : {
        policy: policyFor(root, found.suite, undefined),
        name: `the policy of ${relative(process.cwd(), join(root, found.file))}`,
      };
}

interface FoundSuite {
  readonly suite: Pick<Suite, 'policy'>;
  readonly file: string;
}

function suiteIn(root: string, name: string): FoundSuite | undefined {
  const project = existsSync(join(root, PROJECT_FILE)) ? readSuite(root, undefined).suite : undefined;
  if (project?.name === name) {
    return { suite: project, file: PROJECT_FILE };
  }
  if (!namesIn(join(root, 'suites'), '*.yml').includes(name)) {
    return undefined;
  }
  // Nothing else is read: a run may be older than what services and operations are now.
  const file = `suites/${name}.yml`;
  return {
    suite: { policy: parseSuitePolicy({ file, text: readText(join(root, file), 'Mend or remove the file.') }) },
    file,
  };
}
