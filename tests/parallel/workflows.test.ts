import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { readInputs, stepInputs } from '../../src/commands/action/inputs.ts';
import { actionNames, exampleFolders, type Step, type WorkflowFile, workflowFiles } from '../support/workflow-files.ts';

const FILES = workflowFiles();
const OURS = ['./', 'wiregauge/wiregauge@v1', 'wiregauge/wiregauge/.github/workflows/benchmark.yml@v1'];
const IF_PULL_REQUEST = '${' + "{ github.event_name == 'pull_request' }}";
const DEFAULT_BRANCH = '${' + '{ github.event.repository.default_branch }}';

function stepsOf({ jobs }: WorkflowFile): readonly Step[] {
  return Object.values(jobs).flatMap(({ steps }) => steps);
}

function usesOurs({ uses }: Step): boolean {
  return uses !== undefined && OURS.includes(uses);
}

test('all workflows and examples are looked at', () => {
  expect(FILES.map(({ file }) => file).sort()).toEqual([
    '.github/workflows/anchor.yml',
    '.github/workflows/baselines.yml',
    '.github/workflows/benchmark.yml',
    '.github/workflows/ci.yml',
    '.github/workflows/codeql.yml',
    '.github/workflows/comment.yml',
    '.github/workflows/docs.yml',
    '.github/workflows/fuzz.yml',
    '.github/workflows/performance.yml',
    '.github/workflows/plant.yml',
    '.github/workflows/release.yml',
    '.github/workflows/runners.yml',
    '.github/workflows/scorecard.yml',
    'examples/fork-safe/.github/workflows/performance-command.yml',
    'examples/fork-safe/.github/workflows/performance-comment.yml',
    'examples/fork-safe/.github/workflows/performance.yml',
    'examples/go-grpc/.github/workflows/performance.yml',
    'examples/history/.github/workflows/history.yml',
    'examples/java-spring/.github/workflows/performance.yml',
    'examples/java-wiremock/.github/workflows/performance.yml',
    'examples/kubernetes/.github/workflows/performance.yml',
    'examples/matrix/.github/workflows/performance.yml',
    'examples/minimal/.github/workflows/performance-command.yml',
    'examples/minimal/.github/workflows/performance.yml',
    'examples/nats-monitoring/.github/workflows/performance.yml',
    'examples/nginx-files/.github/workflows/performance.yml',
    'examples/node-postgresql/.github/workflows/performance.yml',
    'examples/own-service/.github/workflows/performance.yml',
    'examples/python-fastapi/.github/workflows/performance.yml',
    'examples/shards/.github/workflows/performance.yml',
    'examples/with-github-action-benchmark/.github/workflows/benchmark.yml',
  ]);
});

test('what publishes a release runs in the protected environment, and from main alone', () => {
  const { jobs } = z
    .object({
      jobs: z.record(
        z.string(),
        z.object({
          permissions: z.record(z.string(), z.string()),
          environment: z.string().optional(),
          if: z.string().optional(),
          needs: z.union([z.string(), z.array(z.string())]).optional(),
        }),
      ),
    })
    .parse(parse(readFileSync('.github/workflows/release.yml', 'utf8')));

  const writing = Object.entries(jobs).filter(([, { permissions }]) => Object.values(permissions).includes('write'));
  const fromMain = writing.filter(
    ([, { if: condition = '', needs }]) => condition.includes("github.ref == 'refs/heads/main'") || needs === 'publish',
  );

  expect(writing.map(([name, { environment }]) => [name, environment])).toEqual([
    ['publish', 'release'],
    ['npm', 'release'],
    ['image', 'release'],
  ]);
  expect(fromMain.map(([name]) => name)).toEqual(['publish', 'npm', 'image']);
});

test('what is published says what it was made of', () => {
  const { text } = FILES.find(({ file }) => file === '.github/workflows/release.yml') ?? { text: '' };

  expect(text).toMatch(/npm publish --provenance /);
  expect(text).toMatch(/docker buildx build --target cli --provenance=mode=max --sbom=true .*--push/);
  expect(text).toMatch(/npm sbom --package-lock-only/);
  expect(text).toMatch(
    /attest-build-provenance@.*\n +with:\n +subject-path: .*\/driver\/\*\n +- name: Tags and release/,
  );
});

test('nothing that fails is taken for done', () => {
  expect(FILES.filter(({ text }) => text.includes('continue-on-error')).map(({ file }) => file)).toEqual([]);
});

test('a token may write only where this list says so', () => {
  const writing = FILES.flatMap(({ file, jobs }) =>
    Object.entries(jobs).flatMap(([name, { permissions }]) =>
      Object.entries(permissions).flatMap(([scope, access]) =>
        access === 'write' ? [`${file} ${name} ${scope}`] : [],
      ),
    ),
  );

  expect(writing.sort()).toEqual([
    '.github/workflows/anchor.yml history contents',
    '.github/workflows/baselines.yml propose contents',
    '.github/workflows/baselines.yml propose pull-requests',
    '.github/workflows/benchmark.yml judge pull-requests',
    '.github/workflows/codeql.yml analyze security-events',
    '.github/workflows/comment.yml comment pull-requests',
    '.github/workflows/docs.yml publish contents',
    '.github/workflows/performance.yml history contents',
    '.github/workflows/plant.yml history contents',
    '.github/workflows/plant.yml history issues',
    ...['image packages', 'npm id-token', 'publish attestations', 'publish contents', 'publish id-token'].map(
      (job) => `.github/workflows/release.yml ${job}`,
    ),
    'examples/fork-safe/.github/workflows/performance-command.yml command actions',
    'examples/fork-safe/.github/workflows/performance-command.yml command pull-requests',
    'examples/fork-safe/.github/workflows/performance-comment.yml comment pull-requests',
    'examples/go-grpc/.github/workflows/performance.yml wiregauge pull-requests',
    'examples/history/.github/workflows/history.yml history contents',
    'examples/java-spring/.github/workflows/performance.yml wiregauge pull-requests',
    'examples/java-wiremock/.github/workflows/performance.yml wiregauge pull-requests',
    'examples/kubernetes/.github/workflows/performance.yml wiregauge pull-requests',
    'examples/matrix/.github/workflows/performance.yml judge pull-requests',
    'examples/minimal/.github/workflows/performance-command.yml command actions',
    'examples/minimal/.github/workflows/performance-command.yml command pull-requests',
    'examples/minimal/.github/workflows/performance.yml wiregauge pull-requests',
    'examples/nats-monitoring/.github/workflows/performance.yml wiregauge pull-requests',
    'examples/nginx-files/.github/workflows/performance.yml wiregauge pull-requests',
    'examples/node-postgresql/.github/workflows/performance.yml wiregauge pull-requests',
    'examples/own-service/.github/workflows/performance.yml wiregauge pull-requests',
    'examples/python-fastapi/.github/workflows/performance.yml wiregauge pull-requests',
    'examples/shards/.github/workflows/performance.yml wiregauge pull-requests',
    'examples/with-github-action-benchmark/.github/workflows/benchmark.yml benchmark contents',
  ]);
});

describe.each(FILES.map((workflow) => ({ file: workflow.file, workflow })))('$file', ({ workflow }) => {
  test('has no address with a token in a command line', () => {
    expect(workflow.text).not.toMatch(/:\/\/[^\s"'/]*@/);
  });

  test('gives no permission to all jobs together', () => {
    expect(workflow.permissions).toEqual({});
  });

  test('pins every action of others by commit, with its version next to it', () => {
    const lines = workflow.text.split('\n').filter((line) => /\buses:/.test(line));
    const others = lines.filter((line) => !OURS.some((own) => line.trimEnd().endsWith(`uses: ${own}`)));

    const users = [...stepsOf(workflow), ...Object.values(workflow.jobs)].filter((one) => 'uses' in one);
    expect(lines.length).toBe(users.length);
    for (const line of others) {
      expect(line).toMatch(/uses: [\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    }
  });

  test('runs our action as it is here in our own workflows, and by its major tag where others run it', () => {
    const found = new Set(stepsOf(workflow).flatMap((step) => (usesOurs(step) ? [step.uses] : [])));

    found.delete(workflow.root === '.' && !('workflow_call' in workflow.on) ? './' : 'wiregauge/wiregauge@v1');
    expect([...found]).toEqual([]);
  });

  test('leaves no token behind where it checks out', () => {
    for (const step of stepsOf(workflow).filter(({ uses }) => uses?.startsWith('actions/checkout@'))) {
      expect(step.with['persist-credentials']).toBe(false);
    }
  });

  test('uses inputs of our action that exist', () => {
    const used = stepsOf(workflow).filter(usesOurs);

    for (const name of used.flatMap((step) => Object.keys(step.with))) {
      expect(actionNames().inputs).toContain(name);
    }
  });

  test('uses modes and options of our action that exist, and none of a former name', () => {
    for (const step of stepsOf(workflow).filter(usesOurs)) {
      const texts = Object.entries(step.with).map(([name, value]) => [name, String(value)] as const);
      const given = new Map(texts.filter(([name, text]) => name === 'args' || !text.includes('${' + '{')));
      const args = (given.get('args') ?? '').replaceAll(/"\$\{\{.*?\}\}"/g, '""');
      given.set('args', args.replace(/\$\{\{.*'(calibrate.*?)'.*\}\}/, '$1').replaceAll(/\$\{\{.*?\}\}/g, 'x'));
      expect(readInputs(given).changes).toEqual([]);
      expect(() => stepInputs(given)).not.toThrow();
    }
  });

  test('uses outputs of our action that exist', () => {
    const ours = stepsOf(workflow).flatMap((step) => (usesOurs(step) && step.id !== undefined ? [step.id] : []));
    const scripts = stepsOf(workflow).flatMap(({ id, run }) => (run === undefined ? [] : [id]));

    for (const [used, id = '', name = ''] of workflow.text.matchAll(/\bsteps\.([\w-]+)\.outputs\.([\w-]+)/g)) {
      expect(scripts.includes(id) || (ours.includes(id) && actionNames().outputs.includes(name)), used).toBe(true);
    }
  });

  test('puts no expression into the text of a script', () => {
    for (const { run } of stepsOf(workflow)) {
      expect(run ?? '').not.toContain('${' + '{');
    }
  });

  test('runs scripts that exist', () => {
    const found: unknown = JSON.parse(readFileSync('package.json', 'utf8'));
    for (const { run = '' } of stepsOf(workflow)) {
      for (const [path] of run.matchAll(/(?<![\w/.-])(scripts|\.github\/scripts)\/[\w.-]+/g)) {
        expect(existsSync(join(workflow.root, path)), path).toBe(true);
      }
      for (const [, name = ''] of run.matchAll(/npm run (?:--silent )?([\w:-]+)/g)) {
        expect(found).toHaveProperty(['scripts', name]);
      }
    }
  });

  test('never runs code of a pull request with a token of the default branch', () => {
    expect(Object.keys(workflow.on)).not.toContain('pull_request_target');
  });
});

/** Workflows of pull requests, but for those of commands, which have no checkout and no code of them. */
const ON_PULL_REQUESTS = FILES.filter(({ on }) => 'pull_request' in on && !('issue_comment' in on));

describe.each(ON_PULL_REQUESTS.map((workflow) => ({ file: workflow.file, workflow })))(
  '$file, on pull requests',
  ({ workflow }) => {
    test('ends the run of an older commit', () => {
      expect(workflow['concurrency']).toMatchObject({
        group: expect.stringMatching(/github\.ref|github\.event\.pull_request\.number/),
        'cancel-in-progress': expect.toSatisfy((cancels) => cancels === true || cancels === IF_PULL_REQUEST),
      });
    });

    test('writes to nothing but the pull request', () => {
      const scopes = workflow.jobsOnPullRequests.flatMap(({ permissions }) =>
        Object.keys(permissions).filter((scope) => permissions[scope] === 'write'),
      );

      expect(scopes.filter((scope) => scope !== 'pull-requests')).toEqual([]);
    });
  },
);

describe.each(
  FILES.filter(({ name }) => name === 'performance').map((workflow) => ({ file: workflow.file, workflow })),
)('$file, which measures', ({ workflow }) => {
  test('runs for a merge queue, of which it ends nothing', () => {
    expect(Object.keys(workflow.on)).toContain('merge_group');
    expect(workflow['concurrency']).toMatchObject({ 'cancel-in-progress': IF_PULL_REQUEST });
  });

  test('has the job that is the required check, which cannot be skipped after another one', () => {
    const { wiregauge } = workflow.jobs;

    expect(wiregauge).toBeDefined();
    expect(wiregauge !== undefined && 'needs' in wiregauge ? wiregauge.if : 'always()').toBe('always()');
  });

  test('builds no code of a pull request in a job that may write', () => {
    const writing = workflow.jobsOnPullRequests.filter(({ permissions }) =>
      Object.values(permissions).includes('write'),
    );

    for (const one of writing) {
      const ours = one.steps.filter(usesOurs);
      expect(ours.map((step) => step.with['mode'])).toEqual(ours.map(() => 'comment'));
      expect(one.steps.filter(({ uses = '' }) => uses.startsWith('actions/checkout@'))).toEqual([]);
    }
  });
});

describe.each(FILES.filter(({ on }) => 'workflow_run' in on).map((workflow) => ({ file: workflow.file, workflow })))(
  '$file, the second stage',
  ({ workflow }) => {
    const jobs = Object.values(workflow.jobs);

    test('waits for a workflow that is there, runs on pull requests, reads only and leaves the comment to it', () => {
      const first = FILES.find(({ root, name }) => root === workflow.root && name === 'performance');

      expect(workflow.on['workflow_run']).toEqual({ workflows: ['performance'], types: ['completed'] });
      expect(Object.keys(first?.on ?? {})).toContain('pull_request');
      expect(first?.jobsOnPullRequests.map(({ permissions }) => permissions)).toEqual([{ contents: 'read' }]);
      expect(first === undefined ? [] : stepsOf(first).filter(usesOurs)).toMatchObject([
        { with: { comment: 'never' } },
      ]);
    });

    test('may read artifacts and comment, no more', () => {
      const needed = { contents: 'read', 'pull-requests': 'write', actions: 'read' };

      expect(jobs.map(({ permissions }) => permissions)).toEqual([needed]);
    });

    test('runs after pull requests, however their run ended: an older verdict must not remain', () => {
      for (const { if: condition } of jobs) {
        expect(condition).toBe("github.event.workflow_run.event == 'pull_request'");
      }
    });

    test('does nothing but check out the default branch and run our action', () => {
      expect(stepsOf(workflow).map(({ uses, run }) => run ?? uses?.replace(/@[0-9a-f]{40}$/, ''))).toEqual([
        'actions/checkout',
        workflow.root === '.' ? './' : 'wiregauge/wiregauge@v1',
      ]);
      expect(stepsOf(workflow)[0]?.with['ref']).toBe(DEFAULT_BRANCH);
      const stored = workflow.root === '.' ? { args: '--against history:baselines' } : {};
      expect(stepsOf(workflow)[1]?.with).toEqual({ mode: 'comment', ...stored });
    });
  },
);

test('a comment of anybody starts nothing but our action, without a checkout', () => {
  const commands = FILES.filter(({ on }) => 'issue_comment' in on);

  expect(commands.map(({ root }) => root)).toEqual(['examples/fork-safe', 'examples/minimal']);
  for (const workflow of commands) {
    expect(stepsOf(workflow)).toMatchObject([{ uses: 'wiregauge/wiregauge@v1', with: { args: 'github command' } }]);
  }
});

describe('the examples', () => {
  test.each(['examples', ...exampleFolders()])('%s has a README.md whose links lead somewhere', (folder) => {
    const links = readFileSync(join(folder, 'README.md'), 'utf8').matchAll(/\]\((?!https:)([^)]+)\)/g);

    const missing = [...links].flatMap(([, path = '']) =>
      existsSync(join(folder, path.replace(/#.*/, ''))) ? [] : [path],
    );
    expect(missing).toEqual([]);
  });

  test.each(exampleFolders())('%s is in the list of examples', (folder) => {
    expect(readFileSync('examples/README.md', 'utf8')).toContain(`](${folder.slice('examples/'.length)})`);
  });

  test('matrix gives every service a comment and artifacts of its own', () => {
    const steps = FILES.filter(({ root }) => root === 'examples/matrix').flatMap(stepsOf);
    const [measure, judge] = steps.filter(usesOurs).map((step) => step.with);
    const own = '${' + '{ matrix.service }}';

    expect(measure).toMatchObject({ args: `--services ${own}`, artifact: `wiregauge-${own}-measured` });
    expect(judge).toMatchObject({ 'comment-id': `performance-${own}`, artifact: `wiregauge-${own}` });
  });
});
