import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigError } from '../../foundation/errors.ts';
import { openInBrowser } from '../../host/browser.ts';
import { gitFacts } from '../../host/git/repository.ts';
import type { MeasureFlags } from '../../measure/session/runtime.ts';
import { pagesUrl, repositoryPage, USUAL_PLACE } from '../history/place.ts';
import { printResult } from '../program/result.ts';
import { previousRun } from './previous.ts';

interface OpenFlags extends Pick<MeasureFlags, 'out' | 'json'> {
  readonly trend?: boolean;
}

/**
 * `wiregauge open`: opens the report in a folder, or the trend page of the repository, in the browser; without a browser it prints the address.
 * Throws ConfigError if there is no report, or no known page.
 */
export async function open({ out, trend, json }: OpenFlags): Promise<void> {
  const address = trend === true ? await trendAddress() : reportAddress(out);
  const { env: environment, platform } = process;
  const why = await openInBrowser(address, { environment, platform });
  const { href } = address;
  printResult(
    { command: 'open', json },
    { address: href, opened: why === undefined, why },
    why === undefined ? `opened ${href}\n` : `Open it by hand, because ${why}: ${href}\n`,
  );
}

function reportAddress(out: string): URL {
  const file = join(out, 'report.html');
  if (!existsSync(file)) {
    const previous = previousRun(out);
    throw new ConfigError(`there is no ${file}`, {
      code: 'WG-107',
      next:
        previous === undefined
          ? 'Run `wiregauge run` or `wiregauge compare` first, or set the folder that they wrote to with `--out`.'
          : `The newest run was not completed. The last complete one is in ${previous}: pass that to --out.`,
    });
  }
  return pathToFileURL(resolve(file));
}

async function trendAddress(): Promise<URL> {
  const facts = await gitFacts(process.cwd());
  const origin = facts.kind === 'clone' ? facts.origin : undefined;
  const page = pagesUrl(repositoryPage(origin ?? ''), USUAL_PLACE.branchFolder);
  if (page === undefined) {
    throw new ConfigError('the remote `origin` of this folder is not a repository on GitHub', {
      code: 'WG-604',
      next: 'Run this in a clone from GitHub, whose workflow publishes the page.',
    });
  }
  return new URL(page);
}
