import { describe, expect, it } from 'vitest';
import { latestRelease } from '../../src/host/git/commits.ts';
import { useVersions } from '../integration/git-versions.ts';

const bench = useVersions();

describe('the latest release', () => {
  it('is the highest version of the commits before, none of its own and none that is to come', async () => {
    const { scene } = bench;
    expect(await latestRelease(scene.repository, undefined)).toBeUndefined();
    for (const tag of ['v1.9.0', 'v1.10.0', 'v2.0.0-rc.1', 'nightly', 'v3']) {
      scene.git('tag', tag);
    }
    scene.commit('Later');
    scene.git('tag', 'v1.11.0');

    expect(await latestRelease(scene.repository, undefined)).toBe('v1.10.0');
    scene.commit('Later still');
    expect(await latestRelease(scene.repository, 'HEAD')).toBe('v1.11.0');
    expect(await latestRelease(scene.repository, 'v1.11.0')).toBe('v1.10.0');
  });

  it('may have the name of a package before it', async () => {
    const { scene } = bench;
    scene.git('tag', 'shop@1.4.0');
    scene.commit('Later');

    expect(await latestRelease(scene.repository, undefined)).toBe('shop@1.4.0');
  });
});
