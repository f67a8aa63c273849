import { join } from 'node:path';
import { plantSize } from '../../model/run/plant.ts';
import type { Service } from '../../model/service.ts';
import type { LoadTools } from '../port.ts';
import { DRIVER } from './source.ts';

export type PlantedService = Pick<Service, 'plant'>;

/** Prefix of the command of a service with a planted slowdown; empty without one. */
export function plantCommand({ plant }: PlantedService, { folder }: Pick<LoadTools, 'folder'>): readonly string[] {
  return plant === undefined ? [] : [join(folder, DRIVER), 'plant', plantSize(plant)];
}
