import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onDisk } from '../../host/files/output.ts';
import { type GitBytes, git, gitError, runGit, runGitBytes } from '../../host/git/git.ts';
import { githubToken } from '../../host/workflow.ts';
import { concealed } from './refusal.ts';
import { REMOTE, remoteSettings, type Setting, settingVariables } from './settings.ts';

/** Temporary repository in an owned folder, with the remote of a checkout, which is never written to. */
export interface ScratchRepository {
  /** Names of the remotes of the checkout. */
  readonly remotes: readonly string[];
  /** Address of the remote, without credentials. */
  readonly address: string;
  run(command: ScratchCommand): Promise<GitBytes>;
  /** Standard output of a command; throws EnvironmentError if it fails. */
  text(argv: readonly string[], command?: Omit<ScratchCommand, 'argv'>): Promise<string>;
  /** Writes texts as objects, and returns their names. */
  write(texts: readonly string[]): Promise<readonly string[]>;
}

interface ScratchCommand {
  readonly argv: readonly string[];
  readonly input?: string;
  readonly variables?: Readonly<Record<string, string>>;
}

/** Timeout of one git command, including its transfers. */
const LIMIT_MS = 2 * 60_000;

/** Creates a scratch repository in a folder, for a remote of a checkout; throws EnvironmentError if git fails. */
export async function scratchRepository(
  checkout: string,
  { remote, folder, environment }: { remote: string; folder: string; environment: NodeJS.ProcessEnv },
): Promise<ScratchRepository> {
  const gitFolder = join(folder, 'git');
  const format = await git(checkout, ['rev-parse', '--show-object-format']);
  await git(folder, ['init', '--quiet', '--bare', '--template=', `--object-format=${format}`, '-b', 'none', gitFolder]);
  const found = await remoteSettings(checkout, gitFolder, remote);
  const isShellChosen = found.hasSshCommand || (environment['GIT_SSH_COMMAND'] ?? environment['GIT_SSH']) !== undefined;
  const fixed = {
    ...{ GIT_DIR: gitFolder, GIT_INDEX_FILE: join(folder, 'index') },
    // ssh must not prompt.
    ...(!isShellChosen && { GIT_SSH_COMMAND: 'ssh -oBatchMode=yes -oConnectTimeout=20' }),
  };
  const open = (settings: readonly Setting[]) => ({ ...fixed, ...settingVariables(settings, environment) });
  const plain = open(found.settings);
  const { output: address } = await runGit(checkout, ['ls-remote', '--get-url', REMOTE], plain);
  const header = tokenHeader(address, environment);
  // Credentials of the checkout take precedence, since servers reject two headers.
  const isKnown =
    header === undefined ||
    (await runGit(checkout, ['config', '--get-urlmatch', 'http.extraheader', address], plain)).ok;
  const variables = isKnown ? plain : open([...found.settings, header.setting]);
  const secrets = [...found.secrets, ...(header?.secrets ?? [])];
  const run = async (command: ScratchCommand): Promise<GitBytes> => {
    const { argv, input = '' } = command;
    const all = { ...variables, ...command.variables };
    // Runs in the checkout, since addresses and keys may be relative paths.
    const end = await runGitBytes(checkout, { argv, input, variables: all, limitMs: LIMIT_MS });
    return { ...end, complaint: concealed(end.complaint, secrets) };
  };
  const text = async (argv: readonly string[], command: Omit<ScratchCommand, 'argv'> = {}): Promise<string> => {
    const { exitCode, bytes, complaint } = await run({ argv, ...command });
    if (exitCode !== 0) {
      throw gitError(gitFolder, argv, complaint);
    }
    return bytes.toString('utf8').trimEnd();
  };
  const write = (texts: readonly string[]) => writeTexts(join(folder, 'files'), texts, text);
  return { remotes: found.remotes, address: concealed(address, secrets), run, text, write };
}

async function writeTexts(
  folder: string,
  texts: readonly string[],
  text: ScratchRepository['text'],
): Promise<readonly string[]> {
  const paths = texts.map((_, index) => join(folder, String(index)));
  await onDisk(folder, async () => {
    await mkdir(folder, { recursive: true });
    await Promise.all(paths.map((path, index) => writeFile(path, texts[index] ?? '')));
  });
  const input = paths.map((path) => `${path}\n`).join('');
  const names = await text(['hash-object', '-w', '--no-filters', '--stdin-paths'], { input });
  return names === '' ? [] : names.split('\n');
}

const PLAIN_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1']);

/**
 * Header with GITHUB_TOKEN for an address of GITHUB_SERVER_URL; undefined without a token, for any other server, without encryption (except
 * on this machine), and if the address contains a user.
 */
function tokenHeader(
  address: string,
  environment: NodeJS.ProcessEnv,
): { readonly setting: Setting; readonly secrets: readonly string[] } | undefined {
  const token = githubToken(environment);
  const server = environment['GITHUB_SERVER_URL'] || 'https://github.com';
  if (token === undefined || !URL.canParse(address) || !URL.canParse(server)) {
    return undefined;
  }
  const { protocol, hostname, origin, username } = new URL(address);
  const isSafe = protocol === 'https:' || (protocol === 'http:' && PLAIN_HOSTS.has(hostname));
  if (!isSafe || username !== '' || origin !== new URL(server).origin) {
    return undefined;
  }
  const basic = Buffer.from(`x-access-token:${token}`, 'utf8').toString('base64');
  return { setting: [`http.${origin}/.extraheader`, `AUTHORIZATION: basic ${basic}`], secrets: [token, basic] };
}
