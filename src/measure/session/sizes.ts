import type { RoundsRecord } from '../../model/run/rounds.ts';
import type { Service } from '../../model/service.ts';
import type { Runtime } from '../../runtime/port.ts';

/** Sizes of what services run, without what they need, by their names; none of one that has no image and no binary. */
export async function sizesOf(
  runtime: Pick<Runtime, 'built'>,
  services: readonly Service[],
): Promise<NonNullable<RoundsRecord['base']['sizes']>> {
  const own = services.filter(({ address }) => address === undefined);
  const found = await Promise.all(
    own.map(async (service) => {
      const needs = (service.needs ?? []).map(({ name }) => name);
      const built = await runtime.built(service);
      const sizes = built.filter(({ name }) => !needs.includes(name)).flatMap(({ size }) => size ?? []);
      const bytes = sizes.reduce((sum, one) => sum + one.bytes, 0);
      return sizes.length === 0 ? [] : [[service.name, { bytes, layers: sizes.flatMap((one) => one.layers) }] as const];
    }),
  );
  return Object.fromEntries(found.flat());
}
