import { z } from "zod";

/**
 * The first `most` items of a list in an answer; none if it is no list. Whoever wrote it chose its length, and reading each item with a
 * schema takes longer than parsing it.
 */
export function boundedList<Item extends z.ZodType>(item: Item, most: number) {
  return z
    .unknown()
    .optional()
    .transform((list) => (Array.isArray(list) ? list.slice(0, most) : []))
    .pipe(z.array(item).catch([]));
}
