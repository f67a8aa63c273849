import type { Counts } from '../../runtime/port.ts';

/** What each member of a service executed, window by window. */
export type MemberWindows = Record<string, { instructions: number[]; syscalls: number[] }>;

/** Adds what the members executed in the next window to the windows before; nothing of a service of one program. */
export function addWindow(windows: MemberWindows, members: Counts['members'] = {}): void {
  for (const [name, { instructions, syscalls }] of Object.entries(members)) {
    const own = windows[name] ?? { instructions: [], syscalls: [] };
    windows[name] = own;
    own.instructions.push(instructions);
    own.syscalls.push(syscalls);
  }
}
