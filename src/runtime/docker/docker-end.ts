import type { Container } from 'dockerode';
import { messageOf } from '../../foundation/errors.ts';
import { OUT_OF_MEMORY } from '../ports.ts';
import { lastLogLines } from './docker-logs.ts';

const LOG_LINES = 5;

/** A container whose end is waited for. */
export interface Ending {
  /** The program's. */
  readonly name: string;
  readonly container: Container;
  readonly memoryMiB: number;
  /** Whether it is being stopped from here: then its end is none by itself. */
  readonly isStopping: () => boolean;
}

/** Settles with a sentence when a container ends by itself, and never when it is stopped from here; never rejects. */
export async function endOfContainer(ending: Ending): Promise<string> {
  const { name, container, isStopping } = ending;
  let sentence: string;
  try {
    await container.wait();
    sentence = isStopping() ? '' : await describeEnd(ending);
  } catch (thrown) {
    sentence = `the Docker engine no longer tells of ${name}: ${messageOf(thrown)}`;
  }
  // Stopped by us: not an end by itself, so there is nothing to tell.
  return isStopping() ? new Promise(() => undefined) : sentence;
}

async function describeEnd({ name, container, memoryMiB }: Ending): Promise<string> {
  const { State: state } = await container.inspect();
  const how = state.OOMKilled
    ? `${OUT_OF_MEMORY}: it was killed when it needed more than its ${memoryMiB} MiB`
    : `ended by itself with exit code ${state.ExitCode}`;
  const lines = await lastLogLines(container, LOG_LINES);
  return `${name} ${how}; ${lines === '' ? 'it had printed nothing' : `its last lines: ${lines}`}`;
}
