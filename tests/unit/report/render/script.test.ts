import { createHash } from 'node:crypto';
import { Script } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { htmlOf } from '../../../../src/report/render/html.ts';
import { PAGE_SCRIPT, PAGE_SCRIPT_HASH } from '../../../../src/report/render/script.ts';
import { documentOf } from '../../../support/sample-document.ts';

describe('the script of a page', () => {
  it('has the hash that the policy of the page names', () => {
    const hash = createHash('sha256').update(PAGE_SCRIPT).digest('base64');

    expect(PAGE_SCRIPT_HASH, 'after a change of the script, put this hash into script.ts').toBe(`sha256-${hash}`);
    expect(htmlOf(documentOf())).toContain(`script-src 'sha256-${hash}';`);
    expect(htmlOf(documentOf())).toContain(`<script>${PAGE_SCRIPT}</script>`);
  });

  it('is one that a browser can read, and ends where it ends', () => {
    expect(() => new Script(PAGE_SCRIPT)).not.toThrow();
    expect(PAGE_SCRIPT).not.toMatch(/<\/|<!--/);
  });

  it('makes no markup and no address of what it reads', () => {
    expect(PAGE_SCRIPT).not.toMatch(
      /innerHTML|outerHTML|insertAdjacent|document\.write|eval|Function\(|\.href|import\(/,
    );
  });
});
