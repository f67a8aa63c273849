import { documentAddress } from '../../foundation/text.ts';
import type { gitFacts } from '../../host/git/repository.ts';
import { type Diagnosis, ok, warning } from './diagnosis.ts';

/** Diagnosis of the clone. Without one, `run` works, but not `compare`. */
export function gitDiagnoses(facts: Awaited<ReturnType<typeof gitFacts>>): readonly Diagnosis[] {
  if (facts.kind === 'none') {
    return [warning('git', `${facts.why}: versions cannot be compared`, facts.next ?? 'Change to a clone.')];
  }
  const { checkout, isShallow, hasCommit, origin } = facts;
  if (!hasCommit) {
    return [
      warning(
        'git',
        `${checkout} has no commit yet: versions cannot be compared`,
        'Commit the version to compare with.',
      ),
    ];
  }
  const fetch = 'Set `with: { fetch-depth: 0 }` for actions/checkout; elsewhere, run `git fetch --unshallow`.';
  const depth = isShallow
    ? warning('git', `${checkout} is a shallow clone, which may lack the base`, fetch)
    : ok('git', `${checkout} has its whole history`);
  const remote =
    origin === undefined
      ? warning(
          'git remote',
          'there is no remote `origin`: a history cannot be published',
          'Run `git remote add origin <address>`.',
        )
      : ok('git remote', origin);
  return [depth, remote];
}

export function withoutCredentials(address: string): string {
  return address.replace(/^([a-z+]+:\/\/)[^/]*@/i, '$1');
}

interface WorkflowFacts {
  readonly hasToken: boolean;
  readonly event: string;
  readonly isFork: boolean;
}

export function workflowDiagnoses({ hasToken, event, isFork }: WorkflowFacts): readonly Diagnosis[] {
  const token = hasToken
    ? ok('token', 'set; a comment needs `permissions: { pull-requests: write }`, a history `contents: write`')
    : warning(
        'token',
        'missing: no comment can be written',
        'Set `env: { GITHUB_TOKEN: "${{ github.token }}" }`; the action sets it by default.',
      );
  return [EVENTS.includes(event) ? ok('event', event) : unusual(event), isFork ? OF_A_FORK : token];
}

const EVENTS = ['pull_request', 'push', 'workflow_dispatch', 'schedule', 'workflow_run'];

function unusual(event: string): Diagnosis {
  const says =
    event === 'pull_request_target'
      ? 'pull_request_target runs untrusted code with a write token'
      : `${event || 'none'}: for this event, the action only runs the services`;
  return warning('event', says, 'Use `on: pull_request` to compare pull requests.');
}

const OF_A_FORK = warning(
  'token',
  'the pull request is from a fork, and its token is read-only: no comment can be written',
  `Use a second workflow: ${documentAddress('docs/how-to/forks.md')}`,
);
