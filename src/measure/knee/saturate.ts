import { verify } from '../service/verify.ts';
import { SATURATE_FILE, type SaturateBench, type SaturateHead } from './bench.ts';
import { formatSaturate, type SaturateRecord, type ServiceKnee } from './record.ts';
import { searchService } from './search.ts';

/**
 * Finds the knee of each service, one after the other, with an equal share of the time that is left; what was measured so far is kept in
 * `saturate.json`. A service that cannot be measured is recorded, and an abort ends the search after its step was cleaned up.
 * Throws KnownError where nothing can be measured at all.
 */
export async function saturate(bench: SaturateBench, head: SaturateHead): Promise<SaturateRecord> {
  const { clock, signal } = bench;
  await verify(bench);
  const endMs = clock.steadyMs() + bench.budgetSeconds * 1000;
  const knees: ServiceKnee[] = [];
  const keep = async (services: readonly ServiceKnee[], complete: boolean): Promise<SaturateRecord> => {
    const record = { ...head, services, complete };
    await bench.output.write(SATURATE_FILE, formatSaturate(record));
    return record;
  };
  const services = [...bench.services.values()];
  for (const [index, service] of services.entries()) {
    if (signal.aborted) {
      break;
    }
    const nowMs = clock.steadyMs();
    const deadlineMs = nowMs + (endMs - nowMs) / (services.length - index);
    const soFar = async (knee: ServiceKnee): Promise<void> => void (await keep([...knees, knee], false));
    knees.push(await searchService(bench, { service, deadlineMs }, soFar));
  }
  const isDone = knees.length === services.length && knees.every(({ ended }) => ended === 'done' || ended === 'steps');
  return await keep(knees, isDone);
}
