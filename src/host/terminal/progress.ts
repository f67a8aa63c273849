import type { Progress, ProgressState } from '../../runtime/ports.ts';
import { isInWorkflow, workflowCommand } from '../workflow-command.ts';
import { showsColour } from './colour.ts';
import { barLine, plainLine } from './progress-line.ts';

const REDRAW_MS = 100;
const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';
const CLEAR_LINE = '\r\u001b[2K';
/** Invisible. */
const SPLIT = '\u200b';

/**
 * The progress display on a stream: on a terminal one line that is redrawn at most ten times a second,
 * elsewhere (also under CI and on a terminal that cannot redraw) a line per change of label or phase.
 */
export function openProgress(stream: NodeJS.WriteStream, environment = process.env): Progress {
  if (isInWorkflow(environment)) {
    return folding(stream);
  }
  const canRedraw = stream.isTTY && !environment['CI'] && environment['TERM'] !== 'dumb';
  return canRedraw ? new Bar(stream, environment) : plainLines(stream);
}

/** Lines in groups, which GitHub's log folds. Nothing that a line brings along is taken for a command of the workflow. */
function folding(stream: NodeJS.WriteStream): Progress {
  const plain = plainLines(stream);
  let isOpen = false;
  const close = (): void => {
    if (isOpen) {
      stream.write(workflowCommand('endgroup'));
    }
    isOpen = false;
  };
  return {
    ...plain,
    line: (text) => plain.line(withoutCommands(text)),
    chapter(title) {
      close();
      stream.write(workflowCommand('group', title));
      isOpen = true;
    },
    finish: close,
  };
}

/** GitHub looks for its commands at the start of a line, and for those of an older kind anywhere. */
function withoutCommands(text: string): string {
  return text.replace(/^(\s*):(?=:)/gm, `$1:${SPLIT}`).replaceAll('##[', `#${SPLIT}#[`);
}

function plainLines(stream: NodeJS.WriteStream): Progress {
  let shown = '';
  return {
    chapter: () => undefined,
    line: (text) => void stream.write(`${text}\n`),
    show(state) {
      const key = `${state.label}\n${state.phase}`;
      if (key !== shown && state.isFleeting !== true) {
        shown = key;
        stream.write(`${plainLine(state)}\n`);
      }
    },
    finish: () => undefined,
  };
}

/** Owns the last line of the terminal from the first state until it is finished. */
class Bar implements Progress {
  readonly #stream: NodeJS.WriteStream;
  readonly #colours: boolean;
  readonly #unicode: boolean;
  #state: ProgressState | undefined;
  #drawnMs = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(stream: NodeJS.WriteStream, environment: NodeJS.ProcessEnv) {
    this.#stream = stream;
    this.#colours = showsColour(stream, environment);
    this.#unicode = /utf-?8/i.test(environment['LC_ALL'] || environment['LC_CTYPE'] || environment['LANG'] || '');
  }

  chapter(): void {
    // One line that is redrawn has no chapters.
  }

  line(text: string): void {
    if (this.#state === undefined) {
      this.#stream.write(`${text}\n`);
      return;
    }
    this.#stream.write(`${CLEAR_LINE}${text}\n`);
    this.#draw();
  }

  show(state: ProgressState): void {
    if (this.#state === undefined) {
      this.#stream.write(HIDE_CURSOR);
      process.once('exit', this.#restore);
    }
    this.#state = state;
    const dueMs = this.#drawnMs + REDRAW_MS - performance.now();
    if (dueMs <= 0) {
      this.#draw();
    } else {
      this.#timer ??= setTimeout(() => this.#draw(), dueMs).unref();
    }
  }

  finish(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#state !== undefined) {
      this.#state = undefined;
      this.#drawnMs = 0;
      process.off('exit', this.#restore);
      this.#restore();
    }
  }

  readonly #restore = (): void => {
    this.#stream.write(`${CLEAR_LINE}${SHOW_CURSOR}`);
  };

  #draw(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#state !== undefined) {
      this.#drawnMs = performance.now();
      const look = { width: this.#stream.columns || 80, colours: this.#colours, unicode: this.#unicode };
      this.#stream.write(`${CLEAR_LINE}${barLine(this.#state, look)}`);
    }
  }
}
