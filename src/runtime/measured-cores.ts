/** Options of ours for a JVM; those of the service itself go before. */
export function javaOptions(ours: string, own: string | undefined): string {
  return own === undefined ? ours : `${ours} ${own}`;
}

/** Variables of a program with those that set the number of cores for a JVM and .NET, whatever they may use. */
export function withMeasuredCores(
  own: Readonly<Record<string, string>>,
  cores: number,
): Readonly<Record<string, string>> {
  return {
    // In hexadecimal.
    DOTNET_PROCESSOR_COUNT: cores.toString(16),
    ...own,
    JAVA_TOOL_OPTIONS: javaOptions(`-XX:ActiveProcessorCount=${cores}`, own['JAVA_TOOL_OPTIONS']),
  };
}
