/** A remark that GitHub shows beside a file and on the page of the workflow run; plain text without line breaks. */
export interface Annotation {
  readonly level: 'error' | 'warning' | 'notice';
  readonly title: string;
  readonly message: string;
  /** A file, from the root of the repository. */
  readonly path?: string | undefined;
}
