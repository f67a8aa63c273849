/** Who a token belongs to. */
export interface Account {
  readonly login: string;
  readonly type: 'Bot' | 'User';
  /** As the token of a workflow for a pull request from a fork. */
  readonly access: 'read' | 'write';
}

export interface StoredComment {
  readonly id: number;
  readonly issue: number;
  readonly author: Pick<Account, 'login' | 'type'>;
  readonly createdAt: string;
  readonly association?: string;
  body: string;
}

export interface StoredIssue {
  readonly number: number;
  readonly author: Pick<Account, 'login' | 'type'>;
  title: string;
  body: string;
  state: 'open' | 'closed';
  closedAt: string | null;
  reason?: string | undefined;
  readonly isPullRequest?: boolean;
}

export interface StoredEvent {
  readonly issue: number;
  readonly event: 'labeled' | 'unlabeled' | 'closed';
  readonly label?: string;
  readonly actor: string;
  readonly at: string;
}

export interface StoredCheck {
  readonly id: number;
  readonly headSha: string;
  name: string;
  status: string;
  conclusion: string | undefined;
  externalId: string;
  title: string;
  summary: string;
  detailsUrl?: string | undefined;
  /** As they were sent, those of every update behind the others. */
  annotations: readonly unknown[];
}

export interface StoredPull {
  readonly number: number;
  readonly state: 'open' | 'closed';
  /** "owner:branch". */
  readonly head: string;
  readonly headSha: string;
  readonly headRepository?: string | undefined;
  readonly baseSha: string;
}

export interface StoredArtifact {
  readonly id: number;
  readonly runId: number;
  readonly name: string;
  readonly zip: Uint8Array;
  readonly isExpired?: boolean;
}

export interface StoredRun {
  readonly id: number;
  /** The name of its file. */
  readonly workflow: string;
  readonly event: string;
  readonly headSha: string;
  readonly headRef?: string;
  readonly headRepository?: string;
  readonly status: string;
  readonly conclusion?: string;
}

/** What the service remembers; a test may change it at any time. */
export interface GitHubState {
  /** By token. */
  readonly accounts: Map<string, Account>;
  readonly comments: StoredComment[];
  readonly issues: StoredIssue[];
  /** By the number of a pull request. */
  readonly labels: Map<number, readonly string[]>;
  readonly events: StoredEvent[];
  readonly checks: StoredCheck[];
  readonly pulls: StoredPull[];
  /** Of accounts in the repository; "read" for those that are not there, as in a public one. */
  readonly permissions: Map<string, string>;
  readonly runs: StoredRun[];
  /** The ids of the runs that were started again. */
  readonly rerun: number[];
  /** Those of which only the failed jobs were. */
  readonly rerunFailed: number[];
  /** Labels of the repository that have been made. */
  readonly knownLabels: Set<string>;
  /** As "<comment> <content>". */
  readonly reactions: string[];
  readonly artifacts: StoredArtifact[];
  /** As "branch:path". */
  readonly files: Set<string>;
}

/** The token that every API of the tests knows: that of a workflow, which may write. */
export const WORKFLOW_TOKEN = 'ghs_0123456789TokenOfTheWorkflow';

export const BOT: Account = { login: 'github-actions[bot]', type: 'Bot', access: 'write' };

export function emptyState(): GitHubState {
  return {
    accounts: new Map([[WORKFLOW_TOKEN, BOT]]),
    comments: [],
    issues: [],
    labels: new Map(),
    events: [],
    checks: [],
    pulls: [],
    permissions: new Map(),
    runs: [],
    rerun: [],
    rerunFailed: [],
    knownLabels: new Set(),
    reactions: [],
    artifacts: [],
    files: new Set(),
  };
}

/** A number that nothing in there has yet, and larger than any. */
export function nextId(stored: readonly { readonly id: number }[]): number {
  return Math.max(1000, ...stored.map(({ id }) => id)) + 1;
}
