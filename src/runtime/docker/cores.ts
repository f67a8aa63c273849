import type { Container } from 'dockerode';
import { EnvironmentError } from '../../foundation/errors.ts';
import { allCores } from '../../host/machine/machine.ts';
import type { Service } from '../../model/service.ts';
import { withMeasuredCores } from '../measured-cores.ts';
import { serviceCores } from '../needs.ts';
import type { RuntimeOptions } from '../port.ts';
import { coreSettings, limitsOf } from './container.ts';
import { engineRefusalOf } from './engine.ts';
import { environmentIn, type Recast } from './program.ts';

/** Gives the programs of a service the number of their measured cores; undefined if there are no others. */
export function coresRecast(options: RuntimeOptions, service: Service): Recast | undefined {
  const { measured, all } = coresOf(options, service);
  const { cpus } = limitsOf(options, service.limits);
  const count = Math.ceil(measured.length * cpus);
  return measured.length === all.length
    ? undefined
    : (settings, image) => ({
        ...settings,
        Env: Object.entries(withMeasuredCores(environmentIn(settings, image), count)).map((pair) => pair.join('=')),
      });
}

export function onAllCores(container: Container, options: RuntimeOptions, service: Service) {
  const { measured, all } = coresOf(options, service);
  const moveTo = async (cores: readonly number[], cpus: number): Promise<void> => {
    await container.update(coreSettings(cores, cpus)).catch((cause: unknown) => {
      throw new EnvironmentError(`the cores of ${service.name} cannot be changed: ${engineRefusalOf(cause)}`, {
        code: 'WG-213',
        cause,
      });
    });
  };
  return measured.length === all.length
    ? undefined
    : async (): Promise<AsyncDisposable> => {
        await moveTo(all, 1);
        return { [Symbol.asyncDispose]: () => moveTo(measured, limitsOf(options, service.limits).cpus) };
      };
}

function coresOf({ cores }: RuntimeOptions, service: Service) {
  return { measured: serviceCores(cores, service), all: allCores(cores) };
}
