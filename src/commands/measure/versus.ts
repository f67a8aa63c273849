import { randomInt } from 'node:crypto';
import { ConfigError } from '../../foundation/errors.ts';
import { FEWEST_ROUNDS } from '../../judge/inference/location.ts';
import { exitCodeOfVersus } from '../../judge/study/versus.ts';
import { judgeRun } from '../../judge/verdict/judge.ts';
import { measureVersus, refuseOtherOperations } from '../../measure/session/one-build.ts';
import { aloneOnMachine, type MeasureFlags } from '../../measure/session/runtime.ts';
import { keepIn } from '../../measure/trial/keep.ts';
import { profileNamed } from '../../model/profiles.ts';
import { fewestRounds } from '../../model/rounds.ts';
import { takeSecrets } from '../../project/policy.ts';
import { withOperations } from '../../project/selected.ts';
import { measuredRoot, readSuite, withCheckedContracts } from '../../project/suite.ts';
import { budgetSecondsOf } from '../program/options.ts';
import { measuring } from '../runs/previous.ts';
import { type CommandEnd, reportOutcome } from '../runs/report.ts';

/**
 * `wiregauge versus <reference> <other...>`: services that answer the same operations, each in rounds that alternate with the
 * reference. Exit code 0 whichever is better, 2 if nothing could be compared, 130 after Ctrl-C.
 */
export async function versus(names: readonly string[], flags: MeasureFlags): Promise<CommandEnd> {
  checkNames(names);
  checkRounds(flags.rounds);
  const budgetSeconds = budgetSecondsOf(flags);
  const read = withCheckedContracts(readSuite(measuredRoot(flags.suite), flags.suite, names));
  const files = withOperations(read, flags.operations);
  checkNames(files.suite.services);
  refuseOtherOperations(files.suite);
  const { rounds: named } = profileNamed(flags.profile);
  const profile = { ...named, looks: [{ rounds: flags.rounds ?? fewestRounds(named), spent: 1 }] };
  const { runtime, json, seed = randomInt(1, 2 ** 31) } = flags;
  const secrets = takeSecrets(files.secrets);
  return await measuring(
    flags,
    async ({ output, signal }) => {
      await using _lock = await aloneOnMachine(flags, { what: 'wiregauge versus', mostSeconds: budgetSeconds, signal });
      const job = { files, profile, runtime, budgetSeconds, seed, secrets, keep: keepIn(output), signal, json };
      const run = await measureVersus(job);
      return { run, against: undefined, compared: judgeRun(run) };
    },
    ({ compared }, written) => {
      reportOutcome({ command: 'versus', ...flags }, written);
      return exitCodeOfVersus(compared);
    },
  );
}

function checkNames(names: readonly string[]): void {
  if (names.length < 2 || new Set(names).size < names.length) {
    throw new ConfigError('versus needs two services or more, each named once', {
      code: 'WG-101',
      next: 'Name the reference first, like `wiregauge versus rest grpc`.',
    });
  }
}

function checkRounds(rounds: number | undefined): void {
  if (rounds !== undefined && rounds < FEWEST_ROUNDS) {
    throw new ConfigError(`--rounds ${rounds}: at least ${FEWEST_ROUNDS} rounds are needed`, {
      code: 'WG-408',
      next: `Use ${FEWEST_ROUNDS} or more, or omit it.`,
    });
  }
}
