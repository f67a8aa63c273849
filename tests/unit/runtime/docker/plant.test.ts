import { expect, test } from 'vitest';
import { plantRecast } from '../../../../src/runtime/docker/service.ts';

const OPTIONS = { tools: { folder: '/cache/driver' } };

const SETTINGS = { Image: 'sha256:0', HostConfig: { Tmpfs: { '/tmp': '' } } };

test('a container without a plant stays as it is', () => {
  expect(plantRecast({}, OPTIONS)).toBeUndefined();
});

test.each([
  ['what its image starts', {}, { Entrypoint: ['/entry.sh'], Cmd: ['serve'] }, ['/entry.sh'], ['serve']],
  [
    'the command of the service',
    { Cmd: ['loud'] },
    { Entrypoint: ['/entry.sh'], Cmd: ['serve'] },
    ['/entry.sh'],
    ['loud'],
  ],
  ['a command alone', {}, { Cmd: ['serve'] }, [], ['serve']],
])('the plant runs before %s, from a folder of its own', (_, own, image, entry, command) => {
  const recast = plantRecast({ plant: { cpu: 0.05 } }, OPTIONS);

  expect(recast?.({ ...SETTINGS, ...own }, image)).toEqual({
    Image: 'sha256:0',
    Entrypoint: ['/wiregauge/driver/wiregauge-load', 'plant', '5%', ...entry],
    Cmd: command,
    HostConfig: {
      Tmpfs: { '/tmp': '' },
      Binds: ['/cache/driver/wiregauge-load:/wiregauge/driver/wiregauge-load:ro'],
    },
  });
});
