import * as z from 'zod';
import { cleanText, escapeMarkdown, shortCommit } from '../../foundation/text.ts';
import { type Block, paragraph } from '../document.ts';
import { markdownLines, markdownLink, renderSection } from '../render/markdown.ts';
import type { CommentContext } from './comment.ts';
import { earlierSection, linksLine, symbolOf } from './sections.ts';
import { commentMarker, hiddenResults, resultsIn, withResult } from './state.ts';

/** Cause in a file; its texts are untrusted. */
const schema = z.object({
  /** One sentence: what failed, with the exit code or the memory limit. */
  cause: z.string().min(1).max(4000),
  /** Relevant lines of the output. */
  printed: z.string().max(8000).optional(),
  next: z.string().max(4000).optional(),
});

/** Reason that a commit was not judged. */
export interface Unjudged extends Readonly<z.infer<typeof schema>> {
  /** Commit, if it is that of a pull request. */
  readonly head: string | undefined;
}

const MAX_CAUSE = 400;

/** Line of plain text without escapes that gives the reason why a commit was not judged. */
export function unjudgedLine({ head, cause }: Unjudged): string {
  const [first = ''] = cause.trim().split('\n');
  const what = head === undefined ? 'Nothing was judged' : `Commit ${shortCommit(head)} was not judged`;
  return `${what}: ${cleanText(first, MAX_CAUSE).replace(/\.$/, '')}.`;
}

/** The same for the summary of a job or a check run, as Markdown: with the printed output, and the fix. */
export function unjudgedSummary(unjudged: Unjudged): string {
  return renderSection({ title: undefined, lines: [titleOf(unjudged), '', ...detailLines(unjudged)] });
}

function titleOf(unjudged: Unjudged): string {
  return `${symbolOf({ outcome: 'incomplete' })} **${escapeMarkdown(unjudgedLine(unjudged), MAX_CAUSE + 100)}**`;
}

function detailLines({ printed = '', next }: Unjudged): readonly string[] {
  const blocks: readonly Block[] = [
    ...(printed.trim() === '' ? [] : [{ kind: 'printed' as const, text: printed }]),
    ...(next === undefined ? [] : [paragraph(cleanText(next, 900))]),
  ];
  return markdownLines(blocks);
}

/**
 * Comment for a commit that was not judged, replacing that of an earlier commit, whose values do not apply to it. Earlier results stay below, folded.
 * Throws ConfigError for an id that commentMarker refuses.
 */
export function unjudgedComment(unjudged: Unjudged, context: CommentContext): string {
  const { id, head, finishedAt, links } = context;
  const headline = unjudgedLine(unjudged);
  const results = withResult({ head, finishedAt, outcome: 'incomplete', headline, runUrl: links.run }, context.earlier);
  const [, ...earlier] = results;
  const details = detailLines(unjudged);
  const sections = [
    { title: undefined, lines: [titleOf(unjudged)] },
    { title: undefined, lines: details },
    { title: undefined, lines: [linksLine(shortCommit(head), links)] },
    earlierSection(earlier),
  ];
  const body = sections.filter(({ lines }) => lines.length > 0).map(renderSection);
  return `${commentMarker(id)}\n${body.join('')}${hiddenResults(results)}\n`.toWellFormed();
}

const PENDING = '<!-- wiregauge:pending -->';

/**
 * Comment with a line on top that it does not cover the newest commit, which is not judged yet: even if its job fails, an old verdict is not mistaken
 * for that of the new commit. `counts` are those so far, as plain text. Undefined if the comment already covers that commit.
 */
export function withPending(
  body: string,
  {
    head,
    runUrl,
    counts,
  }: { readonly head: string; readonly runUrl?: string | undefined; readonly counts?: string | undefined },
): string | undefined {
  const [newest] = resultsIn(body);
  if (newest?.head === head) {
    return undefined;
  }
  const [marker = '', ...lines] = body.split('\n');
  const isNoted = lines[0]?.trimEnd() === PENDING;
  const rest = isNoted ? lines.slice(3) : lines;
  const below = newest === undefined ? 'an earlier commit' : `commit ${shortCommit(newest.head)}`;
  const isAlone = rest.join('').trim() === '';
  const end = isAlone ? '.**' : `: everything below is about ${below}.**`;
  const link = markdownLink('run', runUrl);
  const run = link === undefined ? '' : ` (${link})`;
  const note = `⏳ **Commit ${escapeMarkdown(shortCommit(head))} is not judged yet${run}${end}`;
  const more = counts === undefined ? '' : ` Rounds are still running. ${escapeMarkdown(counts, 600)}`;
  return [marker, PENDING, `${note}${more}`, '', ...rest].join('\n');
}

/** File with the reason why a commit was not judged, next to run.json or instead of it: for the second stage of a fork. */
export const CAUSE_FILE = 'unjudged.json';

export function formatCause({ cause, printed, next }: Unjudged): string {
  return `${JSON.stringify({ cause: cause.slice(0, 4000), printed: printed?.slice(0, 8000), next: next?.slice(0, 4000) })}\n`;
}

/** Reads that file, which may be untrusted; undefined if it is not valid. Never throws. */
export function parseCause(text: string): Omit<Unjudged, 'head'> | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    // Its author can write anything; only the cause is lost.
    return undefined;
  }
}
