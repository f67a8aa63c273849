export { clean } from './clean.ts';
export { type DocTopic, topicsOf } from './help/topics.ts';
export type { CallExample } from './program/command.ts';
export { tellFailure, tellLostOutput } from './program/failure.ts';
export { allCommands, type PlacedCommand } from './program/help.ts';
export { commandLine, EXAMPLES, runCommandLine } from './program/program.ts';
export { parseSamples } from './runs/samples.ts';
