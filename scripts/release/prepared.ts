import { isVersion } from './plan.ts';

/** Files that name a version, as texts. */
export interface VersionFiles {
  readonly changelog: string;
  /** package.json */
  readonly manifest: string;
  /** package-lock.json */
  readonly lock: string;
}

/** New contents of the files, or the reason that they stay unchanged. */
export type PreparedFiles =
  | { readonly kind: 'prepared'; readonly files: VersionFiles }
  | { readonly kind: 'refused'; readonly problem: string };

/** Files for a release: its section of the changelog is "Unreleased", and both manifests have its version. */
export function preparedFiles(
  { changelog, manifest, lock }: VersionFiles,
  { version, date }: { readonly version: string; readonly date: string },
): PreparedFiles {
  if (!isVersion(version)) {
    return {
      kind: 'refused',
      problem: `"${version}" is not a version: write it like 1.2.3 or 1.2.3-rc.1, without a "v".`,
    };
  }
  const dated = changelog.replace(/^## Unreleased$/m, `## ${version} (${date})`);
  if (dated === changelog) {
    return {
      kind: 'refused',
      problem: 'CHANGELOG.md has no section "## Unreleased": there is nothing to release.',
    };
  }
  return {
    kind: 'prepared',
    files: { changelog: dated, manifest: withVersion(manifest, version, 1), lock: withVersion(lock, version, 2) },
  };
}

/** The first versions in a manifest are its own; a lock file has two. */
function withVersion(manifest: string, version: string, times: number): string {
  let left = times;
  return manifest.replace(/"version": "[^"]*"/g, (found) => {
    left -= 1;
    return left < 0 ? found : `"version": "${version}"`;
  });
}
