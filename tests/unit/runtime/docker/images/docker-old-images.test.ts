import { describe, expect, test } from 'vitest';
import { type ListedImage, oldImageNames } from '../../../../../src/runtime/docker/images/images.ts';

const idOf = (number: number): string => `sha256:${number.toString(16).padStart(12, '0')}${'f'.repeat(52)}`;

/** An image as a build leaves it; the higher its number, the newer. */
function built(number: number, kind = 'rest', more: readonly string[] = []): ListedImage {
  const id = idOf(number);
  return { Id: id, RepoTags: [`wiregauge/${kind}:${id.slice(7, 19)}`, ...more], Created: number };
}

const several = (count: number, kind?: string) => Array.from({ length: count }, (_, index) => built(index + 1, kind));
const nothing: ReadonlySet<string> = new Set();

describe('oldImageNames', () => {
  test('are those that six newer ones of their kind have taken the place of', () => {
    const names = oldImageNames([...several(8, 'rest'), ...several(6, 'grpc')].toReversed(), nothing);

    expect([...names].sort()).toEqual(['wiregauge/rest:000000000001', 'wiregauge/rest:000000000002']);
  });

  test('are none that a container has', () => {
    expect(oldImageNames(several(8), new Set([idOf(1)]))).toEqual(['wiregauge/rest:000000000002']);
  });

  test("are nobody else's, whatever they are called", () => {
    const others = several(9).map(({ Id, Created }, index) => ({
      Id,
      Created,
      RepoTags: [
        `wiregauge/rest:v${index}`,
        `example.org/wiregauge/rest:${Id.slice(7, 19)}`,
        'wiregauge/rest:0123456789ab',
      ],
    }));

    expect(oldImageNames([...others, { Id: idOf(99), RepoTags: null, Created: 0 }], nothing)).toEqual([]);
  });

  test('leave another name of the same image alone', () => {
    const [first = built(1), ...rest] = several(7);

    expect(
      oldImageNames([{ ...first, RepoTags: [...(first.RepoTags ?? []), 'mine:latest'] }, ...rest], nothing),
    ).toEqual(['wiregauge/rest:000000000001']);
  });
});
