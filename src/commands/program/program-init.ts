import { Command } from 'commander';
import { doctor } from '../doctor/doctor.ts';
import { init } from '../init/init.ts';
import { JSON_OPTION } from './json-option.ts';
import { SUITE_HELP } from './suite-option.ts';

/** The command line of `wiregauge init`. */
export function initCommand(end: (exitCode: number) => void): Command {
  return new Command('init')
    .description('write a wiregauge.yml and a workflow for a repository, by what lies in it')
    .argument('[folder]', 'the repository; default: the current folder')
    .option('--yes', 'ask nothing')
    .option('--force', 'overwrite files that are there')
    .option('--dry-run', 'print the files instead of writing them')
    .option(...JSON_OPTION)
    .action(async (folder: string | undefined, flags) => end(await init(folder, flags)));
}

/** The command line of `wiregauge doctor`. */
export function doctorCommand(end: (exitCode: number) => void): Command {
  return new Command('doctor')
    .description('look whether all is there that measuring needs, and say what to do where it is not')
    .option('--suite <name>', SUITE_HELP)
    .option(...JSON_OPTION)
    .action(async (flags) => end(await doctor(flags)));
}
