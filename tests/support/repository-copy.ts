import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** How a program ended in a copy. */
interface CopyEnd {
  readonly exitCode: number | null;
  /** Standard output, then standard error. */
  readonly printed: string;
}

/** This repository as it stands, without what git ignores, in a folder of its own with the same npm packages. */
export class RepositoryCopy implements Disposable {
  readonly root = mkdtempSync(join(tmpdir(), 'repository-copy-'));

  constructor() {
    const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { encoding: 'utf8' });
    const paths = listed.split('\0').filter((one) => one !== '' && existsSync(one));
    execFileSync('cp', ['--parents', '--no-dereference', ...paths, this.root]);
    symlinkSync(resolve('node_modules'), join(this.root, 'node_modules'));
    execFileSync('git', ['init', '--quiet'], { cwd: this.root });
  }

  run(program: string, ...args: readonly string[]): CopyEnd {
    // A vitest in there is not a part of this one.
    const environment = Object.entries(process.env).filter(
      ([name]) => !name.startsWith('VITEST') && name !== 'NODE_ENV',
    );
    const { status, stdout, stderr } = spawnSync(program, args, {
      cwd: this.root,
      encoding: 'utf8',
      // Go compiles as elsewhere here, so that the standard library and other packages are compiled once.
      env: { GOFLAGS: '-trimpath', CGO_ENABLED: '0', ...Object.fromEntries(environment), NO_COLOR: '1' },
    });
    return { exitCode: status, printed: `${stdout}${stderr}` };
  }

  /** `npm run new` with these arguments. */
  make(...args: readonly string[]): CopyEnd {
    return this.run('node_modules/.bin/tsx', 'scripts/new.ts', ...args);
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
