import { describe, expect, test } from 'vitest';
import { type Installing, installCounter } from '../../../../src/commands/action/counter.ts';
import type { ActionJob } from '../../../../src/commands/action/job.ts';

const HOSTED = { RUNNER_ENVIRONMENT: 'github-hosted', RUNNER_OS: 'Linux', PATH: '/usr/bin' };

const jobOf = (mode: string, profile = 'standard', runtime = 'auto') =>
  ({ mode, flags: { profile, runtime } }) as unknown as ActionJob;

/** A runner on which the package manager ends like this, one time after the other. */
function runner(
  ends: readonly (number | Error)[],
  { environment = HOSTED, version }: { environment?: Installing['environment']; version?: string | undefined } = {},
) {
  const requested: string[] = [];
  let found = version;
  const machine: Installing = {
    environment,
    findVersion: async () => found,
    run: async (argv) => {
      const end = ends[requested.length] ?? 0;
      requested.push(argv.join(' '));
      if (end instanceof Error) {
        throw end;
      }
      found = end === 0 && argv.includes('install') ? '3.22.0' : found;
      return { exitCode: end, lastLines: end === 0 ? '' : 'Reading package lists...\nE: no \u001b[31msuch package\n' };
    },
  };
  return { machine, requested };
}

const INSTALL = 'sudo -n timeout 120 apt-get -q install --yes --no-install-recommends valgrind';

describe('Valgrind on a runner that GitHub hosts', () => {
  test.each(['compare', 'run'])('is installed for %s', async (mode) => {
    const { machine, requested } = runner([0]);

    expect(await installCounter(jobOf(mode), machine)).toContain('Installed Valgrind 3.22.0');
    expect(requested).toEqual([INSTALL]);
  });

  test('is looked for once more if the lists of packages are old', async () => {
    const { machine, requested } = runner([100, 0, 0]);

    expect(await installCounter(jobOf('compare'), machine)).toContain('Installed Valgrind 3.22.0');
    expect(requested).toEqual([INSTALL, 'sudo -n timeout 120 apt-get -q update', INSTALL]);
  });

  test.each([
    ['it fails', [100, 0, 100], 'such package'],
    ['there is no sudo', [new Error('spawn sudo ENOENT')], 'spawn sudo ENOENT'],
  ])('is done without if %s, and the log says so', async (_, ends, reason) => {
    const line = await installCounter(jobOf('compare'), runner(ends).machine);

    expect(line).toContain('Valgrind could not be installed, so instructions are not counted: ');
    expect(line).toContain(reason);
    expect(line).not.toContain('\u001b');
  });

  test.each([
    ['the job counts nothing', jobOf('calibrate'), {}],
    ['a smoke test counts nothing', jobOf('compare', 'smoke'), {}],
    ['a cluster counts nothing', jobOf('compare', 'standard', 'kubernetes'), {}],
    ['it is there', jobOf('compare'), { version: '3.19.0' }],
    ['the runner is another', jobOf('compare'), { environment: { ...HOSTED, RUNNER_ENVIRONMENT: 'self-hosted' } }],
    ['nothing says whose machine it is', jobOf('compare'), { environment: { PATH: '/usr/bin' } }],
    ['the runner has no such packages', jobOf('compare'), { environment: { ...HOSTED, RUNNER_OS: 'macOS' } }],
  ])('is not installed if %s', async (_, job, given) => {
    const { machine, requested } = runner([], given);

    expect(await installCounter(job, machine)).toBeUndefined();
    expect(requested).toEqual([]);
  });
});
