import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import * as z from 'zod';
import { parseSuitePolicy } from '../../config/parse.ts';
import { ConfigError, ifPossible } from '../../foundation/errors.ts';
import { cleanText } from '../../foundation/text.ts';
import { historyBaseline } from '../../history/reader.ts';
import type { ReadHistory } from '../../history/store/changes.ts';
import type { EntryFacts } from '../../history/store/run-entry.ts';
import { readText } from '../../host/files/reader.ts';
import { namesIn } from '../../host/files/repository.ts';
import { judgeByStored } from '../../judge/stored/judge.ts';
import { DEFAULT_POLICY, type Policy } from '../../model/policy.ts';
import type { Run } from '../../model/run/run.ts';
import type { Suite } from '../../model/suite/suite.ts';
import { OWN_ROOT } from '../../project/own-root.ts';
import { policyFor } from '../../project/policy.ts';
import { PROJECT_FILE, readSuite, suiteRoot } from '../../project/suite.ts';

/** Repository, branch and page of a run, as the environment of its workflow gives them; empty outside a workflow. */
interface RunOrigin {
  readonly repository?: string;
  readonly branch?: string | undefined;
  readonly defaultBranch?: string | undefined;
  /** Page of the workflow run. */
  readonly runUrl?: string | undefined;
}

/** Events that run for commits of the repository; others may run for a pull request or a fork. */
const EVENTS = ['push', 'schedule', 'workflow_dispatch', 'repository_dispatch', 'release'];

/**
 * Origin of a run by the variables of a workflow. Throws ConfigError for an event whose runs may not enter a history, and outside a workflow for
 * uncommitted changes, unless they are allowed.
 */
export function publishOriginOf(
  run: Run,
  allowDirty: boolean,
  environment: NodeJS.ProcessEnv = process.env,
): RunOrigin {
  const read = (name: string): string | undefined => environment[name] || undefined;
  if (read('GITHUB_ACTIONS') !== 'true') {
    if ((run.rounds?.head ?? run.commit).dirty && !allowDirty) {
      throw new ConfigError('the run measured uncommitted changes', {
        code: 'WG-603',
        next: 'Commit them and measure again, or publish it anyway with `--allow-dirty`.',
      });
    }
    return {};
  }
  const event = read('GITHUB_EVENT_NAME') ?? '';
  if (!EVENTS.includes(event)) {
    throw new ConfigError(`a run for the event "${event}" cannot enter the history`, {
      code: 'WG-603',
      next: 'Publish from `on: push` with `branches: [<default branch>]`: runs of pull requests and forks cannot be a baseline.',
    });
  }
  const server = read('GITHUB_SERVER_URL') ?? 'https://github.com';
  const repository = `${server}/${read('GITHUB_REPOSITORY') ?? ''}`;
  const id = read('GITHUB_RUN_ID');
  return {
    repository,
    // A tag may be of any branch, and a run without one would count as one of the default branch.
    branch: read('GITHUB_REF_TYPE') === 'tag' ? read('GITHUB_REF') : read('GITHUB_REF_NAME'),
    defaultBranch: defaultBranchIn(read('GITHUB_EVENT_PATH') ?? ''),
    runUrl: id === undefined ? undefined : `${repository}/actions/runs/${id}`,
  };
}

const payloadSchema = z.object({ repository: z.object({ default_branch: z.string().min(1).max(300) }) });

/** Default branch in the payload of an event; without one, the history keeps what it knows. */
function defaultBranchIn(path: string): string | undefined {
  return ifPossible(() => payloadSchema.parse(JSON.parse(readText(path, ''))).repository.default_branch);
}

/**
 * Comparison of a single run with earlier published runs, by the policy of its suite in the checkout; logs if some have its configuration. Empty
 * for a comparison, which has its own verdict. Throws ConfigError if the suite cannot be read, since the default policy might differ, and
 * HistoryError for an unreadable history.
 */
export async function judgedByHistory(
  run: Run,
  read: ReadHistory,
  log: (line: string) => void,
): Promise<Pick<EntryFacts, 'policy' | 'against'>> {
  if (run.rounds !== undefined) {
    return {};
  }
  const { policy, name } = policyOfSuite(suiteRoot(process.cwd(), OWN_ROOT), run.suite.name);
  const against = judgeByStored(run, await historyBaseline(read, run.suite.name), policy);
  if (against.past.configured > 0) {
    log(`compared with the published runs, using ${name}`);
  }
  return { policy, against };
}

function policyOfSuite(root: string, name: string): { readonly policy: Policy; readonly name: string } {
  const found = suiteIn(root, name);
  return found === undefined
    ? { policy: DEFAULT_POLICY, name: `the default policy, because there is no suite "${cleanText(name)}" here` }
    : {
        policy: policyFor(root, found.suite, undefined),
        name: `the policy of ${relative(process.cwd(), join(root, found.file))}`,
      };
}

function suiteIn(root: string, name: string): { suite: Pick<Suite, 'policy'>; file: string } | undefined {
  const project = existsSync(join(root, PROJECT_FILE)) ? readSuite(root, undefined).suite : undefined;
  if (project?.name === name) {
    return { suite: project, file: PROJECT_FILE };
  }
  if (!namesIn(join(root, 'suites'), '*.yml').includes(name)) {
    return undefined;
  }
  // Nothing else is read: a run may be older than what services and operations are now.
  const file = `suites/${name}.yml`;
  const text = readText(join(root, file), 'Fix or remove the file.', { root });
  return { suite: { policy: parseSuitePolicy({ file, text }) }, file };
}
