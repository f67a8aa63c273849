export { bodyUpTo } from './body.ts';
export { openInBrowser } from './browser.ts';
export {
  type Child,
  type ChildCommand,
  type ChildEnd,
  endGroup,
  killGroupsAtExit,
  runChild,
  startChild,
} from './child.ts';
export {
  fullDisk,
  lastingPath,
  makeFolder,
  type OutputFolder,
  onDisk,
  outputFolder,
  writeWholeFile,
} from './files/output.ts';
export { cacheFolder, ownedFolder } from './files/own-folders.ts';
export { packageNameIn } from './files/package-name.ts';
export {
  FileRefusal,
  MOST_NAMED_BYTES,
  readBytes,
  readInside,
  readProc,
  readText,
  readTextIfThere,
  streamOf,
} from './files/reader.ts';
export { filesBelow, filesNamed, hashOf, insideRepository, namesIn, readProtos } from './files/repository.ts';
export { type RepositoryFile, scanRepository } from './files/scan.ts';
export { textInZip } from './files/zip.ts';
export { checkoutRoot } from './git/checkout.ts';
export { type CommitLine, commitsBetween, type LineCommit } from './git/commits.ts';
export { type GitBytes, git, gitError, quoted, readCommit, runGit, runGitBytes } from './git/git.ts';
export { commitFacts, gitFacts, mergeBase, mergeBaseOfTip, requireCommits, usualBase } from './git/repository.ts';
export { commitOf, latestRelease } from './git/tags.ts';
export { baseVersionOf, versionOf } from './git/worktrees.ts';
export { lockFolder, lockHolder, lockMachine } from './locks.ts';
export { type Clock, systemClock } from './machine/clock.ts';
export { escapedProcesses, markDescendants } from './machine/descendants.ts';
export {
  type Cores,
  checkSystem,
  chooseCores,
  freeDiskMiB,
  keepToLoadCore,
  machineIdentity,
  readMachineFacts,
  readRunner,
} from './machine/machine.ts';
export { endProcessesOf, removeOrphans } from './machine/orphans.ts';
export { type OwnerSearch, ownerState, searchHere } from './machine/owners.ts';
export { freePort, isListening, listenersOn, ownPort, portsOf } from './machine/ports.ts';
export {
  hostCpu,
  isOwnerAlive,
  networkBytes,
  networkCounters,
  OWNER_VARIABLE,
  ownerOf,
  ownerPlace,
  processStat,
  processTree,
  programName,
  ticksPerSecond,
  treeCounters,
  treeCpuSeconds,
} from './machine/proc.ts';
export { parseOpenFilesLimit } from './machine/proc-files.ts';
export { abortAfter, INTERRUPTED, interruptible, unlessAborted } from './signals.ts';
export {
  columnsOf,
  maskOutput,
  type Output,
  print,
  printCommand,
  printedText,
  printJson,
  printLine,
  printScript,
  remarkLog,
  remarkOutput,
  showsColour,
  surviveLossOfOutput,
  type Telling,
} from './terminal/output.ts';
export { type Progress, type ProgressState, progressOf } from './terminal/progress.ts';
export { type Ask, hasTerminal, withQuestions } from './terminal/questions.ts';
export { sendToWebhook } from './webhook.ts';
export {
  BUILD_VARIABLES,
  cacheVariables,
  childEnvironment,
  environmentOfBuild,
  githubToken,
  isInWorkflow,
  isOfWorkflow,
  keepToken,
  withoutWorkflowVariables,
} from './workflow.ts';
