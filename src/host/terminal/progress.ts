import { terminalText } from '../../foundation/text.ts';
import { isInWorkflow, workflowCommand } from '../workflow.ts';
import { type OutputOptions, printedText, remarkOutput, showsColor } from './output.ts';

const REDRAW_MS = 100;

const HIDE_CURSOR = '\u001b[?25l';

const SHOW_CURSOR = '\u001b[?25h';

const CLEAR_LINE = '\r\u001b[2K';

export function progressOf(options: Pick<OutputOptions, 'json'>): Progress {
  return openProgress(remarkOutput(options) === 'out' ? process.stdout : process.stderr);
}

/** Progress on a stream: one line of a terminal, redrawn at most ten times a second, elsewhere a line per change. */
export function openProgress(stream: NodeJS.WriteStream, environment = process.env): Progress {
  if (isInWorkflow(environment)) {
    return folding(stream, environment);
  }
  const canRedraw = stream.isTTY && !environment['CI'] && environment['TERM'] !== 'dumb';
  return canRedraw ? barOn(stream, environment) : plainLines(stream, environment);
}

function folding(stream: NodeJS.WriteStream, environment: NodeJS.ProcessEnv): Progress {
  const plain = plainLines(stream, environment);
  let isOpen = false;
  const close = (): void => {
    if (isOpen) {
      stream.write(workflowCommand({ name: 'endgroup' }));
    }
    isOpen = false;
  };
  return {
    ...plain,
    chapter(title) {
      close();
      stream.write(workflowCommand({ name: 'group', text: title }));
      isOpen = true;
    },
    finish: close,
  };
}

function plainLines(stream: NodeJS.WriteStream, environment: NodeJS.ProcessEnv): Progress {
  let shown = '';
  const line = (text: string): void => void stream.write(printedText(`${text}\n`, stream, environment));
  return {
    chapter: () => undefined,
    line,
    show(state) {
      const key = `${state.label}\n${state.phase}`;
      if (key !== shown && state.isFleeting !== true) {
        shown = key;
        line(plainLine(state));
      }
    },
    finish: () => undefined,
  };
}

function barOn(stream: NodeJS.WriteStream, environment: NodeJS.ProcessEnv): Progress {
  const colors = showsColor(stream, environment);
  const unicode = /utf-?8/i.test(environment['LC_ALL'] || environment['LC_CTYPE'] || environment['LANG'] || '');
  let shown: ProgressState | undefined;
  let drawnMs = 0;
  let timer: NodeJS.Timeout | undefined;
  const restore = (): void => void stream.write(`${CLEAR_LINE}${SHOW_CURSOR}`);
  const draw = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (shown !== undefined) {
      drawnMs = performance.now();
      stream.write(`${CLEAR_LINE}${barLine(shown, { width: stream.columns || 80, colors, unicode })}`);
    }
  };
  return {
    // A single line has no chapters.
    chapter: () => undefined,
    line(text) {
      stream.write(`${shown === undefined ? '' : CLEAR_LINE}${printedText(`${text}\n`, stream, environment)}`);
      draw();
    },
    show(state) {
      if (shown === undefined) {
        stream.write(HIDE_CURSOR);
        process.once('exit', restore);
      }
      shown = state;
      const dueMs = drawnMs + REDRAW_MS - performance.now();
      if (dueMs <= 0) {
        draw();
      } else {
        timer ??= setTimeout(draw, dueMs).unref();
      }
    },
    finish() {
      clearTimeout(timer);
      timer = undefined;
      if (shown !== undefined) {
        shown = undefined;
        drawnMs = 0;
        process.off('exit', restore);
        restore();
      }
    },
  };
}

/** Capabilities of a terminal: columns, colors, and characters beyond ASCII. */
export interface TerminalCapabilities {
  readonly width: number;
  readonly colors: boolean;
  readonly unicode: boolean;
}

const WIDE_BAR = 20;

const NARROW_BAR = 8;

/** State in one line narrower than the terminal: the bar shrinks first, then rates go, then the label. The remaining time stays. */
export function barLine(state: ProgressState, look: TerminalCapabilities): string {
  const separator = look.unicode ? ' · ' : ' | ';
  const brief = [` ${percentOf(state)} ${state.label}`, state.phase].join(separator);
  const rates = ratesOf(state);
  const whole = rates === '' ? brief : `${brief}${separator}${rates}`;
  const left = `${separator}${timeLeft(state)} left`;
  const room = look.width - 1;
  const narrow = room - NARROW_BAR - left.length;
  const [cells, text] =
    whole.length + left.length + WIDE_BAR <= room
      ? [WIDE_BAR, whole]
      : [NARROW_BAR, whole.length <= narrow ? whole : cut(brief, narrow)];
  return bar(state, look, Math.min(cells, Math.max(0, room))) + cut(terminalText(text + left), room - cells);
}

function bar(state: ProgressState, { colors, unicode }: TerminalCapabilities, cells: number): string {
  const [full, empty] = unicode ? ['█', '░'] : ['#', '-'];
  const filled = Math.floor(shareOf(state) * cells);
  const text = full.repeat(filled) + empty.repeat(cells - filled);
  return colors ? `\u001b[36m${text}\u001b[39m` : text;
}

export function plainLine(state: ProgressState): string {
  const parts = [`${state.label}: ${state.phase}`, ratesOf(state)].filter((part) => part !== '');
  return `[${percentOf(state).trim()}] ${parts.join(', ')}, ${timeLeft(state)} left`;
}

function shareOf({ doneSeconds, totalSeconds }: ProgressState): number {
  return totalSeconds > 0 ? Math.min(1, Math.max(0, doneSeconds / totalSeconds)) : 0;
}

function percentOf(state: ProgressState): string {
  return `${String(Math.floor(shareOf(state) * 100)).padStart(3)}%`;
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

/** Progress display: a bar on a terminal, plain lines elsewhere. */
export interface Progress {
  chapter(title: string): void;
  line(text: string): void;
  show(state: ProgressState): void;
  finish(): void;
}

export interface ProgressState {
  readonly doneSeconds: number;
  readonly totalSeconds: number;
  readonly label: string;
  readonly phase: string;
  /** Too short-lived for a line in a log; only shown by the bar. */
  readonly isFleeting?: boolean;
  readonly offeredRps?: number | undefined;
  readonly achievedRps?: number | undefined;
}
