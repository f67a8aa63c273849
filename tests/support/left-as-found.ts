import { afterAll, beforeAll, vi } from 'vitest';

/** What the tests of a file change of the program that runs them is undone after the last of them: the next file is run by the same program. */
let before: NodeJS.ProcessEnv = {};

beforeAll(() => {
  before = { ...process.env };
});

afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  for (const name of Object.keys(process.env)) {
    if (!(name in before)) {
      delete process.env[name];
    }
  }
  Object.assign(process.env, before);
});
