import { z } from 'zod';

/**
 * A list, refused at its first item that does not fit: a damaged or foreign file may have very many of them, and a message about each
 * would take more memory than there is.
 */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.array(z.unknown()).transform((found, context): readonly z.output<Item>[] => {
    const items: z.output<Item>[] = [];
    for (const [index, one] of found.entries()) {
      const parsed = item.safeParse(one);
      if (!parsed.success) {
        const [issue] = parsed.error.issues;
        context.addIssue({
          code: 'custom',
          path: [index, ...(issue?.path ?? [])],
          message: issue?.message ?? 'is malformed',
        });
        return z.NEVER;
      }
      items.push(parsed.data);
    }
    return items;
  });
}
