/** What `--suite` says of itself. */
export const SUITE_HELP =
  'what to measure: suites/<name>.yml (default: wiregauge.yml, else the only suite, else "users")';
