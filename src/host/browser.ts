import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/** What tells whether there is a browser, and which program opens an address in it. */
export interface BrowserFacts {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
}

/** A program that did not fail until then has a browser. */
const MOST_MS = 2000;

/** Why nobody would see a browser that is opened here; undefined if somebody would. */
function withoutBrowser({ environment, platform }: BrowserFacts): string | undefined {
  const has = (...names: readonly string[]): boolean => names.some((name) => environment[name]);
  if (has('CI')) {
    return 'this is a CI job';
  }
  if (has('SSH_CONNECTION', 'SSH_TTY')) {
    return 'this is a session over SSH';
  }
  const hasScreen = platform !== 'linux' || has('DISPLAY', 'WAYLAND_DISPLAY', 'WSL_DISTRO_NAME');
  return hasScreen ? undefined : 'this machine has no screen';
}

/**
 * Opens an address in the user's browser, and gives why that was not possible; undefined if it was. The address is an argument of a
 * program, and no shell reads it.
 */
export async function openInBrowser(address: URL, facts: BrowserFacts): Promise<string | undefined> {
  const { environment, platform } = facts;
  const why = withoutBrowser(facts);
  if (why !== undefined) {
    return why;
  }
  const names = environment['WSL_DISTRO_NAME'] === undefined ? [] : ['wslview'];
  for (const name of [...names, platform === 'darwin' ? 'open' : 'xdg-open']) {
    if (await succeeds(name, address.href, environment)) {
      return undefined;
    }
  }
  return 'no browser could be started';
}

async function succeeds(name: string, address: string, environment: BrowserFacts['environment']): Promise<boolean> {
  const program = spawn(name, [address], { env: { ...environment }, detached: true, stdio: 'ignore' });
  const ended = new Promise<boolean>((resolve) => {
    program.once('error', () => resolve(false));
    program.once('exit', (code) => resolve(code === 0));
  });
  const goesOn = sleep(MOST_MS, true, { ref: false });
  const isOpen = await Promise.race([ended, goesOn]);
  program.unref();
  return isOpen;
}
