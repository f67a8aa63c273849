import { z } from 'zod';

/** The time that a request or a call may take. */
export const deadlineMs = z.int().min(1).max(3_600_000);

/** For descriptions: what it is where nothing is said. */
export const USUAL_DEADLINE = 'default: 30000 under load, and 5000 before it.';
