import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { EnvironmentError } from '../../src/foundation/errors.ts';
import { containerLabels } from '../../src/runtime/docker/container.ts';
import { removeVolume } from '../../src/runtime/docker/counting.ts';
import { connectEngine, type Engine } from '../../src/runtime/docker/engine.ts';
import { fetchedImage } from '../../src/runtime/docker/images/images.ts';
import { dockerRuntime, removeOrphanContainers } from '../../src/runtime/docker/runtime.ts';
import { containersOf, OWNER } from '../integration/docker-bench.ts';
import { optionsOf } from '../integration/plain-service.ts';
import { pythonImage } from '../stand-ins/build-args.ts';
import { requires } from '../support/requires.ts';

// Beyond the highest pid that Linux gives.
const DEAD = '4194305:1';

describe.runIf(requires('docker'))('what a killed run leaves in the engine', () => {
  let engine: Engine;
  const made: string[] = [];

  beforeAll(async () => {
    engine = await connectEngine();
  });

  afterEach(async () => {
    for (const id of made.splice(0)) {
      await engine.api
        .getContainer(id)
        .remove({ force: true })
        .catch(() => undefined);
    }
  });

  async function container(labels: Record<string, string>): Promise<string> {
    const image = await fetchedImage(engine, pythonImage(), new AbortController().signal);
    const created = await engine.api.createContainer({ Image: image, Cmd: ['sleep', '300'], Labels: labels });
    made.push(created.id);
    await created.start();
    return created.id;
  }

  test('is removed, with a line for each container; those of a living owner and those without an owner stay', async () => {
    const orphan = await container(containerLabels(DEAD));
    const living = await container(containerLabels(OWNER));
    const foreign = await container({ 'wiregauge.owner': DEAD });
    const volume = async (owner: string) => (await engine.api.createVolume({ Labels: containerLabels(owner) })).name;
    const volumes = [await volume(DEAD), await volume(OWNER)] as const;
    const lines: string[] = [];

    await removeOrphanContainers(
      (owner) => owner !== DEAD,
      (line) => lines.push(line),
    );

    const left = (await engine.api.listContainers({ all: true })).map(({ Id: id }) => id);
    expect(left).not.toContain(orphan);
    expect(left).toContain(living);
    expect(left).toContain(foreign);
    const kept = (await engine.api.listVolumes({ filters: { label: ['wiregauge=1'] } })).Volumes.map(
      ({ Name }) => Name,
    );
    await removeVolume(engine, volumes[1]);
    expect(kept).not.toContain(volumes[0]);
    expect(kept).toContain(volumes[1]);
    expect(lines).toEqual([
      expect.stringMatching(/^removing the container \w+, left over from an earlier run$/),
      `removing the volume ${volumes[0]}, left over from an earlier run`,
    ]);
    expect(await containersOf(engine, DEAD)).toEqual([foreign]);
  });
});

test('without an engine says where it looked', async () => {
  const before = process.env['DOCKER_HOST'];
  process.env['DOCKER_HOST'] = 'unix:///nowhere/docker.sock';
  try {
    const opening = dockerRuntime({ ...optionsOf('/'), buildArgs: {} });

    await expect(opening).rejects.toThrow(EnvironmentError);
    await expect(opening).rejects.toThrow('/nowhere/docker.sock');
  } finally {
    if (before === undefined) {
      delete process.env['DOCKER_HOST'];
    } else {
      process.env['DOCKER_HOST'] = before;
    }
  }
});
