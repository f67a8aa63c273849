import * as z from 'zod';
import { EnvironmentError } from '../../foundation/errors.ts';
import { cleanText, documentAddress } from '../../foundation/text.ts';
import { type Failure, failureOf, retryAfterSeconds } from './patience.ts';

type RefusalKind = 'read-only' | 'unauthorized' | 'not-found' | 'invalid' | 'rate-limited' | 'unavailable';

/** Refusal by GitHub. Contains no request and no cause, since those contain the token. */
export class GitHubRefusal extends EnvironmentError {
  static override readonly code = 'WG-503';
  readonly kind: RefusalKind;

  constructor(message: string, { kind, next }: { readonly kind: RefusalKind; readonly next: string }) {
    super(message, { next });
    this.kind = kind;
  }
}

/** True if an error is a refusal by GitHub for this reason. */
export function isGithubRefusal(thrown: unknown, kind: RefusalKind): boolean {
  return thrown instanceof GitHubRefusal && thrown.kind === kind;
}

/** Operation on GitHub, for messages. */
export interface Errand {
  /** After "GitHub did not": "list the comments of pull request #7 of owner/repository". */
  readonly what: string;
  /** Required permission in the syntax of workflows: "pull-requests: write". */
  readonly permissions: string;
  /** Next step, if it differs from the default. */
  readonly next?: string;
}

const STATUS_KINDS: ReadonlyMap<number, RefusalKind> = new Map([
  [401, 'unauthorized'],
  [403, 'read-only'],
  [404, 'not-found'],
  [410, 'not-found'],
  [429, 'rate-limited'],
]);

const NEXT: Readonly<Record<RefusalKind, (errand: Errand) => string>> = {
  'read-only': ({ permissions }) =>
    `Give the job \`permissions: { contents: read, ${permissions} }\`; a pull request from a fork only gets read access: use a second workflow to comment: ${documentAddress('docs/how-to/forks.md')}`,
  unauthorized: ({ permissions }) =>
    'Pass a valid token: `with: { token: "${{ github.token }}" }`, ' +
    `in a job with \`permissions: { contents: read, ${permissions} }\`.`,
  'not-found': ({ permissions }) =>
    `Check that it still exists. GitHub also reports this if the token has no access: \`permissions: { contents: read, ${permissions} }\`.`,
  invalid: () => 'This looks like a bug in Wiregauge: please report it with this message.',
  'rate-limited': () => 'Re-run the job later, or with fewer jobs at a time.',
  unavailable: () => 'Re-run the job; https://www.githubstatus.com shows whether GitHub has a problem.',
};

/** Runs an operation; rejects with GitHubRefusal if GitHub refuses, or if its response is invalid. */
export async function onErrand<Result>(errand: Errand, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    throw refusalOf(thrown, errand);
  }
}

/** Handler of a rejection that gives refusals of these kinds the result of `otherwise`. */
export function ifRefused<Result>(
  kinds: readonly RefusalKind[],
  otherwise: (refusal: GitHubRefusal) => Result,
): (thrown: unknown) => Result {
  return (thrown) => {
    if (thrown instanceof GitHubRefusal && kinds.includes(thrown.kind)) {
      return otherwise(thrown);
    }
    throw thrown;
  };
}

function refusalOf(thrown: unknown, errand: Errand): unknown {
  const failure = failureOf(thrown);
  if (failure !== undefined) {
    return githubRefusalOf(errand, kindOf(failure), saidBy(failure));
  }
  if (thrown instanceof z.ZodError) {
    const [first] = thrown.issues;
    const where = first === undefined ? '' : ` at ${first.path.join('.') || 'the top'}: ${first.message}`;
    return githubRefusalOf(errand, 'unavailable', `unexpected response${where}`);
  }
  // The rest are GraphQL responses with errors, or bugs, which keep their stack.
  if (!(thrown instanceof Error && thrown.name === 'GraphqlResponseError')) {
    return thrown;
  }
  const kind = /something went wrong/i.test(thrown.message) ? 'unavailable' : 'invalid';
  return githubRefusalOf(errand, kind, thrown.message);
}

/** Refusal of an operation, for a reason that may be untrusted text. */
export function githubRefusalOf(errand: Errand, kind: RefusalKind, reason: string): GitHubRefusal {
  return new GitHubRefusal(`GitHub did not ${errand.what}: ${cleanText(reason, 300)}`, {
    kind,
    next: errand.next ?? NEXT[kind](errand),
  });
}

function kindOf(failure: Failure): RefusalKind {
  if (failure.kind === 'silence' || failure.status >= 500) {
    return 'unavailable';
  }
  const isLimit = retryAfterSeconds(failure, Date.now()) !== undefined;
  return isLimit ? 'rate-limited' : (STATUS_KINDS.get(failure.status) ?? 'invalid');
}

function saidBy(failure: Failure): string {
  // Octokit appends the address of a documentation page.
  return failure.kind === 'silence'
    ? failure.words
    : `HTTP ${failure.status}, ${failure.words.replace(/ - https:\/\/docs\.github\.com\S*$/, '')}`;
}
