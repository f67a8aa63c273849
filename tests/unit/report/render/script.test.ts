import { createHash } from 'node:crypto';
import { Script } from 'node:vm';
import { describe, expect, it } from 'vitest';
import page from '../../../../generated/report-page.json' with { type: 'json' };
import { htmlOf } from '../../../../src/report/render/html.ts';
import { documentOf } from '../../../support/sample-document.ts';

const { script } = page;

describe('the script of a page', () => {
  it('has the hash that the policy of the page names', () => {
    const hash = createHash('sha256').update(script).digest('base64');

    expect(page.scriptHash).toBe(`sha256-${hash}`);
    expect(htmlOf(documentOf())).toContain(`script-src 'sha256-${hash}';`);
    expect(htmlOf(documentOf())).toContain(`<script>${script}</script>`);
  });

  it('is one that a browser can read, and ends where it ends', () => {
    expect(() => new Script(script)).not.toThrow();
    expect(script).not.toMatch(/<\/|<!--/);
  });

  it('makes no markup and no address of what it reads', () => {
    expect(script).not.toMatch(/innerHTML|outerHTML|insertAdjacent|document\.write|eval|Function\(|\.href|import\(/);
  });
});
