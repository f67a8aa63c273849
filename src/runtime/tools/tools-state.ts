import { runChild } from '../../host/child.ts';
import { cacheState } from './tools-cache.ts';
import { driverKit, generatorsKit, type Kit } from './tools-kits.ts';
import { type Caches, placesOf } from './tools-places.ts';
import type { ToolsRequest } from './tools-source.ts';

/** How the load tools and the driver lie in the caches of this machine; nothing is fetched. */
export async function toolsState(request: ToolsRequest & Caches) {
  const kits = [generatorsKit(request, undefined), driverKit(request, undefined)];
  return await Promise.all(kits.map((kit) => stateOf(kit, request)));
}

async function stateOf({ name, programs, title }: Kit, request: ToolsRequest & Caches) {
  const places = placesOf(name, request);
  const states = await Promise.all(
    places.map(async ({ folder }) => ({
      folder,
      state: (await cacheState({ folder, programs }, request.signal)).kind,
    })),
  );
  const found = states.find(({ state }) => state === 'good') ??
    states.find(({ state }) => state === 'damaged') ?? { folder: places[0].folder, state: 'missing' as const };
  return { title, ...found };
}

/** "go1.26.8"; undefined where there is no Go. */
export async function goVersion(signal: AbortSignal): Promise<string | undefined> {
  try {
    const request = { argv: ['go', 'version'], cwd: '/', environment: process.env };
    const { lastLines, exitCode } = await runChild(request, { signal, limitSeconds: 10 });
    return exitCode === 0 ? /\bgo\d[\w.]*/.exec(lastLines)?.[0] : undefined;
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}
