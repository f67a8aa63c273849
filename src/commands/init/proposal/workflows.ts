/** The workflow of examples/minimal, which compares every pull request; a test keeps the two equal. */
export const WORKFLOW_TEXT = `name: performance

on:
  pull_request:
  merge_group:

permissions: {}

concurrency:
  group: performance-\${{ github.ref }}
  # A push cancels the measurement of the last one; nothing cancels a group of the merge queue.
  cancel-in-progress: \${{ github.event_name == 'pull_request' }}

jobs:
  # Builds and runs the code of the pull request, so its token can only read.
  measure:
    runs-on: ubuntu-24.04
    timeout-minutes: 45
    permissions:
      contents: read
    steps:
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
        with:
          fetch-depth: 0
          persist-credentials: false
      - uses: wiregauge/wiregauge@v1
        with:
          shard: 1/1
          artifact: wiregauge-measured

  # The check to require: judges what was measured and comments, without that code.
  wiregauge:
    needs: measure
    # If it were skipped, the check would pass.
    if: always()
    runs-on: ubuntu-24.04
    timeout-minutes: 10
    permissions:
      actions: read
      contents: read
      pull-requests: write
    steps:
      - uses: wiregauge/wiregauge@v1
        with:
          mode: comment
`;

/** The workflow of examples/minimal that obeys comments and the label; likewise. */
export const COMMAND_TEXT = `name: performance command

on:
  # GitHub takes this file from the default branch. Anybody may comment, so the action checks that the author may write to the
  # repository; nothing of the pull request is checked out or run here.
  issue_comment: # zizmor: ignore[dangerous-triggers]
    types: [created]
  pull_request:
    types: [labeled]

permissions: {}

concurrency:
  group: performance-command-\${{ github.event.comment.id || github.ref }}-\${{ github.event.label.name }}

jobs:
  command:
    if: >-
      github.event.label.name == 'wiregauge: accepted' ||
      (github.event.issue.pull_request && startsWith(github.event.comment.body, '/wiregauge '))
    runs-on: ubuntu-24.04
    timeout-minutes: 5
    permissions:
      actions: write # starts the job again that judges
      pull-requests: write # answers the comment
    steps:
      - uses: wiregauge/wiregauge@v1
        with:
          args: github command
`;

/** The workflow of examples/history, which keeps every push to the default branch and compares it with a release; likewise. */
export const HISTORY_TEXT = `name: history

on:
  push:
    branches: [main]
  schedule:
    # Mondays: shows that a planted slowdown of 5% is found.
    - cron: "41 4 * * 1"

permissions: {}

jobs:
  history:
    runs-on: ubuntu-24.04
    timeout-minutes: 60
    permissions:
      # For the push to gh-pages; only code of the default branch runs here.
      contents: write
    steps:
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
        with:
          # For the tags, and for the commit to compare with.
          fetch-depth: 0
          persist-credentials: false
      - uses: wiregauge/wiregauge@v1
        with:
          args: \${{ github.event_name == 'schedule' && 'calibrate --plant 5%' || '' }}
      # How far this commit is from the latest release, or from the commit in .wiregauge/anchor.yml.
      - uses: wiregauge/wiregauge@v1
        with:
          args: compare --anchor
          artifact: wiregauge-anchor
        # Also after a run that raised an alarm.
        if: \${{ !cancelled() && github.event_name == 'push' }}
`;
