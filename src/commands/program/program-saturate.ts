import { Command, Option } from 'commander';
import { saturateServices } from '../measure/saturate.ts';
import { durationOf, latencyOf, rateOf } from './arguments.ts';
import { budgetOption } from './budget-option.ts';
import { JSON_OPTION } from './json-option.ts';
import { SUITE_HELP } from './suite-option.ts';

const STEP = '5s';

/** The command line of `wiregauge saturate`. */
export function saturateCommand(end: (exitCode: number) => void): Command {
  return new Command('saturate')
    .description('find the knee: the highest arrival rate that each service holds')
    .argument('[services...]', 'their names; default: all of the suite')
    .option('--suite <name>', SUITE_HELP)
    .option(
      '--p99 <time>',
      'the highest p99 at which a rate counts as held, like 50ms; default: ten times that of the service with little to do',
      latencyOf,
    )
    .option('--at-least <rate>', 'exit with 1 where a service holds less than so many requests a second', rateOf)
    .addOption(
      new Option('--step <time>', 'how long each step is measured')
        .argParser(durationOf)
        .default(durationOf(STEP), STEP),
    )
    .addOption(budgetOption('begin no step that would not end in this time'))
    .addOption(
      new Option('--runtime <name>', 'where services run').choices(['auto', 'docker', 'process']).default('auto'),
    )
    .option('--out <folder>', 'where saturate.json, saturate.md and saturate.html go', 'out')
    .option(...JSON_OPTION)
    .action(async (services: readonly string[], flags) => end(await saturateServices(services, flags)));
}
