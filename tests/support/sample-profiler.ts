import type { SampledProfile } from '../../src/model/run/functions.ts';

/** What a profiler saw of the REST service: functions of one caller, each the innermost one in so many stacks. */
export function sampledProfile(side: 'base' | 'head', stacks: Readonly<Record<string, number>>): SampledProfile {
  const whole = Object.values(stacks).reduce((sum, count) => sum + count, 0);
  const functions = Object.entries(stacks).map(([name, count]) => ({
    name,
    object: 'app.py',
    self: count,
    inclusive: count,
  }));
  const calls = functions.map(({ self: _self, ...call }) => ({ ...call, parent: 0 }));
  return {
    ...{ service: 'rest', side, profiler: 'py-spy', version: '0.4.3', share: 1, stacks: whole, functions },
    calls: [{ name: 'main', object: 'app.py', parent: -1, inclusive: whole }, ...calls],
  };
}
