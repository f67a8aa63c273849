/** What is wrong with a file of traffic, to be printed after its path. */
export class FormatError extends Error {}
