import { describe, expect, test } from 'vitest';
import { type OwnerSearch, ownerState, searchHere } from '../../../../src/host/machine/orphans.ts';
import { ownerOf, ownerPlace } from '../../../../src/host/machine/proc.ts';
import { containerLabels } from '../../../../src/runtime/docker/container.ts';
import { isLeft } from '../../../../src/runtime/docker/runtime.ts';

const HERE = 'boot-1/100/0';
const OWNER = '12:345';

/** On a machine whose processes are in these pid namespaces, and where pid 12 is alive, or not. */
function search({
  namespaces,
  isAlive = true,
}: {
  namespaces?: readonly string[];
  isAlive?: boolean;
} = {}): OwnerSearch {
  return { place: HERE, isAlive: () => isAlive, namespaces: () => namespaces && new Set(namespaces) };
}

describe('the owner that a mark names', () => {
  test.each([
    ['lives here', HERE, {}, 'alive'],
    ['has ended here', HERE, { isAlive: false }, 'gone'],
    ['is of another user, dead or alive', 'boot-1/100/1000', { isAlive: false }, 'unknown'],
    ['is of another user, in a namespace that is gone', 'boot-1/200/1000', { namespaces: ['100'] }, 'unknown'],
    ['is in a namespace that lives', 'boot-1/200/0', { namespaces: ['100', '200'], isAlive: false }, 'unknown'],
    ['is in a namespace that cannot be seen', 'boot-1/200/0', { isAlive: false }, 'unknown'],
    ['was in a namespace that is gone with all that was in it', 'boot-1/200/0', { namespaces: ['100'] }, 'gone'],
    ['is of another boot', 'boot-0/100/0', { namespaces: ['100'], isAlive: false }, 'of another boot'],
    ['is in no place that can be read', '', { namespaces: ['100'], isAlive: false }, 'unknown'],
  ])('%s', (...[, place, machine, expected]) => {
    expect(ownerState(OWNER, place, search(machine))).toBe(expected);
  });

  test('is found on this machine as it is', () => {
    const [owner, here] = [ownerOf(process.pid) ?? '', ownerPlace()];
    const [boot, , user] = here.split('/');

    expect(ownerState(owner, here, searchHere())).toBe('alive');
    expect(ownerState('4194305:1', here, searchHere())).toBe('gone');
    // No namespace has that number. Whoever cannot see all processes does not know that.
    expect(ownerState(owner, `${boot}/1/${user}`, searchHere())).toMatch(/^(?:gone|unknown)$/);
  });
});

describe('what stands in an engine', () => {
  const NOW = 1_800_000_000;
  const ENDED = search({ namespaces: ['100'], isAlive: false });

  test.each([
    ['is left by an owner that is gone, however young', { place: HERE, age: 0, isIdle: false }, true],
    ['is left by a namespace that is gone', { place: 'boot-1/200/0', age: 0, isIdle: false }, true],
    [
      'is left before the machine was started anew: idle, for hours',
      { place: 'boot-0/1/0', age: 7200, isIdle: true },
      true,
    ],
    ['may be of another machine: it runs', { place: 'boot-0/1/0', age: 7200, isIdle: false }, false],
    ['may be of another machine: it is young', { place: 'boot-0/1/0', age: 60, isIdle: true }, false],
    ['may be of another machine, whose clock is ahead', { place: 'boot-0/1/0', age: -7200, isIdle: true }, false],
    ["is another user's", { place: 'boot-1/100/1000', age: 7200, isIdle: true }, false],
  ])('%s', (_, { place, age, isIdle }, expected) => {
    const labels = { ...containerLabels(OWNER), 'wiregauge.place': place };

    expect(isLeft({ labels, createdAt: NOW - age, isIdle }, ENDED, NOW * 1000)).toBe(expected);
  });

  test('is nothing of ours without its marks', () => {
    const marked = { createdAt: 0, isIdle: true };

    expect(isLeft({ ...marked, labels: undefined }, ENDED, NOW * 1000)).toBe(false);
    expect(isLeft({ ...marked, labels: { 'wiregauge.owner': OWNER } }, ENDED, NOW * 1000)).toBe(false);
  });
});
