import { execFile } from 'node:child_process';
import { EnvironmentError } from '../../foundation/errors.ts';
import { endOfText } from '../../foundation/text.ts';
import { endAtExit } from '../child.ts';
import { lastingPath } from '../files/output.ts';
import { childEnvironment } from '../workflow.ts';

type Variables = Readonly<Record<string, string | undefined>>;

const LIMIT_MS = 15 * 60 * 1000;
const COMPLAINT_LENGTH = 1200;

const SETTINGS = [
  // A measurement must not run hooks, daemons or maintenance of the repository.
  ...['core.hooksPath=/dev/null', 'core.fsmonitor=false', 'gc.auto=0', 'maintenance.auto=false'],
  // The index is one file, and no file is refused or left out.
  ...['core.splitIndex=false', 'core.untrackedCache=false', 'core.safecrlf=false', 'add.ignoreErrors=false'],
  'log.showSignature=false',
];

// Set by hooks and aliases that start this program; git would then ignore the given folder.
const LOCAL_VARIABLES = [
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_IMPLICIT_WORK_TREE',
  'GIT_COMMON_DIR',
  'GIT_INDEX_FILE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_NAMESPACE',
  'GIT_PREFIX',
  'GIT_GRAFT_FILE',
  'GIT_SHALLOW_FILE',
  'GIT_REPLACE_REF_BASE',
  'GIT_CONFIG',
  'GIT_CONFIG_PARAMETERS',
  'GIT_INTERNAL_SUPER_PREFIX',
];

export interface GitCommand {
  readonly argv: readonly string[];
  readonly variables?: Variables;
  readonly input?: string;
  readonly limitMs?: number;
}

export interface GitBytes {
  /** -1 if it was killed. */
  readonly exitCode: number;
  readonly bytes: Buffer;
  /** Standard error in English. */
  readonly complaint: string;
}

/** Runs git in a folder; any exit code is a result. Throws EnvironmentError if git is missing. */
export async function runGit(folder: string, argv: readonly string[], variables: Variables = {}) {
  const { exitCode, bytes, complaint } = await runGitBytes(folder, { argv, variables });
  return { ok: exitCode === 0, output: bytes.toString('utf8').replace(/\n$/, ''), complaint };
}

export async function runGitBytes(folder: string, command: GitCommand): Promise<GitBytes> {
  const { argv, variables = {}, input = '', limitMs = LIMIT_MS } = command;
  const settings = SETTINGS.flatMap((setting) => ['-c', setting]);
  const limits = { maxBuffer: Number.POSITIVE_INFINITY, timeout: limitMs };
  const options = {
    env: { ...childEnvironment(environment()), ...variables },
    encoding: 'buffer',
    ...limits,
  } as const;
  return await new Promise((resolve, reject) => {
    let release = (): void => undefined;
    const started = execFile('git', [...settings, '-C', folder, ...argv], options, (error, bytes, stderr) => {
      release();
      if (error?.code === 'ENOENT') {
        reject(
          new EnvironmentError('git is missing', {
            code: 'WG-209',
            cause: error,
            next: 'Install git and add it to PATH.',
          }),
        );
        return;
      }
      const end = error?.killed === true ? `stopped after ${limitMs / 60_000} minutes` : (error?.signal ?? '');
      const lines = stderr.toString('utf8').trim().split('\n').map(harmless);
      const code = error === null ? 0 : error.code;
      const exitCode = typeof code === 'number' ? code : -1;
      resolve({ exitCode, bytes, complaint: `${endOfText(lines.join('\n'), COMPLAINT_LENGTH)}${end}` });
    });
    // At SIGTERM it removes its locks from the repository.
    release = started.pid === undefined ? release : endAtExit(started.pid, 'SIGTERM');
    // git may end before reading all input, and reports itself what was missing.
    started.stdin?.on('error', () => undefined);
    // A filter that reads standard input must not block.
    started.stdin?.end(input);
  });
}

/** Standard output of a git command; throws EnvironmentError with its error message if it fails. */
export async function git(folder: string, argv: readonly string[], variables: Variables = {}): Promise<string> {
  const end = await runGit(folder, argv, variables);
  if (!end.ok) {
    throw gitError(folder, argv, end.complaint);
  }
  return end.output;
}

export function gitError(folder: string, argv: readonly string[], complaint: string): EnvironmentError {
  const next = NEXT_STEPS.find(([pattern]) => pattern.test(complaint))?.[1];
  const place = lastingPath(folder) === folder ? ` in ${folder}` : '';
  return new EnvironmentError(`\`git ${argv[0]}\` failed${place}: ${complaint}`, {
    code: 'WG-209',
    next: next ?? 'Fix the problem that git reports, and try again.',
  });
}

export function quoted(name: string): string {
  return harmless(JSON.stringify(name));
}

/** Checked-out commit of a folder, and whether tracked files differ from it; no commit outside a repository. */
export async function readCommit(folder: string): Promise<{ readonly head?: string; readonly dirty: boolean }> {
  try {
    const head = await git(folder, ['rev-parse', 'HEAD']);
    const changes = await git(folder, ['status', '--porcelain', '--untracked-files=no']);
    return { head, dirty: changes !== '' };
  } catch {
    // Without git, a repository or a commit the run is measured without a commit.
    return { dirty: false };
  }
}

const NEXT_STEPS: readonly (readonly [RegExp, string])[] = [
  [
    // git reports no reason for a file that it cannot write.
    /No space left on device|Disk quota exceeded|(?:unable|failed|could not|cannot) (?:to )?write|write error|file write error/,
    'Free some disk space for the repository and the temporary folder, or set TMPDIR to a folder on another disk.',
  ],
  [/dubious ownership/, 'Run as the owner of the repository, or allow the folder as git suggests.'],
  [
    /smudge filter|filter-process|external filter/,
    'A filter in .gitattributes failed: with Git LFS, run `git lfs fetch --all` to get the files of every version.',
  ],
  [/Permission denied/, 'Run as a user that can read every file in the repository and write to its .git folder.'],
];

function environment(): Variables {
  const inherited = Object.fromEntries(LOCAL_VARIABLES.map((name) => [name, undefined]));
  return {
    ...process.env,
    ...inherited,
    // Error messages are parsed, so they must be in English.
    LC_ALL: 'C.UTF-8',
    LANGUAGE: undefined,
    // `git status` would otherwise write the refreshed index.
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
  };
}

// Untrusted text must not control the terminal.
function harmless(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?');
}
