import { describe, expect, it } from 'vitest';
import { gitError } from '../../../../src/host/git/git.ts';

describe('the error of a git command', () => {
  it.each([
    ['/home/a/shop', '`git fetch` failed in /home/a/shop: it is gone'],
    ['/tmp/wiregauge-0-12-345-Ab3xYz/history', '`git fetch` failed: it is gone'],
  ])('names the folder only if that lasts: %s', (folder, message) => {
    expect(gitError(folder, ['fetch', 'origin'], 'it is gone').message).toBe(message);
  });
});
