import { markDescendants } from '../../host/machine/descendants.ts';
import { readRunner } from '../../host/machine/machine.ts';
import { endProcessesOf } from '../../host/machine/orphans.ts';
import { programsOf, type Service } from '../../model/service.ts';
import type { BuiltProgram } from '../built-program.ts';
import { controlLoop } from '../driver/control.ts';
import { KeptNeeds } from '../needs.ts';
import type { CountingRuntime, RunningService, Runtime, RuntimeOptions } from '../port.ts';
import { attachService } from './attached.ts';
import { buildServices } from './build.ts';
import { countingProcesses } from './counting.ts';
import { binaryBytes, builtFiles } from './files.ts';
import type { NeedProcess } from './needs.ts';
import { type ServiceSite, startProcessService } from './service.ts';
import { openSite, type Site } from './site.ts';

/**
 * Builds services in the repository and starts them as plain processes on a core of their own; their memory is watched once
 * a second. Throws EnvironmentError if this machine cannot pin programs to the cores.
 */
export async function processRuntime(options: RuntimeOptions): Promise<Runtime> {
  return new PlainRuntime(await openSite(options));
}

/** Base and head are two runtimes of one owner. */
const openRuntimes = new Map<string, { count: number; readonly marking: Disposable }>();

/** Owns whatever it started until it is disposed of. */
class PlainRuntime implements Runtime {
  readonly name = 'process';
  readonly reason: string;
  readonly runner: Runtime['runner'];
  readonly counting: CountingRuntime;
  readonly #site: Site;
  readonly #started = new Set<RunningService>();
  readonly #kept = new KeptNeeds<NeedProcess>();
  #folders: readonly string[] = [];
  readonly #files: BuiltProgram;
  #isClosed = false;

  constructor(site: Site) {
    this.#site = site;
    this.#files = builtFiles(site.options.root);
    this.reason = site.options.reason;
    this.runner = readRunner(site.options.cores);
    this.counting = countingProcesses(site, async (service, options) => {
      const running = await startProcessService(this.#place(), service, options);
      this.#started.add(running);
      return running;
    });
    const { owner } = site.options;
    const open = openRuntimes.get(owner) ?? { count: 0, marking: markDescendants(owner) };
    open.count += 1;
    openRuntimes.set(owner, open);
  }

  async prepare(services: readonly Service[], signal: AbortSignal): Promise<void> {
    logUnheld(services, this.#site.options.log);
    this.#folders = await buildServices(this.#site, services, signal);
  }

  async start(service: Service, signal?: AbortSignal, isRelayed = false): Promise<RunningService> {
    const running =
      service.address === undefined
        ? await startProcessService(this.#place(), service, { signal, isRelayed })
        : attachService(this.#site, service);
    this.#started.add(running);
    return running;
  }

  #place(): ServiceSite {
    return { site: this.#site, folders: this.#folders, kept: this.#kept };
  }

  async built({ process: started }: Service): Promise<readonly BuiltProgram[]> {
    const bytes = binaryBytes(this.#site.options.root, started?.command[0] ?? '');
    return [bytes === undefined ? this.#files : { ...this.#files, size: { bytes, layers: [] } }];
  }

  async control(signal: AbortSignal): Promise<number> {
    return await controlLoop(this.#site.options, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#started].map((running) => running[Symbol.asyncDispose]()));
    this.#started.clear();
    await this.#kept[Symbol.asyncDispose]();
    if (!this.#isClosed) {
      this.#isClosed = true;
      await endRuntime(this.#site.options);
    }
  }
}

/** A plain process keeps to its core and its memory is watched, but nothing gives it only a part of the core. */
function logUnheld(services: readonly Service[], log: (line: string) => void): void {
  for (const { name, limits } of programsOf(services).filter(({ limits: own }) => (own?.cpus ?? 1) < 1)) {
    log(`${name}: limits.cpus (${limits?.cpus}) applies only in containers; a plain process gets a whole core`);
  }
}

async function endRuntime({ owner, log }: RuntimeOptions): Promise<void> {
  const open = openRuntimes.get(owner);
  if (open === undefined) {
    return;
  }
  open.count -= 1;
  if (open.count === 0) {
    openRuntimes.delete(owner);
    open.marking[Symbol.dispose]();
    await endProcessesOf(owner, log);
  }
}
