import type { BrowserContext } from 'playwright-core';

/**
 * Lets the test answer what pages ask servers of this machine for, so that nothing crosses the network of the browser.
 * A browser aborts requests with ERR_NETWORK_CHANGED if an interface of the machine comes or goes, and tests beside this one start containers.
 */
export async function withoutNetwork(context: BrowserContext): Promise<BrowserContext> {
  await context.route(
    ({ hostname }) => hostname === '127.0.0.1',
    async (route) => {
      try {
        await route.fulfill({ response: await route.fetch() });
      } catch {
        // The server is gone, or the page is: the page hears of the one, and nobody of the other.
        await route.abort().catch(() => undefined);
      }
    },
  );
  return context;
}
