import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import { asRoot } from './requires.ts';

/** File systems of a few KiB, for tests that `requires('root')` lets run. */
export interface SmallDisks {
  /** Makes one of so many KiB at a folder, until the end of the test. */
  mount(path: string, kibibytes: number): void;
  unmount(path: string): void;
}

/** What fills a disk up. */
const FILLING = '.filling';

/** Small disks for the tests of a file; to be called after what removes the folders that they are in. */
export function smallDisks(): SmallDisks {
  const mounted = new Set<string>();
  const unmount = (path: string): void => {
    run('umount', '--lazy', path);
    mounted.delete(path);
  };
  afterEach(() => {
    for (const path of mounted) {
      unmount(path);
    }
  });
  return {
    mount(path, kibibytes) {
      mountSmall(path, kibibytes);
      mounted.add(path);
    },
    unmount,
  };
}

/** Mounts a file system of n KiB at a folder, which is made. */
export function mountSmall(path: string, kibibytes: number): void {
  mkdirSync(path, { recursive: true });
  run('mount', '-t', 'tmpfs', '-o', `size=${kibibytes}k,mode=1777`, 'tmpfs', path);
}

/** Leaves so many KiB of a small disk free. */
export function fillDisk(path: string, freeKibibytes: number): void {
  const file = join(path, FILLING);
  const page = Buffer.alloc(4096, 1);
  const open = openSync(file, 'w');
  let bytes = 0;
  try {
    for (;;) {
      bytes += writeSync(open, page);
    }
  } catch (thrown) {
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOSPC')) {
      throw thrown;
    }
  } finally {
    closeSync(open);
  }
  truncateSync(file, Math.max(0, bytes - freeKibibytes * 1024));
}

function run(program: string, ...argv: readonly string[]): void {
  const [first = program, ...all] = [...asRoot, program, ...argv];
  execFileSync(first, all, { stdio: ['ignore', 'ignore', 'pipe'] });
}
