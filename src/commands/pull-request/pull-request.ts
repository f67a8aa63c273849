import { ConfigError } from '../../foundation/errors.ts';

/** A pull request by its repository and number. */
export interface PullRequestName {
  readonly owner: string;
  readonly repository: string;
  readonly number: number;
}

/** Reads "owner/name#12". Throws ConfigError for anything else. */
export function pullRequestNamed(text: string): PullRequestName {
  const parts = /^([A-Za-z0-9][A-Za-z0-9-]{0,38})\/([A-Za-z0-9._-]{1,100})#([1-9]\d{0,8})$/.exec(text);
  const [, owner = '', repository = '', number = ''] = parts ?? [];
  if (parts === null || repository === '.' || repository === '..') {
    throw new ConfigError(`"${text.slice(0, 200)}" names no pull request`, {
      next: 'Write it like owner/name#12.',
    });
  }
  return { owner, repository, number: Number(number) };
}
