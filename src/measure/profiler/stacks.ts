import {
  type ExecutedCall,
  type ExecutedFunction,
  MAX_FUNCTIONS,
  unitedCalls,
  unitedFunctions,
} from '../../model/run/functions.ts';

export interface Frame {
  readonly name: string;
  /** File that it comes from, without its folder. */
  readonly object: string;
}

/** Calls that a profiler sampled, outermost function first, and the number of samples. */
export interface Stack {
  readonly frames: readonly Frame[];
  readonly count: number;
}

/** A recursion may be thousands of calls deep. */
const DEEPEST = 100;

/** Longest text that `run.json` accepts. */
const LONGEST_NAME = 200;
const LONGEST_OBJECT = 100;

/** Frame that `run.json` accepts, for any name of a function and file. */
export function frameOf(name: string, file: string): Frame {
  const object = file.split('/').at(-1) ?? '';
  return { name: name.trim().slice(0, LONGEST_NAME) || '???', object: object.slice(0, LONGEST_OBJECT) };
}

/** Adds up stacks. Keeps the functions that were innermost most often. */
export function foldStacks(stacks: readonly Stack[]) {
  const shallow = stacks
    .filter(({ frames, count }) => frames.length > 0 && count > 0)
    .map(({ frames, count }) => ({
      count,
      // The innermost function is the one that spends the time.
      frames: frames.length <= DEEPEST ? frames : [...frames.slice(0, DEEPEST - 1), ...frames.slice(-1)],
    }));
  const functions = unitedFunctions(shallow.map((stack) => ({ weight: stack.count, functions: functionsOf(stack) })));
  const most = functions.toSorted((left, right) => right.self - left.self || right.inclusive - left.inclusive);
  return {
    stacks: shallow.reduce((sum, { count }) => sum + count, 0),
    functions: most.slice(0, MAX_FUNCTIONS),
    calls: [...unitedCalls([{ weight: 1, calls: callsOf(shallow) }])],
  };
}

function functionsOf({ frames }: Stack): readonly ExecutedFunction[] {
  const innermost = keyOf(frames.at(-1));
  // A recursive function counts once per stack.
  const found = new Map(frames.map((one) => [keyOf(one), one]));
  return [...found].map(([key, frame]) => ({ ...frame, self: key === innermost ? 1 : 0, inclusive: 1 }));
}

function callsOf(stacks: readonly Stack[]): readonly ExecutedCall[] {
  const calls: ExecutedCall[] = [];
  const places = new Map<string, number>();
  for (const { frames, count } of stacks) {
    let parent = -1;
    for (const frame of frames) {
      const key = `${parent} ${keyOf(frame)}`;
      const place = places.get(key) ?? calls.length;
      places.set(key, place);
      calls[place] = { ...frame, parent, inclusive: (calls[place]?.inclusive ?? 0) + count };
      parent = place;
    }
  }
  return calls;
}

function keyOf(frame: Frame | undefined): string {
  return JSON.stringify([frame?.name, frame?.object]);
}
