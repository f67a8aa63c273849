import { join } from 'node:path';
import { DRIVER } from '../load/driver/source.ts';
import { plantSize } from '../model/run/plant.ts';
import type { Service } from '../model/service.ts';
import type { LoadTools } from './port.ts';

/** What of a service says what is planted in it. */
export type PlantedService = Pick<Service, 'plant'>;

/** What stands before the command of a service in which a slowdown is planted; nothing if none is. */
export function plantCommand({ plant }: PlantedService, { folder }: Pick<LoadTools, 'folder'>): readonly string[] {
  return plant === undefined ? [] : [join(folder, DRIVER), 'plant', plantSize(plant)];
}
