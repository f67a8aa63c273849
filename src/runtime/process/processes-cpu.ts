import { processTree, ticksPerSecond } from '../../host/machine/proc.ts';
import type { LoadPost } from './processes-load.ts';

/** CPU time of a service's processes and of the load tools of its slot. */
export class SlotCpu {
  readonly #loads: LoadPost;
  #seen = 0;

  constructor(loads: LoadPost) {
    this.#loads = loads;
  }

  /** Notes what was seen of the service by other ways. */
  note(cpuSeconds: number): void {
    // A child that ends between two looks, or the service itself, must not make time run backwards.
    this.#seen = Math.max(this.#seen, cpuSeconds);
  }

  /** By the processes' own clocks where the driver can read them, to the nanosecond; else in the kernel's ticks of 10 ms. */
  async read(pids: readonly number[]): Promise<{ readonly service: number; readonly load: number }> {
    const tree = pids.flatMap((pid) => processTree(pid));
    const clocks = await this.#loads.clockSeconds(tree.map(({ pid }) => pid));
    const parts = tree.map(({ cpuTicks, reapedTicks }, index) => {
      const own = clocks?.of[index];
      return own === undefined ? cpuTicks / ticksPerSecond() : own + reapedTicks / ticksPerSecond();
    });
    this.note(parts.reduce((total, part) => total + part, 0));
    return { service: this.#seen, load: this.#loads.toolsCpuSeconds() + (clocks?.drivers ?? 0) };
  }
}
