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
          mode: merge
`;

/** The workflow of examples/history, which keeps every push to the default branch and compares it with a release; likewise. */
export const HISTORY_TEXT = `name: history

on:
  push:
    branches: [main]

permissions: {}

jobs:
  history:
    runs-on: ubuntu-24.04
    timeout-minutes: 45
    permissions:
      # For the push to gh-pages; only code of the default branch runs here.
      contents: write
    steps:
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
        with:
          persist-credentials: false
      - uses: wiregauge/wiregauge@v1

  # How far this commit is from the latest release, or from the commit in .wiregauge/anchor.yml.
  anchor:
    runs-on: ubuntu-24.04
    timeout-minutes: 45
    permissions:
      contents: write
    steps:
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
        with:
          # For the tags, and for the commit to compare with.
          fetch-depth: 0
          persist-credentials: false
      - uses: wiregauge/wiregauge@v1
        with:
          mode: anchor
          artifact: wiregauge-anchor
`;
