import { setTimeout as sleep } from 'node:timers/promises';
import { EnvironmentError } from '../../foundation/errors.ts';
import { isInWorkflow } from '../../host/workflow.ts';

/** Limits of the attempts to read or push a branch. */
export interface BranchPatience {
  /** Maximum number of pushes that lose a race. */
  readonly mostRaces: number;
  readonly mostFailures: number;
  /** No attempt starts later than this. */
  readonly mostMs: number;
  /** Maximum random wait before the second attempt, which grows by half each time. */
  readonly firstWaitMs: number;
  readonly longestWaitMs: number;
}

const BRANCH_PATIENCE: BranchPatience = {
  mostRaces: 50,
  mostFailures: 4,
  mostMs: 5 * 60_000,
  firstWaitMs: 500,
  longestWaitMs: 15_000,
};

const WHY = { contended: 'another push came first', network: 'the network failed' } as const;

/** Runs `work`, and retries it after lost races and network failures. Throws the last refusal, or any other error. */
export async function persistently<Result>(
  options: { readonly patience?: BranchPatience; readonly branch: string; readonly log: (line: string) => void },
  work: () => Promise<Result>,
): Promise<Result> {
  const { patience = BRANCH_PATIENCE, branch, log } = options;
  const until = performance.now() + patience.mostMs;
  const left = { contended: patience.mostRaces, network: patience.mostFailures };
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (thrown) {
      const kind = thrown instanceof BranchRefusal ? thrown.kind : 'other';
      if (kind !== 'contended' && kind !== 'network') {
        throw thrown;
      }
      // Random, so that jobs that collided once do not collide again.
      const waitMs = Math.round(
        Math.random() * Math.min(patience.longestWaitMs, patience.firstWaitMs * 1.5 ** (tries - 1)),
      );
      left[kind] -= 1;
      if (left[kind] <= 0 || performance.now() + waitMs > until) {
        throw thrown;
      }
      log(`${branch}: ${WHY[kind]}; retrying in ${(waitMs / 1000).toFixed(1)} s`);
      await sleep(waitMs);
    }
  }
}

type BranchRefusalKind = keyof typeof WORDS;

/** Refusal of a remote. Contains no command and no cause, since those may contain a token. */
export class BranchRefusal extends EnvironmentError {
  static override readonly code = 'WG-601';
  readonly kind: BranchRefusalKind;

  constructor(message: string, { kind, next }: { readonly kind: BranchRefusalKind; readonly next: string }) {
    super(message, { next });
    this.kind = kind;
  }
}

/** Result of git: a refusal, or a race lost to another push. */
type Ending = BranchRefusalKind | 'raced';

/** The first match decides: if a server refuses, git also reports that the connection ended. */
const ENDINGS: readonly (readonly [RegExp, Ending])[] = [
  // The connection then ends, too. Messages about a full disk of the server begin with `remote: `.
  [
    /^(?!remote: ).*(?:No space left on device|Disk quota exceeded|Out of diskspace|write error|(?:unable|failed) to write)/m,
    'disk',
  ],
  [/couldn't find remote ref/, 'branch-missing'],
  [/\((?:fetch first|non-fast-forward|stale info)\)|cannot lock ref|failed to update ref|failed to lock/, 'raced'],
  [/incorrect old value|reference already exists|remote ref updated/, 'raced'],
  [/GH006|GH013|protected branch|rule violations|hook declined|not allowed to push/i, 'protected'],
  [/Repository not found|repository '.*' not found|does not appear to be a git repository/i, 'not-found'],
  [/returned error: 404|no such (?:repo|project)|project you were looking for could not be found/i, 'not-found'],
  [/could not read (?:Username|Password)|Authentication failed|invalid credentials|terminal prompts/i, 'credentials'],
  [/returned error: 40[13]|Permission (?:to .*)?denied|Host key verification failed|deploy key/i, 'credentials'],
  [/not granted|read-only|archived|insufficient permission/i, 'credentials'],
  [/could not resolve|failed to connect|connection|timed? ?out|network|too slow|unreachable|ended after/i, 'network'],
  [/returned error: (?:429|5\d\d)|hung up|RPC failed|early EOF|SSL|TLS|could not fetch/i, 'network'],
];

/** Reason for an error message of git, in English. */
export function gitEndingOf(complaint: string): Ending {
  return ENDINGS.find(([pattern]) => pattern.test(complaint))?.[1] ?? 'other';
}

interface BranchErrand {
  readonly remote: string;
  readonly branch: string;
  readonly doing: 'read' | 'push';
}

/** Refusal of an operation; `complaint` must not contain secrets. Only a push can lose a race. */
export function branchRefusalOf(errand: BranchErrand, ending: Ending, complaint: string): BranchRefusal {
  const kind = ending !== 'raced' ? ending : errand.doing === 'push' ? 'contended' : 'other';
  const what = WORDS[kind](errand);
  const said = linesThatMatter(complaint);
  return new BranchRefusal(said === '' ? what : `${what}: ${said}`, { kind, next: NEXT[kind](errand) });
}

const WORDS = {
  'branch-missing': ({ remote, branch }) => `${remote} has no branch ${branch}`,
  protected: ({ remote, branch }) => `${remote} rejects pushes to its branch ${branch}, because of a rule or a hook`,
  credentials: ({ remote, branch, doing }) =>
    doing === 'read'
      ? `this account may not read ${branch} of ${remote}`
      : `this account may not write to ${branch} of ${remote}`,
  'not-found': ({ remote }) => `the repository of the remote ${remote} was not found`,
  network: ({ remote, branch, doing }) =>
    `${doing === 'read' ? `the branch ${branch} cannot be read` : `${branch} cannot be pushed`}: ${remote} cannot be reached`,
  contended: ({ remote, branch }) => `others kept pushing to ${branch} of ${remote}`,
  disk: ({ branch, doing }) => `git could not ${doing} ${branch}: a disk is full or not writable`,
  other: ({ remote, branch, doing }) => `git could not ${doing} ${branch} of ${remote}`,
} as const satisfies Readonly<Record<string, (errand: BranchErrand) => string>>;

const NEXT: Readonly<Record<BranchRefusalKind, (errand: BranchErrand) => string>> = {
  'branch-missing': ({ branch }) =>
    `Nothing is published there yet: \`wiregauge publish --create-branch\` creates ${branch}, without other files. Or use another branch with \`--branch\`.`,
  protected: ({ branch }) =>
    `Allow this account to push to ${branch}: on GitHub, exclude the branch from the rule under Settings, Rules, or allow the account to bypass it. Pushes are never forced. Or keep the history on another branch: \`--branch <name>\`.`,
  credentials: () =>
    isInWorkflow()
      ? 'Give the job that publishes, on pushes to the default branch only, `permissions: { contents: write }`.'
      : 'Log in so that `git push` does not prompt, or set GITHUB_TOKEN to a token with write access to contents.',
  'not-found': ({ remote }) =>
    `\`git remote get-url ${remote}\` prints its address. GitHub also reports this if the account has no access${
      isInWorkflow() ? ': give the job `permissions: { contents: write }`.' : '.'
    }`,
  network: () => 'The run.json is kept: run `wiregauge publish` again once the network is back.',
  contended: () => 'The run.json is kept: run `wiregauge publish` again when fewer jobs publish at a time.',
  disk: () =>
    'Free some space there; for temporary files, set TMPDIR to a folder on another disk. The run.json is kept: publish it again.',
  other: () => 'Fix what git reports, and publish again.',
};

const MAX_CHARACTERS = 400;

/** Relevant lines of an error message, without git's advice and addresses. */
function linesThatMatter(complaint: string): string {
  const lines = complaint
    .split('\n')
    .map((line) => line.replace(/^remote: (?:error: )?|^(?:fatal|error|warning): |\?\[K|(?<!\s)\s+$/g, '').trim())
    .filter((line) => line !== '' && !/^(?:hint:|To |Done$|failed to push|filtering not recognized)/.test(line));
  return [...new Set(lines)].join('; ').slice(0, MAX_CHARACTERS);
}

/** Text without these secrets, and without credentials in addresses. */
export function concealed(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length > 3)
    .reduce((rest, secret) => rest.replaceAll(secret, '***'), text)
    .replace(/(\w:\/\/)[^\s/@]+@/g, '$1***@');
}
