import { cpSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatRun } from '../../src/model/run/run.ts';
import { demonstrationFolder } from '../../src/project/own-root.ts';
import { driverVersion } from '../../src/runtime/driver/source.ts';
import { filesIn, type InstalledPackage, installPackage } from '../integration/installed-package.ts';
import { makeProject } from '../integration/project.ts';
import { sampleRounds } from '../support/sample-rounds.ts';

const MEBIBYTE = 2 ** 20;

let installed: InstalledPackage;
let content: readonly string[];
beforeAll(() => {
  installed = installPackage();
  content = installed.content();
});
afterAll(() => installed.remove());

const textOf = (path: string) => readFileSync(join(installed.packageFolder, path), 'utf8');

describe('the package', () => {
  test('holds nothing of tests, of development or of the action', () => {
    const paths = filesIn(installed.packageFolder);

    expect([...new Set(paths.map((path) => path.split('/')[0]))]).toEqual([
      ...['.dockerignore', 'Dockerfile', 'LICENSE', 'README.md', 'THIRD-PARTY-NOTICES', 'demo', 'dist', 'package.json'],
      ...['proto', 'pyproject.toml', 'scripts', 'services', 'suites', 'tools', 'uv.lock'],
    ]);
    expect(paths.filter((path) => /test|__pycache__|\.pyc$|egg-info|action\.js|artifact-/.test(path))).toEqual([]);
  });

  test('is small, and needs no other package', () => {
    const { dependencies, optionalDependencies, peerDependencies, scripts } = JSON.parse(textOf('package.json'));

    expect(statSync(installed.tarball).size).toBeLessThan(2.1 * MEBIBYTE);
    expect([dependencies, optionalDependencies, peerDependencies]).toEqual([undefined, undefined, undefined]);
    expect(Object.keys(scripts).filter((name) => /^(pre|post)?(install|prepare|pack|publish)/.test(name))).toEqual([]);
    expect(existsSync(join(installed.folder, 'node_modules/zod'))).toBe(false);
  });

  test('has every file that the bundle imports', () => {
    const bundle = filesIn(join(installed.packageFolder, 'dist')).filter((path) => /^[^/]+\.js$/.test(path));
    const imported = bundle.flatMap((path) =>
      [...textOf(`dist/${path}`).matchAll(/(?:from|import)\s*\(?"\.\/([\w-]+\.js)"/g)].map(([, name = '']) => name),
    );

    expect(imported.length).toBeGreaterThan(0);
    expect(imported.filter((name) => !bundle.includes(name))).toEqual([]);
  });

  test('has the trend page that `publish` writes', () => {
    expect(filesIn(join(installed.packageFolder, 'dist/site'))).toEqual(filesIn('dist/site'));
  });

  test('may run what has to be run', () => {
    for (const path of ['dist/cli.js', 'scripts/make-service', 'scripts/proto', 'scripts/uv']) {
      expect(statSync(join(installed.packageFolder, path)).mode & 0o111, path).toBe(0o111);
    }
  });

  test('pins the same driver as the repository, by its source and its checksums', () => {
    expect(driverVersion(installed.packageFolder)).toBe(driverVersion('.'));
    expect(textOf('tools/load/SHA256SUMS')).toBe(readFileSync('tools/load/SHA256SUMS', 'utf8'));
  });

  test('has all that the Dockerfile copies, and its copy all that the reference services need of it', async () => {
    const copy = await demonstrationFolder(installed.packageFolder, join(dirname(installed.folder), 'cache'));
    const [services = '', others = ''] = readFileSync('Dockerfile', 'utf8').split(/^FROM .* AS load-modules$/m);

    const reference = { PACKAGE: ['users/python-rest', 'users/python-grpc'], GO_MODULE: [] };
    const all = {
      PACKAGE: ['users/python-rest', 'users/python-grpc', 'games/python'],
      GO_MODULE: ['payload/go', 'hops/go', 'layers/go', 'games/go', 'users/go-rest', 'users/go-grpc'],
    };
    expect(missing(installed.packageFolder, services + others, all)).toEqual([]);
    expect(missing(copy, services, reference)).toEqual([]);
    expect(missing(copy, others, reference)).toContain('dist');
  });
});

/** What a Dockerfile copies with these build arguments, for each of their values, and a folder does not have. */
function missing(
  folder: string,
  dockerfile: string,
  values: Readonly<Record<string, readonly string[]>>,
): readonly string[] {
  const sources = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths = '']) => paths.split(' '));
  const paths = sources.flatMap((path) => {
    const [whole, name = ''] = /\$\{(\w+)\}/.exec(path) ?? [];
    return whole === undefined ? [path] : (values[name] ?? [name]).map((value) => path.replace(whole, value));
  });
  return paths.filter((path) => !existsSync(join(folder, path.replace('/go.*', '/go.mod'))));
}

describe('npx wiregauge, outside of the repository', () => {
  test('lists its commands', async () => {
    const { exitCode, stdout, stderr } = await installed.npx(['--help']);

    expect(exitCode, stderr).toBe(0);
    expect(stdout).toContain('Usage: wiregauge ');
  });

  test('says which version it is', async () => {
    const { stdout } = await installed.npx(['--version']);

    expect(stdout.trim()).toBe(JSON.parse(textOf('package.json')).version);
  });

  test('judges a run', async () => {
    const run = sampleRounds({ rounds: 10, worse: [{ service: 'rest', by: 0.1 }] });
    writeFileSync(join(installed.folder, 'run.json'), formatRun(run));

    const { exitCode, stdout, stderr } = await installed.npx(['judge', 'run.json']);

    expect(exitCode, stderr).toBe(1);
    expect(stdout).toMatch(/^Regression: /);
  });

  test('takes the reference services where there is no suite, by a copy that may be written to', async () => {
    const cache = join(dirname(installed.folder), 'cache-of-run');
    // A lock of its own: it measures nothing, and would wait for what measures beside it.
    const own = { XDG_CACHE_HOME: cache, WIREGAUGE_LOCK: 'package' };
    const environment = { ...own, DOCKER_HOST: 'unix:///nowhere/docker.sock' };

    const { exitCode, stderr } = await installed.npx(['run', '--suite', 'users', '--runtime', 'docker'], environment);

    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('/nowhere/docker.sock')]);
    const [copy = ''] = filesIn(cache).filter((path) => path.endsWith('suites/users.yml'));
    expect(copy).toMatch(/^wiregauge\/demonstration-[0-9a-f]{16}\/suites\/users\.yml$/);
  });

  test('has both versions of the demo', async () => {
    const environment = { WIREGAUGE_LOCK: 'package', DOCKER_HOST: 'unix:///nowhere/docker.sock' };

    const { exitCode, stderr } = await installed.npx(['demo', '--runtime', 'docker'], environment);

    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('/nowhere/docker.sock')]);
    for (const file of ['wiregauge.yml', 'server.mjs', 'Dockerfile']) {
      expect(existsSync(join(installed.packageFolder, 'demo/base', file))).toBe(true);
      expect(existsSync(join(installed.packageFolder, 'demo/head', file))).toBe(true);
    }
  });

  test('plans a comparison of the services that lie there', async () => {
    const project = makeProject();
    cpSync(project.root, installed.folder, { recursive: true });
    project.remove();

    const { exitCode, stdout, stderr } = await installed.npx(['shards', 'plan', '--suite', 'small']);

    expect(exitCode, stderr).toBe(0);
    expect(stdout).toContain('suite small: services good; shards: 1');
  });

  test('has left the package as it was installed', () => {
    expect(installed.content()).toEqual(content);
  });
});
