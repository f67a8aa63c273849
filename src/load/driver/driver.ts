import { z } from 'zod';
import { MeasurementError } from '../../foundation/index.ts';
import type { BlockLoad } from '../../model/index.ts';

/** A started driver: lines of JSON go in, and lines come out to whoever opened it. */
export interface DriverChannel {
  send(line: string): void;
  /** Settles once it has ended; never rejects. */
  readonly ended: Promise<DriverEnd>;
  /** Ends it, whatever it is doing. */
  end(): Promise<void>;
}

/** How a driver ended, and its last lines on standard error. */
export interface DriverEnd {
  /** For example "with exit code 2", "by SIGKILL". */
  readonly how: string;
  readonly lastLines: string;
}

/** Starts a driver; `heard` gets each line that it prints. */
export type OpenDriver = (heard: (line: string) => void) => Promise<DriverChannel>;

/** A load of a block with the path of its records, relative to the folder that the driver runs in. */
export interface RecordedLoad extends BlockLoad {
  readonly output: string;
}

export type BlockAnswer = z.infer<typeof blockSchema>;
type CpuAnswer = z.infer<typeof cpuSchema>;

/** A running driver (tools/load). Every question rejects with MeasurementError where the driver ends before its answer. */
export interface Driver {
  /** Whether it has ended, by whatever cause. */
  hasEnded(): boolean;
  play(loads: readonly RecordedLoad[]): Promise<BlockAnswer>;
  /** CPU time of each process in ns, -1 for one that is gone, and of the driver itself. */
  cpuTimes(pids: readonly number[]): Promise<CpuAnswer>;
  end(): Promise<void>;
}

const blockSchema = z.object({
  id: z.number(),
  startedNs: z.number(),
  endedNs: z.number(),
  results: z.array(z.object({ error: z.string() })),
});
const cpuSchema = z.object({ id: z.number(), cpuNs: z.array(z.number()), ownNs: z.number() });
const answerSchema = z.union([blockSchema, cpuSchema]);

type Answer = z.infer<typeof answerSchema>;

interface Asked {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (reason: Error) => void;
}

/** Starts a driver and speaks its protocol (tools/load/cmd/wiregauge-load/protocol.go). */
export async function openDriver(open: OpenDriver): Promise<Driver> {
  const asked = new Map<number, Asked>();
  let lastId = 0;
  let ended: Error | undefined;
  const giveUp = (reason: Error): void => {
    ended ??= reason;
    for (const { reject } of asked.values()) {
      reject(ended);
    }
    asked.clear();
  };
  const channel = await open((line) => {
    const answer = parsed(line);
    if (answer !== undefined) {
      asked.get(answer.id)?.resolve(answer);
      asked.delete(answer.id);
    }
  });
  const over = channel.ended.then((end) => giveUp(endedEarly(end)));
  const ask = (question: object): Promise<Answer> => {
    lastId += 1;
    const id = lastId;
    return new Promise((resolve, reject) => {
      if (ended !== undefined) {
        reject(ended);
        return;
      }
      asked.set(id, { resolve, reject });
      channel.send(`${JSON.stringify({ id, ...question })}\n`);
    });
  };
  return {
    hasEnded: () => ended !== undefined,
    play: async (loads) => fitting(blockSchema, await ask({ loads })),
    cpuTimes: async (pids) => fitting(cpuSchema, await ask({ pids })),
    async end() {
      await channel.end();
      await over;
    },
  };
}

/** Throws MeasurementError for the answer to another question. */
function fitting<Schema extends z.ZodType>(schema: Schema, answer: Answer): z.output<Schema> {
  const parsed = schema.safeParse(answer);
  if (!parsed.success) {
    throw new MeasurementError('the driver of the load tools gave another answer than was asked for', { next: AGAIN });
  }
  return parsed.data;
}

/** Undefined for a line that is no answer: whoever waits for one then waits until its time limit. */
function parsed(line: string): Answer | undefined {
  try {
    return answerSchema.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}

function endedEarly({ how, lastLines }: DriverEnd): MeasurementError {
  const said = lastLines === '' ? 'it printed nothing' : `it last printed: ${lastLines}`;
  return new MeasurementError(`the driver of the load tools ended in the middle, ${how}; ${said}`, {
    next: AGAIN,
  });
}

const AGAIN = 'Start again; where it ends each time, see whether this machine runs out of memory.';
