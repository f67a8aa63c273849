import { Command } from 'commander';
import { actions, type CommandGroup } from '../program/command.ts';
import { repeated, shareOf, withOptions } from '../program/options.ts';

export const START: CommandGroup = {
  heading: 'Get started:',
  examples: {
    init: [
      ['init', 'for the current folder, with few questions'],
      ['init --dry-run', 'what would be written'],
      ['init --no-try', 'without starting the services'],
      ['init --from access.log --from shop.har', 'the requests of your clients, with their shares'],
      ['init --yes --force path/to/repository', 'overwrite everything, without questions'],
    ],
    doctor: [
      ['doctor', 'check that this machine can measure'],
      ['doctor --runtime process', 'the same for plain processes, without checking the Docker engine'],
      ['doctor --suite users --json', 'the same for a suite, as JSON'],
      ['doctor --traffic access.log --at-least 80%', 'exit with 1 if less of the requests is measured'],
    ],
    demo: [
      ['demo', 'a regression, and the comment about it, in about a minute'],
      ['demo --runtime docker', 'the same in containers'],
    ],
  },
  commands: [
    (end) =>
      withOptions(new Command('init'), 'runtime json')
        .description('Generate wiregauge.yml and workflows for this repository')
        .argument('[folder]', 'the repository; default: the current folder')
        .option(
          '--from <file>',
          'measure the requests of an access log, HAR, collection or folder of requests, or of standard input (-); repeatable',
          repeated,
        )
        .option('--yes', 'do not ask questions')
        .option('--force', 'overwrite existing files')
        .option(
          '--writes',
          'also propose operations that change data, with example bodies of the contract or those of --from',
        )
        .option('--history', 'also write a workflow that records each push to main, and its page')
        .option('--dry-run', 'print the files instead of writing them')
        .option(
          '--no-try',
          'write only what the files show: do not start the services, try each operation, fix what fails or varies, and run the checks of `doctor`',
        )
        .action(async (folder: string | undefined, flags) => end(await (await actions()).init(folder, flags))),
    (end) =>
      withOptions(new Command('doctor'), 'suite runtime json')
        .description('Check that this machine can measure, and show what to fix')
        .option(
          '--traffic <file>',
          'check instead how much of an access log, HAR or collection the configuration measures; repeat it for several',
          repeated,
        )
        .option('--at-least <share>', 'with --traffic: exit with 1 if less is measured, like 80%', shareOf)
        .action(async (flags) => end(await (await actions()).doctor(flags))),
    (end) =>
      withOptions(new Command('demo'), 'wait verbose json', {
        profile: { help: 'preset for precision vs. time', usual: 'smoke' },
        runtime: { usual: 'process' },
        out: 'where run.json, report.md, report.html and comment.md go',
      })
        .description('Compare two versions of a small service that comes with Wiregauge, one of which is slower')
        .action(async (flags) => end(await (await actions()).demo(flags))),
  ],
};
