import { setTimeout as sleep } from 'node:timers/promises';
import { BranchRefusal } from './history-branch-refusal.ts';

/** How long a branch is tried for. */
export interface BranchPatience {
  /** Pushes that somebody else's came before. */
  readonly mostRaces: number;
  /** Times that the network fails in a row. */
  readonly mostFailures: number;
  /** After this no new try is begun. */
  readonly mostMs: number;
  /** Before the second try at most this, by chance; then half as long again, and so on. */
  readonly firstWaitMs: number;
  /** No wait is longer. */
  readonly longestWaitMs: number;
}

export const BRANCH_PATIENCE: BranchPatience = {
  mostRaces: 50,
  mostFailures: 4,
  mostMs: 5 * 60_000,
  firstWaitMs: 500,
  longestWaitMs: 15_000,
};

/** Milliseconds to wait after so many tries, from 1; all of it by chance (0 to 1), so that jobs that met once do not meet again. */
export function waitAfter(tries: number, patience: BranchPatience, chance: number): number {
  return Math.round(chance * Math.min(patience.longestWaitMs, patience.firstWaitMs * 1.5 ** (tries - 1)));
}

/** Who waits for what. */
interface Waiting {
  readonly patience?: BranchPatience | undefined;
  readonly branch: string;
  readonly log: (line: string) => void;
}

const WHY = { contended: 'somebody else was first', network: 'the network failed' } as const;

/** Does the work, and again after a while where somebody else was first or the network failed. Throws what it then fails of. */
export async function persistently<Result>(waiting: Waiting, work: () => Promise<Result>): Promise<Result> {
  const { patience = BRANCH_PATIENCE, branch, log } = waiting;
  const until = performance.now() + patience.mostMs;
  const left = { contended: patience.mostRaces, network: patience.mostFailures };
  for (let tries = 1; ; tries += 1) {
    const ended = await attempt(work);
    if ('result' in ended) {
      return ended.result;
    }
    const waitMs = waitAfter(tries, patience, Math.random());
    left[ended.kind] -= 1;
    if (left[ended.kind] <= 0 || performance.now() + waitMs > until) {
      throw ended.refusal;
    }
    log(`${branch}: ${WHY[ended.kind]}; again in ${(waitMs / 1000).toFixed(1)} s`);
    await sleep(waitMs);
  }
}

type Ended<Result> = { readonly result: Result } | { readonly kind: keyof typeof WHY; readonly refusal: BranchRefusal };

async function attempt<Result>(work: () => Promise<Result>): Promise<Ended<Result>> {
  try {
    return { result: await work() };
  } catch (thrown) {
    const kind = thrown instanceof BranchRefusal ? thrown.kind : 'other';
    if (thrown instanceof BranchRefusal && (kind === 'contended' || kind === 'network')) {
      return { kind, refusal: thrown };
    }
    throw thrown;
  }
}
