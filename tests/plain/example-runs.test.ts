import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseProject } from '../../src/config/parse.ts';
import { removeOrphans } from '../../src/host/machine/orphans.ts';
import { ALL_OPERATIONS } from '../../src/model/metric.ts';
import { parseRun } from '../../src/model/run/run.ts';
import type { Suite } from '../../src/model/suite/suite.ts';
import { gitIn } from '../integration/git-repository.ts';
import { wiregauge } from '../integration/project.ts';
import { requiresPrograms } from '../support/requires.ts';
import { exampleFolders } from '../support/workflow-files.ts';

/** What has to be installed for each example of a service. */
const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  'go-grpc': ['go'],
  'java-spring': ['java', 'mvn'],
  'java-wiremock': ['java', 'npm'],
  'nats-monitoring': ['go'],
  'nginx-files': ['nginx', 'envsubst'],
  'node-postgresql': ['npm', 'postgres', 'pg_isready'],
  'own-service': ['python3'],
  'python-fastapi': ['python3'],
};

const WITH_DOWNLOADS_MS = 600_000;

let folder = '';

beforeEach(async () => {
  // What others have left is not to be taken for what an example leaves.
  await removeOrphans(() => undefined);
  folder = mkdtempSync(join(tmpdir(), 'example-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A repository with the files of the example that belong into one. */
function repositoryOf(example: string): string {
  const root = join(folder, basename(example));
  const files = gitIn('.', 'ls-files', '--cached', '--others', '--exclude-standard', example).split('\n');
  for (const file of files.filter((path) => existsSync(path))) {
    cpSync(file, join(root, relative(example, file)));
  }
  gitIn(root, 'init', '--quiet', '--initial-branch=main');
  gitIn(root, 'add', '--all');
  gitIn(root, 'commit', '--quiet', '--message=First');
  return root;
}

function suiteIn(root: string): Suite {
  const text = readFileSync(join(root, 'wiregauge.yml'), 'utf8');
  return parseProject({ file: 'wiregauge.yml', text }).suite;
}

test('every example of a service is tried', () => {
  const examples = exampleFolders().filter((example) => existsSync(join(example, 'wiregauge.yml')));

  expect(examples.map((example) => basename(example)).sort()).toEqual(Object.keys(PROGRAMS));
});

describe.each(Object.entries(PROGRAMS))('the example %s', (name, programs) => {
  test.runIf(requiresPrograms('examples', programs))(
    'is built, started, verified and measured as plain processes, every operation, and leaves nothing behind',
    async () => {
      const root = repositoryOf(join('examples', name));
      const { services, operations } = suiteIn(root);

      const argv = ['run', '--profile', 'smoke', '--no-versus', '--mode', 'saturate', '--runtime', 'process'];
      const { exitCode, stdout, stderr } = await wiregauge(argv, { cwd: root });

      expect({ exitCode, stderr }, stdout).toEqual({ exitCode: 0, stderr: '' });
      const run = parseRun(readFileSync(join(root, 'out/run.json'), 'utf8'), 'run.json');
      expect({ complete: run.complete, failures: run.failures }).toEqual({ complete: true, failures: [] });
      for (const service of services) {
        const samples = run.samples.filter(({ cell }) => cell.service === service);
        const measured = samples.filter(({ requests, failures }) => requests > 0 && failures.length === 0);
        const names = [ALL_OPERATIONS, ...operations.map((operation) => operation.name)];
        expect([...new Set(measured.map(({ cell }) => cell.operation))].sort()).toEqual(names.sort());
        expect(samples.length).toBe(measured.length);
      }
      expect(gitIn(root, 'status', '--porcelain')).toBe('');
      const left: string[] = [];
      await removeOrphans((line) => left.push(line));
      expect(left).toEqual([]);
    },
    WITH_DOWNLOADS_MS,
  );
});
