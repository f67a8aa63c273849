import { expect } from 'vitest';
import type { CommandEnd } from './project.ts';

/** One clear message: exit code 2, the words, and no stack trace. */
export function expectRefusal({ exitCode, stderr }: CommandEnd, words: RegExp): void {
  expect(stderr).toMatch(words);
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(stderr).not.toContain('should not happen');
  expect(exitCode).toBe(2);
}
