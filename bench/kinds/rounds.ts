import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { mean } from '../../src/foundation/statistics.ts';
import type { Kept, Kind, Language } from './kind.ts';
import { type Scene, type StartedService, startService } from './service.ts';

const ROUNDS = 4;

const BLOCK = '500ms';

const WORKERS = 8;

/** A closed loop of eight users without think time. */
interface Block {
  readonly rate: number;
  readonly cpu: number;
}

/** How many times as much CPU time a request takes with a change, and how many times as many are answered: both services in turns, block by block. */
export async function measuredRounds(scene: Scene, language: Language, kind: Kind): Promise<Kept['rounds'][string]> {
  await using base = await startService(scene, { language, variant: 'none', core: 0 });
  await using head = await startService(scene, { language, variant: kind, core: 0 });
  await measuredBlock(scene, base);
  await measuredBlock(scene, head);
  const ratios: Block[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const order = round % 2 === 0 ? [base, head] : [head, base];
    const blocks = new Map<StartedService, Block>();
    for (const service of order) {
      blocks.set(service, await measuredBlock(scene, service));
    }
    const [before, after] = [blocks.get(base), blocks.get(head)];
    if (before !== undefined && after !== undefined) {
      ratios.push({ rate: after.rate / before.rate, cpu: after.cpu / before.cpu });
    }
  }
  const found = { cpu: typical(ratios.map(({ cpu }) => cpu)), rate: typical(ratios.map(({ rate }) => rate)) };
  console.error(
    `${language} ${kind}: ${ratios.map(({ cpu, rate }) => `${cpu.toFixed(2)}/${rate.toFixed(2)}`).join(' ')}`,
  );
  return found;
}

/** The geometric mean. */
function typical(ratios: readonly number[]): number {
  return Math.exp(mean(ratios.map(Math.log)) ?? Number.NaN);
}

async function measuredBlock({ vegeta }: Scene, { pid, url }: StartedService): Promise<Block> {
  const before = cpuSeconds(pid);
  const attack = `"${vegeta}" attack -insecure -rate 0 -workers ${WORKERS} -max-workers ${WORKERS} -duration ${BLOCK}`;
  const script = `echo "GET ${url}" | taskset -c 1 ${attack} | "${vegeta}" report -type json`;
  const { stdout } = await promisify(execFile)('sh', ['-c', script]);
  const { requests, throughput, success } = JSON.parse(stdout);
  if (success < 1) {
    throw new Error(`requests failed: ${stdout}`);
  }
  return { rate: throughput, cpu: (cpuSeconds(pid) - before) / requests };
}

/** CPU time of a program and of those that it started, in the kernel's ticks of 10 ms. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const own = Number(fields[USER_TICKS]) + Number(fields[USER_TICKS + 1]);
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8')
      .split(' ')
      .filter((text) => text.trim() !== ''),
  );
  return own / TICKS_PER_SECOND + children.reduce((sum, child) => sum + cpuSeconds(Number(child)), 0);
}

/** Behind the name of a program in its stat file. */
const USER_TICKS = 11;

const TICKS_PER_SECOND = 100;
