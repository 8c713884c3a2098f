import { z } from "zod";

/** RFC 3339 text in the years 0 to 9999. Invalid times are refused, so readers can parse it unchecked. */
export const time = z.iso.datetime({ offset: true });
