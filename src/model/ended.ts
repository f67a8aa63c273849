import { z } from 'zod';

/** Why no further round was begun; "running" in a file that was written in mid-run. */
export const endedSchema = z.enum(['decided', 'rounds', 'budget', 'interrupted', 'running']);
