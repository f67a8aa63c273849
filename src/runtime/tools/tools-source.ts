import type { Architecture, ReleaseArchive } from './tools-pins.ts';

/** What a source of the load tools needs to know. */
export interface ToolsRequest {
  /** The folder that Wiregauge came in: tools/load below it pins the module. */
  readonly root: string;
  readonly architecture: Architecture;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  readonly archives: Readonly<Record<Architecture, readonly ReleaseArchive[]>> | undefined;
  /** The address below which Wiregauge's own releases lie; the real one where undefined. */
  readonly releases: string | undefined;
  readonly connectMs: number | undefined;
}

/** A source that cannot give the tools here and now; the next one is tried. */
export class SourceUnavailable extends Error {}
