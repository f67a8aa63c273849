/** A call, without the program's name, and what it does. */
export type CallExample = readonly [call: string, does: string];

/** Examples of every command by its path; a test parses each of them, and finds commands without one. */
export const EXAMPLES: Readonly<Record<string, readonly CallExample[]>> = {
  '': [
    ['init', 'a wiregauge.yml and a workflow for this repository'],
    ['compare --base main', 'the working tree against main'],
    ['run --profile smoke', 'every service once, within two minutes'],
    ['plan --shards 2', 'who would measure what, and for how long'],
    ['publish --dry-run', 'what out/run.json would add to the history'],
    ['history list --last 5', 'the newest published runs'],
    ['explain inconclusive', 'what a word in a report means'],
  ],
  init: [
    ['init', 'by what lies in the current folder, asking little'],
    ['init --dry-run', 'what would be written'],
    ['init --yes --force path/to/repository', 'anew, without questions'],
  ],
  doctor: [
    ['doctor', 'whether all is there that measuring needs'],
    ['doctor --suite users --json', 'the same for a suite, for a program'],
  ],
  compare: [
    ['compare --base main', 'the working tree against main'],
    ['compare --base v1.2.0 --head HEAD --profile quick', 'two commits, coarsely'],
    ['compare --base main --services rest --budget 20m --json', 'one service, thoroughly, for a program'],
  ],
  run: [
    ['run --profile smoke', 'every service once, within two minutes'],
    ['run --mode saturate --runtime process', 'capacity only, without containers'],
    ['run --rounds 3 --against history --on-suspicion confirm', 'held against the published runs'],
  ],
  versus: [
    ['versus rest grpc', 'how many times as many requests gRPC serves with the same CPU time'],
    ['versus rest grpc --rounds 20 --budget 30m', 'the same, with narrower intervals'],
  ],
  saturate: [
    ['saturate rest', 'the highest arrival rate that the service rest holds'],
    ['saturate --p99 50ms --budget 20m', 'of every service, with a p99 of 50 ms at most'],
    ['saturate rest --at-least 2000/s --json', 'exit code 1 where it holds less, for a program'],
  ],
  calibrate: [['calibrate --profile quick', 'how small a change this machine can see']],
  judge: [
    ['judge out/run.json --policy other.yml', 'the verdicts again, by other thresholds'],
    ['judge --samples figures.csv --json', 'figures that were measured elsewhere'],
  ],
  report: [
    ['report out/run.json', 'the reports again, from the file alone'],
    ['report out/run.json --against history', 'held against the published runs'],
  ],
  config: [['config show', 'what is measured, and how long that takes']],
  'config show': [
    ['config show', 'all keys, given or not, and the lengths of every profile'],
    ['config show --suite users --json', 'the same of another suite, for a program'],
  ],
  plan: [
    ['plan --shards 2', 'who would measure what, and for how long'],
    ['plan --json --out plan', 'the same for a program, and plan/plan.json for `strategy: matrix:`'],
  ],
  merge: [
    ['merge --runs shards --judge', 'the shards below a folder, and their verdict'],
    ['merge a/run.json b/run.json --out both/run.json', 'two files as one'],
  ],
  publish: [
    ['publish --dry-run', 'what out/run.json would add to the history'],
    ['publish out/run.json --create-branch', 'the first run of a history'],
  ],
  history: [
    ['history list --last 5', 'the newest published runs'],
    ['history export --format csv --out runs.csv', 'all of them as a table'],
  ],
  'history list': [
    ['history list --last 5', 'the newest five'],
    ['history list --suite users --folder performance --json', 'those of a suite in a copy of the folder'],
  ],
  'history show': [['history show 3f2a', 'the run whose id begins so']],
  'history export': [
    ['history export --format csv --out runs.csv', 'all runs as a table'],
    ['history export --format github-action-benchmark', 'as the data.js of another tool'],
  ],
  'history import': [
    ['history import data.js --format github-action-benchmark', 'the history of another tool'],
    ['history import figures.json --format custom-smaller --commit 0123abc', 'figures of which less is better'],
  ],
  'history thin': [
    ['history thin --keep 180d', 'which runs would go'],
    ['history thin --keep 180d --yes', 'let them go'],
  ],
  'history repair': [
    ['history repair', 'what could be mended; nothing is written'],
    ['history repair --yes', 'make the index and what follows from the segments again'],
  ],
  baseline: [['baseline update out/run.json --note "quiet machine"', 'store a run as a baseline']],
  'baseline update': [['baseline update out/run.json --note "quiet machine"', 'one more run of its kind of machine']],
  'publish-comment': [
    ['publish-comment out/run.json --pull-request owner/name#12', 'the comment, where there is something to say'],
    ['publish-comment out/run.json --pull-request owner/name#12 --comment always', 'the comment in any case'],
  ],
  'publish-check': [['publish-check out/run.json --repository owner/name', 'a check run on the head']],
  'publish-fork-comment': [
    [
      'publish-fork-comment --repository owner/name --workflow-run 123 --head-sha 0123abc --head someone:branch',
      'what the job of a fork measured',
    ],
  ],
  tools: [['tools', 'before a machine loses its network']],
  clean: [['clean', 'after a run that was killed']],
  explain: [
    ['explain inconclusive', 'a verdict'],
    ['explain p99', 'a metric'],
    ['explain "there is no token for GitHub"', 'a message'],
  ],
  completion: [
    ['completion bash', 'a script for bash: source <(wiregauge completion bash)'],
    ['completion zsh', 'to a file _wiregauge in a folder of $fpath'],
    ['completion fish', 'to ~/.config/fish/completions/wiregauge.fish'],
  ],
};
