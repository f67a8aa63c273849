import { expect, test } from 'vitest';
import { withMeasuredCores } from '../../../src/runtime/needs.ts';

test('a JVM and .NET get the number of measured cores, and what a service says itself wins', () => {
  expect(withMeasuredCores({ MODE: 'fast' }, 12)).toEqual({
    MODE: 'fast',
    JAVA_TOOL_OPTIONS: '-XX:ActiveProcessorCount=12',
    DOTNET_PROCESSOR_COUNT: 'c',
  });
  const own = { JAVA_TOOL_OPTIONS: '-XX:ActiveProcessorCount=4', DOTNET_PROCESSOR_COUNT: '4' };
  expect(withMeasuredCores(own, 1)).toEqual({
    ...own,
    // The last of them counts.
    JAVA_TOOL_OPTIONS: '-XX:ActiveProcessorCount=1 -XX:ActiveProcessorCount=4',
  });
});
