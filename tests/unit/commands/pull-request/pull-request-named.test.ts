import { expect, test } from 'vitest';
import { pullRequestNamed } from '../../../../src/commands/pull-request/comment.ts';

test.each([
  ['owner/name#12', { repository: 'owner/name', number: 12 }],
  // A managed user of an enterprise has its short code in the name.
  ['octocat_acme/my.name_1#7', { repository: 'octocat_acme/my.name_1', number: 7 }],
])('%s is a pull request', (text, named) => {
  expect(pullRequestNamed(text)).toEqual(named);
});

test.each(['12', 'owner/name', 'owner/..#1', '../name#1', 'owner/name#0', 'owner/name/other#1', 'a b/name#1'])(
  '%s is none',
  (text) => {
    expect(() => pullRequestNamed(text)).toThrow(/is not a pull request/);
  },
);
