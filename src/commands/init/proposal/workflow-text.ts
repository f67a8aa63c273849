/** The workflow of examples/minimal, which compares every pull request; a test holds the two together. */
export const WORKFLOW_TEXT = `name: performance

on:
  pull_request:

permissions: {}

concurrency:
  group: performance-\${{ github.event.pull_request.number }}
  cancel-in-progress: true

jobs:
  compare:
    runs-on: ubuntu-24.04
    timeout-minutes: 45
    permissions:
      contents: read
      pull-requests: write
    steps:
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
        with:
          fetch-depth: 0
          persist-credentials: false
      - uses: wiregauge/wiregauge@v1
`;
