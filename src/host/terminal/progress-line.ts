import type { ProgressState } from '../../runtime/ports.ts';

/** What a terminal can show: its columns, colours, and characters beyond ASCII. */
export interface TerminalCapabilities {
  readonly width: number;
  readonly colours: boolean;
  readonly unicode: boolean;
}

const WIDE_BAR = 20;
const NARROW_BAR = 8;

/**
 * The state in one line that is narrower than the terminal, so that it never wraps: where it is too long the bar shrinks, then
 * the rates go, since half a number would mislead, and only then is the label cut. The time left stays in sight.
 */
export function barLine(state: ProgressState, look: TerminalCapabilities): string {
  const separator = look.unicode ? ' · ' : ' | ';
  const brief = [` ${percentOf(state)} ${state.label}`, state.phase].join(separator);
  const rates = ratesOf(state);
  const whole = rates === '' ? brief : `${brief}${separator}${rates}`;
  const left = `${separator}${timeLeft(state)} left`;
  const room = look.width - 1;
  const [cells, text] =
    whole.length + left.length + WIDE_BAR <= room
      ? [WIDE_BAR, whole]
      : [NARROW_BAR, fitting([whole, brief], room - NARROW_BAR - left.length)];
  return bar(state, look, Math.min(cells, Math.max(0, room))) + cut(text + left, room - cells);
}

function fitting(texts: readonly string[], width: number): string {
  return texts.find((text) => text.length <= width) ?? cut(texts.at(-1) ?? '', width);
}

function bar(state: ProgressState, { colours, unicode }: TerminalCapabilities, cells: number): string {
  const [full, empty] = unicode ? ['█', '░'] : ['#', '-'];
  const filled = Math.floor(shareOf(state) * cells);
  const text = full.repeat(filled) + empty.repeat(cells - filled);
  return colours ? `\u001b[36m${text}\u001b[39m` : text;
}

/** The state in one line of a log. */
export function plainLine(state: ProgressState): string {
  const parts = [`${state.label}: ${state.phase}`, ratesOf(state)].filter((part) => part !== '');
  return `[${percentOf(state).trim()}] ${parts.join(', ')}, ${timeLeft(state)} left`;
}

function shareOf({ doneSeconds, totalSeconds }: ProgressState): number {
  return totalSeconds > 0 ? Math.min(1, Math.max(0, doneSeconds / totalSeconds)) : 0;
}

function percentOf(state: ProgressState): string {
  return `${String(Math.floor(shareOf(state) * 100)).padStart(3)} %`;
}

function ratesOf({ offeredRps, achievedRps }: ProgressState): string {
  const figures = [
    ...(offeredRps === undefined ? [] : [`offered ${Math.round(offeredRps)}/s`]),
    ...(achievedRps === undefined ? [] : [`achieved ${Math.round(achievedRps)}/s`]),
  ];
  return figures.join(', ');
}

function timeLeft({ doneSeconds, totalSeconds }: ProgressState): string {
  const seconds = Math.max(0, Math.ceil(totalSeconds - doneSeconds));
  return `${String(Math.floor(seconds / 60)).padStart(2, '0')}:${String(seconds % 60).padStart(2, '0')}`;
}

function cut(text: string, width: number): string {
  return [...text].slice(0, Math.max(0, width)).join('');
}
