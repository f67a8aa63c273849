import { afterEach, describe, expect, test, vi } from 'vitest';
import { trendPage } from '../../../../src/commands/history/place.ts';

afterEach(() => vi.unstubAllEnvs());

describe('the trend page of a repository', () => {
  test('is where GitHub shows the published history', async () => {
    vi.stubEnv('GITHUB_SERVER_URL', 'https://github.com');
    const hasFile = vi.fn(async () => await Promise.resolve(true));

    expect(await trendPage({ hasFile }, 'One/service')).toBe('https://one.github.io/service/performance/');
    expect(hasFile).toHaveBeenCalledWith({ branch: 'gh-pages', path: 'performance/history/index.json' });
  });

  test.each([
    ['nothing was published', 'https://github.com', async () => await Promise.resolve(false)],
    ['GitHub does not say', 'https://github.com', async () => await Promise.reject(new Error('no answer'))],
    ['the server is one of its own', 'https://github.example', async () => await Promise.resolve(true)],
  ])('is not known where %s', async (_, server, hasFile) => {
    vi.stubEnv('GITHUB_SERVER_URL', server);

    expect(await trendPage({ hasFile }, 'one/service')).toBeUndefined();
  });
});
