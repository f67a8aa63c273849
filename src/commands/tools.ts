import { interruptible } from '../host/signals.ts';
import { loadTools } from '../measure/session/runtime.ts';
import { OWN_ROOT } from '../project/own-root.ts';
import { dockerAnswers } from '../runtime/docker/docker-engine.ts';
import { remarkLog, type Telling, tellResult } from './program/result.ts';

/**
 * `wiregauge tools`: has the load tools and the driver in a cache of this machine, and says where they came from and where they lie: for
 * machines that reach no network later. Exit code 0; 2 where they cannot be had.
 */
export async function tools({ json }: Pick<Telling, 'json'>): Promise<number> {
  const log = remarkLog({ json });
  return await interruptible(async (signal) => {
    const { ok: hasDocker } = await dockerAnswers();
    const { folder, driverFolder } = await loadTools({ ownRoot: OWN_ROOT, log, signal, needsDriver: true }, hasDocker);
    tellResult(
      { command: 'tools', json },
      { text: () => `${folder}\n${driverFolder}\n`, data: () => ({ folder, driverFolder }) },
    );
    return 0;
  });
}
