import { describe, expect, it } from 'vitest';
import { assertDiskHasRoom } from '../../../../src/runtime/driver/driver.ts';

describe('a load tool whose disk is full', () => {
  it('is said of the folder that is still there afterwards', () => {
    const complain = (): void =>
      assertDiskHasRoom('write: no space left on device', 'ghz', '/tmp/wiregauge-0-12-345-Ab3xYz');

    expect(complain).toThrow('ghz cannot write its records: the disk with /tmp is full');
  });

  it('is not the reason of every complaint', () => {
    expect(() => assertDiskHasRoom('connection refused', 'ghz', '/tmp')).not.toThrow();
  });
});
