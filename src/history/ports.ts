import type { FileChange } from './store/file-change.ts';

/** The text of a file of the history by its path, for example "history/index.json"; undefined where there is none. */
export type ReadHistory = (path: string) => Promise<string | undefined>;

/** The names of the files in a folder of the history, for example "history"; none where there is no such folder. */
export type ListHistory = (folder: string) => Promise<readonly string[]>;

/** The files of a history at one moment. */
export interface HistoryFiles {
  readonly read: ReadHistory;
  readonly list: ListHistory;
}

/** Where a history lies: a branch of a repository, or a folder. */
export interface HistoryStore extends HistoryFiles {
  /** What messages call it, for example "gh-pages:performance". */
  readonly name: string;
  /**
   * Writes what `apply` says, all or nothing. `apply` gets the newest files, and is asked again where somebody else wrote
   * meanwhile; no changes write nothing. Errors of `apply` go on to the caller, and nothing is written.
   */
  change(
    apply: (read: ReadHistory, list: ListHistory) => Promise<readonly FileChange[]>,
    message: string,
  ): Promise<PublishResult>;
}

/** What became of a change. */
export interface PublishResult {
  readonly outcome: 'written' | 'unchanged';
  /** How often `apply` was asked. */
  readonly attempts: number;
  /** Of the new state, where the history has commits. */
  readonly commit?: string;
}
