import { Command, Option } from 'commander';
import { readText } from '../../host/files/reader.ts';
import { explain } from '../help/explain.ts';
import { actions, type CommandGroup, parentOf } from '../program/command.ts';
import { COMPARE_PROFILE, withOptions } from '../program/options.ts';

export const RESULTS: CommandGroup = {
  heading: 'Results:',
  examples: {
    judge: [
      ['judge out/run.json --policy other.yml', 'recompute the verdicts with other thresholds'],
      ['judge --base base.txt --head head.txt', 'compare two outputs of a benchmark tool, such as go test -bench'],
      ['judge --base a1.json a2.json --head b1.json b2.json', 'the same, measured in turns'],
      ['judge --samples figures.csv --json', 'judge figures that were measured elsewhere'],
    ],
    report: [
      ['report out/run.json', 'recreate the reports from the file'],
      ['report out/run.json --against history', 'compare with the published runs'],
    ],
    open: [
      ['open', 'the report of the last run'],
      ['open --out nightly', 'the report in another folder'],
      ['open --trend', 'the page with the history of this repository'],
    ],
    explain: [
      ['explain inconclusive', 'a verdict'],
      ['explain p99', 'a metric'],
      ['explain WG-104', 'the code of an error'],
      ['explain "there is no token for GitHub"', 'a message'],
    ],
  },
  commands: [
    (end) =>
      withOptions(new Command('judge'), 'json', {
        policy: 'a policy file with other thresholds and budgets',
        'fail-on': 'what makes the exit code 1; default: set by the policy',
      })
        .description('Judge a run.json again, or outputs of a benchmark tool')
        .argument('[run.json]')
        .option(
          '--base <files...>',
          'outputs of go test -bench, pytest-benchmark, Google Benchmark, JMH, criterion, k6 or hyperfine of the base, in the order in which they were measured',
        )
        .option('--head <files...>', 'the same for the head; the first files of both are round 1, and so on')
        .option(
          '--samples <file>',
          'a CSV with the columns round,side,position,service,operation,tier,metric,value and, optionally, better and gate',
        )
        .option('--alpha <share>', 'the false-alarm rate for unchanged code, like 1%')
        .addOption(
          new Option('--inconclusive <outcome>', 'the result for "inconclusive"')
            .choices(['warn', 'fail', 'pass'])
            .hideHelp(),
        )
        .option('--out <folder>', 'where report.md and report.html go; default: the terminal report only')
        .action(async (file: string | undefined, flags) => end(await (await actions()).judge(file, flags))),
    () =>
      withOptions(new Command('report'), 'json', { out: 'where report.md and report.html go' })
        .description('Write the reports of an earlier run')
        .argument('<run.json>')
        .option(
          '--against <file>',
          'compare it with stored runs: the published ones (history), or those in a folder (history:<folder>)',
        )
        .action(async (file: string, flags) => await (await actions()).report(file, flags)),
    () =>
      withOptions(new Command('open'), 'json', { out: 'the folder with report.html' })
        .description('Open the last report, or the trend page, in a browser')
        .addOption(new Option('--trend', 'the page that `publish` keeps on GitHub Pages').conflicts('out'))
        .action(async (flags) => await (await actions()).open(flags)),
    () =>
      withOptions(new Command('explain'), 'json')
        .description('Explain an error code, verdict, mark, metric, term or message')
        .argument('[topic...]', 'a name, or a message as printed; default: list the names')
        .action((words: readonly string[], flags) => explain(words.join(' '), flags)),
  ],
};

export const SHARDS: CommandGroup = {
  heading: 'Split a comparison over jobs:',
  examples: {
    'shards plan': [
      ['shards plan --shards 2', 'show what each job measures, and how long it takes'],
      [
        'shards plan --json --out plan',
        'the same as JSON, plan/plan.json for `strategy: matrix:`, and plan/shards.json for merge',
      ],
    ],
    'shards merge': [
      ['shards merge --runs shards --judge', 'merge the shards in a folder, and judge them'],
      ['shards merge a/run.json b/run.json --out both/run.json', 'merge two files into one'],
    ],
  },
  commands: [
    parentOf('shards', 'Plan the shards of a comparison, and merge their results', [
      () =>
        withOptions(new Command('plan'), 'suite services shards json', {
          profile: { ...COMPARE_PROFILE, help: 'the profile of the comparison' },
          policy: 'a policy file (thresholds, budgets) over the policy of the base, or of this folder',
          base: 'the base of the comparison, whose policy judges; default: the policy of this folder',
          budget: 'the budget of each job; default: 10m, with --profile thorough 30m',
        })
          .description('Plan how to split a comparison over jobs, without measuring')
          .option(
            '--out <folder>',
            'where to write the workflow matrix, as plan.json, and the plan for `merge --plan`, as shards.json',
          )
          .action(async (flags) => await (await actions()).plan(flags)),
      (end) =>
        withOptions(new Command('merge'), 'json', {
          'fail-on': 'with --judge: what makes the exit code 1',
          'pull-request':
            'with --judge: owner/name#12, whose label "wiregauge: accepted" accepts what its comment showed (GITHUB_TOKEN)',
          'comment-id': 'the comment that shows what the label accepts',
          out: { flags: '--out <file>', help: 'the file to write', usual: 'out/run.json' },
        })
          .description('Merge several run.json files: shards of a comparison, or runs')
          .argument('[run.json...]')
          .option('--runs <folder>', 'also merge each run.json in this folder and its subfolders')
          .option('--plan <file>', 'the plan that the shards must follow, with the policy: shards.json of `plan --out`')
          .option('--allow-lost', 'treat an unreadable file as a lost shard, which makes the result incomplete')
          .option('--judge', 'judge the merged comparison, and write report.md and report.html next to the file')
          .action(async (files: readonly string[], { plan, ...flags }) => {
            const text = plan && readText(plan, 'Pass shards.json, which `wiregauge shards plan --out` writes.');
            end(await (await actions()).merge(files, { ...flags, plan: text }));
          }),
    ]),
  ],
};
