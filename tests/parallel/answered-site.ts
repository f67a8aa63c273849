import { existsSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { BrowserContext } from 'playwright-core';

interface SiteFiles {
  readonly folder: string;
  /** By their path, beside those of the folder or instead of them. */
  readonly files?: ReadonlyMap<string, string>;
}

/**
 * Answers what pages ask for at the address of a site, which is the result, without a server: a browser aborts requests with ERR_NETWORK_CHANGED if
 * an interface of the machine comes or goes, and tests beside this one start containers.
 */
export async function answeredSite(context: BrowserContext, { folder, files }: SiteFiles): Promise<string> {
  const address = 'https://site.example';
  await context.route(`${address}/**`, async (route) => {
    const path = new URL(route.request().url()).pathname.slice(1) || 'index.html';
    const body = files?.get(path);
    if (body !== undefined) {
      await route.fulfill({ body, contentType: extname(path) === '.json' ? 'application/json' : 'text/plain' });
    } else if (existsSync(join(folder, path))) {
      await route.fulfill({ path: join(folder, path) });
    } else {
      await route.fulfill({ status: 404 });
    }
  });
  return address;
}
