import { ConfigError } from '../../foundation/errors.ts';
import { git, quoted } from '../../host/git/git.ts';

/** Setting of git: a key, such as "http.https://github.com/.extraheader", and its value. */
export type Setting = readonly [key: string, value: string];

/** Name of the remote in the scratch repository. */
export const REMOTE = 'wiregauge';

/** Settings of connection and authentication; no other settings of the user are used. */
const CARRIED = /^(?:(?:http|credential|url|protocol|ssh)\.|core\.(?:sshcommand|askpass|gitproxy)$)/;

const OF_REMOTE = /^(?:proxy|proxyauthmethod|uploadpack|receivepack)$/;

const DEFAULTS: readonly Setting[] = [
  // Gives up on a server that sends nothing for a minute.
  ['http.lowspeedlimit', '1'],
  ['http.lowspeedtime', '60'],
];

/**
 * Reads how a checkout reaches a remote: addresses, credentials, proxies. Settings that apply everywhere are left out, as servers reject a
 * repeated header; those of files that are included for this checkout only are kept.
 */
export async function remoteSettings(checkout: string, scratch: string, remote: string) {
  const everywhere = await settingsFor(checkout, { GIT_DIR: scratch });
  const all = await settingsFor(checkout, {});
  const carried = without(all, everywhere).filter(([key]) => CARRIED.test(key));
  const defaults = DEFAULTS.filter(([key]) => !all.some(([known]) => known === key));
  const prefix = `remote.${remote}.`;
  const own = all.flatMap(([key, value]): readonly Setting[] => {
    const name = key.startsWith(prefix) ? key.slice(prefix.length) : '';
    return OF_REMOTE.test(name) ? [[`remote.${REMOTE}.${name}`, value]] : [];
  });
  return {
    // Passed in the environment, since they may contain secrets.
    settings: [...defaults, ...carried, ...own, ...addressesOf(all, remote)],
    secrets: all.filter(([key]) => key.endsWith('.extraheader')).flatMap(([, value]) => value.split(/\s+/).slice(-1)),
    remotes: all.flatMap(([key]) => /^remote\.(.+)\.url$/.exec(key)?.[1] ?? []),
    hasSshCommand: all.some(([key]) => key === 'core.sshcommand'),
  };
}

/** Both fetches and pushes use the push address: write access implies read access, and a separate address for reading may be behind. */
function addressesOf(settings: readonly Setting[], remote: string): readonly Setting[] {
  const [url, pushUrl] = ['url', 'pushurl'].map(
    (name) => settings.find(([key]) => key === `remote.${remote}.${name}`)?.[1],
  );
  const address = pushUrl ?? url;
  return [
    ...(address === undefined ? [] : [[`remote.${REMOTE}.url`, address] as const]),
    ...(pushUrl === undefined ? [] : [[`remote.${REMOTE}.pushurl`, pushUrl] as const]),
  ];
}

/** All settings except those of the command line and the environment, which apply to every repository. */
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

/** Variables that add settings to those of the environment. */
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

/** Folder on a branch of a remote. */
export interface BranchPlace {
  readonly remote: string;
  readonly branch: string;
  readonly folder: string;
}

const PART = /^[A-Za-z0-9_](?:[A-Za-z0-9._-]*[A-Za-z0-9_-])?$/;

const MAX_CHARACTERS = 200;

/** Flag of the folder of a place; `--branch-folder` where `--folder` is a local folder. */
export type FolderFlag = '--folder' | '--branch-folder';

/** Throws ConfigError with the flag if a name of the place is invalid. */
export function refuseInvalidNames(place: BranchPlace, folderFlag: FolderFlag): void {
  const flags = { remote: '--remote', branch: '--branch', folder: folderFlag } as const;
  for (const name of ['remote', 'branch', 'folder'] as const) {
    if (!isPlainPath(place[name]) || /\.lock(\/|$)/.test(place[name])) {
      throw new ConfigError(
        `${flags[name]}=${quoted(place[name].slice(0, MAX_CHARACTERS))} cannot be the name of a ${name}`,
        {
          code: 'WG-101',
          next: 'Use letters, digits, dots, dashes and underscores, separated by single slashes.',
        },
      );
    }
  }
}

/** True if a path is safe for git, file systems and addresses: no "..", ".git" or option. */
export function isPlainPath(path: string): boolean {
  return path.length <= MAX_CHARACTERS && path.split('/').every((part) => PART.test(part) && !part.includes('..'));
}
