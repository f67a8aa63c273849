import { KnownError } from '../../foundation/errors.ts';
import { runGit } from './git.ts';
import { findRepository } from './worktrees-repository.ts';

/** What can be said of the clone that a folder lies in, or why there is none. */
export async function gitFacts(folder: string) {
  try {
    const { checkout } = await findRepository(folder);
    const shallow = await runGit(checkout, ['rev-parse', '--is-shallow-repository']);
    const head = await runGit(checkout, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
    const origin = await runGit(checkout, ['remote', 'get-url', 'origin']);
    return {
      kind: 'clone' as const,
      checkout,
      isShallow: shallow.output === 'true',
      hasCommit: head.ok,
      origin: origin.ok ? origin.output : undefined,
    };
  } catch (thrown) {
    if (thrown instanceof KnownError) {
      return { kind: 'none' as const, why: thrown.message, next: thrown.next };
    }
    throw thrown;
  }
}
