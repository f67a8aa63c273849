import * as z from 'zod';
import { EnvironmentError } from '../../foundation/errors.ts';
import { type NeedCalls, needCallsSchema } from '../../model/run/calls.ts';
import type { NeedPlace } from '../../model/service.ts';
import { type OpenDriver, openDialog } from './channel.ts';

/** Relay mode of the driver, followed by the host at which it listens. */
export const RELAY_MODE = 'relay';

/** Relay between a service and its needs. Disposing of it ends it. */
export interface Relay extends AsyncDisposable {
  /** Addresses at which programs reach these through the relay, which listens on each of their ports and changes no bytes. */
  relayed(places: readonly NeedPlace[]): Promise<readonly NeedPlace[]>;
  /** Calls to each need and member since the last time. Throws EnvironmentError if the relay has ended. */
  take(): Promise<readonly NeedCalls[]>;
}

const answerSchema = z.union([
  z.object({ ports: z.array(z.number().int()) }),
  z.object({ needs: z.array(needCallsSchema) }),
]);

/** Starts a relay that programs reach at a host. */
export async function openRelay(open: OpenDriver, host: string): Promise<Relay> {
  const dialog = await openDialog(open, {
    schema: answerSchema,
    endedEarly: ({ how, lastLines }) =>
      new EnvironmentError(`the relay ended unexpectedly ${how}: ${lastLines}`, { code: 'WG-203' }),
  });
  return {
    async relayed(places) {
      const targets = places.flatMap(({ name, host: of, port, ports = {} }) =>
        [port, ...Object.values(ports)].map((one) => ({ name, to: `${of}:${one}` })),
      );
      const started = await dialog.request(() => JSON.stringify(targets));
      const relayed = 'ports' in started ? [...started.ports] : [];
      return places.map((place) => ({
        ...place,
        host,
        direct: place.host,
        port: relayed.shift() ?? place.port,
        ...(place.ports !== undefined && {
          ports: Object.fromEntries(Object.keys(place.ports).map((name) => [name, relayed.shift() ?? 0])),
        }),
      }));
    },
    async take() {
      const taken = await dialog.request(() => '');
      return 'needs' in taken ? taken.needs : [];
    },
    [Symbol.asyncDispose]: dialog.end,
  };
}
