import { afterEach, beforeEach, vi } from 'vitest';

/** What a command printed in the test that runs. */
export interface Printed {
  /** Standard output. */
  out: string;
  /** Standard error. */
  err: string;
}

/** Catches what the commands of a file's tests print, outside of any workflow; empty again for each test. */
export function catchPrinted(): Printed {
  const printed: Printed = { out: '', err: '' };
  beforeEach(() => {
    Object.assign(printed, { out: '', err: '' });
    vi.stubEnv('GITHUB_ACTIONS', undefined);
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      printed.out += String(text);
      return true;
    });
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      printed.err += String(text);
      return true;
    });
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  });
  return printed;
}
