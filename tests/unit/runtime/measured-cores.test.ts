import { expect, test } from 'vitest';
import { managedEnvironment } from '../../../src/runtime/needs.ts';

test('a JVM and .NET get the number of measured cores, and what a service says itself wins', () => {
  expect(managedEnvironment({ MODE: 'fast' }, { cores: 12 })).toEqual({
    MODE: 'fast',
    JAVA_TOOL_OPTIONS: '-XX:ActiveProcessorCount=12',
    DOTNET_PROCESSOR_COUNT: 'c',
  });
  const own = { JAVA_TOOL_OPTIONS: '-XX:ActiveProcessorCount=4', DOTNET_PROCESSOR_COUNT: '4' };
  expect(managedEnvironment(own, { cores: 1 })).toEqual({
    ...own,
    // The last of them counts.
    JAVA_TOOL_OPTIONS: '-XX:ActiveProcessorCount=1 -XX:ActiveProcessorCount=4',
  });
});

test('a JVM compiles with C1 alone, unless the service says otherwise', () => {
  const own = { JAVA_TOOL_OPTIONS: '-XX:TieredStopAtLevel=4' };

  expect(managedEnvironment(own, { cores: undefined, compiler: 'C1' })).toEqual({
    JAVA_TOOL_OPTIONS: '-XX:TieredStopAtLevel=1 -XX:TieredStopAtLevel=4',
  });
  expect(managedEnvironment({}, {})).toEqual({});
});
