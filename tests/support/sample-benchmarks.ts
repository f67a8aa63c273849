import { readFileSync } from 'node:fs';

const printed = (file: string) => readFileSync(new URL(`../fixtures/benchmarks/${file}`, import.meta.url), 'utf8');
const written = (file: string) => JSON.parse(printed(file));

/** What each tool prints or writes, from the file of its adapter. */
export const GO = printed('go-test.txt');
export const PYTEST = written('pytest-benchmark.json');
export const GOOGLE = written('google-benchmark.json');
export const JMH = written('jmh.json');
export const K6 = written('k6.json');
export const HYPERFINE = written('hyperfine.json');
export const GAB: readonly unknown[] = written('github-action-benchmark.json');

/** As criterion 0.8.2 printed it: `cargo bench`, the second time, with the change. */
export const CRITERION_TEXT = printed('criterion.txt');

/** As cargo-criterion writes it. */
export const CRITERION = `{"reason":"benchmark-complete","id":"sort/10","typical":{"estimate":37.5,"lower_bound":37,"upper_bound":38,"unit":"ns"}}
{"reason":"group-complete","group_name":"sort"}
`;
