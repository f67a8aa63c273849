/** The runner of a workflow, for the action alone: GitHub's own libraries stay out of what the command line loads. */
export { artifactStore, resultFolder } from './artifacts.ts';
export { type WorkflowHost, workflowHost } from './workflow-host.ts';
