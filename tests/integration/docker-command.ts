import { execFileSync } from 'node:child_process';

/** Runs docker's own command and gives what it printed. */
export function docker(...argv: readonly string[]): string {
  return execFileSync('docker', argv, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}
