import * as z from 'zod';
import { scalar } from '../../foundation/names.ts';

/** Headers that the connection and the body define. */
const NOT_OURS = ['connection', 'content-length', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade'];

const headerName = z
  .string()
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, 'must be the name of a header, like Authorization')
  .refine((value) => !NOT_OURS.includes(value.toLowerCase()), 'is a header that the connection sets itself');

const headerValue = scalar.pipe(
  z
    .string()
    .max(8000)
    .regex(/^\P{Cc}*$/u, 'must be a single line'),
);

/** Request headers by name, in the canonical case of Content-Type, as every client sends them. */
export const headers = z
  .record(headerName, headerValue)
  .transform((found) => Object.fromEntries(Object.entries(found).map(([key, value]) => [canonicalName(key), value])));

function canonicalName(header: string): string {
  return header
    .split('-')
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1).toLowerCase())
    .join('-');
}

export const requestPath = z.string().regex(/^\/\S*$/, 'must be a path that begins with / and has no spaces');

export const deadlineMs = z.int().min(1).max(3_600_000);

export const USUAL_DEADLINE = 'default: 30000 under load, 5000 before it.';
