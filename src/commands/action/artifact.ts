import { KnownError, knownError } from '../../foundation/errors.ts';
import { wordList } from '../../foundation/text.ts';
import { artifactUpload } from '../../github/host/artifact-store.ts';
import { fittingFiles, MAX_ARTIFACT_BYTES, MAX_ARTIFACT_FILES, resultFiles } from '../../github/host/artifacts.ts';
import type { WorkflowHost } from '../../github/host/workflow-host.ts';
import { printCommand, printLine } from '../../host/terminal/output.ts';
import { USUAL_ARTIFACT } from '../program/options.ts';

/** State for the end of the job: the folder, and whether the upload has ended, successfully or not. */
const FOLDER = 'results';
const IS_SETTLED = 'resultsSettled';

export function rememberResults({ remember }: WorkflowHost, folder: string): void {
  remember(FOLDER, folder);
}

/** Uploads results that the main step did not: it failed, crashed or was canceled. */
export async function uploadRemembered(host: WorkflowHost): Promise<void> {
  const folder = host.remembered(FOLDER);
  if (folder !== '' && host.remembered(IS_SETTLED) === '') {
    await uploadFolder(host, folder);
  }
}

/** Uploads the results of the step as one artifact and returns the address of its page; undefined if the upload fails, which is only logged. */
export async function uploadFolder(host: WorkflowHost, folder: string): Promise<string | undefined> {
  const upload = artifactUpload(folder);
  if (upload === undefined) {
    printLine(`no artifact service available: the results stay in ${folder}`);
    return undefined;
  }
  const name = host.inputs.get('artifact') ?? USUAL_ARTIFACT;
  printCommand({ name: 'group', text: `Upload the results as artifact "${name}"` });
  const { kept, leftOut } = fittingFiles(await resultFiles(folder));
  const paths = kept.map(({ path }) => path);
  const artifact = paths.length === 0 ? undefined : await upload(name, paths).catch(knownError);
  printCommand({ name: 'endgroup' });
  host.remember(IS_SETTLED, 'true');
  if (artifact === undefined) {
    printLine('no artifact: there is nothing to upload');
    return undefined;
  }
  if (artifact instanceof KnownError) {
    warn(host, [artifact.message, ...(artifact.next === undefined ? [] : [artifact.next])]);
    return undefined;
  }
  const url = `${host.runUrl(host.runId)}/artifacts/${artifact.id}`;
  printLine(`artifact "${name}": ${paths.length} files, ${(artifact.bytes / 1e6).toFixed(2)} MB packed: ${url}`);
  host.output('artifact-url', url);
  if (leftOut.length > 0) {
    const names = leftOut.map(({ path, bytes }) => `${path} (${(bytes / 1e6).toFixed(1)} MB)`);
    warn(host, [`the artifact "${name}" does not include ${wordList(names, MAX_NAMES)}: ${LIMIT}`]);
  }
  return url;
}

const LIMIT = `the limit is ${MAX_ARTIFACT_FILES} files and ${MAX_ARTIFACT_BYTES / 1e6} MB`;
const MAX_NAMES = 3;

function warn({ annotate }: WorkflowHost, sentences: readonly string[]): void {
  annotate({ level: 'warning', title: 'Wiregauge', message: sentences.join('. ').trim() });
}
