import { ConfigError } from '../../foundation/errors.ts';
import { git, quoted } from '../../host/git/git.ts';

/** A setting of git: a key, such as "http.https://github.com/.extraheader", and its value. */
export type Setting = readonly [key: string, value: string];

/** How the remote of a checkout is reached from a repository that has none of its own. */
export interface RemoteSettings {
  /** To be passed on by the environment, since they may hold secrets. */
  readonly settings: readonly Setting[];
  /** Of those, what must not be shown. */
  readonly secrets: readonly string[];
  /** Names of the checkout's remotes. */
  readonly remotes: readonly string[];
  /** Whether the user has said how ssh is to be started. */
  readonly hasSshCommand: boolean;
}

/** What the remote is called in that repository. */
export const REMOTE = 'wiregauge';

/** What decides how a server is reached and who asks; nothing else of a user's settings matters, or may. */
const CARRIED = /^(?:(?:http|credential|url|protocol|ssh)\.|core\.(?:sshcommand|askpass|gitproxy)$)/;

const OF_REMOTE = /^(?:proxy|proxyauthmethod|uploadpack|receivepack)$/;

const DEFAULTS: readonly Setting[] = [
  // A server that says nothing for a minute will not.
  ['http.lowspeedlimit', '1'],
  ['http.lowspeedtime', '60'],
];

/**
 * Reads how a checkout reaches a remote: its addresses, credentials, proxies. Those settings that hold everywhere anyway are left
 * out, as a header that is sent twice is refused; those of files that are included for this checkout only are not.
 */
export async function remoteSettings(checkout: string, scratch: string, remote: string): Promise<RemoteSettings> {
  const everywhere = await settingsFor(checkout, { GIT_DIR: scratch });
  const all = await settingsFor(checkout, {});
  const carried = without(all, everywhere).filter(([key]) => CARRIED.test(key));
  const defaults = DEFAULTS.filter(([key]) => !all.some(([known]) => known === key));
  return {
    settings: [...defaults, ...carried, ...settingsOf(all, remote), ...addressesOf(all, remote)],
    secrets: all.filter(([key]) => key.endsWith('.extraheader')).flatMap(([, value]) => value.split(/\s+/).slice(-1)),
    remotes: all.flatMap(([key]) => /^remote\.(.+)\.url$/.exec(key)?.[1] ?? []),
    hasSshCommand: all.some(([key]) => key === 'core.sshcommand'),
  };
}

function settingsOf(settings: readonly Setting[], remote: string): readonly Setting[] {
  const prefix = `remote.${remote}.`;
  return settings.flatMap(([key, value]): readonly Setting[] => {
    const name = key.startsWith(prefix) ? key.slice(prefix.length) : '';
    return OF_REMOTE.test(name) ? [[`remote.${REMOTE}.${name}`, value]] : [];
  });
}

/** Whoever may write somewhere can read there; a second address to read from may be behind. */
function addressesOf(settings: readonly Setting[], remote: string): readonly Setting[] {
  const [url] = valuesOf(settings, `remote.${remote}.url`);
  const [pushUrl] = valuesOf(settings, `remote.${remote}.pushurl`);
  const address = pushUrl ?? url;
  return [
    ...(address === undefined ? [] : [[`remote.${REMOTE}.url`, address] as const]),
    ...(pushUrl === undefined ? [] : [[`remote.${REMOTE}.pushurl`, pushUrl] as const]),
  ];
}

/** Values of a key, in their order. */
function valuesOf(settings: readonly Setting[], wanted: string): readonly string[] {
  return settings.filter(([key]) => key === wanted).map(([, value]) => value);
}

/** All but those of the command line and the environment, which hold for every repository. */
async function settingsFor(folder: string, variables: Readonly<Record<string, string>>): Promise<readonly Setting[]> {
  const listed = await git(folder, ['config', '--null', '--show-scope', '--includes', '--list'], variables);
  const parts = listed.split('\0');
  const settings: Setting[] = [];
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const [, key = '', value = 'true'] = /^([^\n]*)(?:\n(.*))?$/s.exec(parts[index + 1] ?? '') ?? [];
    if (parts[index] !== 'command') {
      settings.push([key, value]);
    }
  }
  return settings;
}

function without(settings: readonly Setting[], others: readonly Setting[]): readonly Setting[] {
  const left = others.map(([key, value]) => `${key}\n${value}`);
  return settings.filter(([key, value]) => {
    const place = left.indexOf(`${key}\n${value}`);
    if (place >= 0) {
      left.splice(place, 1);
    }
    return place < 0;
  });
}

/** Variables that add settings to those that the environment has already. */
export function settingVariables(
  settings: readonly Setting[],
  environment: NodeJS.ProcessEnv = process.env,
): Readonly<Record<string, string>> {
  const before = Number(environment['GIT_CONFIG_COUNT'] ?? '0') || 0;
  const numbered = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${before + index}`, key],
    [`GIT_CONFIG_VALUE_${before + index}`, value],
  ]);
  return { ...Object.fromEntries(numbered), GIT_CONFIG_COUNT: String(before + settings.length) };
}

/** A folder on a branch of a remote. */
export interface BranchPlace {
  readonly remote: string;
  readonly branch: string;
  readonly folder: string;
}

const PART = /^[A-Za-z0-9_](?:[A-Za-z0-9._-]*[A-Za-z0-9_-])?$/;

const MOST_CHARACTERS = 200;

/** The flag that named the folder of a place: another one if `--folder` is a folder on a disk. */
export type FolderFlag = '--folder' | '--branch-folder';

/** The same place, if its names can be those of a remote, a branch and a folder. Throws ConfigError naming the flag if they cannot. */
export function checkedPlace(place: BranchPlace, folderFlag: FolderFlag): BranchPlace {
  const flags = { remote: '--remote', branch: '--branch', folder: folderFlag } as const;
  for (const name of ['remote', 'branch', 'folder'] as const) {
    if (!isPlainPath(place[name]) || /\.lock(\/|$)/.test(place[name])) {
      throw new ConfigError(
        `${flags[name]}=${quoted(place[name].slice(0, MOST_CHARACTERS))} cannot be the name of a ${name}`,
        {
          code: 'WG-101',
          next: 'Use letters, digits, dots, dashes and underscores, separated by single slashes.',
        },
      );
    }
  }
  return place;
}

/** Whether a path has nothing in it that git, a file system or an address reads as something else: no "..", ".git" or option. */
export function isPlainPath(path: string): boolean {
  return path.length <= MOST_CHARACTERS && path.split('/').every((part) => PART.test(part) && !part.includes('..'));
}
