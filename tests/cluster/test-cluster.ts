import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const CLUSTER = join(import.meta.dirname, 'cluster');

/** Runs tests/cluster/cluster and gives what it prints. */
export function cluster(...args: readonly string[]): string {
  return execFileSync(CLUSTER, args, { encoding: 'utf8' }).trim();
}

/** Runs kubectl with a kubeconfig and gives what it prints. */
export function kubectl(kubeconfig: string, args: readonly string[], input = ''): string {
  const env = { ...process.env, KUBECONFIG: kubeconfig };
  return execFileSync('kubectl', args, { encoding: 'utf8', env, input, stdio: 'pipe' }).trim();
}
