import { z } from "zod";

/** A moment as RFC 3339 text in the years 0 to 9999: what is no time is refused, so that nobody who reads it need ask. */
export const time = z.iso.datetime({ offset: true });
