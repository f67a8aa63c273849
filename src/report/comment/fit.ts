import { formatCount } from '../../foundation/numbers.ts';
import { type MarkdownSection, renderSection } from '../render/markdown.ts';

/** A part of a comment. */
export interface CommentPart extends MarkdownSection {
  /** What matters less is cut or left out before what matters more. */
  readonly importance: number;
  /** How the lines of an open part may be cut; without it, the part is always whole. */
  readonly cut?: CutRule | undefined;
}

/** The first two lines of such a part are the head of its table or list. */
export interface CutRule {
  /** What the lines below the head are called: "changed comparisons". */
  readonly name: string;
  /** Lines below the head that stay as long as another part has lines to give. */
  readonly least: number;
  /** Lines below the head that stay in any case. */
  readonly floor: number;
}

/** What fits of the parts, in their order, and in words what was left out. */
export interface FittedParts {
  readonly parts: readonly CommentPart[];
  readonly leftOut: readonly string[];
}

/** What a sentence may take that tells what was left out. */
const NOTE_ROOM = 1000;

const HEAD_LINES = 2;

/**
 * The parts within a number of characters, in their order: whole folds are left out first, the least important before the others, and
 * then lines of open parts. Cuts are at line ends only. If anything is left out, room for a sentence that says so is kept.
 */
export function fittedParts(parts: readonly CommentPart[], room: number): FittedParts {
  const filled = parts.filter(({ lines }) => lines.length > 0);
  if (sizeOf(filled) <= room) {
    return { parts: filled, leftOut: [] };
  }
  const kept = withFolds(withOpenCut(filled, room - NOTE_ROOM), room - NOTE_ROOM);
  return {
    parts: kept.filter(({ lines }) => lines.length > 0),
    leftOut: filled.flatMap((part, index) => lossOf(part, kept[index]?.lines.length ?? 0)),
  };
}

function sizeOf(parts: readonly CommentPart[]): number {
  return parts.reduce((sum, part) => sum + (part.lines.length === 0 ? 0 : renderSection(part).length), 0);
}

function isOpen({ title }: CommentPart): boolean {
  return title === undefined;
}

/** The same parts, the open ones together within the room, so far as their rules let them. */
function withOpenCut(parts: readonly CommentPart[], room: number): readonly CommentPart[] {
  return (['least', 'floor'] as const).reduce(
    (state, keeps) =>
      placesByImportance(parts).reduce((cutParts, index) => {
        const excess = sizeOf(cutParts.filter(isOpen)) - room;
        const part = cutParts[index];
        return part?.cut === undefined || !isOpen(part) || excess <= 0
          ? cutParts
          : cutParts.with(index, shortened(part, excess, HEAD_LINES + part.cut[keeps]));
      }, state),
    parts,
  );
}

/** Indexes, the least important part first. */
function placesByImportance(parts: readonly CommentPart[]): readonly number[] {
  const importanceAt = (index: number) => parts[index]?.importance ?? 0;
  return [...parts.keys()].sort((left, right) => importanceAt(left) - importanceAt(right));
}

function shortened(part: CommentPart, excess: number, fewest: number): CommentPart {
  const lines = [...part.lines];
  let left = excess;
  while (left > 0 && lines.length > fewest) {
    left -= (lines.pop()?.length ?? 0) + 1;
  }
  return { ...part, lines: lines.length > HEAD_LINES ? lines : [] };
}

/** The same parts; folds that do not fit beside the open parts and the more important folds have no lines. */
function withFolds(parts: readonly CommentPart[], room: number): readonly CommentPart[] {
  let left = room - sizeOf(parts.filter(isOpen));
  const kept = [...parts];
  for (const index of placesByImportance(parts).toReversed()) {
    const part = parts[index];
    if (part === undefined || isOpen(part)) {
      continue;
    }
    const size = sizeOf([part]);
    if (size <= left) {
      left -= size;
    } else {
      kept[index] = { ...part, lines: [] };
    }
  }
  return kept;
}

function lossOf({ title, lines, cut }: CommentPart, now: number): readonly string[] {
  if (now === lines.length) {
    return [];
  }
  const all = lines.length - HEAD_LINES;
  const gone = now === 0 ? all : lines.length - now;
  return [title === undefined ? `${formatCount(gone)} of ${formatCount(all)} ${cut?.name}` : `“${title}”`];
}
