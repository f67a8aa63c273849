export type { CheckRun } from './api/checks.ts';
export { type GitHub, openGitHub } from './api/github.ts';
export type { WorkflowRun } from './api/repository.ts';
export { type Command, commandIn } from './command.ts';
export {
  COMMENT_MODES,
  type CommentMode,
  type Comments,
  type Creation,
  changeComment,
  type PullRequestComment,
  stickyComment,
} from './comment.ts';
export { type GithubEvent, githubEvent } from './event.ts';
export {
  isArtifactName,
  MOST_ARTIFACT_BYTES,
  MOST_ARTIFACT_FILES,
  type UploadEnd,
  uploadResults,
} from './host/upload.ts';
export { type AlertIssueEnd, keepAlertIssue } from './issue.ts';
