import { Command, Option } from 'commander';
import { ROUND_PROFILES } from '../../model/profile.ts';
import { versus } from '../measure/versus.ts';
import { wholeNumber } from './arguments.ts';
import { budgetOption } from './budget-option.ts';
import { JSON_OPTION } from './json-option.ts';
import { SUITE_HELP } from './suite-option.ts';

/** The command line of `wiregauge versus`. */
export function versusCommand(end: (exitCode: number) => void): Command {
  return new Command('versus')
    .description('hold services that answer the same operations against the first of them, in interleaved rounds')
    .argument('<services...>', 'their names, the reference first')
    .option('--suite <name>', SUITE_HELP)
    .addOption(
      new Option('--profile <name>', 'how long the blocks are, and which tiers are loaded')
        .choices(Object.keys(ROUND_PROFILES))
        .default('standard'),
    )
    .option(
      '--rounds <n>',
      'rounds of each service with the reference; default: the fewest of the profile',
      wholeNumber,
    )
    .addOption(budgetOption('begin no round that would not end in this time'))
    .addOption(
      new Option('--runtime <name>', 'where services run').choices(['auto', 'docker', 'process']).default('auto'),
    )
    .option('--seed <n>', 'decides the coins and orders of the rounds; default: random', wholeNumber)
    .option('--out <folder>', 'where run.json, report.md and report.html go', 'out')
    .option(...JSON_OPTION)
    .action(async (services: readonly string[], flags) => end(await versus(services, flags)));
}
