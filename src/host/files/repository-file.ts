/** A file of somebody's repository: its path from the root, with slashes, and its text, both from outside. */
export interface RepositoryFile {
  readonly path: string;
  readonly text: string;
}
