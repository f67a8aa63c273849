import { chosen, joinedColumns } from '../../load/records-selection.ts';
import type { TimedPart } from '../../load/records-timing.ts';
import type { MeasuredWindow } from '../../model/measured.ts';

/**
 * The longest time in the window, in milliseconds, during which at least one request was waiting and none was
 * answered. A request that failed was waiting until it failed, but its end is no answer.
 */
export function longestStall(parts: readonly TimedPart[], window: MeasuredWindow): number {
  const { dueMs, answerMs, failureMs } = sortedMoments(parts);
  let longestMs = 0;
  let sinceMs = Number.NEGATIVE_INFINITY;
  let answers = 0;
  let previous = { endMs: Number.NEGATIVE_INFINITY, isAnswer: false };
  for (let ended = 0; ended < dueMs.length; ended += 1) {
    const due = dueMs[ended] ?? 0;
    const answer = answerMs[answers] ?? Number.POSITIVE_INFINITY;
    const failure = failureMs[ended - answers] ?? Number.POSITIVE_INFINITY;
    // With dues and ends each in order, the due time of the same position says when somebody waited again.
    if (due > previous.endMs) {
      sinceMs = due;
    } else if (previous.isAnswer) {
      sinceMs = previous.endMs;
    }
    previous = { endMs: Math.min(answer, failure), isAnswer: answer <= failure };
    answers += previous.isAnswer ? 1 : 0;
    longestMs = Math.max(longestMs, Math.min(previous.endMs, window.toMs) - Math.max(sinceMs, window.fromMs));
  }
  return longestMs;
}

/** Unix milliseconds. */
interface Moments {
  readonly dueMs: Float64Array;
  readonly answerMs: Float64Array;
  readonly failureMs: Float64Array;
}

function sortedMoments(parts: readonly TimedPart[]): Moments {
  const moments = parts.map(momentsOf);
  return {
    dueMs: joinedColumns(moments.map(({ dueMs }) => dueMs)).sort(),
    answerMs: joinedColumns(moments.map(({ answerMs }) => answerMs)).sort(),
    failureMs: joinedColumns(moments.map(({ failureMs }) => failureMs)).sort(),
  };
}

function momentsOf({ part, timing }: TimedPart): Moments {
  const { startMs, failure } = part.records;
  const dueMs = new Float64Array(startMs.length);
  const endMs = new Float64Array(startMs.length);
  for (let index = 0; index < startMs.length; index += 1) {
    // A request that was sent before its time waits from then on.
    dueMs[index] = timing.originMs + Math.min(timing.dueMs[index] ?? 0, startMs[index] ?? 0);
    endMs[index] = timing.originMs + (timing.endMs[index] ?? 0);
  }
  return { dueMs, answerMs: chosen(endMs, failure, 'answered'), failureMs: chosen(endMs, failure, 'failed') };
}
