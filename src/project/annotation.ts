import type { CellKey } from '../model/sample.ts';

/** A remark that GitHub shows beside a line of a file and on the page of the workflow run; plain text without line breaks. */
export interface Annotation extends Partial<SourcePlace> {
  readonly level: 'error' | 'warning' | 'notice';
  readonly title: string;
  readonly message: string;
}

/** Where something stands. */
export interface SourcePlace {
  /** A file, from the root of the repository. */
  readonly path: string;
  /** From 1; undefined where the file is not there, is not YAML, or does not have it. */
  readonly line?: number | undefined;
}

/** Where the configuration has what a verdict is about; undefined where no file of the repository does. */
export interface SourcePlaces {
  readonly suite: SourcePlace | undefined;
  /** The operation of a cell, its tier where it is about all operations, its service where it is about all tiers. */
  readonly cell: (cell: CellKey) => SourcePlace | undefined;
  /** A budget, an acceptance by its number in the policy, from 0. */
  readonly budget: (index: number) => SourcePlace | undefined;
  readonly acceptance: (index: number) => SourcePlace | undefined;
}
