import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import MarkdownIt from 'markdown-it';
import { type JudgedRun, judgedRun } from '../../../src/judge/verdict/judge.ts';
import { isInRounds } from '../../../src/model/run/comparison.ts';
import { parseRun } from '../../../src/model/run/run.ts';
import { comparisonComment } from '../../../src/report/comment/comment.ts';

/** Measured comparison that the comment describes. */
export const STORED = 'tests/fixtures/picture/a-comment.json.gz';

/** Text of the picture, by which a test detects a stale picture. */
export const PICTURE_TEXT = 'docs/images/comment.txt';

/** Width of the picture in pixels: that of a page on GitHub. */
export const PICTURE_WIDTH = 1012;

/** Stored comparison with its judgment. */
export function storedComparison(): JudgedRun {
  const run = parseRun(gunzipSync(readFileSync(STORED)).toString('utf8'), STORED);
  if (!isInRounds(run)) {
    throw new Error(`${STORED} is not a comparison of two versions`);
  }
  return judgedRun(run);
}

/** Comment of Wiregauge about the stored comparison, as Markdown. */
export function storedComment(): string {
  const { run, result } = storedComparison();
  const page = 'https://github.com/example/shop/actions/runs/7';
  return comparisonComment(run, result, {
    id: 'performance',
    head: run.rounds.head.commit ?? '',
    finishedAt: run.startedAt,
    links: { run: page, report: `${page}/artifacts/5`, trend: 'https://example.github.io/shop/performance/' },
    earlier: [],
  });
}

/** Visible part of a comment while all of its folds are closed. */
export function shownPart(comment: string): string {
  const open = comment
    .replace(/^<!-- .* -->\n?/gm, '')
    .replace(/<details>\n<summary>(.*)<\/summary>[\s\S]*?<\/details>/g, '> $1');
  return `${open.replace(/\n{3,}/g, '\n\n').trim()}\n`;
}

/** Page that shows a comment much as GitHub does, which breaks each line of a comment. */
export function commentPage(comment: string): string {
  const body = new MarkdownIt({ html: true, breaks: true })
    .render(comment)
    .replaceAll('🔴', RED)
    .replace(
      /<blockquote>\s*<p>\[!(\w+)\](?:<br>)?\n?/g,
      (_, kind: string) => `<blockquote class="${kind.toLowerCase()}"><p>`,
    );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>A comment</title>
<style>${STYLE}</style>
<article><header><b>github-actions</b> <i>bot</i> commented 2 minutes ago</header><div>${body}</div></article>
</html>
`;
}

/** Drawn, since a machine without an emoji font would show a box. */
const RED = '<span class="red" role="img" aria-label="🔴"></span>';

const STYLE = `
:root { color-scheme: light dark; --back: #fff; --text: #1f2328; --soft: #f6f8fa; --line: #d1d9e0; --quiet: #59636e; --link: #0969da; --code: #eff1f3; }
@media (prefers-color-scheme: dark) {
  :root { --back: #0d1117; --text: #f0f6fc; --soft: #151b23; --line: #3d444d; --quiet: #9198a1; --link: #4493f8; --code: #262c36; }
}
body { margin: 0; background: var(--back); color: var(--text); font: 14px/1.5 system-ui, "Noto Sans", "DejaVu Sans", sans-serif; }
article { border: 1px solid var(--line); border-radius: 6px; overflow-wrap: break-word; }
header { padding: 8px 16px; border-bottom: 1px solid var(--line); border-radius: 6px 6px 0 0; background: var(--soft); color: var(--quiet); }
header b { color: var(--text); }
header i { padding: 0 6px; border: 1px solid var(--line); border-radius: 2em; font-size: 12px; font-style: normal; }
div { padding: 16px 16px 1px; }
p, table, ul, pre { margin: 0 0 16px; }
ul { padding-left: 2em; }
table { display: block; width: max-content; max-width: 100%; overflow: auto; border-collapse: collapse; font-variant: tabular-nums; }
th, td { padding: 6px 13px; border: 1px solid var(--line); }
tr:nth-child(2n) td { background: var(--soft); }
.red { display: inline-block; width: 1em; height: 1em; border-radius: 50%; background: #dd2e44; vertical-align: -0.12em; }
a { color: var(--link); text-decoration: none; }
code { padding: 2px 5px; border-radius: 6px; background: var(--code); font: 12px "DejaVu Sans Mono", monospace; }
pre { padding: 16px; border-radius: 6px; overflow: auto; background: var(--soft); }
pre code { padding: 0; background: none; }
details { margin-bottom: 10px; }
h3 { margin: 0 0 16px; font-size: 1.25em; }
sub { color: var(--quiet); font-size: 75%; vertical-align: baseline; }
th, td { vertical-align: top; }
blockquote { margin: 0 0 16px; padding: 8px 16px 1px; border-left: 4px solid #9a6700; }
blockquote.caution { border-color: #cf222e; }
blockquote p, blockquote ul { margin-bottom: 8px; }
`;
