/** A regular file below a folder. */
export interface ResultFile {
  /** From the folder, with slashes. */
  readonly path: string;
  readonly bytes: number;
}

/** The folder that the results of a job are left in. */
export interface ResultFolder {
  /** Its files and those of its folders; links, files that cannot be read and half-written ones are left out. Empty without a folder. */
  files(): Promise<readonly ResultFile[]>;
}

/** An artifact that is there now. */
export interface StoredArtifact {
  readonly id: number;
  /** Of the zip. */
  readonly bytes: number;
}

/** Where a job of a workflow leaves files. */
export interface ArtifactStore {
  /**
   * Makes one artifact of files of the folder, under their paths. Rejects with a KnownError where the service refuses or does not
   * answer.
   */
  put(name: string, paths: readonly string[]): Promise<StoredArtifact>;
}
