import { Command } from 'commander';
import type { RuntimeChoice } from '../../measure/index.ts';
import { OWN_ROOT } from '../../project/index.ts';
import type { CommandFile } from '../program/command.ts';
import { JSON_OPTION, profileOption, runtimeOption, USUAL, VERBOSE_OPTION, waitOption } from '../program/options.ts';
import { run } from './run.ts';

/** The command line of `wiregauge demo`. */
export const demoCommand: CommandFile = {
  group: 'Get started:',
  examples: {
    demo: [
      ['demo', 'a demo report in about two minutes'],
      ['demo --runtime process', 'the same without containers'],
    ],
  },
  make: (end) => {
    return new Command('demo')
      .description('Measure two services that come with Wiregauge, to see a report')
      .addOption(profileOption('how much is measured').default('smoke'))
      .addOption(runtimeOption())
      .addOption(waitOption())
      .option('--out <folder>', 'where run.json, report.md and report.html go', 'out')
      .option(...VERBOSE_OPTION)
      .option(...JSON_OPTION)
      .action(async (flags) => end(await demo(flags)));
  },
};

/** Two services that answer the same, one over REST and one over gRPC. */
const SUITE = 'users';

export interface DemoFlags {
  readonly profile: string;
  readonly runtime: RuntimeChoice;
  readonly wait: number;
  readonly out: string;
  readonly verbose?: boolean;
  readonly json?: boolean;
}

/** `wiregauge demo`: the main job of the demonstration, as `wiregauge run` does it. */
export async function demo(flags: DemoFlags): Promise<number> {
  const { exitCode } = await run({ ...flags, suite: SUITE, onSuspicion: USUAL.onSuspicion }, OWN_ROOT);
  return exitCode;
}
