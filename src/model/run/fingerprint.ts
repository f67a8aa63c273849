import { z } from 'zod';

const text = z.string().max(300);

/** What a count of instructions follows from besides the code of its service. Two counts can be compared if all of it is equal. */
export const fingerprintSchema = z.object({
  /** What counted, its version, and the processor that it counts for: "valgrind 3.19.0 x64". */
  counter: text,
  /** The version of Wiregauge, which chooses and sends the requests. */
  wiregauge: text,
  runtime: text,
  /** Of a plain process: the system with its libraries and interpreters, "debian 12"; a container brings its own. */
  system: text.optional(),
  /** The same of a runner of GitHub: the version of its image. */
  runnerImage: text.optional(),
  /** A hash of the variables that the service and what it needs are given, before secrets are filled in. */
  environment: text,
  /** A hash of how they are started: commands, images and limits. */
  command: text,
  /** A hash of the operations, with their shares and all that they send. */
  requests: text,
});

/** What a count of instructions follows from besides the code of its service, part by part. */
export type Fingerprint = z.infer<typeof fingerprintSchema>;

/** The parts as people call them; hashes are not shown. */
const PARTS: readonly { readonly part: keyof Fingerprint; readonly name: string; readonly isHash?: true }[] = [
  { part: 'counter', name: 'the counter' },
  { part: 'wiregauge', name: 'the version of Wiregauge' },
  { part: 'runtime', name: 'the runtime' },
  { part: 'system', name: 'the operating system' },
  { part: 'runnerImage', name: 'the image of the runner' },
  { part: 'environment', name: 'the environment of the service', isHash: true },
  { part: 'command', name: 'how the service is started', isHash: true },
  { part: 'requests', name: 'the requests', isHash: true },
];

/** What two fingerprints differ in: "the counter (valgrind 3.22.0 x64, here 3.19.0 x64)". Empty if counts of both can be compared. */
export function fingerprintDifferences(stored: Fingerprint, here: Fingerprint): readonly string[] {
  return PARTS.filter(({ part }) => stored[part] !== here[part]).map(({ part, name, isHash }) =>
    isHash ? name : `${name} (${stored[part] ?? 'none'}, here ${here[part] ?? 'none'})`,
  );
}

/** Names what shifts counts and is no doing of the repository: counts of one level have it in common. */
export function counterLevel({ counter, wiregauge, runtime, system }: Fingerprint): string {
  return JSON.stringify([counter, wiregauge, runtime, system ?? null]);
}
