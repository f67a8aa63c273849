import { Command, Option } from 'commander';
import { actions, type CommandGroup } from '../program/command.ts';
import {
  COMPARE_PROFILE,
  commaSeparated,
  durationOf,
  latencyOf,
  modesOf,
  OPTIONS,
  parsePlant,
  rateOf,
  requires,
  SMALLEST,
  withOptions,
} from '../program/options.ts';

export const MEASURE: CommandGroup = {
  heading: 'Measure:',
  examples: {
    compare: [
      ['compare', 'the working tree against its merge base with the default branch'],
      ['compare --base main', 'the working tree against main'],
      ['compare --base v1.2.0 --head HEAD --profile quick', 'two commits, quickly'],
      ['compare --base main --profile instructions', 'count instructions per request instead of measuring time'],
      ['compare --base main --services rest --budget 20m --json', 'one service with a long budget, as JSON'],
      ['compare --operations GetUser', 'one operation only, against the default branch'],
      ['compare --anchor --head HEAD', 'how far HEAD is from the latest release, or the pinned commit'],
    ],
    run: [
      ['run --profile smoke', 'every service once, in about two minutes'],
      ['run --mode saturate --runtime process', 'capacity only, without containers'],
      [
        'run --suite protocols --runtime both',
        'each service in containers and as plain processes, and what containers cost',
      ],
      [
        'run --suite all-studies --profile smoke',
        'all published studies, and one page with the findings that hold here',
      ],
      ['run --for 10m', 'ten minutes of one load: whether memory grows and latency drifts'],
      ['run --rounds 3 --against history --on-suspicion confirm', 'compare with the published runs'],
    ],
    versus: [
      ['versus rest grpc', 'how many more requests gRPC serves with the same CPU time'],
      ['versus rest grpc --rounds 20 --budget 30m', 'the same, with narrower intervals'],
    ],
    saturate: [
      ['saturate rest', 'the highest arrival rate that the service rest sustains'],
      ['saturate --p99 50ms --budget 20m', 'of each service, with a p99 of at most 50 ms'],
      ['saturate rest --at-least 2000/s --json', 'exit with 1 if it sustains less, as JSON'],
    ],
    bisect: [
      ['bisect --good v1.2.0', 'the commit since v1.2.0 that made a service slower'],
      ['bisect --good abc1234 --bad def5678 --service rest --metric cpu', 'by one metric of one service'],
    ],
    calibrate: [
      ['calibrate', 'the smallest change that this machine can detect'],
      ['calibrate --plant 5%', 'whether 5% more CPU time is found, and after how many rounds'],
    ],
  },
  commands: [
    (end) => {
      const anchor = new Option(
        '--anchor',
        'compare with the latest release tag, or the commit pinned by `baseline pin`',
      );
      const command = withOptions(new Command('compare'), 'base')
        .description('Compare two versions in interleaved rounds, and judge what got slower')
        .option('--head <ref>', 'the version to judge; default: the working tree')
        .option('--merge-base', 'compare with the merge base, as for a pull request')
        .addOption(anchor.conflicts(['base', 'mergeBase', 'shard', 'confirmAll']))
        .option('--confirm-all', 'run all rounds, to find everything that got slower')
        .option('--always', 'measure services that run the same files in both versions, too')
        .action(async (flags) => end(await (await actions()).compare(flags)));
      const others =
        'suite services operations shard budget runtime wait policy fail-on pull-request seed against out verbose json';
      return withOptions(command, `interleave profiler ${others}`, {
        profile: COMPARE_PROFILE,
        'comment-id': 'the comment that shows what the label accepts',
      });
    },
    (end) =>
      withOptions(new Command('run'), 'suite operations wait seed out verbose json', {
        profile: 'preset for precision vs. time: the length of the slots, and the number of rounds after them',
        budget: 'start nothing that would end after this time; default: no limit',
        services: 'services to run, the reference first; default: all of the suite',
        runtime: { choices: [...OPTIONS.runtime.choices, 'both'] },
        rounds: 'number of repetitions of each slot',
      })
        .description('Start the services, verify their answers, load them, and report')
        .addOption(
          new Option(
            '--mode <modes>',
            'open (the tiers), saturate (closed loop), or both; default: both, or open if no tier has a rate',
          ).argParser(modesOf),
        )
        .addOption(
          new Option('--for <time>', 'load each service once at its middle tier for this time, and report what changes')
            .argParser(durationOf)
            .conflicts(['profile', 'rounds', 'against']),
        )
        .option('--no-versus', 'do not compare the services in interleaved rounds')
        .option(
          '--against <file>',
          'compare the run with stored runs of the same kind of machine; history, or history:<folder>: with the published runs',
        )
        .addOption(
          new Option(
            '--on-suspicion <way>',
            'what to do if the run is slower than stored runs: warn, or compare in rounds',
          )
            .choices(['warn', 'confirm'])
            .default('warn'),
        )
        .addOption(
          new Option('--fail-on <what>', 'regression: exit with 1 if the run is slower than stored runs').choices([
            'regression',
          ]),
        )
        .option(
          '--benchmarks <files>',
          'output of benchmark tools to include in the report (go test -bench, criterion and others)',
          commaSeparated,
        )
        .action(async (flags) => end(await (await actions()).run(flags))),
    (end) =>
      withOptions(new Command('versus'), 'suite operations profile budget runtime wait seed out verbose json', {
        rounds: 'rounds of each service with the reference; default: the minimum of the profile',
      })
        .description('Compare services with the first one, in interleaved rounds')
        .argument('<services...>', 'their names, the reference first')
        .action(async (services: readonly string[], flags) => end(await (await actions()).versus(services, flags))),
    (end) =>
      withOptions(new Command('saturate'), 'suite operations runtime wait json', {
        budget: { help: 'start no step that would end after this time', usual: 600, usualText: '10m' },
        out: 'where saturate.json, saturate.md and saturate.html go',
      })
        .description('Find the highest arrival rate that each service sustains')
        .argument('[services...]', 'their names; default: all of the suite')
        .option(
          '--p99 <time>',
          'the p99 limit for a sustained rate, like 50ms; default: ten times the p99 at low load',
          latencyOf,
        )
        .option('--at-least <rate>', 'exit with 1 if a service sustains fewer requests per second', rateOf)
        .addOption(new Option('--step <time>', 'how long each step is measured').argParser(durationOf).default(5, '5s'))
        .action(async (services: readonly string[], flags) =>
          end(await (await actions()).saturateServices(services, flags)),
        ),
    (end) =>
      withOptions(new Command('bisect'), 'suite runtime wait json', {
        profile: { ...COMPARE_PROFILE, help: 'how much each comparison measures' },
        budget: { help: 'start no comparison that would end after this time', usual: 3600, usualText: '1h' },
        out: { help: 'where run.json and the reports of each comparison go', usual: 'out/bisect' },
      })
        .description('Find the commit that made a service slower')
        .option('--good <ref>', 'a good version: a branch, a tag or a commit')
        .option('--bad <ref>', 'a bad version', 'HEAD')
        .option('--service <name>', 'the service that got slower; default: the one with the clearest regression')
        .option('--metric <name>', 'what got worse, like cpu, p50 or instructions; default: the clearest regression')
        .hook('preAction', requires('--good'))
        .action(async (flags) => end(await (await actions()).bisect(flags))),
    (end) =>
      withOptions(new Command('calibrate'), 'suite services rounds runtime wait seed json', {
        profile: { help: 'the profile of the comparisons to calibrate', usual: COMPARE_PROFILE.usual },
        budget: 'measure only the rounds that fit into this time; default: no limit',
        out: 'where run.json goes',
      })
        .description('Measure the smallest change that this machine can detect, and its false alarms')
        .option(
          '--plant <size>',
          'compare with the same build and more CPU time (5%), a later start (200ms), more memory (20MB) or memory kept for each request (leak=400B), exit code 1 if it is not found; smallest: search for the least CPU time that is',
          parsePlant,
        )
        .action(async ({ plant, ...flags }) => {
          if (plant === SMALLEST) {
            end(await (await actions()).searchPlant(flags));
          } else if (plant !== undefined) {
            end(await (await actions()).plantSlowdown({ ...flags, plant }));
          } else {
            end(await (await actions()).calibrate(flags));
          }
        }),
  ],
};
