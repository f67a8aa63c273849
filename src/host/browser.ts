import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { childEnvironment } from './workflow.ts';

export interface BrowserFacts {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
}

/** A program that has not failed by then has opened a browser. */
const MAX_MS = 2000;

function withoutScreen({ environment, platform }: BrowserFacts): string | undefined {
  const has = (...names: readonly string[]): boolean => names.some((name) => environment[name]);
  if (has('SSH_CONNECTION', 'SSH_TTY')) {
    return 'this is an SSH session';
  }
  const hasScreen = platform !== 'linux' || has('DISPLAY', 'WAYLAND_DISPLAY', 'WSL_DISTRO_NAME');
  return hasScreen ? undefined : 'this machine has no screen';
}

/** Opens an address in the user's browser, by BROWSER first, without a shell. Returns why that failed; undefined on success. */
export async function openInBrowser(address: URL, facts: BrowserFacts): Promise<string | undefined> {
  const { environment } = facts;
  if (environment['CI']) {
    return 'this is a CI job';
  }
  const named = namedCommands(environment['BROWSER'] ?? '', address.href);
  const why = withoutScreen(facts);
  const usual = why === undefined ? openersOf(facts).map((name) => [name, address.href]) : [];
  for (const argv of [...named, ...usual]) {
    if (await succeeds(argv, environment)) {
      return undefined;
    }
  }
  return named.length === 0 && why !== undefined ? why : 'no browser could be started';
}

/** Commands separated by colons; %s is replaced by the address, which is otherwise appended. */
function namedCommands(browsers: string, address: string): readonly (readonly string[])[] {
  return browsers
    .split(':')
    .map((command) => command.split(' ').filter((word) => word !== ''))
    .filter((words) => words.length > 0)
    .map((words) =>
      words.some((word) => word.includes('%s'))
        ? words.map((word) => word.replaceAll('%s', () => address))
        : [...words, address],
    );
}

function openersOf({ environment, platform }: BrowserFacts): readonly string[] {
  return [
    ...(environment['WSL_DISTRO_NAME'] === undefined ? [] : ['wslview']),
    platform === 'darwin' ? 'open' : 'xdg-open',
  ];
}

async function succeeds(
  [name = '', ...argv]: readonly string[],
  environment: BrowserFacts['environment'],
): Promise<boolean> {
  const program = spawn(name, argv, { env: childEnvironment(environment), detached: true, stdio: 'ignore' });
  const ended = new Promise<boolean>((resolve) => {
    program.once('error', () => resolve(false));
    program.once('exit', (code) => resolve(code === 0));
  });
  const goesOn = sleep(MAX_MS, true, { ref: false });
  const isOpen = await Promise.race([ended, goesOn]);
  program.unref();
  return isOpen;
}
