import { expect, test } from 'vitest';
import { interleaveOf, type SideBySide } from '../../../../src/measure/trial/versions.ts';
import type { Need, Service } from '../../../../src/model/service.ts';

const service = (port: number | undefined, more: Partial<Service> = {}) =>
  ({ name: 'shop', process: { build: [], command: ['shop'], port }, ...more }) as Service;

function reported(base: Service, head: Service, more: Partial<SideBySide> = {}) {
  const lines: string[] = [];
  const sides = { base: new Map([['shop', base]]), head: new Map([['shop', head]]) };
  const requested = { runtime: 'process', services: ['shop'], ...sides, ...more } as const;
  return { interleave: interleaveOf('blocks', requested, (line) => lines.push(line)), lines };
}

test('plain processes that listen on one port are started one after the other, which is said', () => {
  const { interleave, lines } = reported(service(3000), service(3000));

  expect(interleave).toBe('slots');
  expect(lines).toEqual([expect.stringMatching(/^shop: both sides listen on the same port \(process\.port\)/)]);
});

test('a need that listens on one port keeps both versions from running at once, too', () => {
  const needing = service(undefined, { needs: [{ name: 'db', process: service(3306).process } as Need] });

  expect(reported(needing, needing).interleave).toBe('slots');
});

test.each<[string, ReturnType<typeof reported>]>([
  ['of which one takes the port that it is given', reported(service(3000), service(undefined))],
  ['on two ports', reported(service(3000), service(3001))],
  ['in containers', reported(service(3000), service(3000), { runtime: 'docker' })],
  ['of which one is in a container', reported(service(3000), service(3000, { runtime: 'docker' }))],
  ['that are not measured', reported(service(3000), service(3000), { services: [] })],
])('versions stand side by side, %s', (_, found) => {
  expect(found).toEqual({ interleave: 'blocks', lines: [] });
});

test('what was asked for holds', () => {
  const sides = { base: new Map([['shop', service(1)]]), head: new Map([['shop', service(1)]]) };
  const log = () => expect.fail('nothing to say');

  expect(interleaveOf('slots', { runtime: 'process', services: ['shop'], ...sides }, log)).toBe('slots');
});
