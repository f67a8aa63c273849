import { Command, Option } from 'commander';
import { updateBaseline } from '../history/baseline.ts';
import { judge } from '../runs/judge.ts';
import { report } from '../runs/report.ts';
import { JSON_OPTION } from './json-option.ts';

/** The command line of `wiregauge judge`. */
export function judgeCommand(end: (exitCode: number) => void): Command {
  return new Command('judge')
    .description('judge a comparison again from its run.json, or figures that were measured elsewhere')
    .argument('[run.json]')
    .option(
      '--samples <file>',
      'a CSV with the columns round,side,position,service,operation,tier,metric,value and, if wanted, better and gate',
    )
    .option(...JSON_OPTION)
    .option('--policy <file>', 'other thresholds, budgets and the like')
    .option('--alpha <share>', 'how often unchanged code may fail, like 1%')
    .addOption(new Option('--inconclusive <outcome>', 'what "inconclusive" is').choices(['warn', 'fail', 'pass']))
    .option('--out <folder>', 'where report.md and report.html go; default: the terminal report only')
    .action(async (file: string | undefined, flags) => end(await judge(file, flags)));
}

/** The command line of `wiregauge report`. */
export function reportCommand(end: (exitCode: number) => void): Command {
  return new Command('report')
    .description('write the reports of a run that was measured before')
    .argument('<run.json>')
    .option(
      '--against <file>',
      'hold it against a stored baseline, or the published runs: history, or history:<folder>',
    )
    .option('--out <folder>', 'where report.md and report.html go', 'out')
    .option(...JSON_OPTION)
    .action(async (file: string, flags) => end(await report(file, flags)));
}

/** The command lines of `wiregauge baseline`. */
export function baselineCommand(end: (exitCode: number) => void): Command {
  // Before its own command is made: it takes over what it has then.
  const baseline = new Command('baseline').exitOverride().showSuggestionAfterError();
  baseline.description('store runs as baselines, in files of the repository').helpCommand(false);
  baseline
    .command('update')
    .description('store a complete run as the baseline of its suite and runner class')
    .argument('[run.json]', 'the run', 'out/run.json')
    .option('--folder <folder>', 'where baselines are kept', 'baselines')
    .option('--note <text>', 'how it was taken, for the reviewer', 'no note')
    .option(...JSON_OPTION)
    .action(async (file: string, flags) => end(await updateBaseline(file, flags)));
  return baseline;
}
