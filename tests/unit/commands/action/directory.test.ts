import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { directoryIn } from '../../../../src/commands/action/inputs.ts';

let checkout: string;
beforeEach(() => {
  checkout = realpathSync(mkdtempSync(join(tmpdir(), 'checkout-')));
  mkdirSync(join(checkout, 'apps/api'), { recursive: true });
  writeFileSync(join(checkout, 'apps/file'), '');
});
afterEach(() => rmSync(checkout, { recursive: true, force: true }));

test.each(['apps/api', './apps/api/', 'apps/../apps/api'])('%s is a folder of the checkout', (directory) => {
  expect(directoryIn(checkout, directory)).toBe(join(checkout, 'apps/api'));
});

test('a link may lead to another folder of the checkout', () => {
  symlinkSync('apps/api', join(checkout, 'api'));

  expect(directoryIn(checkout, 'api')).toBe(join(checkout, 'apps/api'));
});

test.each([
  ['..', 'WG-108', /`directory` leads out of the checkout: \.\.$/],
  ['apps/../../x', 'WG-108', /leads out of the checkout/],
  ['/etc', 'WG-108', /leads out of the checkout: \/etc/],
  ['elsewhere', 'WG-108', /elsewhere is a link to .*, outside the repository/],
  ['apps/web', 'WG-107', /there is no apps\/web/],
  ['apps/file', 'WG-107', /apps\/file is a file/],
])('%s is refused', (directory, code, message) => {
  symlinkSync(tmpdir(), join(checkout, 'elsewhere'));
  const refused = () => directoryIn(checkout, directory);

  expect(refused).toThrow(message);
  expect(refused).toThrow(
    expect.objectContaining({ code, next: expect.stringMatching(/(from|relative to) the root of|Copy its target/) }),
  );
});
