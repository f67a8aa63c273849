/** Error in a file of traffic, printed after its path. */
export class FormatError extends Error {}
