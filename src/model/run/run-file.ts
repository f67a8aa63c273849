import type { Run } from './run.ts';

/** A run and the file that it came from. */
export interface RunFile {
  readonly file: string;
  readonly run: Run;
}
