/** What an artifact holds at most, in bytes before it is packed: whoever uploads keeps to it, and whoever reads expects no more. */
export const MOST_ARTIFACT_BYTES = 100e6;

/** Files in an artifact. */
export const MOST_ARTIFACT_FILES = 500;

/** What neither a name of an artifact nor a path in it may have: not every file system takes it. */
const FORBIDDEN = /["<>:|*?\p{Cc}]/u;

/** Whether an artifact may have that name: it becomes the name of a file. */
export function isArtifactName(name: string): boolean {
  return name.length <= 200 && isArtifactPath(name) && !/[\\/]/.test(name);
}

/** Whether a file of an artifact may have that path. */
export function isArtifactPath(path: string): boolean {
  return path !== '' && !FORBIDDEN.test(path);
}
