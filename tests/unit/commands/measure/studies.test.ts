import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runStudies } from '../../../../src/commands/measure/studies.ts';
import { judgmentPage } from '../../../../src/commands/runs/report.ts';
import { MeasurementError } from '../../../../src/foundation/errors.ts';
import { OWN_ROOT } from '../../../../src/project/own-root.ts';
import { sampleMainJob } from '../../../support/sample-versus.ts';

let out = '';
let printed = '';
beforeEach(() => {
  out = mkdtempSync(join(tmpdir(), 'wiregauge-studies-'));
  printed = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += String(text);
    return true;
  });
  vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(out, { recursive: true });
});

interface Flags {
  readonly suite?: string;
  readonly profile: string;
  readonly out: string;
  readonly json?: boolean;
  readonly failOn?: string;
  readonly services?: readonly string[];
}

const written = () => ({ judgment: sampleMainJob(), page: judgmentPage(sampleMainJob()), reports: [] });

const flags = (more: Partial<Flags> = {}): Flags => ({ suite: 'all-studies', profile: 'smoke', out, ...more });

describe('run --suite all-studies', () => {
  it('runs each suite of a study into a folder of its own, and not those about what a study left open', async () => {
    const measured: Flags[] = [];

    const exitCode = await runStudies(flags(), OWN_ROOT, async (one) => {
      measured.push(one);
      return { exitCode: 0, written: written() };
    });

    const names = measured.map(({ suite }) => suite);
    expect(names).toEqual(expect.arrayContaining(['hops', 'layers', 'payload', 'protocols', 'users-study']));
    expect(names).not.toContain('transport');
    expect(names).not.toContain('network');
    expect(measured.every(({ suite = '', out: folder }) => folder === join(out, suite))).toBe(true);
    expect(exitCode).toBe(0);
    expect(readFileSync(join(out, 'report.md'), 'utf8')).toMatch(/Of 0 findings in \d+ suites/);
    expect(printed).toContain('hops/report.html');
  });

  it('goes on after a suite that cannot be measured, says why, and ends with 2', async () => {
    const exitCode = await runStudies(flags({ json: true }), OWN_ROOT, async ({ suite }) => {
      if (suite === 'hops') {
        throw new MeasurementError('go is not on PATH', { code: 'WG-401', next: 'Install Go.' });
      }
      return { exitCode: 0, written: written() };
    });

    const { suites } = JSON.parse(printed);
    expect(exitCode).toBe(2);
    expect(suites[0]).toMatchObject({ suite: 'hops', failure: 'go is not on PATH. Install Go.', findings: [] });
    expect(suites.length).toBeGreaterThan(5);
    expect(readFileSync(join(out, 'report.html'), 'utf8')).toContain('go is not on PATH');
  });

  it('ends with the suite in which someone pressed Ctrl-C', async () => {
    const measured: unknown[] = [];

    const exitCode = await runStudies(flags(), OWN_ROOT, async ({ suite }) => {
      measured.push(suite);
      return { exitCode: measured.length === 2 ? 130 : 0 };
    });

    expect([exitCode, measured.length]).toEqual([130, 2]);
  });

  it('refuses flags that are about one suite, before anything is run', async () => {
    const play = vi.fn();

    await expect(runStudies(flags({ services: ['rest'] }), OWN_ROOT, play)).rejects.toThrow(
      '--services is for a single suite, but all-studies runs several',
    );
    await expect(runStudies(flags({ failOn: 'regression' }), OWN_ROOT, play)).rejects.toThrow(
      '--fail-on is for a single suite',
    );
    await expect(runStudies(flags(), out, play)).rejects.toThrow('no suite here has study findings');
    expect(play).not.toHaveBeenCalled();
  });
});
