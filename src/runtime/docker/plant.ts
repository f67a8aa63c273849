import type { ContainerCreateOptions } from 'dockerode';
import { type PlantedService, plantCommand } from '../driver/plant.ts';
import { DRIVER } from '../driver/source.ts';
import type { LoadTools } from '../port.ts';
import type { ImageSettings, Recast } from './program.ts';

/** Where a container has the driver: a name that no image has, so that nothing of the image is hidden. */
const PLANT_FOLDER = '/wiregauge/plant';

/** Puts the plant of a service before the entry point of its image; undefined if it has none. */
export function plantRecast(
  service: PlantedService,
  { tools }: { readonly tools: Pick<LoadTools, 'folder'> },
): Recast | undefined {
  const plant = plantCommand(service, { folder: PLANT_FOLDER });
  return plant.length === 0
    ? undefined
    : (settings, image) => plantedSettings(settings, image, { plant, folder: tools.folder });
}

interface Planted {
  readonly plant: readonly string[];
  /** For the driver on this machine. */
  readonly folder: string;
}

function plantedSettings(
  settings: ContainerCreateOptions,
  image: ImageSettings,
  { plant, folder }: Planted,
): ContainerCreateOptions {
  const { HostConfig: host } = settings;
  return {
    ...settings,
    Entrypoint: [...plant, ...[image.Entrypoint ?? []].flat()],
    Cmd: settings.Cmd ?? image.Cmd ?? [],
    HostConfig: { ...host, Binds: [...(host?.Binds ?? []), `${folder}/${DRIVER}:${PLANT_FOLDER}/${DRIVER}:ro`] },
  };
}
