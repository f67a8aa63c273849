import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, vi } from 'vitest';
import { machineOwner } from '../../../../src/host/machine/proc.ts';
import { Kubectl } from '../../../../src/runtime/kubernetes/kubectl.ts';

/** A folder with the kubectl of each test of a file, first on PATH. */
export function fakeKubectl() {
  let root = '';
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'kubectl-'));
    vi.stubEnv('PATH', `${root}:${process.env['PATH']}`);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(root, { recursive: true, force: true });
  });
  return {
    inFolder: (name: string) => join(root, name),
    kubectlThat(script: string): Kubectl {
      writeFileSync(join(root, 'kubectl'), `#!/bin/sh\n${script}\n`);
      chmodSync(join(root, 'kubectl'), 0o755);
      return new Kubectl({ context: undefined, namespace: undefined }, machineOwner());
    },
  };
}
