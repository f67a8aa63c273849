export { type MergeRequestPlace, mergeRequestNotes } from './notes.ts';
