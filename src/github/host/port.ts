import type { Annotation } from '../../project/annotation.ts';

/** The job of a workflow that a step runs in. */
export interface WorkflowHost {
  readonly eventName: string;
  /** The event as GitHub tells it: text from outside. */
  readonly payload: unknown;
  readonly owner: string;
  readonly repository: string;
  readonly apiUrl: string;
  readonly runId: number;
  /** The page of a run of a workflow. */
  runUrl(id: number): string;
  readonly attempt: number;
  /** Tells this step from others of the same job. */
  readonly step: string;
  readonly job: string;
  /** A folder that the runner empties after the job. */
  readonly temporaryFolder: string;
  /** All inputs that were given, by their names, empty ones left out. */
  readonly inputs: ReadonlyMap<string, string>;
  /** Keeps a secret out of the log. */
  conceal(secret: string): void;
  output(name: string, value: string): void;
  /** Keeps a text for the end of the job, which is another program. */
  remember(name: string, value: string): void;
  /** What the step kept for the end of the job; empty where it kept nothing, and in the step itself. */
  remembered(name: string): string;
  annotate(annotation: Annotation): void;
  /** Adds to the summary of the job. */
  summary(markdown: string): Promise<void>;
}
