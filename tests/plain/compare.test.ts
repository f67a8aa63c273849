import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatRun, type RunInRounds } from '../../src/model/run/run.ts';
import {
  BASE_TURNS,
  type CompareProject,
  compareProject,
  SMALL_SUITE,
  server,
} from '../integration/compare-project.ts';
import { type CommandEnd, manifest, wiregauge } from '../integration/project.ts';

/** One comparison for all of these tests, since eight rounds take most of a minute. */
describe('wiregauge compare of a service that is slower, a new one, and one that dies under load', () => {
  let compared: CompareProject;
  let end: CommandEnd;
  let before: string;
  let after: string;
  let left: readonly string[];

  beforeAll(async () => {
    compared = compareProject();
    compared.write('suites/small.yml', SMALL_SUITE.replace('[good]', '[good, other]'));
    compared.write('services/other/service.yml', manifest('other', {}));
    compared.git('add', '--all');
    compared.git('commit', '--quiet', '--message=Two services');
    compared.write('suites/small.yml', SMALL_SUITE.replace('[good]', '[good, other, added]'));
    compared.write('services/added/service.yml', manifest('added', {}));
    compared.write('services/other/service.yml', manifest('other', { FAULT: 'dies' }));
    compared.write(
      'server.mjs',
      `${server(2 * BASE_TURNS)}if (process.env.FAULT === 'dies') setTimeout(() => process.kill(process.pid, 'SIGKILL'), 1200);\n`,
    );
    before = compared.git('status', '--porcelain');
    end = await compared.compare(['--verbose']);
    after = compared.git('status', '--porcelain');
    left = compared.left();
  });
  afterAll(() => compared.remove());

  const roundsOf = (required: 'kept' | 'failed') =>
    compared.written().rounds?.rounds.filter(({ outcome }) => outcome === required) ?? [];

  /** How the file is judged, by its own policy or by one that allows any slowdown. */
  const judged = async (file: string, policy?: 'lenient', ...flags: readonly string[]) => {
    compared.write('lenient.yml', 'thresholds: [{ threshold: 900% }]\n');
    const lenient = policy === undefined ? [] : ['--policy', join(compared.root, 'lenient.yml')];
    return await wiregauge(['judge', file, ...lenient, ...flags]);
  };

  /** The file without the service that died. */
  function fileOfTheLiving(): string {
    const run = compared.written() as RunInRounds;
    const { rounds } = run;
    const living = rounds.rounds.filter(({ service }) => service !== 'other');
    compared.write('living.json', formatRun({ ...run, rounds: { ...rounds, rounds: living } }));
    return join(compared.root, 'living.json');
  }

  test('finds the slowdown and fails', () => {
    const { rounds } = compared.written();

    expect(end.exitCode).toBe(1);
    expect(end.stdout).toMatch(/^plan: main against working tree; good, other; saturation and 1 tier; 8 rounds/m);
    expect(end.stdout).toMatch(/^- The good service, saturation: change: \+[\s\S]*CPU\s+per\s+request/m);
    expect(rounds?.base).toMatchObject({ ref: 'main', dirty: false });
    expect(rounds?.head).toMatchObject({ ref: 'working tree', dirty: true });
    expect(readFileSync(join(compared.out, 'report.md'), 'utf8')).toMatch(
      /\| CPU per request, saturation \| \*\*regressed\*\* \|.*\|/,
    );
  });

  test('names the service that is new', () => {
    expect(end.stdout).toMatch(/^- added: the base does not have it\.$/m);
    expect(compared.written().rounds?.head.services).toEqual(['good', 'other', 'added']);
  });

  test('has the death of the head as a finding that fails by itself, with the other service measured', async () => {
    expect(end.stdout).toMatch(/^Failed in head only: The other service/m);
    expect((await judged(join(compared.out, 'run.json'), 'lenient')).exitCode).toBe(1);
    expect(roundsOf('failed').map(({ service, failure }) => `${service} ${failure?.side}`)).toEqual([
      'other head',
      'other head',
    ]);
    expect(roundsOf('kept').map(({ service }) => service)).toEqual(Array(8).fill('good'));
  });

  test('leaves the checkout as it was', () => {
    expect(after).toBe(before);
    expect(left).toEqual([]);
  });

  test('is judged the same again from its file', async () => {
    const again = await judged(join(compared.out, 'run.json'));

    expect(again.exitCode).toBe(1);
    expect(end.stdout).toContain(again.stdout.trim().split('\n')[0]);
  });

  test('says the slowdown first where nothing died, and fails for that alone', async () => {
    const { exitCode, stdout } = await judged(fileOfTheLiving());

    expect(stdout).toMatch(/^Regression: Get \d+% slower at saturation \(The good service\)/);
    expect(exitCode).toBe(1);
  });

  test('passes by another policy if nothing died: what the base lacks is neither a failure nor a missing verdict', async () => {
    const { exitCode, stdout } = await judged(fileOfTheLiving(), 'lenient', '--json');

    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ exitCode: 0 });
  });
});
