import { z } from 'zod';

/** What names of services, operations, tiers and suites may be in files that this program wrote. */
export const NAME = /^[A-Za-z0-9_.-]{1,80}$/;

/** Such a name. */
export const nameSchema = z.string().regex(NAME, 'a name has 1 to 80 letters, digits, dots, dashes or underscores');
