/** Input of a release; texts as in the files and git. */
export interface ReleaseSource {
  /** As entered, like "1.2.3". */
  readonly version: string;
  readonly changelog: string;
  /** Version in package.json. */
  readonly packageVersion: string;
  readonly readme: string;
  /** Names of all tags of the remote repository. */
  readonly tags: readonly string[];
  /** Branch that is checked out on the runner, like "refs/heads/main"; undefined on a developer's machine. */
  readonly ref: string | undefined;
  /** Output of `git status --porcelain` after the bundle was built again. */
  readonly changes: string;
}

/** Plan of a release. */
export interface ReleasePlan {
  readonly tag: string;
  /** Major tag for users, like "v1", if it moves to this release. */
  readonly majorTag: string | undefined;
  /** Release that users get only on request. */
  readonly isPrerelease: boolean;
  /** True if it is the highest version, which GitHub shows as "latest". */
  readonly isLatest: boolean;
  /**
   * Tag in npm and the image registry, in addition to its version: "latest", "next", or like "release-1" if a newer one is the latest. The last two
   * are installed only on request.
   */
  readonly channel: string;
  /** Markdown: the changelog's section without its heading, with links that also work outside the repository. */
  readonly notes: string;
}

/** A plan, or all obstacles. */
export type PlannedRelease =
  | { readonly kind: 'planned'; readonly plan: ReleasePlan }
  | { readonly kind: 'refused'; readonly problems: readonly string[] };

interface Version {
  /** Version without a pre-release suffix, like "1.2.3". */
  readonly numbers: string;
  readonly major: string;
  readonly isPrerelease: boolean;
}

const VERSION = /^((0|[1-9]\d{0,5})\.(?:0|[1-9]\d{0,5})\.(?:0|[1-9]\d{0,5}))(-[0-9A-Za-z]+(?:\.[0-9A-Za-z]+)*)?$/;

/**
 * Plan of a release of `version`, or all reasons that it cannot be made, each with the fix. The major tag does not move for a pre-release, nor for a
 * patch of an older minor version, which would downgrade users.
 */
export function planRelease(source: ReleaseSource): PlannedRelease {
  const version = versionIn(source.version);
  if (version === undefined) {
    return {
      kind: 'refused',
      problems: [`"${source.version}" is not a version: write it like 1.2.3 or 1.2.3-rc.1, without a "v".`],
    };
  }
  const notes = notesIn(source.changelog, source.version);
  const problems = problemsOf(source, notes);
  if (problems.length > 0 || notes === undefined) {
    return { kind: 'refused', problems };
  }
  const released = source.tags.flatMap((tag) => (tag.startsWith('v') ? (versionIn(tag.slice(1)) ?? []) : []));
  const full = released.filter(({ isPrerelease }) => !isPrerelease);
  const sameMajor = full.filter(({ major }) => major === version.major);
  const isNewest = (others: readonly Version[]) =>
    !version.isPrerelease && others.every((other) => isNewer(version, other));
  return {
    kind: 'planned',
    plan: {
      tag: `v${source.version}`,
      majorTag: isNewest(sameMajor) ? `v${version.major}` : undefined,
      isPrerelease: version.isPrerelease,
      isLatest: isNewest(full),
      channel: channelOf(version, isNewest(full)),
      notes: withFullLinks(notes, `v${source.version}`),
    },
  };
}

function channelOf({ isPrerelease, major }: Version, isLatest: boolean): string {
  return isPrerelease ? 'next' : isLatest ? 'latest' : `release-${major}`;
}

function problemsOf(source: ReleaseSource, notes: string | undefined): readonly string[] {
  const { version, packageVersion, ref } = source;
  const problems: string[] = [];
  if (ref !== undefined && ref !== 'refs/heads/main') {
    problems.push(`The workflow runs on ${ref}: releases are made of main only. Start it on main.`);
  }
  if (packageVersion !== version) {
    problems.push(`package.json has the version ${packageVersion}: set it to ${version} and run \`npm run build\`.`);
  }
  const otherMajors = majorsOtherThan(versionIn(version), source.readme);
  if (otherMajors.length > 0) {
    problems.push(
      `README.md names wiregauge/wiregauge@v${otherMajors.join(', v')}, which this release does not move: name the major tag of ${version} there, in docs, examples and \`init\`.`,
    );
  }
  if (source.tags.includes(`v${version}`)) {
    problems.push(`The tag v${version} exists already: a release is never made twice. Take the next version.`);
  }
  if (notes === undefined) {
    problems.push(`CHANGELOG.md has no section "## ${version} (date)" with text in it: rename "Unreleased" to it.`);
  }
  if (source.changes !== '') {
    problems.push(`Files differ from what is committed: run \`npm run build\` and commit.\n${source.changes}`);
  }
  return problems;
}

/** Major versions of the action, or of its workflows, in texts for users that differ from that of a release. A pre-release moves none. */
function majorsOtherThan(version: Version | undefined, readme: string): readonly string[] {
  const named = readme.matchAll(/\bwiregauge\/wiregauge(?:\/[^@\s]*)?@v(\d+)/g);
  const majors = new Set([...named].map(([, major = '']) => major));
  return version === undefined || version.isPrerelease ? [] : [...majors].filter((major) => major !== version.major);
}

/** True if a text is a version that can be released, like "1.2.3" or "1.2.3-rc.1". */
export function isVersion(text: string): boolean {
  return versionIn(text) !== undefined;
}

/** Text below the heading `## 1.2.3 (date)`, `## 1.2.3 - date` or `## [1.2.3] - date`; undefined if there is none. */
function notesIn(changelog: string, version: string): string | undefined {
  const sections = `\n${changelog}`.split('\n## ').slice(1);
  const section = sections.find((text) => text.split(/\s/, 1)[0]?.replace(/^\[|\]$/g, '') === version);
  return section?.replace(/^.*/, '').trim() || undefined;
}

/** GitHub shows release notes without a folder, so relative links would not work. */
function withFullLinks(markdown: string, tag: string): string {
  return markdown.replace(/\]\((?![a-z]+:|#)/g, `](https://github.com/wiregauge/wiregauge/blob/${tag}/`);
}

function versionIn(text: string): Version | undefined {
  const [, numbers = '', major = '', prerelease] = VERSION.exec(text) ?? [];
  return numbers === '' ? undefined : { numbers, major, isPrerelease: prerelease !== undefined };
}

function isNewer(version: Version, other: Version): boolean {
  return version.numbers.localeCompare(other.numbers, 'en', { numeric: true }) > 0;
}
