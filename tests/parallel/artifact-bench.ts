import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, vi } from 'vitest';
import { formatRun } from '../../src/model/run/run.ts';
import { type ArtifactService, startArtifactService } from '../support/artifact-service.ts';
import { committed, DEARER } from '../support/sample-comment.ts';

/** The comparison that leaveResults leaves: something regressed. */
export const RUN = committed(DEARER);

/** A service for artifacts for each test of a file, in the environment of this program, and a folder for results. */
export function artifactsPerTest() {
  const now = { service: undefined as ArtifactService | undefined, folder: '', printed: '' };
  beforeEach(async () => {
    now.service = await startArtifactService();
    now.folder = await mkdtemp(join(tmpdir(), 'results-'));
    now.printed = '';
    for (const [name, value] of Object.entries(now.service.environment)) {
      vi.stubEnv(name, value);
    }
    vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
      now.printed += String(chunk);
      return true;
    });
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    await now.service?.[Symbol.asyncDispose]();
    await rm(now.folder, { recursive: true, force: true });
  });
  return {
    get service(): ArtifactService {
      if (now.service === undefined) {
        throw new Error('a service is there within tests only');
      }
      return now.service;
    },
    get folder() {
      return now.folder;
    },
    /** All that went to standard output. */
    get printed() {
      return now.printed;
    },
    /** What a comparison leaves, as far as it matters here. */
    leaveResults: async () => {
      await mkdir(join(now.folder, 'charts'));
      await writeFile(join(now.folder, 'run.json'), formatRun(RUN));
      await writeFile(join(now.folder, 'report.md'), '# Report');
      await writeFile(join(now.folder, 'charts', 'overview.svg'), '<svg/>');
    },
  };
}

/** The library and the storage's client wait for seconds before they try again. For tests that speak to nothing else. */
export function shortWaitsPerTest(): void {
  beforeEach(() => {
    const wait = globalThis.setTimeout;
    const short = (work: (...values: unknown[]) => void, ms = 0, ...values: unknown[]) =>
      wait(work, Math.min(ms, 5), ...values);
    vi.spyOn(globalThis, 'setTimeout').mockImplementation(short as typeof setTimeout);
  });
}
