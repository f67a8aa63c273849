/** What the action does, apart from the commands: its libraries are not loaded by the command line. */
export { action } from './action.ts';
export { uploadRemembered } from './artifact.ts';
