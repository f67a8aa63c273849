import type { Play } from './play.ts';

/** Test elsewhere that plays a case: its file from the root of the repository, and its name or a part of it. */
export interface Elsewhere {
  readonly file: string;
  readonly name: string;
}

/** A fault or a hostile input: what happens, what must come out, and what may be left. */
export interface Row {
  /** Unique name: who does what. */
  readonly fault: string;
  /** Number of the fault that the case once showed, such as H7; undefined if it held from the first. */
  readonly found?: string;
  readonly by: Play | Elsewhere;
  /** Played only with WIREGAUGE_FAULTS=all, as at night: it takes long. */
  readonly nightly?: boolean;
  /** What must be on the machine. */
  readonly needs?: 'docker' | 'root';
}

/** Row that another test plays. */
export function elsewhere(fault: string, file: string, name: string, found?: string): Row {
  return { fault, by: { file, name }, ...(found !== undefined && { found }) };
}
