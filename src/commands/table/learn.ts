import { Argument, Command } from 'commander';
import { printScript } from '../../host/terminal/output.ts';
import { completionScript, SHELLS, type Shell } from '../help/completion.ts';
import { actions, type CommandGroup, parentOf } from '../program/command.ts';
import { withOptions } from '../program/options.ts';

export const MACHINE: CommandGroup = {
  heading: 'Maintain this machine:',
  examples: {
    'cache fetch': [['cache fetch', 'prepare a machine for offline use']],
    'cache clean': [['cache clean', 'clean up after a killed run']],
  },
  commands: [
    parentOf('cache', 'Load driver, and what killed runs left behind', [
      (end) =>
        withOptions(new Command('fetch'), 'json')
          .description('Download the load driver into a cache, and print its path')
          .action(async (flags) => end(await (await actions()).tools(flags))),
      () =>
        withOptions(new Command('clean'), 'json')
          .description(
            'Remove what killed runs left behind: containers, pods, processes, folders, git worktrees, old images',
          )
          .action(async (flags) => await (await actions()).clean(flags)),
    ]),
  ],
};

export const LEARN: CommandGroup = {
  heading: 'Learn more:',
  examples: {
    suites: [
      ['suites', 'what can be measured, how long it takes, and what it needs'],
      ['suites --json', 'the same for a program'],
    ],
    'config show': [
      ['config show', 'all keys with their defaults, and the length of each profile'],
      ['config show --suite users --json', 'the same for another suite, as JSON'],
    ],
    completion: [
      ['completion bash', 'a script for bash: source <(wiregauge completion bash)'],
      ['completion zsh', 'to a file _wiregauge in a folder of $fpath'],
      ['completion fish', 'to ~/.config/fish/completions/wiregauge.fish'],
    ],
  },
  commands: [
    () =>
      withOptions(new Command('suites'), 'json')
        .description('List all suites with their services, durations and needs')
        .action(async (flags) => (await actions()).suites(flags)),
    parentOf('config', 'Show the configuration', [
      () =>
        withOptions(new Command('show'), 'suite services json')
          .description('Print the resolved configuration, with defaults and durations')
          .action(async (flags) => await (await actions()).configShow(flags)),
    ]),
    () =>
      new Command('completion')
        .description('Print a shell completion script')
        .addArgument(new Argument('<shell>', 'the shell that the script is for').choices(SHELLS))
        .action((shell: Shell) => printScript(completionScript(shell))),
  ],
};
