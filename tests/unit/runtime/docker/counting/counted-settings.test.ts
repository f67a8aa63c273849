import { expect, test } from 'vitest';
import { countedSettings } from '../../../../../src/runtime/docker/counting.ts';
import type { ImageSettings } from '../../../../../src/runtime/docker/program.ts';

const IMAGE: ImageSettings = {
  Entrypoint: ['/entry.sh'],
  Cmd: ['serve', '--quiet'],
  Env: ['PATH=/bin', 'GODEBUG=madvdontneed=1', 'PYTHONHASHSEED=7'],
};

const SETTINGS = { Image: 'sha256:0', Env: ['PORT=5000', 'FLAGS=a=b'], HostConfig: { Tmpfs: { '/tmp': '' } } };

const recast = (image: ImageSettings, settings: object = SETTINGS) =>
  countedSettings(settings, image, { counter: 'wiregauge-0' });

/** The command of a container behind what the launcher is told. */
const behind = ({ Entrypoint: entry, Cmd: command }: ReturnType<typeof recast>) => [
  ...[entry ?? []].flat().filter((word) => !word.startsWith('--')),
  ...(command ?? []),
];

test('what the image starts runs behind the launcher, in files of its own', () => {
  const settings = recast(IMAGE);

  expect(behind(settings)).toEqual(['/wiregauge/counter/wiregauge-load', '/entry.sh', 'serve', '--quiet']);
  expect(settings).toMatchObject({
    Image: 'sha256:0',
    HostConfig: {
      Init: true,
      CpuShares: 2,
      Tmpfs: { '/tmp': '', '/wiregauge/counts': 'mode=1777' },
      Mounts: [{ Type: 'volume', Source: 'wiregauge-0', Target: '/wiregauge/counter', ReadOnly: true }],
    },
  });
});

test('the command of a service replaces that of its image', () => {
  const settings = { ...SETTINGS, Cmd: ['serve', '--loud'] };

  expect(behind(recast(IMAGE, settings))).toEqual([
    '/wiregauge/counter/wiregauge-load',
    '/entry.sh',
    'serve',
    '--loud',
  ]);
  expect(behind(recast({}, settings))).toEqual(['/wiregauge/counter/wiregauge-load', 'serve', '--loud']);
  expect(behind(recast({ Entrypoint: '/entry.sh' }))).toEqual(['/wiregauge/counter/wiregauge-load', '/entry.sh']);
});

test('variables of the image count as the service’s own, and those of the service go before them', () => {
  expect(recast(IMAGE).Env).toEqual([
    'PYTHONHASHSEED=7',
    'PATH=/wiregauge/counter/programs:/bin',
    'GODEBUG=madvdontneed=1,asyncpreemptoff=1',
    'PORT=5000',
    'FLAGS=a=b',
    'JAVA_TOOL_OPTIONS=-XX:+UseSerialGC -Xbatch -XX:TieredStopAtLevel=1 -Xmn64m',
    'VALGRIND_LIB=/wiregauge/counter/tools',
  ]);
  expect(recast(IMAGE, { Env: ['PYTHONHASHSEED=3'] }).Env).toContain('PYTHONHASHSEED=3');
  expect(recast({}).Env).toContain(
    'PATH=/wiregauge/counter/programs:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  );
});
