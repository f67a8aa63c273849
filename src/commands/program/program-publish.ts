import { Command } from 'commander';
import { publish } from '../history/publish.ts';
import { JSON_OPTION } from './json-option.ts';

/** The command line of `wiregauge publish`. */
export function publishCommand(end: (exitCode: number) => void): Command {
  return new Command('publish')
    .description('add a run to the history on a branch, safely while others do the same')
    .argument('[run.json]', 'the run', 'out/run.json')
    .option('--remote <name>', 'the remote that has the branch', 'origin')
    .option('--branch <name>', 'the branch that has the history', 'gh-pages')
    .option('--folder <path>', 'where on the branch', 'performance')
    .option('--create-branch', 'begin the branch where it is missing, with nothing else in it')
    .option('--allow-dirty', 'also a run of changes that are in no commit')
    .option('--if-allowed', 'where the credentials may only read, say so and go on')
    .option('--report-url <address>', 'the page of the reports of the run, for a link')
    .option('--dry-run', 'say what would be written, and write nothing')
    .option(...JSON_OPTION)
    .action(async (file: string, flags) => end(await publish(file, flags)));
}
