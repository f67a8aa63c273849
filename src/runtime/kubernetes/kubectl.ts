import { OWNER_VARIABLE } from '../../host/machine/proc.ts';
import { abortAfter, aborted, unlessAborted } from '../../host/signals.ts';
import { openProgram, type ProgramChannel } from '../driver/channel.ts';
import { clusterError } from './refusal.ts';
import type { ClusterSettings } from './settings.ts';

const ENDS_WITHIN_MS = 2000;
const LIMIT_SECONDS = 90;

interface Call {
  readonly input?: string;
  readonly signal?: AbortSignal | undefined;
}

/** kubectl, which knows kubeconfigs, cloud logins and proxies. Everything that it starts ends with this program. */
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

  /** Output of a successful command; throws EnvironmentError with the reason that kubectl or the cluster gives. */
  async run(args: readonly string[], call: Call = {}): Promise<string> {
    const { exitCode, out, complaint } = await this.call(args, call);
    if (exitCode !== 0) {
      throw clusterError(complaint || out || `exit code ${exitCode}`, args);
    }
    return out;
  }

  /** Any end of a command is a result. Throws EnvironmentError if kubectl is missing; an abort ends it and rejects with the signal's reason. */
  async call(args: readonly string[], { input = '', signal }: Call = {}) {
    const lines: string[] = [];
    using overtime = abortAfter(LIMIT_SECONDS * 1000);
    const stop = AbortSignal.any([overtime.signal, ...(signal === undefined ? [] : [signal])]);
    stop.throwIfAborted();
    const opened = await this.open(args, (line) => void lines.push(line));
    opened.send(input);
    opened.close();
    await unlessAborted(opened.ended, stop).catch(opened.stop);
    const { exitCode, lastLines } = await opened.ended;
    signal?.throwIfAborted();
    const late = overtime.signal.aborted ? `no answer within ${LIMIT_SECONDS} s` : lastLines;
    return { exitCode, out: lines.join('\n'), complaint: late };
  }

  /** Starts a command that keeps running; `heard` gets each line that it prints. */
  async open(args: readonly string[], heard: (line: string) => void): Promise<KubectlChannel> {
    const environment = { ...process.env, [OWNER_VARIABLE]: this.#owner };
    const unstartable = { name: 'kubectl', code: 'WG-214', next: 'Install kubectl, and put it on PATH.' } as const;
    const argv = ['kubectl', ...this.#before, ...args];
    const channel = await openProgram({ argv, cwd: process.cwd(), environment, unstartable }, heard);
    return {
      ...channel,
      stop: channel.end,
      async end() {
        // Its program in a pod ends with its standard input.
        channel.close();
        using late = abortAfter(ENDS_WITHIN_MS);
        await Promise.race([channel.ended, aborted(late.signal)]);
        await channel.end();
      },
    };
  }
}

export interface KubectlChannel extends ProgramChannel {
  /** Ends a command that does not read its standard input. */
  stop(): Promise<void>;
}

/** Arguments of kubectl for a command in a container, with its standard input and output. */
export function execOf(
  { pod, container }: { readonly pod: string; readonly container: string },
  command: readonly string[],
): readonly string[] {
  return ['exec', '--stdin', '--quiet', pod, `--container=${container}`, '--', ...command];
}
