import type { Container } from 'dockerode';

const STREAM_HEADER_BYTES = 8;
const KEPT_CHARACTERS = 8000;

/** The last lines that a container printed on standard output and standard error, in the order of their writing. */
export async function lastLogLines(container: Container, lines: number): Promise<string> {
  const raw = await container.logs({ stdout: true, stderr: true, tail: lines, follow: false });
  return textOfFrames(raw).trimEnd().slice(-KEPT_CHARACTERS);
}

/** The text of a log in the engine's framing: each piece with its stream in one byte and its length in the last four of eight. */
export function textOfFrames(raw: Buffer): string {
  const pieces: Buffer[] = [];
  for (let at = 0; at + STREAM_HEADER_BYTES <= raw.length; ) {
    const end = at + STREAM_HEADER_BYTES + raw.readUInt32BE(at + 4);
    pieces.push(raw.subarray(at + STREAM_HEADER_BYTES, end));
    at = end;
  }
  return Buffer.concat(pieces).toString('utf8');
}
