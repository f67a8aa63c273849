import { describe, expect, test } from 'vitest';
import { preparedFiles, type VersionFiles } from '../../../../scripts/release/prepared.ts';

const FILES: VersionFiles = {
  changelog:
    '# Changelog\n\n## Unreleased\n\n### Added\n\n- Text about "## Unreleased".\n\n## 0.9.0 (2026-01-01)\n\n- Older.\n',
  manifest: '{\n  "name": "shop",\n  "version": "0.1.0",\n  "config": { "version": "0.1.0" }\n}\n',
  lock: '{\n  "version": "0.1.0",\n  "packages": {\n    "": { "version": "0.1.0" },\n    "node_modules/one": { "version": "0.1.0" }\n  }\n}\n',
};

const prepared = (version: string, files = FILES) => preparedFiles(files, { version, date: '2026-12-01' });

describe('a release that is prepared', () => {
  test('has its section in the changelog, and its version in both manifests', () => {
    expect(prepared('1.0.0')).toEqual({
      kind: 'prepared',
      files: {
        changelog: FILES.changelog.replace('\n## Unreleased\n', '\n## 1.0.0 (2026-12-01)\n'),
        manifest: FILES.manifest.replace('0.1.0', '1.0.0'),
        lock: FILES.lock.replace('0.1.0', '1.0.0').replace('0.1.0', '1.0.0'),
      },
    });
  });

  test.each(['', 'v1.0.0', '1.0'])('needs a version, and "%s" is none', (version) => {
    expect(prepared(version)).toEqual({ kind: 'refused', problem: expect.stringContaining('is not a version') });
  });

  test('needs something that is unreleased', () => {
    const changelog = '# Changelog\n\n## 0.9.0 (2026-01-01)\n\n- Older.\n';

    expect(prepared('1.0.0', { ...FILES, changelog })).toEqual({
      kind: 'refused',
      problem: expect.stringContaining('no section "## Unreleased"'),
    });
  });
});
