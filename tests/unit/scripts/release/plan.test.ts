import { describe, expect, test } from 'vitest';
import { type PlannedRelease, planRelease, type ReleaseSource } from '../../../../scripts/release/plan.ts';

const CHANGELOG = `# Changelog

## Unreleased

- Not yet out.

## 1.2.0 (2026-12-01)

### Added

- A comment on pull requests.

## 1.1.0 (2026-11-25)

- Older.

## 1.0.0 (2026-11-22)
`;

function source(change: Partial<ReleaseSource> = {}): ReleaseSource {
  return {
    version: '1.2.0',
    changelog: CHANGELOG,
    packageVersion: change.version ?? '1.2.0',
    readme: 'uses: wiregauge/wiregauge@v1',
    tags: ['v1', 'v1.1.0', 'v1.0.0'],
    ref: 'refs/heads/main',
    changes: '',
    ...change,
  };
}

function planOf(release: PlannedRelease) {
  expect(release).toHaveProperty('kind', 'planned');
  return release.kind === 'planned' ? release.plan : undefined;
}

function problemsOf(release: PlannedRelease): readonly string[] {
  expect(release).toHaveProperty('kind', 'refused');
  return release.kind === 'refused' ? release.problems : [];
}

/** A changelog with a section of this version, and a README that names its major tag. */
function sectionOf(version: string): Partial<ReleaseSource> {
  const readme = `uses: wiregauge/wiregauge@v${version.split('.', 1)}`;
  return { version, packageVersion: version, readme, changelog: `## ${version} (2026-12-01)\n\nText.\n` };
}

describe('a release that can be made', () => {
  test('has notes whose links lead to the files of its tag', () => {
    const links =
      '[guide](docs/how-to/tls.md#mtls), [license](LICENSE), [site](https://example.com/a), [below](#added)';
    const changelog = `## 1.2.0 (2026-12-01)\n\n- ${links}\n`;
    const tag = 'https://github.com/wiregauge/wiregauge/blob/v1.2.0';

    expect(planOf(planRelease(source({ changelog })))?.notes).toBe(
      `- [guide](${tag}/docs/how-to/tls.md#mtls), [license](${tag}/LICENSE), [site](https://example.com/a), [below](#added)`,
    );
  });

  test('has the section of the changelog as its notes, up to the next version', () => {
    expect(planOf(planRelease(source()))).toEqual({
      tag: 'v1.2.0',
      majorTag: 'v1',
      isPrerelease: false,
      isLatest: true,
      channel: 'latest',
      notes: '### Added\n\n- A comment on pull requests.',
    });
  });

  test.each(['## [1.2.0] - 2026-12-01', '## 1.2.0 - 2026-12-01', '## 1.2.0'])(
    'finds its section below "%s"',
    (heading) => {
      const changelog = `${heading}\n\nText.\n`;

      expect(planOf(planRelease(source({ changelog })))?.notes).toBe('Text.');
    },
  );

  test('leaves the major tag where it is for a patch of an older minor version', () => {
    const plan = planOf(planRelease(source({ ...sectionOf('1.1.1'), tags: ['v1', 'v1.1.0', 'v1.10.0'] })));

    expect(plan).toMatchObject({ majorTag: undefined, isLatest: false, isPrerelease: false });
  });

  test('compares versions by number, not by text', () => {
    const plan = planOf(planRelease(source({ ...sectionOf('1.10.0'), tags: ['v1.9.0'] })));

    expect(plan).toMatchObject({ majorTag: 'v1', isLatest: true });
  });

  test('moves the tag of an older major version without becoming the latest', () => {
    const plan = planOf(planRelease(source({ ...sectionOf('1.3.0'), tags: ['v1.2.0', 'v2.0.0'] })));

    expect(plan).toMatchObject({ majorTag: 'v1', isLatest: false });
  });

  test('moves no major tag for a pre-release', () => {
    const plan = planOf(planRelease(source(sectionOf('2.0.0-rc.1'))));

    expect(plan).toMatchObject({ tag: 'v2.0.0-rc.1', majorTag: undefined, isPrerelease: true, isLatest: false });
  });

  test('does not let an earlier pre-release keep the major tag', () => {
    const plan = planOf(planRelease(source({ ...sectionOf('2.0.0'), tags: ['v2.0.0-rc.1', 'v2.1.0-rc.1', 'v1.9.0'] })));

    expect(plan).toMatchObject({ majorTag: 'v2', isLatest: true });
  });

  test.each([
    ['1.3.0', ['v1.2.0'], 'latest'],
    ['1.3.0-rc.1', ['v1.2.0'], 'next'],
    ['1.3.0', ['v1.2.0', 'v2.0.0'], 'release-1'],
    ['1.1.1', ['v1.1.0', 'v1.2.0'], 'release-1'],
  ])('gives %s after %j to those who ask for "%s"', (version, tags, channel) => {
    expect(planOf(planRelease(source({ ...sectionOf(version), tags })))?.channel).toBe(channel);
  });

  test('names the major tag of the release before in its README if it is a pre-release', () => {
    const readme = 'uses: wiregauge/wiregauge@v1';

    expect(planOf(planRelease(source({ ...sectionOf('2.0.0-rc.1'), readme })))?.tag).toBe('v2.0.0-rc.1');
  });

  test('is made on a developer’s machine, too, where no branch is given', () => {
    expect(planOf(planRelease(source({ ref: undefined })))?.tag).toBe('v1.2.0');
  });
});

describe('a release that cannot be made', () => {
  test.each(['', 'v1.2.0', '1.2', '1.2.0.0', '01.2.0', '1.2.0; echo', '1.2.0\n', '1.2.0-', '1.2.0-rc 1', '../1.2.0'])(
    'refuses "%s", which is not a version',
    (version) => {
      expect(problemsOf(planRelease(source({ version })))[0]).toContain('is not a version');
    },
  );

  test.each([
    ['the tag exists', { tags: ['v1.2.0'] }, 'The tag v1.2.0 exists already'],
    ['package.json has another version', { packageVersion: '1.1.0' }, 'package.json has the version 1.1.0'],
    ['the changelog lacks the section', { changelog: '## 1.1.0\n\nText.\n' }, 'CHANGELOG.md has no section "## 1.2.0'],
    ['only a longer version has a section', { changelog: '## 1.2.0-rc.1\n\nText.\n' }, 'CHANGELOG.md has no section'],
    ['the section is empty', { changelog: '## 1.2.0\n\n## 1.1.0\n\nText.\n' }, 'CHANGELOG.md has no section'],
    ['the bundle is stale', { changes: ' M dist/cli.js' }, ' M dist/cli.js'],
    ['the README names another major tag', { readme: 'uses: wiregauge/wiregauge/.github/workflows/x.yml@v2' }, '@v2'],
    ['it is not made of main', { ref: 'refs/heads/other' }, 'runs on refs/heads/other'],
  ])('says so where %s', (_, change, problem) => {
    const problems = problemsOf(planRelease(source(change)));

    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(problem);
  });

  test('names every problem at once', () => {
    const problems = problemsOf(planRelease(source({ tags: ['v1.2.0'], changes: '?? x', packageVersion: '1.0.0' })));

    expect(problems).toHaveLength(3);
  });
});
