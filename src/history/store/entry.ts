import type { Series } from './series.ts';

export const ENTRY_KINDS = ['run', 'compare', 'import'] as const;

/** Of a comparison its outcome; of a single run `suspicious` where it was against the runs before, else `passed`. */
export const ENTRY_OUTCOMES = ['passed', 'regressed', 'failed', 'inconclusive', 'incomplete', 'suspicious'] as const;

export const ENTRY_VERDICTS = ['regressed', 'slower-within-limit', 'improved', 'inconclusive', 'suspicious'] as const;

/** One run of the history. All text is text from outside. */
export interface HistoryEntry {
  /** Names the run. */
  readonly run: string;
  /** When it was measured, in UTC and in one form, so that texts sort as times do. */
  readonly at: string;
  readonly suite: string;
  readonly kind: (typeof ENTRY_KINDS)[number];
  /** In a decoded segment, runs with the same columns share one array. */
  readonly series: readonly Series[];
  /** For each series the median over the rounds, in its unit; null where the run has none. */
  readonly values: readonly (number | null)[];
  /** Relative: a robust standard deviation of the logarithms over the rounds; null with fewer than 3 of them. */
  readonly spreads: readonly (number | null)[];
  readonly commit?: EntryCommit;
  readonly branch?: string;
  readonly tags: readonly string[];
  readonly pullRequest?: number;
  readonly runner?: EntryRunner;
  /** Versions, by the name of the tool. */
  readonly tools: Readonly<Record<string, string>>;
  readonly settings?: EntrySettings;
  /** Median time of the fixed CPU loop. */
  readonly controlMs?: number;
  /** Rounds that the values are medians of: the fewest of any cell. */
  readonly rounds: number;
  readonly outcome?: (typeof ENTRY_OUTCOMES)[number];
  readonly verdicts: readonly EntryVerdict[];
  readonly links: EntryLinks;
  /** What another tool said of a run besides its figures, so that an export gives it back. */
  readonly imported?: EntryImport;
}

export interface EntryCommit {
  readonly sha: string;
  readonly subject?: string;
  readonly at?: string;
  /** Only where files had been changed since the commit. */
  readonly dirty?: true;
}

/** What machine it was measured on. */
export interface EntryRunner {
  readonly cpuModel: string;
  readonly cores: number;
  readonly kernel: string;
  readonly platform: string;
  /** Of a runner of GitHub: system and version. */
  readonly image?: string;
}

export interface EntrySettings {
  readonly runtime: string;
  readonly profile: string;
  readonly configHash: string;
}

/** What was said of one series; what is unchanged is left out. */
export interface EntryVerdict {
  /** Place in the run's series, from 0. */
  readonly series: number;
  readonly verdict: (typeof ENTRY_VERDICTS)[number];
  /** Relative changes of the metric itself, and the ends of the interval. */
  readonly change?: number;
  readonly low?: number;
  readonly high?: number;
  /** Why somebody accepted it. */
  readonly accepted?: string;
}

export interface EntryLinks {
  /** Of the workflow's run. */
  readonly run?: string;
  readonly report?: string;
}

export interface EntryImport {
  /** The other tool's name for what measured, as "cargo". */
  readonly tool: string;
  readonly notes: readonly ImportNote[];
  readonly commit?: ImportedCommit;
}

/** What was said of one figure. */
export interface ImportNote {
  /** Place in the run's series, from 0. */
  readonly series: number;
  readonly range?: string;
  readonly extra?: string;
}

/** Fields of a commit as github-action-benchmark has them, as they are written there. */
export interface ImportedCommit {
  readonly message?: string;
  readonly timestamp?: string;
  readonly url?: string;
  readonly tree_id?: string;
  readonly distinct?: boolean;
  readonly author?: ImportedPerson;
  readonly committer?: ImportedPerson;
}

export interface ImportedPerson {
  readonly name?: string;
  readonly username?: string;
  readonly email?: string;
}
