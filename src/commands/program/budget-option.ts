import { Option } from 'commander';
import { durationOf } from './arguments.ts';

const BUDGET = '10m';

/** The flag `--budget` of commands that measure in rounds, or plan that. */
export function budgetOption(description: string): Option {
  return new Option('--budget <time>', description).argParser(durationOf).default(durationOf(BUDGET), BUDGET);
}
