import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

/** Starts the program in a Node.js that says it is of another version. */
function startedBy(version: string) {
  const versions = `{value:{...process.versions,node:'${version}'}}`;
  const pretending = `data:text/javascript,Object.defineProperty(process,'versions',${versions})`;
  const env = { ...process.env, NODE_OPTIONS: `--import=${pretending}` };
  return spawnSync('node', ['dist/cli.js', '--version'], { encoding: 'utf8', env });
}

test.each(['20.20.2', '22.18.0', '9.11.2'])('Node.js %s reports the required version', (version) => {
  const { status, stdout, stderr } = startedBy(version);

  expect(stderr).toMatch(/^wiregauge: needs Node\.js 22\.19 or newer, but this is v[\d.]+\n$/);
  expect([status, stdout]).toEqual([2, '']);
});

test.each(['22.19.0', '24.0.1', '100.1.0'])('Node.js %s is new enough', (version) => {
  const { status, stdout, stderr } = startedBy(version);

  expect([status, stdout, stderr]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/), '']);
});
