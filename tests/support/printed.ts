import { afterEach, beforeEach, vi } from 'vitest';

/** What a command printed in the test that runs. */
export interface Printed {
  /** Standard output. */
  out: string;
  /** Standard error. */
  err: string;
  /** Both, in the order in which they came. */
  all: string;
}

/** Catches what the commands of a file's tests print, outside of any workflow; empty again for each test. */
export function catchPrinted(): Printed {
  const printed: Printed = { out: '', err: '', all: '' };
  beforeEach(() => {
    Object.assign(printed, { out: '', err: '', all: '' });
    vi.stubEnv('GITHUB_ACTIONS', undefined);
    const into = (stream: 'out' | 'err') => (text: unknown) => {
      printed[stream] += String(text);
      printed.all += String(text);
      return true;
    };
    vi.spyOn(process.stdout, 'write').mockImplementation(into('out'));
    vi.spyOn(process.stderr, 'write').mockImplementation(into('err'));
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  });
  return printed;
}
