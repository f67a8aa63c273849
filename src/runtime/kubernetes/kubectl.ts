import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { EnvironmentError } from '../../foundation/errors.ts';
import { endOfText } from '../../foundation/text.ts';
import { endGroup, endMarkedAtExit, killGroupsAtExit } from '../../host/child.ts';
import { OWNER_VARIABLE } from '../../host/machine/proc.ts';
import { abortAfter } from '../../host/signals.ts';
import { childEnvironment } from '../../host/workflow.ts';
import type { DriverChannel } from '../driver/driver.ts';
import { clusterError } from './refusal.ts';
import type { ClusterSettings } from './settings.ts';

const ENDS_WITHIN_MS = 2000;
const GRACE_MS = 1000;
const LIMIT_SECONDS = 90;
const KEPT_CHARACTERS = 4000;

/** A run of kubectl. */
interface Call {
  /** Its standard input. */
  readonly input?: string;
  readonly signal?: AbortSignal | undefined;
}

/** Output of kubectl. */
export interface CallEnd {
  readonly exitCode: number;
  readonly out: string;
  readonly complaint: string;
}

/** The program kubectl, which knows kubeconfigs, logins of clouds and proxies. Whatever it starts ends with this program. */
export class Kubectl {
  readonly #before: readonly string[];
  readonly #owner: string;

  constructor({ context, namespace }: Pick<ClusterSettings, 'context' | 'namespace'>, owner: string) {
    this.#before = [
      ...(context === undefined ? [] : [`--context=${context}`]),
      ...(namespace === undefined ? [] : [`--namespace=${namespace}`]),
    ];
    this.#owner = owner;
  }

  /** Output of a command that succeeds; throws EnvironmentError with what kubectl or the cluster refuse it for. */
  async run(args: readonly string[], call: Call = {}): Promise<string> {
    const { exitCode, out, complaint } = await this.call(args, call);
    if (exitCode !== 0) {
      throw clusterError(complaint || out || `exit code ${exitCode}`, args);
    }
    return out;
  }

  /** Any end of a command is a result. Throws EnvironmentError if kubectl is missing; an abort ends it and rejects with the signal's reason. */
  async call(args: readonly string[], { input = '', signal }: Call = {}): Promise<CallEnd> {
    const lines: string[] = [];
    using overtime = abortAfter(LIMIT_SECONDS * 1000);
    const stop = AbortSignal.any([overtime.signal, ...(signal === undefined ? [] : [signal])]);
    stop.throwIfAborted();
    const opened = await this.open(args, (line) => void lines.push(line));
    const end = (): void => void opened.stop();
    stop.addEventListener('abort', end, { once: true });
    if (stop.aborted) {
      end();
    }
    opened.send(input);
    opened.close();
    const { exitCode, lastLines } = await opened.ended;
    stop.removeEventListener('abort', end);
    signal?.throwIfAborted();
    const late = overtime.signal.aborted ? `no answer within ${LIMIT_SECONDS} s` : lastLines;
    return { exitCode, out: lines.join('\n'), complaint: late };
  }

  /** Starts a command that goes on; `heard` gets each line that it prints. */
  async open(args: readonly string[], heard: (line: string) => void): Promise<KubectlChannel> {
    endMarkedAtExit();
    const child = spawn('kubectl', [...this.#before, ...args], {
      env: childEnvironment({ ...process.env, [OWNER_VARIABLE]: this.#owner }),
      detached: true,
      stdio: 'pipe',
    });
    const pid = await spawned(child);
    const release = killGroupsAtExit(pid);
    const printed = createInterface({ input: child.stdout }).on('line', heard);
    const allHeard = new Promise((resolve) => printed.once('close', resolve));
    child.stdin.on('error', () => undefined);
    let isOver = false;
    const ended = endOf(child).then(async (end) => {
      isOver = true;
      release();
      await allHeard;
      return end;
    });
    const stop = async (): Promise<void> => {
      if (!isOver) {
        await endGroup(pid, GRACE_MS);
        await ended;
      }
    };
    return {
      ended,
      send: (line) => void child.stdin.write(line),
      close: () => void child.stdin.end(),
      async end() {
        // The program that it started in a pod ends with its standard input.
        child.stdin.end();
        using late = abortAfter(ENDS_WITHIN_MS);
        await Promise.race([ended, new Promise((resolve) => late.signal.addEventListener('abort', resolve))]);
        await stop();
      },
      stop,
    };
  }
}

/** A command that goes on. */
export interface KubectlChannel extends DriverChannel {
  readonly ended: Promise<{ readonly how: string; readonly lastLines: string; readonly exitCode: number }>;
  /** Ends its standard input. */
  close(): void;
  /** Ends a command that does not read its standard input. */
  stop(): Promise<void>;
}

function spawned(child: ChildProcessWithoutNullStreams): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('spawn', () => resolve(child.pid ?? 0));
    child.once('error', (cause) =>
      reject(
        new EnvironmentError(`kubectl cannot be started: ${cause.message}`, {
          code: 'WG-214',
          cause,
          next: 'Install kubectl, and put it on PATH.',
        }),
      ),
    );
  });
}

function endOf(child: ChildProcessWithoutNullStreams) {
  let kept = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    kept = endOfText(kept + text, KEPT_CHARACTERS);
  });
  return new Promise<Awaited<KubectlChannel['ended']>>((resolve) => {
    child.once('close', (code, signal) => {
      const how = signal === null ? `with exit code ${code}` : `by ${signal}`;
      resolve({ how, lastLines: kept.trim(), exitCode: code ?? 1 });
    });
  });
}

/** Arguments of kubectl for a command in a container, with its standard input and output. */
export function execOf(
  { pod, container }: { readonly pod: string; readonly container: string },
  command: readonly string[],
): readonly string[] {
  return ['exec', '--stdin', '--quiet', pod, `--container=${container}`, '--', ...command];
}
