import type { Command } from 'commander';

/** The headings of `wiregauge --help`, by the commands below them. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  'Measure:': ['compare', 'run', 'calibrate'],
  'Judge and report again:': ['judge', 'report'],
  'Share a comparison among jobs:': ['plan', 'merge'],
  'Keep runs:': ['publish', 'history', 'baseline'],
  'Tell GitHub:': ['publish-comment', 'publish-check', 'publish-fork-comment'],
  'Look after this machine:': ['tools', 'clean'],
};

const AFTER = `
Examples:
  wiregauge compare --base main        the working tree against main
  wiregauge run --profile smoke        every service once, within two minutes
  wiregauge plan --shards 2            who would measure what, and for how long
  wiregauge publish --dry-run          what out/run.json would add to the history
  wiregauge history list --last 5      the newest published runs

Exit codes:
  0    passed, or done
  1    regressed by the policy
  2    could not be judged or done; the message says why, and what to do
  130  interrupted; what was measured is kept`;

/** The program with headings for its commands, examples, and what its exit codes mean. */
export function withHelp(program: Command): Command {
  for (const [heading, names] of Object.entries(GROUPS)) {
    for (const command of program.commands.filter((one) => names.includes(one.name()))) {
      command.helpGroup(heading);
    }
  }
  return program.addHelpText('after', AFTER);
}
