/** A file of the history as it is to be. */
export interface FileChange {
  /** Below the history's folder, with slashes: "history/index.json". */
  readonly path: string;
  /** The whole new text; undefined where the file goes. */
  readonly text: string | undefined;
}
